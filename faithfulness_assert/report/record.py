"""A case as a report shows it: its result, and the texts that were graded, if they are known.

A run or a file of results may come from anybody: numbers and metadata may be anything in it. A
``Record`` has what a page can show of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..batch.rows import Line
from ..records.checks import is_fraction
from ..records.model import LABELS
from ..records.result import GradingResult
from ..text.strings import clean_text

MAX_NUMBER = 1e15
UNSHOWN = {"graderError", "reasonParts", "tokens"}
"""Entries of the metadata that the page says in other words."""
OUTCOMES = {"FAIL": "failed", "ERROR": "not_graded", "PASS": "passed"}
COUNTED = (*LABELS, "unresolved")


class Texts(NamedTuple):
    """The texts of a case, as they were graded. ``passages``: ids and texts."""

    answer: str
    passages: Sequence[tuple[str, str]]
    question: str = ""


class Record(NamedTuple):
    """A result with its row, as ``cleaned`` makes them, and its texts; None if not known."""

    line: Line
    texts: Texts | None

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
        known = is_fraction(self.result.threshold) and not self.result.metadata.get("inverse")
        return self.result.threshold if known else None


def cleaned(line: Line) -> Line:
    """The line with numbers and metadata that a page can show."""
    result = line.result
    own = replace(
        result,
        counts=counts_of({name: n for name, n in result.counts.items() if name in COUNTED}),
        named_scores=numbers_of(result.named_scores),
        metadata=_metadata(result.metadata),
    )
    return line._replace(result=own)


def _metadata(data: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata as plain JSON, with the entries that the page reads in their own types."""
    known: dict[str, Callable[[Any], Any]] = {
        "warnings": texts_of,
        "suggestions": texts_of,
        "calculation": text_of,
        "rawRatings": numbers_of,
        "controls": counts_of,
        "inverse": bool,
    }
    entries = ((name, value) for name, value in data.items() if name not in UNSHOWN)
    return {name: known[name](value) if name in known else plain(value) for name, value in entries}


# ---------------------------------------------------------------- values of any kind


def text_of(value: object) -> str:
    """A text without lone surrogates; "" for None. Other values as Python writes them."""
    if isinstance(value, str):
        return clean_text(value)
    return "" if value is None else clean_text(str(value))


def mapping_of(value: object) -> Mapping[str, Any]:
    """The mapping itself, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def texts_of(value: object) -> list[str]:
    """The items of a list as texts."""
    return [text_of(item) for item in value] if isinstance(value, list | tuple) else []


def number_of(value: object) -> float | None:
    """A finite number of a size that a page can show; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not -MAX_NUMBER < value < MAX_NUMBER or math.isnan(value):
        return None
    return float(value)


def numbers_of(value: object) -> dict[str, float]:
    """The entries of a mapping that are numbers."""
    numbers = {text_of(name): number_of(item) for name, item in mapping_of(value).items()}
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
