"""What a source gives for each row, and the limits that all text files have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SAMPLE = 50
"""Records that are read to say which columns there are."""
MAX_RECORD = 40_000_000
"""Bytes or characters of a record: room for the largest case, at four bytes a character."""

_NOT_UTF8 = re.compile("[\udc80-\udcff]")


class Record(NamedTuple):
    """What a source gives for a row: its values, or why it cannot be read.

    ``place`` says where it is, such as ``line 7``.
    """

    place: str
    values: Mapping[str, Any] | None
    problem: str = ""


class Source(NamedTuple):
    """Where records come from.

    Args:
        name: for people: the file, or the kind of object.
        records: starts reading, from the first record on each time.
        head: the first records, for showing the columns; reading it loses none.
        fingerprint: changes when the content changes; "" if that cannot be known.
        columns: those that every record has; None where each record has its own.
    """

    name: str
    records: Callable[[], Iterator[Record]]
    head: Callable[[], Iterator[Record]]
    fingerprint: Callable[[], str]
    columns: Sequence[str] | None = None


class UnreadableError(ValueError):
    """A record that cannot be read."""


def check_utf8(text: str) -> None:
    """Raises ``UnreadableError`` if a byte was not UTF-8 (text decoded with surrogateescape)."""
    if not text.isascii() and (found := _NOT_UTF8.search(text)):
        byte = f"0x{ord(found[0]) & 0xFF:x}"
        raise UnreadableError(f"not UTF-8 text: byte {byte}; save the file as UTF-8")
