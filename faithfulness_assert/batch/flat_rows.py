"""A line as a row of a table: the main fields of its result, and the columns of its data set.

Tables are written for other programs; a report reads them again, as far as they say something.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from ..files import open_text
from ..records.errors import ConfigError
from ..records.result_list import COLUMNS, LABELS, values_of
from .data_sets.tables import parquet_rows
from .rows import Line

OWN: Mapping[str, type] = {
    "case_id": str,
    "row": int,
    **COLUMNS,
}
"""Our columns, with their types. ``error`` is the kind and the message."""

OTHERS = "other_columns"
FLAT_SUFFIXES = (".csv", ".parquet")
_AS_THEY_ARE = (
    *("case_id", "row", "status", "pass", "score", "defined", "threshold", "reason"),
    *("coverage", "cost", "latency_ms", "judge", "policy"),
)
_NEEDED = {"case_id", "status", "score"}
_CUT = "\0"
"""What a row that is cut off has in its last columns."""


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
    place = {"case_id": line.case_id, "row": line.row}
    return {**place, **values_of(line.result), **carried, OTHERS: _text(others or None)}


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


# ---------------------------------------------------------------- reading a table again


def flat_results(path: Path, notes: list[str]) -> Iterator[dict[str, Any]]:
    """The results in a table, as far as it has them. ``notes`` gets what is left out."""
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
        with open_text(path, "utf-8-sig", "replace", "") as file:
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
        **{name: row.get(name) for name in _AS_THEY_ARE},
        "error": {"kind": kind, "message": message} if error else None,
        "counts": {name: row.get(name) or 0 for name in LABELS},
        "tokens_used": {
            "prompt": row.get("prompt_tokens"),
            "completion": row.get("completion_tokens"),
            "num_requests": row.get("requests"),
        },
        "columns": {name: value for name, value in row.items() if name and name not in OWN},
    }
