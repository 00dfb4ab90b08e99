"""Values of any library as JSON has them, and lists of passages that were written as text.

The latter by JSON, Python, NumPy or LangChain: ``['first' "second"]``, ``[array(['…'])]``,
``[Document(page_content='…', metadata={…})]``. Nothing is evaluated. A text that is not such a list
as a whole is a text.
"""

from __future__ import annotations

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
from .case import passages_of, text_key
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


# ---------------------------------------------------------------- written lists

MAX_TOKENS = 20_000
"""Texts, numbers, names and signs in a list."""
# A text as Python writes it; what else is escaped, or hidden in it, makes it none.
_ESCAPED = r"""\\(?:['"\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})"""
_PLAIN = r"\\\x00-\x08\x0b\x0c\x0e-\x1f"
_TOKEN = lazy_pattern(
    rf"""\s*(?:(?P<text>'[^'{_PLAIN}]*(?:{_ESCAPED}[^'{_PLAIN}]*)*'"""
    rf"""|"[^"{_PLAIN}]*(?:{_ESCAPED}[^"{_PLAIN}]*)*")"""
    r"""|(?P<other>[-+]?\d[\w.+-]*|[A-Za-z_][\w.]*)|(?P<sign>[\[\](){},:=]))"""
)
_ESCAPE = lazy_pattern(_ESCAPED)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_SEEMS_WRITTEN = lazy_pattern(
    r"""\s*(?:[\[(]\s*(?:['"\[{(]|\w+\()|\{\s*['"]|[A-Za-z_]\w*(?:\(|='))"""
)
_OF_ARRAYS = {"array", "dtype", "object"}
_CONSTANTS = {"None", "True", "False", "nan", "object"}


def read_list(text: str, *, of_one: bool = False) -> Any:
    """The passages of a list, or of an object, that a program wrote as a text; other texts as they
    are. ``of_one``: in place of one passage.
    """
    if text.strip() == "[]":
        return []
    if not _SEEMS_WRITTEN.match(text):
        return text
    with suppress(ValueError, RecursionError):
        value = parse_json(text)
        with suppress(InputError):
            passages_of([value] if of_one else value)
            return value
    return _written(text) or text


def seems_list(text: object) -> bool:
    """Whether a text looks like a list of passages, or a mapping, that a program has written."""
    if not isinstance(text, str) or text.rstrip()[-1:] not in ("]", ")", "}"):
        return False
    return bool(_SEEMS_WRITTEN.match(text))


def _written(text: str) -> list[str]:
    """The passages that Python wrote: the texts under the key for them, such as ``page_content=``,
    or a list of texts. None where it is open which they are, or more is in it.
    """
    tokens, at = [("", "")], 0
    while (token := _TOKEN.match(text, at)) and len(tokens) < MAX_TOKENS:
        tokens.append((str(token.lastgroup), token[str(token.lastgroup)]))
        at = token.end()
    if text[at:].strip():
        return []
    listed, under, key, depth = list[str](), dict[tuple[int, str], list[str]](), "", 0
    places = zip(tokens, tokens[1:], [*tokens[2:], ("", "")], strict=False)
    for (_, before), (kind, said), (_, after) in places:
        if kind == "sign":
            depth += (said in "([{") - (said in ")]}")
        elif after in ("=", ":"):
            key, at = said.strip("\"'"), depth
        elif kind == "text":
            content = _ESCAPE.sub(_unescaped, said[1:-1])
            under.setdefault((at, key), []).append(content)
            listed += [content] * (before != "=")
        elif not (after == "(" or said in _CONSTANTS or said[0] in "-+0123456789"):
            return []
    signs = {said for kind, said in tokens if kind == "sign"}
    others = {said for kind, said in tokens if kind == "other"}
    if not signs & {":", "{"} and others <= _OF_ARRAYS:
        return [] if depth else listed
    top = min(under, default=(0, ""))[0]
    name = text_key([name for at, name in under if at == top])
    found = [texts for (_, key), texts in under.items() if key and key == name]
    return found[0] if len(found) == 1 and not depth else []


def _unescaped(escape: re.Match[str]) -> str:
    sign = escape[0][1]
    return chr(int(escape[0][2:], 16)) if sign in "xuU" else _ESCAPES.get(sign, sign)
