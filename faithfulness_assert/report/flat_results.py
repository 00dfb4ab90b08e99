"""Results from the tables that ``batch --output`` writes. They have no single statements."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from ..batch.outputs.flat_rows import LABELS, OWN
from ..batch.parquet_files import parquet_rows
from ..records.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

FLAT_SUFFIXES = (".csv", ".parquet")
_NEEDED = {"case_id", "status", "score"}
_CUT = "\0"
"""What a row that is cut off has in its last columns."""


def flat_results(path: Path, notes: list[str]) -> Iterator[dict[str, Any]]:
    """The results in a table, as far as it has them. ``notes`` gets what is left out.

    Raises:
        ConfigError: it cannot be read, or is not a table of results.
    """
    rows = parquet_rows(path) if path.suffix.lower() == ".parquet" else _csv_rows(path)
    cut = 0
    try:
        for row in rows:
            if _CUT in row.values():
                cut += 1
                continue
            if not row.keys() >= _NEEDED:
                raise ConfigError(f"{path}: not a table of results: it lacks case_id or score")
            yield _result({name: _typed(value, OWN.get(name, str)) for name, value in row.items()})
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if cut:
        what = "1 row is" if cut == 1 else f"{cut:,} rows are"
        notes.append(f"{what} left out: the last columns are missing, as if the file was cut off.")


def _csv_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            yield from csv.DictReader(file, restval=_CUT)
    except csv.Error as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None


def _typed(value: object, kind: type) -> object:
    if not isinstance(value, str) or kind is str:
        return value
    if kind is bool:
        return value.lower() == "true"
    try:
        return kind(value)
    except ValueError:
        return None


def _result(row: Mapping[Any, Any]) -> dict[str, Any]:
    error = row.get("error")
    kind, _, message = str(error or "").partition(": ")
    return {
        **{
            name: row.get(name) for name in ("case_id", "row", "status", "pass", "score", "defined")
        },
        **{name: row.get(name) for name in ("threshold", "reason", "coverage", "cost")},
        **{name: row.get(name) for name in ("latency_ms", "judge", "policy")},
        "error": {"kind": kind, "message": message} if error else None,
        "counts": {name: row.get(name) or 0 for name in LABELS},
        "tokens_used": {
            "prompt": row.get("prompt_tokens"),
            "completion": row.get("completion_tokens"),
            "num_requests": row.get("requests"),
        },
        "columns": {name: value for name, value in row.items() if name and name not in OWN},
    }
