"""Joins results with the texts that were graded, which only the data set has, of one run or two."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, NamedTuple

from ..batch.comparison import KINDS, Change, compare
from ..batch.data_sets import DataSet
from ..batch.rows import Lines, Row, digest
from ..batch.run_description import names_of
from ..cases.case import Case
from ..records.errors import ConfigError, InputError
from ..records.option_names import option
from .case_view import UNRESOLVED, Texts, Vocabulary, detail_view, row_view
from .record import Record, mapping_of, text_of
from .result_records import Results

MOST_QUOTES = 50
"""Of a result without a fingerprint, looked for in the passages."""


class Joined(NamedTuple):
    """A result, and the texts of its case if they are known."""

    record: Record
    texts: Texts | None


def join(results: Results, data: Any, opened: Callable[[Any], DataSet]) -> Iterator[Joined]:
    """All results with their texts: first those of the data set, in its order.

    Args:
        data: the data set, or None. What only a run names is never opened.
        opened: opens it.

    Raises:
        ConfigError: the given data set cannot be read, or nothing is a result.
    """
    data_set, problem = _data_set(results, data, opened)
    if data_set is None:
        read = found = False
        for _, record in results.records():
            texts = own_texts(record)
            read, found = True, found or texts is not None
            yield Joined(record, texts)
        results.notes += [problem] if read and not found else []
        return
    yield from _Join(results).with_texts(data_set)


def _data_set(
    results: Results, data: Any, opened: Callable[[Any], DataSet]
) -> tuple[DataSet | None, str]:
    """The data set, or None and what a reader should know of that."""
    data = results.data if data is None else data
    if data is not None:
        data_set = data if isinstance(data, DataSet) else opened(data)
        if isinstance(data, str | PathLike | DataSet):
            results.source = data_set.name
        return data_set, ""
    name = text_of(mapping_of(results.about.get("input")).get("name"))
    named = (
        f" The run was graded from {name}, which is not opened unless you name it." if name else ""
    )
    problem = "The answers and contexts are not shown: results do not contain them."
    how = f"{option('data', 'FILE')} (and {option('mapping')}, if the run had it)"
    return None, f"{problem}{named} Give the data set with {how}."


class _Join:
    """Reads the data set once, and the result of each row where it is."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._by_row: dict[int, list[int]] = {}
        self._by_id: dict[str, list[int]] = {}
        self._waiting: dict[int, None] = {}
        self._changed = 0
        self._unproved = self._by_order = 0
        for place, record in results.records():
            self._waiting[place] = None
            if record.row is not None:
                self._by_row.setdefault(record.row, []).append(place)
            if id := record.result.case_id:
                self._by_id.setdefault(id, []).append(place)

    def with_texts(self, data_set: DataSet) -> Iterator[Joined]:
        shared: dict[str, list[Row]] = {}
        try:
            for row in data_set.rows():
                if id := self._shared_id(row):
                    shared.setdefault(id, []).append(row)
                    continue
                yield from self._joined((row, place) for place in self._results_of(row))
        except (ConfigError, OSError) as error:
            self._results.notes.append(f"The data set could not be read to its end: {error}")
        for id, rows in shared.items():
            yield from self._joined(paired(rows, self._by_id[id]))
        self._note(len(self._waiting))
        yield from (Joined(self._results.at(place), None) for place in self._waiting)

    def _joined(self, pairs: Iterable[tuple[Row, int]]) -> Iterator[Joined]:
        for row, place in pairs:
            if place in self._waiting:
                del self._waiting[place]
                record = self._results.at(place)
                yield Joined(record, self._texts(row, record))

    def _shared_id(self, row: Row) -> str:
        """The id of a row, as it was before a data set numbers it, if several results have it."""
        id = row.case_id
        if id not in self._by_id:
            id = id.rpartition("#")[0]
        return id if len(self._by_id.get(id, ())) > 1 else ""

    def _results_of(self, row: Row) -> list[int]:
        """Where the results of a row are: by its id, else by its number."""
        return self._by_id.get(row.case_id) or [
            place
            for place in self._by_row.get(row.number, ())
            if not self._results.at(place).result.case_id
        ]

    def _texts(self, row: Row, record: Record) -> Texts | None:
        """The texts of a row, if they are those that were graded."""
        before = record.input
        texts = texts_of(row, mapping_of(self._results.about.get("options")))
        same = before == digest(row) if before else texts is not None and fits(record, texts)
        self._changed += not same
        self._unproved += same and not before
        self._by_order += same and not before and not record.result.case_id
        return texts if same else None

    def _note(self, missing: int) -> None:
        notes = self._results.notes
        if self._changed:
            cases = "1 case has" if self._changed == 1 else f"{self._changed:,} cases have"
            notes.append(
                f"{cases} other texts in the data set than when they were graded, and are shown "
                "without them."
            )
        if missing:
            notes.append(
                "1 result has no row of its own in the data set, and is shown without its texts."
                if missing == 1
                else f"{missing:,} results have no rows of their own in the data set, and are "
                "shown without their texts."
            )
        if self._unproved:
            how = "order" if self._by_order else "ids"
            notes.append(
                f"Answers and contexts were found by the {how} of the cases. These results have no "
                "fingerprint that proves that they are those that were graded."
            )


def paired(rows: list[Row], places: list[int]) -> Iterator[tuple[Row, int]]:
    """Rows and results with the same id: one row with all results, else each with its own.

    Nothing if their numbers differ: then it is not known which result is of which row.
    """
    if len(rows) == 1:
        rows = rows * len(places)
    if len(rows) == len(places):
        yield from zip(rows, places, strict=True)


def texts_of(row: Row, options: Mapping[str, Any]) -> Texts | None:
    """The texts of a row as the judge gets them; of an invalid case, those that are texts.

    ``options``: those of the run. Of a conversation, ``evidence_roles`` says what is evidence.
    """
    if row.problem or not row.fields:
        return None
    roles = options.get("evidence_roles")
    try:
        case = Case(**row.fields, **({} if roles is None else {"evidence_roles": roles}))
    except (InputError, ConfigError):
        answer = row.fields.get("answer")
        return Texts(answer, ()) if isinstance(answer, str) else None
    return Texts(case.answer, [(p.id, p.text) for p in case.context], case.question)


def own_texts(record: Record) -> Texts | None:
    """The texts in the columns of a result, where tests keep them, if they are what was graded."""
    columns = record.columns
    fields = {name: columns[name] for name in ("answer", "context", "question") if name in columns}
    row = Row(0, "", fields)
    same = bool(fields) and record.input == digest(row)
    return texts_of(row, {}) if same else None


def fits(record: Record, texts: Texts) -> bool:
    """Whether what a result says about its texts is true of these.

    Its spans must lie in the answer, and of the evidence that it quotes something must be there.
    """
    verdicts = record.result.verdicts
    if any(verdict.span and verdict.span[1] > len(texts.answer) for verdict in verdicts):
        return False
    quotes = [evidence.text for verdict in verdicts for evidence in verdict.evidence]
    some = quotes[:MOST_QUOTES]
    return not quotes or any(quote in text for quote in some for _, text in texts.passages)


# ---------------------------------------------------------------- two runs side by side


MOST_CHANGES = 2000
"""Changed cases in a report, the most important ones. All are counted."""


class Compared:
    """Two runs and what changed between them.

    ``data``: the data sets of both, None where they are not given.

    Raises:
        ConfigError: they have no case in common.
    """

    def __init__(
        self, sources: tuple[Results, Results], data: tuple[Any, Any], opened: Any
    ) -> None:
        self.sources, self._data, self._opened = sources, data, opened
        first, second = sources
        names = names_of(first.name, second.name)
        self.comparison = compare(_lines(first), _lines(second), shown=MOST_CHANGES, names=names)

    @property
    def notes(self) -> list[str]:
        """What a reader should know, of the comparison and of each run."""
        told = [note.shown(str) for note in self.comparison.notes]
        for name, source in zip("AB", self.sources, strict=True):
            told += [f"{name}: {note}" for note in source.notes]
        return told

    def changes(
        self, names: Vocabulary, place: Callable[[str], int]
    ) -> Iterator[tuple[list[Any], list[Any]]]:
        """The rows and details of the changed cases, the most important first: see ``case_view``.

        ``place``: see ``detail_view``.
        """
        changes = self.comparison.shown
        wanted = {change.case_id for change in changes}
        sides = [
            _views(join(source, data, self._opened), wanted, names, place)
            for source, data in zip(self.sources, self._data, strict=True)
        ]
        for change in changes:
            packed = [side.get(change.case_id) for side in sides]
            views = [json.loads(zlib.decompress(v)) if v else [None, {}] for v in packed]
            rows, details = map(list, zip(*views, strict=True))
            yield [KINDS.index(change.kind), *rows, _flips(change, names)], details


def _lines(results: Results) -> Lines:
    return lambda: (record.line() for _, record in results.records())


def _views(
    joined: Iterator[Joined], wanted: set[str], names: Vocabulary, place: Callable[[str], int]
) -> dict[str, bytes]:
    """The row and the details of each wanted case, compressed."""
    views: dict[str, bytes] = {}
    for record, texts in joined:
        if record.case_id in wanted:
            view = [row_view(record, texts, names), detail_view(record, texts, place)]
            views[record.case_id] = zlib.compress(json.dumps(view).encode(), 1)
    return views


def _flips(change: Change, names: Vocabulary) -> list[list[Any]]:
    place = names.labels.place
    return [
        [flip.statement, place(flip.before or UNRESOLVED), place(flip.after or UNRESOLVED)]
        for flip in change.flips
        if not flip.is_new
    ]
