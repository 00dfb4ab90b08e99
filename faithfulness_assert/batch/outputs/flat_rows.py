"""A line as a row of a table: the main fields of its result, and the columns of its data set."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..rows import Line

OWN: Mapping[str, type] = {
    "case_id": str,
    "row": int,
    "status": str,
    "pass": bool,
    "score": float,
    "defined": bool,
    "threshold": float,
    "reason": str,
    "error": str,
    "coverage": float,
    "supported": int,
    "partially_supported": int,
    "not_enough_info": int,
    "contradicted": int,
    "unresolved": int,
    "prompt_tokens": int,
    "completion_tokens": int,
    "requests": int,
    "cost": float,
    "latency_ms": float,
    "judge": str,
    "policy": str,
}
"""Our columns, with their types. ``error`` is the kind and the message."""

LABELS = ("supported", "partially_supported", "not_enough_info", "contradicted", "unresolved")
OTHERS = "other_columns"


def flat_rows(lines: Iterable[Line]) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """The names of the columns of a data set, as the first line has them, and all rows.

    A column with the name of one of ours is called ``input.NAME``. Columns that only later lines
    have are together in ``other_columns``, as JSON. Values that are no texts are JSON, too.
    """
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        return [], iter(())
    named = {name: f"input.{name}" if name in OWN else name for name in first.columns}
    every = chain([first], rest)
    return [*named.values(), OTHERS], (_flat(line, named) for line in every)


def _flat(line: Line, named: Mapping[str, str]) -> dict[str, Any]:
    carried = {new: _text(line.columns.get(name)) for name, new in named.items()}
    others = {name: value for name, value in line.columns.items() if name not in named}
    return {**_own(line), **carried, OTHERS: _text(others or None)}


def _own(line: Line) -> dict[str, Any]:
    result = line.result
    error, tokens = result.error, result.tokens_used
    return {
        "case_id": line.case_id,
        "row": line.row,
        "status": result.status,
        "pass": result.pass_,
        "score": result.score if result.defined else None,
        "defined": result.defined,
        "threshold": result.threshold,
        "reason": result.short_reason,
        "error": error and f"{error.kind}: {error.message}",
        "coverage": result.coverage,
        **{label: result.counts.get(label, 0) for label in LABELS},
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.completion,
        "requests": tokens.num_requests,
        "cost": result.cost,
        "latency_ms": result.latency_ms,
        "judge": result.judge,
        "policy": result.policy,
    }


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
