"""Find the JSON values in a reply's text, between prose and fences.

A value that is cut off is not read. The work is linear in the length of the text.
"""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..records.errors import UnreadableReply
from ..text.strings import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 32  # nested brackets; the functions that walk over values are recursive
MAX_VALUES = 10_000  # pieces of JSON in one reply
_MAX_DIGITS = 20

_OPENING = re.compile(r"\\.|[\[{]", re.DOTALL)
_INSIDE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|\\.|[\[\]{}"]', re.DOTALL)
_NOT_IN_KEY = re.compile(r"[\W_]+")
_TORN_KEY = re.compile(r"""([\w -]{1,40})\\?(["'])\s{0,9}:\s{0,9}$""")
_BEGINS_JSON = re.compile(r"""\A\s*(?:\{|\[(?!\d{1,4}\]))|[\[{]\s*(?:["'{\[“”\\]|\w{1,40}\s?:)""")


class ReplyParts(NamedTuple):
    """A reply split into its JSON values, the texts around them, and balanced but invalid JSON.

    There is one more text in ``around`` than there are pieces of JSON, valid or not.
    """

    values: tuple[Any, ...]
    around: tuple[str, ...]
    broken: tuple[str, ...]


class Conflict:
    """The value of a key that has two different values. Neither is believed."""


def loads(text: str) -> Any:
    """The JSON value of ``text`` with reduced keys (see ``key_of``); None if it is invalid.

    NaN, infinities, numbers out of range and integers of more than 20 digits are read as null. A
    key that occurs twice with different values has a ``Conflict`` as its value, or a list of
    both values where they are lists or objects.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def key_of(name: str) -> str:
    """A key reduced to lower-case letters and digits: ``Is_Supported`` equals ``isSupported``."""
    return _known_key(name) if len(name) < 40 else _reduced(name)


def _reduced(name: str) -> str:
    return _NOT_IN_KEY.sub("", name.casefold())


_known_key = lru_cache(maxsize=256)(_reduced)  # a reply repeats the same few keys


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        key = key_of(name)
        result[key] = _both(result[key], value) if key in result else value
    return result


def _both(first: Any, second: Any) -> Any:
    if first == second:
        return first
    nested = isinstance(first, dict | list) and isinstance(second, dict | list)
    return [first, second] if nested else Conflict()


def _float(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


# One decoder for all: json.loads would build a new one for each of many small pieces.
_DECODER = json.JSONDecoder(
    strict=False,
    object_pairs_hook=_object,
    parse_constant=lambda _: None,
    parse_float=_float,
    parse_int=lambda digits: int(digits) if len(digits) <= _MAX_DIGITS else None,
)


def unwrap(text: str) -> str:
    """``text`` without blanks around it, and without JSON strings that it is wrapped in."""
    text = text.strip("\ufeff\u200b\u2060 \t\r\n")
    for _ in range(3):
        inner = loads(text) if text.startswith('"') and text.endswith('"') else None
        if not isinstance(inner, str):
            break
        text = clean_text(inner).strip()
    return text


def find_values(text: str) -> ReplyParts:
    """Every outermost JSON object and list of ``text``, in order.

    A value that was torn from its object keeps its key.

    Raises:
        UnreadableReply: there are more than ``MAX_VALUES``.
    """
    values: list[Any] = []
    around: list[str] = []
    broken: list[str] = []
    last_end = 0
    for start, end in _spans(text):
        if len(around) == MAX_VALUES:
            raise UnreadableReply(f"the judge's reply has more than {MAX_VALUES:,} pieces of JSON")
        around.append(text[last_end:start])
        key = _TORN_KEY.search(around[-1][-60:])
        piece = f"{{{key[2]}{key[1]}{key[2]}:{text[start:end]}}}" if key else text[start:end]
        value = loads(piece)
        if value is None:
            broken.append(piece)
        else:
            values.append(value)
        last_end = end
    around.append(text[last_end:])
    return ReplyParts(tuple(values), tuple(around), tuple(broken))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Outermost balanced brackets of limited depth. A bracket that stays open hides the rest."""
    end = 0
    while opening := _OPENING.search(text, end):
        start, end = opening.span()
        if opening[0][0] != "\\":
            end, deepest = _balanced(text, start)
            if deepest <= MAX_DEPTH and text[start] + text[end - 1] in ("[]", "{}"):
                yield start, end


def _balanced(text: str, start: int) -> tuple[int, int]:
    """Where the bracket at ``start`` is closed, and how deep brackets are nested in it.

    If it is never closed: the end of the text, and a depth that is too large.
    """
    depth = deepest = 0
    for token in _INSIDE.finditer(text, start):
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth > deepest:  # calling max() for each of a million brackets is slow
                deepest = depth
        elif mark in "]}":
            depth -= 1
            if not depth:
                return token.end(), deepest
        elif mark == '"':
            break  # a string that is never closed
    return len(text), MAX_DEPTH + 1


def looks_like_json(text: str) -> bool:
    """Whether ``text`` begins JSON somewhere. Words inside JSON must not be read as prose."""
    return _BEGINS_JSON.search(text) is not None
