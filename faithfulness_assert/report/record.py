"""A stored result as a report shows it: a result of ours, or what a table has of one.

Numbers and metadata may be anything in a file; a ``Record`` has what a page can show of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..batch.rows import NOTHING, OWN_FIELDS, Line
from ..records.checks import is_fraction, is_whole
from ..records.model import LABELS
from ..records.result import GradingResult
from ..text.strings import clean_text, clip

MAX_NUMBER = 1e15
UNSHOWN = {"graderError", "reasonParts", "tokens"}
"""Entries of the metadata that the page says in other words."""
OUTCOMES = {"FAIL": "failed", "ERROR": "not_graded", "PASS": "passed"}
COUNTED = (*LABELS, "unresolved")
UNKNOWN = {"pass": False, "score": None, "status": "graded", "threshold": 0.0}
"""What is taken for a field that is not there."""


class Record(NamedTuple):
    """A result, and what is stored beside it.

    Args:
        row: the number of the row, if it is known.
        case_id: the name of the case: its id, or the number of its row.
        input: the fingerprint of what was graded; "" if there is none.
        columns: what was carried along from the data set.
        threshold: the score that passes; None where it is not known, or scores are inverted.
        result: what was graded. Its ``case_id`` is empty where the record has none.
    """

    row: int | None
    case_id: str
    input: str
    columns: Mapping[str, Any]
    threshold: float | None
    result: GradingResult

    @property
    def score(self) -> float | None:
        """The score, if it means anything."""
        return self.result.score

    @property
    def outcome(self) -> str:
        """``passed``, ``failed``, or ``not_graded`` for a grader error."""
        return OUTCOMES[self.result.outcome]

    def line(self) -> Line:
        """What a comparison of two runs needs."""
        return Line(self.case_id, self.row or 0, self.input, NOTHING, self.result)


def record_of(data: Mapping[str, Any]) -> Record:
    """The record in JSON.

    Raises:
        ValueError: it is no result.
    """
    given = {text_of(name): value for name, value in data.items() if value is not None}
    own = {name: given.pop(name, None) for name in OWN_FIELDS if name != "case_id"}
    given["case_id"] = text_of(given.get("case_id"))
    if "pass_" in given:
        given["pass"] = given.pop("pass_")
    missing = {**UNKNOWN, "defined": "score" in given, "reason": "", "policy": ""}
    try:
        result = GradingResult.model_validate({**missing, **plain(given)})
    except ValueError as error:
        first: dict[str, Any] = getattr(error, "errors", lambda: [{}])()[0]
        where = ".".join(map(str, first.get("loc", ())))
        told = f"{where}: {first.get('msg', error)}"
        raise ValueError(f"it is no result of this version: {clip(told, 200)}") from None
    counts = counts_of({name: n for name, n in result.counts.items() if name in COUNTED})
    result = replace(result, counts=counts, metadata=_metadata(result.metadata))
    is_known = "threshold" in given and is_fraction(result.threshold)
    row = own["row"] if is_whole(own["row"]) and 0 <= own["row"] < MAX_NUMBER else None
    return Record(
        row=row,
        case_id=result.case_id or text_of(own["row"]),
        input=text_of(own["input"]),
        columns=mapping_of(own["columns"]),
        threshold=result.threshold if is_known and not result.metadata.get("inverse") else None,
        result=result,
    )


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
    return {name: known[name](value) if name in known else value for name, value in entries}


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
