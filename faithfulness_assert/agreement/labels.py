"""Reads the sheet that people have labelled, and checks that it is still the one that was drawn."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple

from ..batch.outputs import safe_cell
from ..cases.sources import open_table
from ..records.errors import ConfigError, option
from ..text.strings import clip, names_of
from .drawing import Counts, Drawn, Judged, Run, count, draw, in_order
from .sheets import LABELS, Draw, drawn_by

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
        id: of its case; spreadsheets may have changed it.
        drawn: how it was drawn; None where it does not say so.
        unfaithful: what each annotator says; None without a label.
        texts: what the sheet shows of it, for people.
    """

    where: str
    id: str
    drawn: Draw | None
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

    def notes(self) -> list[str]:
        """What a reader should know of rows without a label."""
        done = [answer.unfaithful is not None for answer in self.answers]
        last = max(place for place, is_done in enumerate(done) if is_done)
        notes = []
        if passed_over := done[:last].count(False):
            note = f"answers that were passed over, without a label: {passed_over}"
            notes.append(f"{note}. If those are the hard ones, all figures flatter")
        if rest := len(done) - 1 - last:
            notes.append(f"answers at the end without a label: {rest}, which does no harm")
        return notes


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
    most = MOST_CELLS // max(20, len(source.columns or ()))
    records = list(islice(source.records(), most + 1))
    if len(records) > most:
        raise ConfigError(
            f"{source.name}: has more than {most:,} rows; leave out those without a label"
        )
    for record in records:
        if record.problem:
            raise ConfigError(f"{source.name}, {record.place}: {record.problem}")
    values = [(record.place, record.values) for record in records]
    columns = list(dict.fromkeys(name for _, row in values for name in row))
    annotators = tuple(name for name in columns if _LABEL.fullmatch(name.strip()))
    if not annotators:
        has = names_of(columns)
        raise ConfigError(f"{source.name}: has no column label; it has {has}")
    _check_drawn_column(source.name, columns, random=random)
    rows = [_row(source.name, place, row, annotators) for place, row in values]
    if not any(row.unfaithful[0] is not None for row in rows):
        raise ConfigError(f"{source.name}: the column {annotators[0]!r} has no label")
    labels = (_in_any_run if random else _as_drawn)(source.name, rows, run)
    return Labels(source.name, annotators, *labels)


def _check_drawn_column(name: str, columns: Iterable[str], *, random: bool) -> None:
    has = "drawn" in columns
    if random and has:
        problem = "says how it was drawn, so it is not read as a random sample"
        raise ConfigError(f"{name}: {problem}; leave out {option('random', True)}")
    if not random and not has:
        draw = "Draw one with the command `label`"
        use = f"or, if these answers were drawn at random, use {option('random', True)}"
        raise ConfigError(f"{name}: has no column drawn. {draw}, {use}")


# ---------------------------------------------------------------- a row


def _row(name: str, where: str, values: Mapping[str, Any], annotators: Sequence[str]) -> Row:
    at = f"{name}, {where}"
    id = next((_text(values[column]) for column in IDS if _text(values.get(column))), "")
    if not id:
        raise ConfigError(f"{at}: has no case_id or id; it has {names_of(values)}")
    try:
        drawn = drawn_by(_text(values["drawn"])) if "drawn" in values else None
    except ConfigError as error:
        raise ConfigError(f"{at}: {error}") from None
    labels = tuple(_label(f"{at}: {column}", values.get(column)) for column in annotators)
    texts = {column: _unguarded(_text(values.get(column)))[:MOST_TEXT] for column in SHOWN}
    return Row(where, id, drawn, labels, texts)


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
    by_id = _by_id(name, rows)
    judged = {answer.id: answer for answer in run.answers() if answer and answer.id in by_id}
    for id, row in by_id.items():
        if id not in judged:
            problem = f"the id {clip(id, 60)!r} is not in {run.name}, or was not graded there"
            raise ConfigError(f"{name}, {row.where}: {problem}; correct or remove the row")
    return count(run), [Labelled(row, judged[id]) for id, row in by_id.items()]


def _as_drawn(name: str, rows: Sequence[Row], run: Run) -> tuple[Counts, list[Labelled]]:
    """The rows in the order in which they were drawn: the same run and seed draw the same.

    Where they do not, the run has changed since. Then its answers are those of the rows, if nothing
    has changed in these.
    """
    first = rows[0]
    first_draw = first.drawn or Draw(0, 0, None, "")
    for row in rows:
        if row.drawn != first_draw:
            problem = f"was drawn with another sheet than {first.where}"
            raise ConfigError(f"{name}, {row.where}: {problem}; keep each sheet in its own file")
    n, seed = first_draw.n, first_draw.seed
    drawn_again = draw(run, n, seed=seed)
    if first_draw.counts and drawn_again.check != first_draw.check:
        drawn_again = _in_changed_run(rows, run, first_draw, first_draw.counts) or drawn_again
    counts, answers = drawn_again
    ids = _whole_ids(answers)
    by_id = _by_id(name, [row._replace(id=ids.get(_bare(row.id), row.id)) for row in rows])
    drawn = {answer.id for answer in answers}
    for id, row in by_id.items():
        if id not in drawn:
            problem = f"{clip(id, 60)!r} is not among the {n} answers that seed {seed} draws from"
            raise ConfigError(
                f"{name}, {row.where}: {problem} {run.name}. Name the run first from which the "
                "sheet was drawn. It may have grown since; if texts or verdicts of the sheet's "
                "answers have changed, draw a new sheet, and if rows are missing, put them back"
            )
    if lost := [answer.id for answer in answers if answer.id not in by_id]:
        shown = ", ".join(repr(clip(id, 60)) for id in lost[:3]) + (" and more" * (len(lost) > 3))
        problem = f"{len(lost)} of the {n} answers that were drawn are missing ({shown})"
        raise ConfigError(
            f"{name}: {problem}, and without them the rest is no random part. Put them back, with "
            "an empty label where there is none"
        )
    return counts, [Labelled(by_id[answer.id], answer) for answer in answers]


def _in_changed_run(rows: Sequence[Row], run: Run, draw: Draw, counts: Counts) -> Drawn | None:
    """The answers that a sheet drew from a run that has changed since.

    None if their texts or verdicts have changed, too, or if not all of them are in the sheet.
    """
    given, bare = {row.id for row in rows}, {_bare(row.id) for row in rows}
    answers = [answer for answer in run.answers() if answer and _bare(answer.id) in bare]
    exact = {_bare(answer.id) for answer in answers if answer.id in given}
    own = [answer for answer in answers if answer.id in given or _bare(answer.id) not in exact]
    drawn = in_order(counts, own, draw.seed)
    return drawn if drawn.check == draw.check else None


def _by_id(name: str, rows: Iterable[Row]) -> dict[str, Row]:
    """The rows by their ids. Raises ``ConfigError`` if two are of the same answer."""
    rows_by_id: dict[str, Row] = {}
    for row in rows:
        first = rows_by_id.setdefault(row.id, row)
        if first is not row:
            both = f"{first.where} and {row.where} are both of {clip(row.id, 60)!r}"
            raise ConfigError(f"{name}: {both}: decide for one, and remove the other")
    return rows_by_id


def _whole_ids(answers: Iterable[Judged]) -> dict[str, str]:
    """The ids of answers by what a spreadsheet leaves of them, where that names one alone."""
    ids = defaultdict(list)
    for answer in answers:
        ids[_bare(answer.id)].append(answer.id)
    return {bare: same[0] for bare, same in ids.items() if len(same) == 1}


def _bare(id: str) -> str:
    """What an id keeps in a sheet: spreadsheets make 7 of 007, and we mark formulas."""
    return re.sub(r"[\W_]+", "", id.casefold()).lstrip("0")
