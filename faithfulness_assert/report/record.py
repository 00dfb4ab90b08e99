"""A stored result as a report shows it: results may be old, damaged or hostile.

A ``Record`` takes from a line of JSON what can be used. Each field then has its type, whatever was
stored. The files that show results read nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, cast

from ..batch.rows import NOTHING, Line
from ..records.model import CitationAudit, Evidence, GraderError, Skipped, Verdict
from ..records.result import GradingResult
from ..records.usage import Usage
from ..text.strings import clean_text
from ..text.wrong_words import MOST_WRONG

MAX_NUMBER = 1e15
UNSHOWN = {"graderError", "reasonParts", "tokens"}
"""Entries of the metadata that the page says in other words."""
OUTCOMES = {"FAIL": "failed", "ERROR": "not_graded", "PASS": "passed"}


class Record:
    """A result from JSON, as far as it can be used, and what is stored beside it."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    @property
    def row(self) -> int | None:
        """The number of the row, if it is known."""
        return whole_of(self._data.get("row"))

    @property
    def case_id(self) -> str:
        """The name of the case: its id, or the number of its row."""
        return text_of(self._data.get("case_id")) or text_of(self._data.get("row"))

    @property
    def input(self) -> str:
        """The fingerprint of what was graded; "" if there is none."""
        return text_of(self._data.get("input"))

    @property
    def columns(self) -> Mapping[str, Any]:
        """What was carried along from the data set."""
        return mapping_of(self._data.get("columns"))

    @property
    def threshold(self) -> float | None:
        """The score that passes; None where it is not known, or scores are inverted."""
        inverse = self.result.metadata.get("inverse")
        return None if inverse else share_of(self._data.get("threshold"))

    @property
    def score(self) -> float | None:
        """The score, if it means anything."""
        return self.result.score

    @property
    def outcome(self) -> str:
        """``passed``, ``failed``, or ``not_graded`` for a grader error."""
        return OUTCOMES[self.result.outcome]

    @cached_property
    def result(self) -> GradingResult:
        """What was graded. Its ``case_id`` is empty where the record has none."""
        data, cost = self._data, number_of(self._data.get("cost"))
        return GradingResult(
            **_outcome(data),
            reason=text_of(data.get("reason")),
            verdicts=tuple(_verdict(mapping_of(item)) for item in list_of(data.get("verdicts"))),
            skipped=tuple(_skipped(mapping_of(item)) for item in list_of(data.get("skipped"))),
            counts=counts_of(data.get("counts")),
            coverage=share_of(data.get("coverage")) or 0.0,
            named_scores=numbers_of(data.get("named_scores")),
            citations=_citations(mapping_of(data.get("citations"))),
            tokens_used=_usage(mapping_of(data.get("tokens_used"))),
            cost=cost if cost is not None and cost >= 0 else None,
            latency_ms=max(number_of(data.get("latency_ms")) or 0.0, 0.0),
            metadata=_metadata(mapping_of(data.get("metadata"))),
            case_id=text_of(data.get("case_id")),
        )

    def outline(self) -> Line:
        """What a comparison of two runs needs: outcome, statements and labels."""
        labels = (
            (text_of(item.get("statement")), text_of(item.get("label")))
            for item in map(mapping_of, list_of(self._data.get("verdicts")))
        )
        verdicts = tuple(Verdict(0, text, cast("Any", label) or None) for text, label in labels)
        result = GradingResult(**_outcome(self._data), reason=None, verdicts=verdicts)
        return Line(self.case_id, self.row or 0, self.input, NOTHING, result)


def _outcome(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a result that say how it ended."""
    score = None if data.get("defined") is False else share_of(data.get("score"))
    passes = data.get("pass", data.get("pass_")) is True and score is not None
    return {
        "pass_": passes,
        "score": score,
        "defined": score is not None,
        "status": text_of(data.get("status")) or "unknown",
        "threshold": share_of(data.get("threshold")) or 0.0,
        "policy": text_of(data.get("policy")),
        "judge": text_of(data.get("judge")),
        "error": None if passes or data.get("error") is None else _error(mapping_of(data["error"])),
    }


def _verdict(data: Mapping[str, Any]) -> Verdict:
    label: Any = text_of(data.get("label")) or None
    unresolved: Any = text_of(data.get("unresolved")) or None
    span, shown = list_of(data.get("span")), share_of(data.get("shown"))
    return Verdict(
        id=whole_of(data.get("id")) or 0,
        statement=text_of(data.get("statement")),
        label=label,
        unresolved=unresolved,
        evidence=tuple(_evidence(mapping_of(item)) for item in list_of(data.get("evidence"))),
        reason=text_of(data.get("reason")),
        span=_span(*span) if len(span) == 2 else None,
        repeat_of=whole_of(data.get("repeat_of")),
        flags=tuple(texts_of(data.get("flags"))),
        shown=1.0 if shown is None else shown,
        wrong=tuple(texts_of(data.get("wrong"))[:MOST_WRONG]),
        says=text_of(data.get("says")),
    )


def _span(start: object, end: object) -> tuple[int, int] | None:
    first, last = whole_of(start), whole_of(end)
    return None if first is None or last is None else (first, last)


def _evidence(data: Mapping[str, Any]) -> Evidence:
    start, end = _span(data.get("start"), data.get("end")) or (0, 0)
    sentence, passage = whole_of(data.get("sentence")) or 0, text_of(data.get("passage"))
    return Evidence(sentence, passage, start, end, text_of(data.get("text")))


def _skipped(data: Mapping[str, Any]) -> Skipped:
    start, end = _span(data.get("start"), data.get("end")) or (0, 0)
    return Skipped(start, end, text_of(data.get("reason")))


def _error(data: Mapping[str, Any]) -> GraderError:
    kind: Any = text_of(data.get("kind"))
    return GraderError(kind, text_of(data.get("message")))


def _citations(data: Mapping[str, Any]) -> CitationAudit | None:
    if not data:
        return None
    return CitationAudit(
        tuple(texts_of(data.get("invalid_citations"))),
        whole_of(data.get("uncited_claim_count")) or 0,
        tuple(texts_of(data.get("uncited_sentences"))),
    )


def _usage(data: Mapping[str, Any]) -> Usage:
    counts = {name: data.get(name, 0) for name in ("prompt", "completion", "num_requests")}
    return Usage(**counts, estimated=data.get("estimated") is True)


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
    others: Callable[[Any], Any] = plain
    entries = ((text_of(name), value) for name, value in data.items() if name not in UNSHOWN)
    return {name: known.get(name, others)(value) for name, value in entries}


# ---------------------------------------------------------------- values of any kind


def text_of(value: object) -> str:
    """A text without lone surrogates; "" for None. Other values as Python writes them."""
    if isinstance(value, str):
        return clean_text(value)
    return "" if value is None else clean_text(str(value))


def mapping_of(value: object) -> Mapping[str, Any]:
    """The mapping itself, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def list_of(value: object) -> list[Any]:
    """The items of a list, or none."""
    return list(value) if isinstance(value, list | tuple) else []


def texts_of(value: object) -> list[str]:
    """The items of a list as texts."""
    return [text_of(item) for item in list_of(value)]


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


def share_of(value: object) -> float | None:
    """A number in [0, 1]; None for everything else."""
    number = number_of(value)
    return number if number is not None and 0 <= number <= 1 else None


def whole_of(value: object) -> int | None:
    """A whole number from 0; None for everything else."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None


def plain(value: object, depth: int = 6) -> Any:
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
