"""Reads lists of passages that were written as text by JSON, Python, NumPy or LangChain.

Such as ``['first' "second"]``, ``[array(['…'])]``, ``[Document(page_content='…', metadata={…})]``.
Nothing is evaluated. A text that is not such a list as a whole is a text.
"""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from typing import Any

from ..conversations.plain_data import as_json
from ..records.errors import InputError
from ..text.strings import lazy_pattern, parse_json
from .case import passages_of

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


def read_list(text: Any, *, of_one: bool = False) -> Any:
    """The passages of a list, or of an object, that a program wrote as a text; other values as they
    are. ``of_one``: in place of one passage.
    """
    if not isinstance(text, str) or text.strip() == "[]":
        return [] if isinstance(text, str) else text
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
