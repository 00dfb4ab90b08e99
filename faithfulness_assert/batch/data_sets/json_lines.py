"""Reads files with a JSON object on each line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .data_set import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_LINE = 40_000_000
"""Bytes of a line: room for the largest case, at four bytes a character."""


def json_lines(file: Path) -> Iterator[Record]:
    """The records of a file. Blank lines are passed over, but counted."""
    number = 0
    with file.open("rb") as lines:
        while line := lines.readline(MAX_LINE + 1):
            number += 1
            place = f"line {number}"
            if len(line) > MAX_LINE:
                size = len(line) + _rest_of_line(lines)
                yield Record(place, None, f"{size:,} bytes, the limit is {MAX_LINE:,}")
            elif line.strip():
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                yield _record(place, text)


def _rest_of_line(lines) -> int:  # type: ignore[no-untyped-def]
    size = 0
    while part := lines.readline(MAX_LINE):
        size += len(part)
        if part.endswith(b"\n"):
            break
    return size


def _record(place: str, line: bytes) -> Record:
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Record(place, None, f"not UTF-8 text: byte 0x{line[error.start]:x}")
    except (ValueError, RecursionError) as error:
        end = "" if line.endswith(b"\n") else "; the file ends here, it may be cut off"
        return Record(place, None, f"invalid JSON: {error}{end}")
    if not isinstance(value, dict):
        return Record(place, None, f"must be a JSON object, got {type(value).__name__}")
    return Record(place, value)
