"""The main fields of a result as columns of a table: of CSV and Parquet files, and of frames."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .result import GradingResult

LABELS = ("supported", "partially_supported", "not_enough_info", "contradicted", "unresolved")


def _count_of(label: str) -> Callable[[GradingResult], int]:
    return lambda result: result.counts.get(label, 0)


def _error(result: GradingResult) -> str | None:
    error = result.error
    return f"{error.kind}: {error.message}" if error else None


_VALUES: Mapping[str, tuple[type, Callable[[GradingResult], Any]]] = {
    "status": (str, attrgetter("status")),
    "pass": (bool, attrgetter("pass_")),
    "score": (float, attrgetter("score")),
    "defined": (bool, attrgetter("defined")),
    "threshold": (float, attrgetter("threshold")),
    "reason": (str, attrgetter("short_reason")),
    "error": (str, _error),
    "coverage": (float, attrgetter("coverage")),
    **{label: (int, _count_of(label)) for label in LABELS},
    "prompt_tokens": (int, attrgetter("tokens_used.prompt")),
    "completion_tokens": (int, attrgetter("tokens_used.completion")),
    "requests": (int, attrgetter("tokens_used.num_requests")),
    "cost": (float, attrgetter("cost")),
    "latency_ms": (float, attrgetter("latency_ms")),
    "judge": (str, attrgetter("judge")),
    "policy": (str, attrgetter("policy")),
}
COLUMNS: Mapping[str, type] = {name: kind for name, (kind, _) in _VALUES.items()}
"""The columns, with their types. ``error`` is the kind and the message."""


def values_of(result: GradingResult) -> dict[str, Any]:
    """The value of each column for a result; None where it has none."""
    return {name: value_of(result) for name, (_, value_of) in _VALUES.items()}


def badness(result: GradingResult) -> float:
    """How bad a result is, from 0: every list of the worst ones has this order.

    Failed ones come before those that were not graded, and these before passed ones.
    """
    group = ("FAIL", "ERROR", "PASS").index(result.outcome)
    lost = 0.0 if result.score is None else 1 - result.score
    bad = 2 * result.counts.get("contradicted", 0) + result.counts.get("not_enough_info", 0)
    return round(4 * (2 - group) + 2 * lost + min(bad, 999) / 1000, 4)
