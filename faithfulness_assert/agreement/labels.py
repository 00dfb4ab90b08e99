"""Reads the sheet that people have labelled, and checks that it is still the one that was drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple

from ..batch.outputs import safe_cell
from ..cases.sources import open_table
from ..records.errors import ConfigError, option
from ..text.strings import clip, names_of
from .drawing import Counts, Judged, Run, count, fingerprint, place_in_sheet
from .sheets import LABELS, drawn_by

IDS = ("case_id", "id")
SHOWN = ("question", "context", "answer")
MOST_CELLS = 2_000_000
MOST_TEXT = 20_000
"""Characters of a text that are kept to be shown."""
_LABEL = re.compile(r"label([ _.-]?\w{1,30})?", re.IGNORECASE)


class Row(NamedTuple):
    """An answer of a sheet.

    Args:
        where: its row.
        id: of its case; spreadsheets may have changed it, so a sheet goes by ``drawn``.
        drawn: what it says of how it was drawn.
        unfaithful: what each annotator says; None without a label.
        texts: what the sheet shows of it, for people.
    """

    where: str
    id: str
    drawn: str
    unfaithful: tuple[bool | None, ...]
    texts: Mapping[str, str]


class Labelled(NamedTuple):
    """A row, and what the judge of the run says of its answer from which the sheet was drawn."""

    row: Row
    judged: Judged

    @property
    def unfaithful(self) -> bool | None:
        """What the first annotator says: judges are compared with this one."""
        return self.row.unfaithful[0]


class Labels(NamedTuple):
    """What people say of a run.

    Args:
        name: of the sheet.
        annotators: the columns with labels.
        counts: of the run, as it was when the sheet was drawn.
        answers: those of the sheet in the order in which it was written, with and without labels.
    """

    name: str
    annotators: tuple[str, ...]
    counts: Counts
    answers: Sequence[Labelled]


def read_labels(
    path: str | PathLike[str], run: Run, *, random: bool = False, encoding: str | None = None
) -> Labels:
    """The labels of a sheet, as ``write_sheet`` writes it, or of a table with ``id`` and ``label``.

    Args:
        path: ``.csv``, ``.jsonl``, ``.xlsx`` or any other file of a data set.
        run: from which it was drawn.
        random: the table does not say how it was drawn: its answers were drawn at random.
        encoding: that of a text file, such as ``"cp1252"``; by default UTF-8.

    Raises:
        ConfigError: the sheet cannot be read, it does not have the answers that were drawn from the
            run, a label is none, or two rows are of the same answer. It names row and column.
    """
    source = open_table(path, encoding)
    name, most = source.name, MOST_CELLS // max(20, len(source.columns or ()))
    records = list(islice(source.records(), most + 1))
    if len(records) > most:
        raise ConfigError(f"{name}: has more than {most:,} rows; leave out those without a label")
    for record in records:
        if record.problem:
            raise ConfigError(f"{name}, {record.place}: {record.problem}")
    columns = list(dict.fromkeys(column for record in records for column in record.values))
    annotators = tuple(column for column in columns if _LABEL.fullmatch(column.strip()))
    if not annotators:
        raise ConfigError(f"{name}: has no column label; it has {names_of(columns)}")
    if random and "drawn" in columns:
        problem = "says how it was drawn, so it is not read as a random sample"
        raise ConfigError(f"{name}: {problem}; leave out {option('random', True)}")
    if not random and "drawn" not in columns:
        draw = "Draw one with the command `label`"
        use = f"or, if these answers were drawn at random, use {option('random', True)}"
        raise ConfigError(f"{name}: has no column drawn. {draw}, {use}")
    rows = [_row(name, record.place, record.values, annotators) for record in records]
    if not any(row.unfaithful[0] is not None for row in rows):
        raise ConfigError(f"{name}: the column {annotators[0]!r} has no label")
    counts, answers = (_in_any_run if random else _as_drawn)(name, rows, run)
    rows_by_id: dict[str, Row] = {}
    for row, judged in answers:
        if (first := rows_by_id.setdefault(judged.id, row)) is not row:
            both = f"{first.where} and {row.where} are both of {clip(row.id, 60)!r}"
            raise ConfigError(f"{name}: {both}: decide for one, and remove the other")
    return Labels(name, annotators, counts, answers)


# ---------------------------------------------------------------- a row


def _row(name: str, where: str, values: Mapping[str, Any], annotators: Sequence[str]) -> Row:
    at = f"{name}, {where}"
    id = next((_text(values[column]) for column in IDS if _text(values.get(column))), "")
    if not id:
        raise ConfigError(f"{at}: has no case_id or id; it has {names_of(values)}")
    labels = tuple(_label(f"{at}: {column}", values.get(column)) for column in annotators)
    texts = {column: _unguarded(_text(values.get(column)))[:MOST_TEXT] for column in SHOWN}
    return Row(where, id, _text(values.get("drawn")), labels, texts)


def _unguarded(text: str) -> str:
    """A text without the sign that keeps a spreadsheet from running it."""
    return text[1:] if text[:1] == "'" and safe_cell(text[1:]) == text else text


def _label(where: str, value: object) -> bool | None:
    """Whether an answer is unfaithful; None without a label."""
    given = _text(value).strip().strip("'\".").strip()
    label = given.casefold()
    if label and label not in LABELS:
        names = ", ".join(LABELS)
        raise ConfigError(f"{where} is {clip(given, 40)!r}; it must be one of {names}, or empty")
    return label == "unfaithful" if label else None


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n\n".join(f"[{number}] {item}" for number, item in enumerate(value, 1))
    return "" if value is None else str(value)


# ---------------------------------------------------------------- the rows in their run


def _in_any_run(name: str, rows: Sequence[Row], run: Run) -> tuple[Counts, list[Labelled]]:
    """Rows that do not say how they were drawn, each with its answer in the run."""
    ids = {row.id for row in rows}
    judged = {answer.id: answer for answer in run.answers() if answer and answer.id in ids}
    for row in rows:
        if row.id not in judged:
            problem = f"the id {clip(row.id, 60)!r} is not in {run.name}, or was not graded there"
            raise ConfigError(f"{name}, {row.where}: {problem}; correct or remove the row")
    return count(run), [Labelled(row, judged[row.id]) for row in rows]


def _as_drawn(name: str, rows: Sequence[Row], run: Run) -> tuple[Counts, list[Labelled]]:
    """The rows with their answers in the run, in the order in which they were drawn."""
    read = [drawn_by(row.drawn, f"{name}, {row.where}") for row in rows]
    sheet, numbers = read[0][1], [number for number, _ in read]
    for row, (_, other) in zip(rows, read, strict=True):
        if other != sheet:
            problem = f"was drawn with another sheet than {rows[0].where}"
            raise ConfigError(f"{name}, {row.where}: {problem}; keep each sheet in its own file")
    wanted = dict.fromkeys(numbers)
    found = {n: answer for answer in run.answers() if answer and (n := answer.number) in wanted}
    hint = (
        f"Name the run first from which the sheet was drawn. {run.name} may have grown since; if "
    )
    hint += "texts or verdicts of the sheet's answers have changed, draw a new sheet"
    for row, number in zip(rows, numbers, strict=True):
        if number not in found:
            problem = f"the answer {clip(row.id, 60)!r} of the sheet is not in {run.name}"
            raise ConfigError(f"{name}, {row.where}: {problem}. {hint}")
    if len(found) != sheet.n:
        raise ConfigError(
            f"{name}: has {len(found)} of the {sheet.n} answers that were drawn, and without the "
            "others the rest is no random part. Put them back, with an empty label where there is "
            "none"
        )
    if fingerprint(found.values()) != sheet.drawn:
        raise ConfigError(
            f"{name}: the judge of {run.name} says other things of its answers. {hint}"
        )
    answers = [Labelled(row, found[number]) for row, number in zip(rows, numbers, strict=True)]
    answers.sort(key=lambda answer: place_in_sheet(answer.judged, sheet.seed))
    return sheet.counts, answers
