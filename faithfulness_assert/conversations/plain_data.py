"""Values of any library, and JSON in texts, as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ..text.strings import FENCE, clean_text, each_once, parse_json

MAX_DEPTH = 50
"""Lists and mappings inside each other."""

_SIMPLE = (int, bool, type(None))
MISSING = {"NAType", "NaTType"}  # of pandas; they cannot be compared


def without_fence(value: Any) -> Any:
    """What stands in a fence, if a text is one as a whole; else the value."""
    fence = FENCE.fullmatch(value) if isinstance(value, str) and "```" in value else None
    return fence["body"] if fence else value


def opened(value: Any) -> Any:
    """What a text contains that is a JSON object or list, also in a fence; else the value.

    Of an object with a key twice nobody knows which value is meant: it stays a text.
    """
    text = without_fence(value)
    if isinstance(text, str) and text.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return _read(text)
    return value


@lru_cache(maxsize=2)  # all paths of a record lead into the same texts
def _read(text: str) -> Any:
    return as_json(parse_json(text, object_pairs_hook=each_once))


def as_json(value: Any, depth: int = MAX_DEPTH) -> Any:
    """``value`` as JSON has it: NaN is None, NumPy's numbers and arrays are numbers and lists.

    What JSON does not have is an object that says so: ``{"<Image: not plain data>": None}``. It
    has no text, so that nobody grades it.
    """
    kind = type(value)  # much faster than isinstance, for what nearly all values are
    if kind is str:
        return value if value.isascii() else clean_text(value)
    if kind in _SIMPLE:
        return value
    if isinstance(value, str):
        return clean_text(str.__str__(value))  # of an Enum, too
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return None if math.isnan(value) else float(value) if math.isfinite(value) else str(value)
    if not depth:
        return _foreign(value, f"nested more than {MAX_DEPTH} deep")
    if kind is dict or isinstance(value, Mapping):
        return {clean_text(str(name)): as_json(item, depth - 1) for name, item in value.items()}
    if kind is list or isinstance(value, list | tuple):
        return [as_json(item, depth - 1) for item in value]
    return _of_library(value, depth)


def _foreign(value: Any, problem: str) -> dict[str, None]:
    return {f"<{type(value).__name__}: {problem}>": None}


def _of_library(value: Any, depth: int) -> Any:
    """What is neither a text, a number, a list nor a mapping of Python's own."""
    if type(value).__name__ in MISSING:
        return None
    if isinstance(value, bytes | bytearray):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            return _foreign(value, "not UTF-8 text")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return None if value.is_nan() else str(value)
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: getattr(value, field.name, None) for field in fields(value)}
        return as_json(named, depth)
    for way in ("tolist", "to_list", "model_dump"):  # NumPy and pandas, polars, pydantic
        if callable(convert := getattr(value, way, None)):
            return as_json(convert(), depth - 1)
    if isinstance(value, set | frozenset):  # whose order is another one in each process
        return [as_json(item, depth - 1) for item in sorted(value, key=repr)]
    return _foreign(value, "not plain data")
