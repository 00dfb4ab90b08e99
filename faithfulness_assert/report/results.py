"""The results that a report is about, each with the texts that were graded, if they are known.

They are of a run, of a file, or of what ``grade_many`` returned, and may come from anybody: numbers
and metadata may be anything in them. A ``Record`` has what a page can show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from ..batch.rows import Line, Lines, Row, digest
from ..batch.store import lines_of, reading
from ..batch.summary import Summary
from ..cases.case import Case
from ..cases.sources import open_data_set
from ..records.checks import as_mapping, is_fraction, is_number
from ..records.errors import ConfigError, InputError
from ..records.model import LABELS, MAX_ANSWER_CHARS
from ..records.result import GradingResult
from ..records.result_list import Results as ResultList
from ..text.strings import clean_text

FIELDS = ("answer", "context", "question")
NO_TEXTS = (
    "The answers and contexts are not shown: results do not contain them. A report of the run, or "
    "of what grade_many returned, shows them."
)
MAX_NUMBER = 1e15
UNSHOWN = {"graderError", "reasonParts", "tokens"}
"""Entries of the metadata that the page says in other words."""
OUTCOMES = {"FAIL": "failed", "ERROR": "not_graded", "PASS": "passed"}
COUNTED = (*LABELS, "unresolved")


class Record(NamedTuple):
    """A result with its row, as ``cleaned`` makes them, and its case; None if not known."""

    line: Line
    case: Case | None

    @property
    def result(self) -> GradingResult:
        """What was graded."""
        return self.line.result

    @property
    def outcome(self) -> str:
        """``passed``, ``failed``, or ``not_graded`` for a grader error."""
        return OUTCOMES[self.result.outcome]

    @property
    def threshold(self) -> float | None:
        """The score that passes; None where it is none, or scores are inverted."""
        is_shown = is_fraction(self.result.threshold) and not self.result.metadata.get("inverse")
        return self.result.threshold if is_shown else None


class Results(NamedTuple):
    """Results, and where they are from.

    Args:
        name: for people.
        source: for people: what was graded, if that is known.
        about: what the run says about itself, if there is one.
        replaced: how many rows the run has, and what was spent on results that others replaced.
        lines: starts reading them, each time from the first one on.
        records: the same, with their cases, and as a page can show them.
    """

    name: str
    source: str
    about: Mapping[str, Any]
    replaced: Summary
    lines: Lines
    records: Callable[[], Iterator[Record]]


def open_results(source: Any) -> Results:
    """The results in a run directory, in a file of JSON lines, or in an iterable of results.

    Raises:
        ConfigError: they cannot be read.
    """
    if isinstance(source, str | PathLike):
        name, lines = str(source), partial(lines_of, source)
        if not Path(source).is_dir():
            return Results(name, name, {}, Summary(), lines, lambda: map(_with_own_texts, lines()))
        with reading(source) as store:
            about, replaced = store.about(), store.replaced()
        graded = text_of(as_mapping(about.get("input")).get("name"))
        return Results(name, graded or name, about, replaced, lines, lambda: _of_run(source, about))
    if isinstance(source, GradingResult | Line):
        source = [source]
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        raise ConfigError(f"results: must be a path or results, got {type(source).__name__}")
    records = list(_of_items(source))
    own = [record.line for record in records]
    return Results("results", "results", {}, Summary(), lambda: iter(own), lambda: iter(records))


def _of_run(path: str | PathLike[str], about: Mapping[str, Any]) -> Iterator[Record]:
    """The results of a run, which has the texts that it graded."""
    options = as_mapping(about.get("options"))
    with reading(path) as store:
        for row, line in store.graded():
            yield Record(cleaned(line), _case_of(row, options))


def _of_items(source: Iterable[Any]) -> Iterator[Record]:
    """Results, with the texts where they know the columns of their cases."""
    if isinstance(source, ResultList) and any(given := source.rows):
        rows = open_data_set(given).rows()
        for row, result in zip(rows, source, strict=True):
            line = Line(row.case_id, row.number, digest(row), row.columns, result)
            yield Record(cleaned(line), _case_of(row, {}))
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
    return Record(cleaned(line._replace(columns=others)), _case_of(row, {}))


def _case_of(row: Row, options: Mapping[str, Any]) -> Case | None:
    """The case of a row as the judge gets it; of an invalid one the answer, if that is a text.

    ``options``: those of the run. Of a conversation, ``evidence_roles`` says what is evidence.
    """
    if row.problem or not row.fields:
        return None
    roles = options.get("evidence_roles")
    with suppress(InputError, ConfigError):
        return Case(**row.fields, **({} if roles is None else {"evidence_roles": roles}))
    answer = row.fields.get("answer")
    with suppress(InputError):
        return Case(answer[:MAX_ANSWER_CHARS] if isinstance(answer, str) else answer, ())
    return None


# ---------------------------------------------------------------- what a page can show


def cleaned(line: Line) -> Line:
    """The line with numbers and metadata that a page can show."""
    result = line.result
    own = replace(
        result,
        counts=counts_of({name: n for name, n in result.counts.items() if name in COUNTED}),
        named_scores=numbers_of(result.named_scores),
        metadata={
            name: READERS[name](value) if name in READERS else plain(value)
            for name, value in result.metadata.items()
            if name not in UNSHOWN
        },
    )
    return line._replace(result=own)


def text_of(value: object) -> str:
    """A text without lone surrogates; "" for None. Other values as Python writes them."""
    if isinstance(value, str):
        return clean_text(value)
    return "" if value is None else clean_text(str(value))


def texts_of(value: object) -> list[str]:
    """The items of a list as texts."""
    return [text_of(item) for item in value] if isinstance(value, list | tuple) else []


def number_of(value: object) -> float | None:
    """A finite number of a size that a page can show; None for everything else."""
    return float(value) if is_number(value) and abs(value) < MAX_NUMBER else None


def numbers_of(value: object) -> dict[str, float]:
    """The entries of a mapping that are numbers."""
    numbers = {text_of(name): number_of(item) for name, item in as_mapping(value).items()}
    return {name: number for name, number in numbers.items() if number is not None}


def counts_of(value: object) -> dict[str, int]:
    """The entries of a mapping that are more than 0, as whole numbers."""
    return {name: int(number) for name, number in numbers_of(value).items() if number >= 1}


def plain(value: object, depth: int = 8) -> Any:
    """A value as JSON that a browser can read."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return number_of(value)
    if depth and isinstance(value, dict):
        return {text_of(name): plain(item, depth - 1) for name, item in value.items()}
    if depth and isinstance(value, list | tuple):
        return [plain(item, depth - 1) for item in value]
    return text_of(value)


READERS: Mapping[str, Callable[[Any], Any]] = {
    "warnings": texts_of,
    "suggestions": texts_of,
    "calculation": text_of,
    "rawRatings": numbers_of,
    "controls": counts_of,
    "inverse": bool,
}
"""The entries of the metadata that the page reads in their own types."""
