"""Values of any library as JSON has them, and lists of passages that were written as text.

The latter by JSON, Python, NumPy or LangChain: ``['first' "second"]``, ``[array(['…'])]``,
``[Document(page_content='…', metadata={…})]``. Nothing is evaluated. A text that is not such a list
as a whole is a text.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any

from ..records.errors import InputError
from ..text.strings import clean_text, lazy_pattern, parse_json
from .case import passages_of
from .systems import is_missing

MAX_DEPTH = 50
"""Lists and mappings inside each other."""

_SIMPLE = (int, bool, type(None))


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
    if isinstance(value, str | int | float):
        return clean_text(str(value)) if isinstance(value, str) else _number(value)
    if not depth:
        return _foreign(value, f"nested more than {MAX_DEPTH} deep")
    if kind is dict or isinstance(value, Mapping):
        return {clean_text(str(name)): as_json(item, depth - 1) for name, item in value.items()}
    if kind is list or isinstance(value, list | tuple):
        return [as_json(item, depth - 1) for item in value]
    return _of_library(value, depth)


def _foreign(value: Any, problem: str) -> dict[str, None]:
    return {f"<{type(value).__name__}: {problem}>": None}


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
        except UnicodeDecodeError:
            return _foreign(value, "not UTF-8 text")
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
    return _foreign(value, "not plain data")


# ---------------------------------------------------------------- written lists

MAX_SIGNS = 40_000
"""Brackets, commas and quotes in a list."""
_ESCAPE = r"""\\['"\\nrtxuU]"""  # what Python writes; what else is escaped makes it none
_STRING = rf"""'[^'\\]*(?:{_ESCAPE}[^'\\]*)*'|"[^"\\]*(?:{_ESCAPE}[^"\\]*)*\""""
_TEXTS = lazy_pattern(_STRING)
# No commas stand between texts and lists of NumPy, nor between the fields of LangChain's documents;
# Haystack has a colon after the name of a field. Of numbers, only ids matter.
_PARTS = lazy_pattern(
    rf"""(?P<item>{_STRING}|[\]}}])(?P<gap>\s+(?=['"\[]|[a-z_]+=))?"""
    r"|(?P<name>[A-Za-z_][\w.]*)(?P<colon>:)?|(?P<number>[-+]?\d[\w.+-]*)"
)
# What makes Python's parser go deep, or has another meaning: operators, calls of calls, steps.
_NO_DATA = lazy_pattern(
    r"[^\w\s\[\](){},:=.]|[\])}]\s*[\[({\w.]|\w\s*[\[{]|\w\s+[\w(]|\.\w+\.\w+\."
)
_SEEMS_WRITTEN = lazy_pattern(
    r"""\s*(?:[\[(]\s*(?:['"\[{(]|\w+\()|\{\s*['"]|[A-Za-z_]\w*(?:\(|='))"""
)


def read_list(text: str, *, of_one: bool = False) -> Any:
    """The passages of a list, or of an object, that a program wrote as a text; other texts as they
    are. ``of_one``: in place of one passage.
    """
    if text.strip() == "[]":
        return []
    for read in (parse_json, _python) if _SEEMS_WRITTEN.match(text) else ():
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, InputError):
            value = read(text)
            passages_of([value] if of_one else value)
            return value
    return text


def seems_list(text: object) -> bool:
    """Whether a text looks like a list of passages, or a mapping, that a program has written."""
    if not isinstance(text, str) or text.rstrip()[-1:] not in ("]", ")", "}"):
        return False
    return bool(_SEEMS_WRITTEN.match(text))


def _python(text: str) -> Any:
    """What Python, NumPy, LangChain or Haystack wrote, as JSON has it; an object as its fields.

    Raises:
        ValueError, SyntaxError: it is not such data, or too much of it.
    """
    if sum(map(text.count, "[({,='\"")) > MAX_SIGNS:
        raise ValueError("it is too much")
    parts = _PARTS.sub(_as_python, text.strip())
    if _NO_DATA.search(_TEXTS.sub("0", parts)):
        raise ValueError("it is no data")
    is_object = parts[:1] in "[({" or "(" in parts.partition("=")[0]
    return as_json(_plain(ast.parse(parts if is_object else f"_({parts})", mode="eval").body))


def _as_python(part: re.Match[str]) -> str:
    if part["name"]:
        return part["name"] + "=" * bool(part["colon"])
    if number := part["number"]:
        with suppress(ValueError):
            return str(int(number) if number.isdigit() else float(number))
        return "None"
    return part["item"].replace("\n", r"\n") + "," * bool(part["gap"])


def _plain(node: ast.AST) -> Any:
    """The data that Python's syntax describes. Nothing is evaluated; a name is None."""
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return list(map(_plain, items))
        case ast.Dict(keys=keys, values=values):
            return {str(_plain(k)): _plain(v) for k, v in zip(keys, values, strict=True) if k}
        case ast.Call(args=[first, *_]):  # array(['...'], dtype=object)
            return _plain(first)
        case ast.Call(keywords=fields):
            return {str(field.arg): _plain(field.value) for field in fields}
        case ast.Name() | ast.Attribute():
            return None
    raise ValueError("it is no data")
