"""The results that a report is about: of a run, of a file, or of what ``grade_many`` returned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from ..batch.data_sets import open_data_set
from ..batch.rows import Line, Row, digest
from ..batch.run_description import about_of, lines_of
from ..batch.store import reading
from ..cases.case import Case
from ..records.errors import ConfigError, InputError
from ..records.result import GradingResult
from ..records.result_list import Results as ResultList
from .record import Record, Texts, cleaned, mapping_of, text_of

FIELDS = ("answer", "context", "question")
NO_TEXTS = (
    "The answers and contexts are not shown: results do not contain them. A report of the run, or "
    "of what grade_many returned, shows them."
)


class Results(NamedTuple):
    """Results, and where they are from.

    Args:
        name: for people.
        source: for people: what was graded, if that is known.
        about: what the run says about itself, if there is one.
        records: starts reading them, each time from the first one on.
    """

    name: str
    source: str
    about: Mapping[str, Any]
    records: Callable[[], Iterator[Record]]

    def lines(self) -> Iterator[Line]:
        """What a comparison of two runs needs."""
        return (record.line for record in self.records())


def open_results(source: Any) -> Results:
    """The results in a run directory, in a file of JSON lines, or in an iterable of results.

    Raises:
        ConfigError: they cannot be read.
    """
    if isinstance(source, str | PathLike):
        name = str(source)
        if not Path(source).is_dir():
            lines = lines_of(source)
            return Results(name, name, {}, lambda: map(_with_own_texts, lines()))
        about = about_of(source)
        graded = text_of(mapping_of(about.get("input")).get("name"))
        return Results(name, graded or name, about, lambda: _of_run(source, about))
    if isinstance(source, GradingResult | Line):
        source = [source]
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        raise ConfigError(f"results: must be a path or results, got {type(source).__name__}")
    records = list(_of_items(source))
    return Results("results", "results", {}, lambda: iter(records))


def _of_run(path: str | PathLike[str], about: Mapping[str, Any]) -> Iterator[Record]:
    """The results of a run, which has the texts that it graded."""
    options = mapping_of(about.get("options"))
    with reading(path) as store:
        for row, line in store.graded():
            yield Record(cleaned(line), _texts_of(row, options))


def _of_items(source: Iterable[Any]) -> Iterator[Record]:
    """Results, with the texts where they know the columns of their cases."""
    if isinstance(source, ResultList) and len(source.rows) == len(source):
        rows = open_data_set(source.rows).rows()
        for row, result in zip(rows, source, strict=True):
            line = Line(row.case_id, row.number, digest(row), row.columns, result)
            yield Record(cleaned(line), _texts_of(row, {}))
        return
    for number, item in enumerate(source, 1):
        if isinstance(item, GradingResult):
            yield _with_own_texts(Line(item.case_id or str(number), number, "", {}, item))
        elif isinstance(item, Line):
            yield _with_own_texts(item)
        else:
            got = type(item).__name__
            raise ConfigError(f"results: an item must be a GradingResult, got {got}")


def _with_own_texts(line: Line) -> Record:
    """A result, with the texts that tests keep in its columns, if they are what was graded."""
    fields = {name: line.columns[name] for name in FIELDS if name in line.columns}
    row = Row(0, "", fields)
    if not fields or line.input != digest(row):
        return Record(cleaned(line), None)
    others = {name: value for name, value in line.columns.items() if name not in fields}
    return Record(cleaned(line._replace(columns=others)), _texts_of(row, {}))


def _texts_of(row: Row, options: Mapping[str, Any]) -> Texts | None:
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
