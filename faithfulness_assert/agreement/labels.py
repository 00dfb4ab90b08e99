"""Reads the sheet that people have labelled, and checks that it is still the one that was drawn."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..batch.data_sets.sources import open_table
from ..records.errors import ConfigError
from ..records.option_names import option
from ..text.strings import clip, names_of, text_key
from .design import Design, Place, unsealed
from .sheets import ANSWER_LABELS, STATEMENT_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from .judged import Judged

FINE = ("supported", "not_a_claim")
IDS = ("case_id", "id")
SHOWN = ("question", "context", "answer", "statements")
MOST_TEXT = 20_000
"""Characters of a text that are kept to be shown."""
_LABEL = re.compile(r"label([ _.-]?\w{1,30})?", re.IGNORECASE)


class Labelled(NamedTuple):
    """An answer of a sheet.

    Args:
        where: its row, or the first of its rows.
        id: of its case.
        place: what the design says of it; None in a sheet without a design.
        unfaithful: what each annotator says; None without a label.
        statements: for each of its statements, what each annotator says ("" without a label).
        texts: what the sheet shows of it, for people.
    """

    where: str
    id: str
    place: Place | None
    unfaithful: tuple[bool | None, ...]
    statements: tuple[tuple[str, ...], ...]
    texts: Mapping[str, str]


class Labels(NamedTuple):
    """What people say.

    Args:
        name: of the sheet.
        design: how it was drawn; None if that is not known.
        annotators: the columns with labels; the first one is what judges are compared with.
        answers: those of the sheet, in its order, with and without labels.
        notes: what a reader of any figure should know.
    """

    name: str
    design: Design | None
    annotators: tuple[str, ...]
    answers: Sequence[Labelled]
    notes: tuple[str, ...]


class Row(NamedTuple):
    """A row of a sheet, before its rows are put together."""

    where: str
    id: str
    design: Design | None
    place: Place | None
    labels: tuple[str, ...]
    texts: Mapping[str, str]


def read_labels(
    path: str | PathLike[str], *, random: bool = False, encoding: str | None = None
) -> Labels:
    """The labels of a sheet, as ``write_sheet`` writes it, or of a table with ``id`` and ``label``.

    Args:
        path: ``.csv``, ``.jsonl``, ``.xlsx`` or any other file of a data set.
        random: a sheet without a design is of answers that were drawn at random from the run.
        encoding: that of a text file, such as ``"cp1252"``; by default UTF-8.

    Raises:
        ConfigError: the sheet cannot be read, it was edited so that its design no longer fits, a
            label is none, or an annotator says two things of the same. It names row and column.
    """
    source = open_table(path, encoding)
    records = list(source.records())
    for record in records:
        if record.values is None:
            raise ConfigError(f"{source.name}, {record.place}: {record.problem}")
    values = [(record.place, record.values or {}) for record in records]
    columns = list(dict.fromkeys(name for _, row in values for name in row))
    annotators = tuple(name for name in columns if _LABEL.fullmatch(name.strip()))
    if not annotators:
        has = names_of(columns)
        raise ConfigError(f"{source.name}: has no column label; it has {has}")
    _check_design_column(source.name, columns, random=random)
    rows = [_row(source.name, place, row, annotators) for place, row in values]
    design = _one_design(source.name, rows)
    answers = _answers(source.name, rows, design)
    _check_some(source.name, answers, annotators)
    return Labels(source.name, design, annotators, answers, tuple(_notes(answers)))


def _check_design_column(name: str, columns: Iterable[str], *, random: bool) -> None:
    has = "design" in columns
    if random and has:
        problem = "has a design, so it is not read as a random sample"
        raise ConfigError(f"{name}: {problem}; leave out {option('random', True)}")
    if not random and not has:
        draw = "Draw one with the command `label`"
        use = f"or, if these answers were drawn at random, use {option('random', True)}"
        raise ConfigError(f"{name}: has no column design. {draw}, {use}")


# ---------------------------------------------------------------- a row


def _row(name: str, where: str, values: Mapping[str, Any], annotators: Sequence[str]) -> Row:
    at = f"{name}, {where}"
    id = next((_text(values[column]) for column in IDS if _text(values.get(column))), "")
    design = place = None
    if "design" in values:
        try:
            design, place = unsealed(_text(values["design"]))
        except ConfigError as error:
            raise ConfigError(f"{at}: the design {error}") from None
        if _bare(id) != _bare(place.answer.id):
            problem = f"case_id is {clip(id, 60)!r}, but this row was drawn for"
            raise ConfigError(
                f"{at}: {problem} {clip(place.answer.id, 60)!r}. If the sheet was sorted, sort all "
                "of its columns together"
            )
        id = place.answer.id
    if not id:
        raise ConfigError(f"{at}: has no id")
    known = STATEMENT_LABELS if place and place.statement else ANSWER_LABELS
    labels = tuple(_label(f"{at}: {column}", values.get(column), known) for column in annotators)
    names = (*SHOWN, "statement")
    texts = {column: _text(values.get(column))[:MOST_TEXT] for column in names}
    return Row(where, id, design, place, labels, texts)


def _label(where: str, value: object, known: Sequence[str]) -> str:
    given = _text(value).strip().strip("'\".").strip()
    label = re.sub(r"[\s-]+", "_", given.casefold())
    if label and label not in known:
        raise ConfigError(
            f"{where} is {clip(given, 40)!r}; it must be one of {', '.join(known)}, or empty"
        )
    return label


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n\n".join(f"[{number}] {item}" for number, item in enumerate(value, 1))
    return "" if value is None else str(value)


def _bare(id: str) -> str:
    """What an id keeps in a sheet: spreadsheets make 7 of 007, and we mark formulas."""
    return re.sub(r"[\W_]+", "", id.casefold()).lstrip("0")


# ---------------------------------------------------------------- the rows together


def _one_design(name: str, rows: Sequence[Row]) -> Design | None:
    """The design of all rows, if they have one, and the sheet has all that it says."""
    design = rows[0].design
    for row in rows:
        if row.design != design:
            problem = f"was drawn with another sheet than {rows[0].where}"
            raise ConfigError(f"{name}, {row.where}: {problem}; keep each sheet in its own file")
    if design is None:
        return None
    for place, stratum in enumerate(design.strata):
        found = {r.place.place for r in rows if r.place and r.place.answer.flagged is bool(place)}
        if len(found) > stratum.drawn:
            raise ConfigError(
                f"{name}: has more answers than were drawn; take it as it was written"
            )
    here = {row.place.place for row in rows if row.place}
    # A sheet may say that it has a trillion of answers: no list is made of what it says.
    lost = design.drawn - sum(1 <= place <= design.drawn for place in here)
    if lost:
        missing = (str(n) for n in range(1, design.drawn + 1) if n not in here)
        shown = ", ".join(islice(missing, 5)) + (" and more" if lost > 5 else "")
        problem = f"{lost} of the {design.drawn} answers that were drawn are missing"
        raise ConfigError(
            f"{name}: {problem} (numbers {shown} of the sheet as it was written), and without them "
            "the rest is no random part. Put them back, with an empty label where there is none"
        )
    return design


def _answers(name: str, rows: Sequence[Row], design: Design | None) -> list[Labelled]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row.id].append(row)
    if design is None or design.kind == "answers":
        for same in grouped.values():
            _check_once(name, same)
        return [_whole(row) for (row,) in grouped.values()]
    return [_of_statements(name, same) for same in grouped.values()]


def _check_once(name: str, rows: Sequence[Row]) -> None:
    """Raises ``ConfigError`` if several rows are of the same."""
    if len(rows) == 1:
        return
    first, other = rows[:2]
    what = f"{first.where} and {other.where} are both of {clip(first.id, 60)!r}"
    if first.labels != other.labels:
        labels = " and ".join(filter(None, (*first.labels, *other.labels))) or "nothing"
        raise ConfigError(f"{name}: {what}, with different labels ({labels}): decide, and keep one")
    raise ConfigError(f"{name}: {what}: keep one of them")


def _whole(row: Row) -> Labelled:
    says = tuple(label == "unfaithful" if label else None for label in row.labels)
    return Labelled(row.where, row.id, row.place, says, (), row.texts)


def _of_statements(name: str, rows: list[Row]) -> Labelled:
    """An answer of which each statement has a row."""
    places = {id(row): row.place for row in rows if row.place}
    by_number: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_number[places[id(row)].statement].append(row)
    for same in by_number.values():
        _check_once(name, same)
    first = rows[0]
    labels = places[id(first)].answer.labels
    if lost := sorted({*range(1, len(labels) + 1)} - by_number.keys()):
        problem = f"statement {lost[0]} of {clip(first.id, 60)!r} is missing"
        raise ConfigError(f"{name}: {problem}. Put it back, with an empty label if it has none")
    ordered = [by_number[number][0] for number in range(1, len(labels) + 1)]
    _check_consistent(name, ordered)
    statements = tuple(row.labels for row in ordered)
    says = tuple(_answer_of([labels[a] for labels in statements]) for a in range(len(first.labels)))
    told = "\n\n".join(f"[{n}] {row.texts['statement']}" for n, row in enumerate(ordered, 1))
    texts = {**first.texts, "statements": told[:MOST_TEXT]}
    return Labelled(first.where, first.id, first.place, says, statements, texts)


def _answer_of(labels: Sequence[str]) -> bool | None:
    """Whether an answer with these labels is unfaithful; None if one is missing."""
    return None if "" in labels else any(label not in FINE for label in labels)


def _check_consistent(name: str, rows: Sequence[Row]) -> None:
    """Raises ``ConfigError`` if an annotator labels the same text in one answer differently."""
    seen: dict[tuple[str, int], Row] = {}
    for row in rows:
        for annotator, label in enumerate(row.labels):
            before = seen.setdefault((text_key(row.texts["statement"]), annotator), row)
            if label and before.labels[annotator] not in ("", label):
                what = f"{before.where} and {row.where} are the same statement of the same answer"
                both = f"{before.labels[annotator]} and {label}"
                raise ConfigError(f"{name}: {what}, labelled {both}: decide for one")


def _check_some(name: str, answers: Sequence[Labelled], annotators: Sequence[str]) -> None:
    if not any(answer.unfaithful[0] is not None for answer in answers):
        column = annotators[0]
        raise ConfigError(f"{name}: no answer has its labels: the column {column!r} is empty")


def _notes(answers: Sequence[Labelled]) -> list[str]:
    """What a reader should know of rows without a label."""
    done = [answer.unfaithful[0] is not None for answer in answers]
    order = [answer.place.place if answer.place else n for n, answer in enumerate(answers)]
    done = [is_done for _, is_done in sorted(zip(order, done, strict=True))]
    last = max(place for place, is_done in enumerate(done) if is_done)
    notes = []
    if passed_over := done[:last].count(False):
        notes.append(
            f"answers that were passed over, without a label (or with a statement without one): "
            f"{passed_over}. If those are the hard ones, all figures flatter"
        )
    if rest := len(done) - 1 - last:
        notes.append(f"answers at the end without a label: {rest}, which does no harm")
    return notes


def judged_in(labels: Labels) -> dict[str, Judged]:
    """What the judge of the design says of each answer."""
    return {a.id: a.place.answer for a in labels.answers if a.place is not None}
