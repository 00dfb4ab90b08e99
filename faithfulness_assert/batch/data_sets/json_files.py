"""Reads JSON: an object on each line, or a document with a list of records somewhere in it.

Python's own ``json`` reads each value, so that a list of records has the same meaning as the same
records on lines: NaN (which Python's ``json`` writes), escaped surrogates and large numbers too.
Files may be hostile: ``ijson`` 3.6 rejects NaN, loses all that follows a byte that is not UTF-8,
and ends the process at an integer of 4,301 digits or a list in 100,000 others. Lines may be any
number; a document is held in memory, and has a limit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

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
_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


def json_source(file: Path, name: str, mapping: Mapping[str, str], encoding: str) -> Source:
    """The records of a JSON file, wherever they are in it, and whatever its name.

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names; or
            the file is a document that is too large, or is not JSON.
    """
    if _has_lines(file, encoding):
        return Source(name, partial(_lines, file, encoding))
    with open_text(file, encoding, "surrogateescape", "") as document:
        text = document.read(MAX_DOCUMENT + 1).removeprefix(BOM)
    found, notes = choose_records(_document(text, name), mapping, file.name)
    is_mixed = bool(not_utf8(text))

    def records() -> Iterator[Record]:
        for number, item in enumerate(records_of(found, mapping), 1):
            own = not_utf8(json.dumps(item, ensure_ascii=False)) if is_mixed else ""
            yield _record(f"item {number}", item, own)

    return Source(name, records, notes=notes)


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
            place, item, problem = f"line {number}", None, not_utf8(line)
            if len(line) > MAX_RECORD:
                while line and not line.endswith("\n"):
                    line = lines.readline(1 << 20)
                problem = f"over the limit of {MAX_RECORD:,} characters"
            elif not (problem or line.strip()):
                continue
            elif not problem:
                try:
                    item = parse_json(line.removeprefix(BOM))
                except (ValueError, RecursionError) as error:
                    at = getattr(error, "pos", 0) + 1
                    problem = _invalid(error, f"character {at}", is_cut=line[-1:] != "\n")
            yield _record(place, item, problem)


def _record(place: str, item: Any, problem: str) -> Record:
    if not problem and not isinstance(item, dict):
        problem = f"must be a JSON object, got {type(item).__name__}"
    elif not problem and len(item) > MAX_COLUMNS:
        problem = f"has more than {MAX_COLUMNS:,} names"
    return Record(place, None if problem else item, problem)


def _document(text: str, name: str) -> Any:
    """The value of a document, or a list of several, one after another.

    Raises:
        ConfigError: it is too large, or not JSON.
    """
    try:
        if len(text) > MAX_DOCUMENT:
            raise ValueError(f"more than {MAX_DOCUMENT:,} characters")
        check_values(text)
    except ValueError as error:
        raise ConfigError(f"{name}: has {error}; save its records as JSON lines") from None
    values, at, end = list[Any](), 0, len(text.rstrip(_SPACE))
    try:
        while at < end:
            while text[at] in _SPACE:
                at += 1
            if text[at] not in "[{":
                raise json.JSONDecodeError("neither an object nor a list of objects", text, at)
            value, at = _DECODER.raw_decode(text, at)
            values.append(value)
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", 0)
        is_cut = at > len(text) - LONGEST_WORD or text.find('"', at + 1) < 0
        line = f"line {getattr(error, 'lineno', 1):,}"
        raise ConfigError(f"{name}: {_invalid(error, line, is_cut=is_cut)}") from None
    return values[0] if len(values) == 1 else values


def _invalid(error: Exception, place: str, *, is_cut: bool) -> str:
    if not isinstance(error, json.JSONDecodeError):
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return f"invalid JSON: {problem}"
    end = "; the file ends here, it may be cut off" if is_cut else ""
    return f"invalid JSON: {error.msg.removesuffix(' at')} at {place}{end}"
