"""Reads JSON: an object on each line, a list of objects, or an export with a list inside."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

from ...cases.fields import CASE_ALIASES
from .data_set import Record
from .json_document import JsonDocument
from .text_records import (
    MAX_RECORD,
    UnreadableError,
    as_object,
    check_utf8,
    read_object,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOM = b"\xef\xbb\xbf"
LISTS = (
    *("results", "testCases", "test_cases", "data", "examples", "runs", "traces"),
    *("observations", "spans", "rows", "samples"),
)
"""The names under which exports have their list of records."""
OUTER = ("results", "testRunData")
"""Objects around such a list: of promptfoo, of the last test run of deepeval."""

_CASE_NAMES = {name for field, names in CASE_ALIASES.items() for name in (field, *names)}
_OF_A_CASE = _CASE_NAMES - {"input"}  # an export may have an input of its own


def json_records(file: Path) -> Iterator[Record]:
    """The records of a file: an object on each line, or one JSON document."""
    return json_lines(file) if _has_lines(file) else _document(file)


def json_lines(file: Path) -> Iterator[Record]:
    """The records of a file with an object on each line. Blank lines are passed over."""
    number = 0
    with file.open("rb") as lines:
        while line := lines.readline(MAX_RECORD + 1):
            number += 1
            place = f"line {number}"
            if len(line) > MAX_RECORD:
                size = len(line) + _rest_of_line(lines)
                yield Record(place, None, f"{size:,} bytes, the limit is {MAX_RECORD:,}")
            elif line.strip():
                yield _line(place, line.removeprefix(BOM) if number == 1 else line)


def _line(place: str, line: bytes) -> Record:
    end = "" if line.endswith(b"\n") else "; the file ends here, it may be cut off"
    try:
        return Record(place, read_object(line.decode("utf-8", "surrogateescape"), end))
    except UnreadableError as error:
        return Record(place, None, str(error))


def _rest_of_line(lines: IO[bytes]) -> int:
    size = 0
    while part := lines.readline(1 << 20):
        size += len(part)
        if part.endswith(b"\n"):
            break
    return size


def _has_lines(file: Path) -> bool:
    """Whether the first line is a whole object, and there are more."""
    with file.open("rb") as lines:
        first = b""
        while not first.strip() and (line := lines.readline(MAX_RECORD)):
            first = line.removeprefix(BOM)
        if not first.lstrip().startswith(b"{") or not first.endswith(b"\n"):
            return False
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return False
        return any(line.strip() for line in iter(lambda: lines.readline(1 << 20), b""))


def _document(file: Path) -> Iterator[Record]:
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        document = JsonDocument(text)
        start = document.peek()
        if start == "[":
            yield from _items(document)
        elif start == "{":
            yield from _object(document)
        elif start:
            yield Record("the file", None, "must be JSON: an object or a list of objects")


def _items(document: JsonDocument) -> Iterator[Record]:
    """The records of a list. Where one is not JSON, its end is not known, nor what follows."""
    number = 0
    try:
        for number, item in enumerate(document.items(), 1):
            yield _item(f"item {number}", item)
    except UnreadableError as error:
        yield Record(f"item {number + 1} and what follows it", None, str(error))


def _item(place: str, item: Any) -> Record:
    try:
        _check_texts(item)
        return Record(place, as_object(item))
    except UnreadableError as error:
        return Record(place, None, str(error))


def _check_texts(item: Any) -> None:
    """Raises ``UnreadableError`` if a text in a JSON value was not UTF-8."""
    if isinstance(item, str):
        check_utf8(item)
    elif isinstance(item, dict):
        for name, value in item.items():
            _check_texts(name)
            _check_texts(value)
    elif isinstance(item, list):
        for value in item:
            _check_texts(value)


def _object(document: JsonDocument) -> Iterator[Record]:
    """The records of an export: those in its list. Any other object is a record itself."""
    values: dict[str, Any] = {}
    try:
        if _reaches_list(document, values):
            yield from _items(document)
            return
        _check_texts(values)
    except UnreadableError as error:
        yield Record("the file", None, str(error))
    else:
        yield Record("the file", values)


def _reaches_list(document: JsonDocument, values: dict[str, Any]) -> bool:
    """Reads an object until its list of records begins; its values, if there is no such list."""
    for name in document.names():
        start = document.peek()
        if start == "[" and name in LISTS and not _OF_A_CASE & values.keys():
            return True
        if start == "{" and name in OUTER:
            inner: dict[str, Any] = {}
            if _reaches_list(document, inner):
                return True
            values[name] = inner
        else:
            values[name] = document.value()
    return False
