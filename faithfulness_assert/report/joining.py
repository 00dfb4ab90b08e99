"""Joins results with the texts that were graded, which only the data set has, of one run or two."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
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
    yield from _with_texts(results, data_set)


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


def _with_texts(results: Results, data_set: DataSet) -> Iterator[Joined]:
    """Results with the texts of the row that has their fingerprint, or, without one, their id.

    Rows with the same fingerprint have the same texts, so it does not matter which one it is. Of
    several results with one id and no fingerprint it is not known which is of which row.
    """
    waiting: dict[tuple[str, str], list[int]] = {}
    for place, record in results.records():
        key = ("", record.case_id) if not record.input else (record.input, "")
        waiting.setdefault(key, []).append(place)
    options, by_id = mapping_of(results.about.get("options")), False
    try:
        for row in data_set.rows():
            key = "", row.case_id
            same = waiting.pop((digest(row), ""), [])
            if len(waiting.get(key, ())) == 1:
                by_id = True
                same += waiting.pop(key)
            yield from (Joined(results.at(place), texts_of(row, options)) for place in same)
    except (ConfigError, OSError) as error:
        results.notes.append(f"The data set could not be read to its end: {error}")
    left = sorted(place for places in waiting.values() for place in places)
    if left:
        have = "1 result has" if len(left) == 1 else f"{len(left):,} results have"
        told = "no row with the texts that were graded in the data set: shown without texts."
        results.notes.append(f"{have} {told}")
    if by_id:
        results.notes.append(
            "Answers and contexts were found by the ids of the cases. These results have no "
            "fingerprint that proves that they are those that were graded."
        )
    yield from (Joined(results.at(place), None) for place in left)


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
