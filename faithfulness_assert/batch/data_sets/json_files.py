"""Reads JSON: an object on each line, or a document with a list of records somewhere in it.

Python's own ``json`` reads each value, so that a list of records has the same meaning as the same
records on lines: NaN (which Python's ``json`` writes), escaped surrogates and large numbers too.
Files may be hostile: ``ijson`` 3.6 rejects NaN, loses all that follows a byte that is not UTF-8,
and ends the process at an integer of 4,301 digits or a list in 100,000 others. Lines may be any
number; a document is held in memory, and has a limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

from ...cases.tables import MAX_COLUMNS
from ...files import open_text
from ...records.errors import ConfigError
from ...text.strings import check_values, parse_json
from .data_set import MAX_RECORD, Record, Source, not_utf8
from .record_lists import choose_records, records_of

MAX_DOCUMENT = 75_000_000
"""Characters of a document, at most four bytes each."""
LONGEST_WORD = len("-Infinity")
BOM = "\ufeff"
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def json_source(file: Path, name: str, mapping: Mapping[str, str], encoding: str) -> Source:
    """The records of a JSON file, wherever they are in it, and whatever its name.

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names; or
            the file is a document that is too large, or is not JSON.
    """
    if _has_lines(file, encoding):
        return Source(name, partial(_lines, file, encoding))
    document, problem = _document(file, name, encoding)
    found, note = choose_records(document, mapping, file.name)

    def records() -> Iterator[Record]:
        for number, item in enumerate(records_of(found, mapping), 1):
            own = problem and not_utf8(json.dumps(item, ensure_ascii=False))
            place = f"item {number}"
            yield Record(place, None, own) if own else _record(place, item)

    return Source(name, records, note=note)


def _has_lines(file: Path, encoding: str) -> bool:
    """Whether a file has a value on each line: an object, which in ``.json`` is not the only one.

    In ``.jsonl`` a line that only opens a bracket, or is a whole list, begins a document.
    """
    with open_text(file, encoding, "surrogateescape", "\n") as text:
        filled = filter(str.strip, iter(partial(text.readline, MAX_RECORD), ""))
        first, follows = next(filled, "").strip(), any(filled)
    is_document = file.suffix.lower() == ".json"
    with suppress(ValueError, RecursionError):
        return isinstance(parse_json(first), dict) and (follows or not is_document)
    return not is_document and first not in ("[", "{")


def _lines(file: Path, encoding: str) -> Iterator[Record]:
    """The records of a file with an object on each line. Blank lines are passed over."""
    with open_text(file, encoding, "surrogateescape", "\n") as lines:
        number = 0
        while line := lines.readline(MAX_RECORD + 1):
            number += 1
            place = f"line {number}"
            if len(line) > MAX_RECORD:
                while line and not line.endswith("\n"):
                    line = lines.readline(1 << 20)
                yield Record(place, None, f"over the limit of {MAX_RECORD:,} characters")
            elif problem := not_utf8(line):
                yield Record(place, None, problem)
            elif line.strip():
                try:
                    yield _record(place, parse_json(line.removeprefix(BOM)))
                except (ValueError, RecursionError) as error:
                    at = getattr(error, "pos", 0) + 1
                    problem = _invalid(error, f"character {at}", is_cut=line[-1:] != "\n")
                    yield Record(place, None, problem)


def _record(place: str, item: Any) -> Record:
    if not isinstance(item, dict):
        return Record(place, None, f"must be a JSON object, got {type(item).__name__}")
    if len(item) > MAX_COLUMNS:
        return Record(place, None, f"has more than {MAX_COLUMNS:,} names")
    return Record(place, item)


def _document(file: Path, name: str, encoding: str) -> tuple[Any, str]:
    """The value of a document, or a list of several, one after another; and what is wrong in its
    texts or "".

    Raises:
        ConfigError: it is too large, or not JSON.
    """
    with open_text(file, encoding, "surrogateescape", "") as document:
        text = document.read(MAX_DOCUMENT + 1).removeprefix(BOM)
    try:
        if len(text) > MAX_DOCUMENT:
            raise ValueError(f"more than {MAX_DOCUMENT:,} characters")
        check_values(text)
    except ValueError as error:
        raise ConfigError(f"{name}: has {error}; save its records as JSON lines") from None
    values, at = list[Any](), _after_space(text, 0)
    try:
        while at < len(text):
            if text[at] not in "[{":
                raise json.JSONDecodeError("neither an object nor a list of objects", text, at)
            value, end = _DECODER.raw_decode(text, at)
            values.append(value)
            at = _after_space(text, end)
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", 0)
        is_cut = at > len(text) - LONGEST_WORD or text.find('"', at + 1) < 0
        line = f"line {getattr(error, 'lineno', 1):,}"
        raise ConfigError(f"{name}: {_invalid(error, line, is_cut=is_cut)}") from None
    return values[0] if len(values) == 1 else values, not_utf8(text)


def _after_space(text: str, place: int) -> int:
    return cast("re.Match[str]", _SPACE.match(text, place)).end()


def _invalid(error: Exception, place: str, *, is_cut: bool) -> str:
    if not isinstance(error, json.JSONDecodeError):
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return f"invalid JSON: {problem}"
    end = "; the file ends here, it may be cut off" if is_cut else ""
    return f"invalid JSON: {error.msg.removesuffix(' at')} at {place}{end}"
