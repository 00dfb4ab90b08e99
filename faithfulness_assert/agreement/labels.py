"""Reads the sheet that people have labelled, and checks that it is still the one that was drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import NamedTuple

from ..batch.outputs import safe_cell
from ..cases.data_set import Record
from ..cases.sources import open_table
from ..records.errors import ConfigError, option
from ..text.strings import clip, names_of
from .drawing import DRAWN, Counts, Drawn, Judged, Run, count
from .sheets import LABELS

IDS = ("case_id", "id")
SHOWN = ("question", "context", "answer")
MOST_CELLS = 2_000_000
MOST_TEXT = 20_000
"""Characters of a text that are kept to be shown."""
_LABEL = re.compile(r"label([ _.-]?\w{1,30})?", re.IGNORECASE)


class Labelled(NamedTuple):
    """An answer of a sheet.

    Args:
        where: its row.
        judged: what the judge of the run says of it from which the sheet was drawn.
        labels: whether it is unfaithful, as each annotator says; None without a label.
        texts: what the sheet shows of it, for people.
    """

    where: str
    judged: Judged
    labels: tuple[bool | None, ...]
    texts: Mapping[str, str]

    @property
    def unfaithful(self) -> bool | None:
        """What the first annotator says: judges are compared with this one."""
        return self.labels[0]


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
    counts, pairs = (_in_any_run if random else _as_drawn)(name, records, run)
    answers: dict[str, Labelled] = {}
    for record, judged in pairs:
        where, row = record.place, record.values
        labels = [_label(f"{name}, {where}: {column}", row.get(column)) for column in annotators]
        texts = {column: _unguarded(_text(row.get(column)))[:MOST_TEXT] for column in SHOWN}
        answer = Labelled(where, judged, tuple(labels), texts)
        if (first := answers.setdefault(judged.id, answer)) is not answer:
            both = f"{first.where} and {where} are both of {clip(judged.id, 60)!r}"
            raise ConfigError(f"{name}: {both}: decide for one, and remove the other")
    if all(answer.unfaithful is None for answer in answers.values()):
        raise ConfigError(f"{name}: the column {annotators[0]!r} has no label")
    return Labels(name, annotators, counts, list(answers.values()))


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

Pairs = list[tuple[Record, Judged]]


def _in_any_run(name: str, records: Sequence[Record], run: Run) -> tuple[Counts, Pairs]:
    """Rows that do not say how they were drawn, each with its answer in the run."""
    ids = [next(filter(None, (_text(r.values.get(name)) for name in IDS)), "") for r in records]
    wanted = set(ids)
    judged = {answer.id: answer for answer in run.answers() if answer and answer.id in wanted}
    for record, id in zip(records, ids, strict=True):
        at = f"{name}, {record.place}"
        if not id:
            raise ConfigError(f"{at}: has no case_id or id; it has {names_of(record.values)}")
        if id not in judged:
            problem = f"the id {clip(id, 60)!r} is not in {run.name}, or was not graded there"
            raise ConfigError(f"{at}: {problem}; correct or remove the row")
    return count(run), [(record, judged[id]) for record, id in zip(records, ids, strict=True)]


def _as_drawn(name: str, records: Sequence[Record], run: Run) -> tuple[Counts, Pairs]:
    """The rows of a sheet with their answers in the run, in the order in which it was written."""
    numbers, hows = list[int](), list[re.Match[str]]()
    for record in records:
        if not (match := DRAWN.fullmatch(_text(record.values.get("drawn")).strip())):
            problem = "drawn was changed; take it from the sheet as it was written"
            raise ConfigError(f"{name}, {record.place}: {problem}")
        numbers.append(int(match[1]))
        hows.append(match)
        if match[2] != hows[0][2]:
            problem = f"was drawn with another sheet than {records[0].place}"
            raise ConfigError(f"{name}, {record.place}: {problem}; keep each sheet in its own file")
    n, seed, sizes = hows[0].groups()[2:]
    others, flagged, left_out, *by_policy = map(int, sizes.split("-"))
    counts = Counts(others, flagged, left_out, (by_policy[0], by_policy[1]))
    wanted = set(numbers)
    found = {m: a for a in run.answers() if a and (m := a.number(int(seed))) in wanted}
    changed = f"{run.name} may have grown since; if texts or verdicts of the sheet's answers have "
    changed = f"Name the run first from which it was drawn. {changed}changed, draw a new sheet"
    for record, number in zip(records, numbers, strict=True):
        if number not in found:
            raise ConfigError(f"{name}, {record.place}: its answer is not in {run.name}. {changed}")
    if len(found) != int(n):
        raise ConfigError(
            f"{name}: has {len(found)} of the {n} answers that were drawn, and without all of them "
            "the rest is no random part. Put them back, with an empty label where there is none"
        )
    if Drawn(counts, list(found.values())).how(int(seed)) != hows[0][2]:
        problem = f"the judge of {run.name} says other things of its answers"
        raise ConfigError(f"{name}: {problem}. {changed}")
    pairs = sorted(zip(numbers, records, strict=True), key=lambda pair: pair[0])
    return counts, [(record, found[number]) for number, record in pairs]
