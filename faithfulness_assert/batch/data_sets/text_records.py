"""What readers of text files share: limits, and the words for text that cannot be read."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_RECORD = 40_000_000
"""Bytes or characters of a record: room for the largest case, at four bytes a character."""

_NOT_UTF8 = re.compile("[\udc80-\udcff]")


class UnreadableError(ValueError):
    """A record that cannot be read."""


def read_object(text: str, end: str = "") -> dict[str, Any]:
    """The JSON object in a text.

    Raises:
        UnreadableError: it is something else; ``end`` is added where it is not JSON.
    """
    check_utf8(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"invalid JSON: {json_problem(error)}{end}") from None
    return as_object(value)


def json_problem(error: Exception) -> str:
    """What is wrong with a JSON text, without its lines: they are not those of the file."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at character {error.pos + 1}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def as_object(value: Any) -> dict[str, Any]:
    """``value`` if it is a JSON object. Raises ``UnreadableError``."""
    if isinstance(value, dict):
        return value
    raise UnreadableError(f"must be a JSON object, got {type(value).__name__}")


def check_utf8(text: str) -> None:
    """Raises ``UnreadableError`` if a byte was not UTF-8 (text decoded with surrogateescape)."""
    if not text.isascii() and (found := _NOT_UTF8.search(text)):
        byte = f"0x{ord(found[0]) & 0xFF:x}"
        raise UnreadableError(f"not UTF-8 text: byte {byte}; save the file as UTF-8")
