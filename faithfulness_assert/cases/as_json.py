"""Values of any library as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any

from ..text.strings import clean_text
from .systems import is_missing

MAX_DEPTH = 50
"""Lists and mappings inside each other."""

_SIMPLE = (int, bool, type(None))


class NotJsonError(ValueError):
    """A value that JSON cannot express."""


def as_json(value: Any, depth: int = MAX_DEPTH) -> Any:
    """``value`` as JSON has it: NaN is None, NumPy's numbers and arrays are numbers and lists.

    Raises:
        NotJsonError: it is of a kind that JSON does not have, or nested too deeply.
    """
    kind = type(value)  # much faster than isinstance, for what nearly all values are
    if kind is str:
        return clean_text(value)
    if kind in _SIMPLE:
        return value
    if isinstance(value, str | int | float):
        return clean_text(str(value)) if isinstance(value, str) else _number(value)
    if not depth:
        raise NotJsonError(f"lists and mappings are nested more than {MAX_DEPTH} deep")
    if kind is dict or isinstance(value, Mapping):
        return {clean_text(str(name)): as_json(item, depth - 1) for name, item in value.items()}
    if kind is list or isinstance(value, list | tuple):
        return [as_json(item, depth - 1) for item in value]
    return _of_library(value, depth)


def record_as_json(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of a record as JSON has them, and what is wrong with those that it does not have.

    These, such as images, are named by their type: ``<Image>``.
    """
    record: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for name, value in values.items():
        key = clean_text(str(name))
        try:
            record[key] = as_json(value, MAX_DEPTH - 1)
        except NotJsonError as error:
            record[key], problems[key] = f"<{type(value).__name__}>", str(error)
    return record, problems


def _number(value: float) -> Any:
    if isinstance(value, int):
        return int(value)
    if math.isnan(value):
        return None
    return float(value) if math.isfinite(value) else str(value)


def _of_library(value: Any, depth: int) -> Any:
    """What is neither a text, a number, a list nor a mapping of Python's own."""
    if is_missing(value):
        return None
    if isinstance(value, bytes | bytearray):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"bytes that are not UTF-8 text (0x{value[error.start]:x})"
            raise NotJsonError(problem) from None
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return None if value.is_nan() else str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return as_json(asdict(value), depth - 1)
    for way in ("tolist", "to_list", "model_dump"):  # NumPy and pandas, polars, pydantic
        if callable(convert := getattr(value, way, None)):
            return as_json(convert(), depth - 1)
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)  # its order is another one in each process
    is_builtin = type(value).__module__ == "builtins"  # a range, the values of a mapping ...
    if is_builtin and isinstance(value, Iterable) and hasattr(value, "__len__"):
        return [as_json(item, depth - 1) for item in value]
    raise NotJsonError(f"a value of type {type(value).__name__} is not plain data")
