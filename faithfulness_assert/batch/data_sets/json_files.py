"""Reads JSON: an object on each line, a list of records, or a document with such a list in it.

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
from itertools import islice
from pathlib import Path
from typing import Any, cast

from ...cases.tables import MAX_COLUMNS
from ...files import open_file, open_text
from ...records.errors import ConfigError
from ...text.strings import check_values, parse_json
from .data_set import BEGIN, MAX_RECORD, Record, Source, Start, not_utf8
from .record_lists import choose_steps, records_at

MAX_DOCUMENT = 75_000_000
"""Characters of a document, at most four bytes each."""
LONGEST_WORD = len("-Infinity")
BOM = b"\xef\xbb\xbf"
OUTLINE = 20
"""Items of a list that are looked at, to say where the records are."""
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def json_source(file: Path, name: str, mapping: Mapping[str, str]) -> Source:
    """The records of a JSON file, wherever they are in it.

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names; or
            the file is a document that is too large.
    """
    with open_file(file) as lines:  # an object on a line of its own, and more after it
        first = lines.readline(MAX_RECORD).removeprefix(BOM)
        follows = any(line.strip() for line in iter(partial(lines.readline, MAX_RECORD), b""))
    with suppress(ValueError, RecursionError):
        if follows and isinstance(parse_json(first.decode("utf-8", "replace")), dict):
            return Source(name, partial(json_lines, file), lines=file)
    text, outline = _text(file, name), list[Any]()
    with suppress(ValueError, RecursionError):  # what is before it counts
        outline += (value for value, _ in islice(_values(text), OUTLINE))
    document: Any = outline if _is_list(text) or not outline else outline[0]
    steps, note = choose_steps(document, mapping, file.name)
    return Source(name, partial(_records, file, name, steps, mapping), note=note)


def json_lines(file: Path, start: Start = BEGIN) -> Iterator[Record]:
    """The records of a file with an object on each line. Blank lines are passed over."""
    with open_file(file) as lines:
        lines.seek(start.bytes)
        number = start.lines
        while line := lines.readline(MAX_RECORD + 1):
            number += 1
            place = f"line {number}"
            if len(line) > MAX_RECORD:
                while line and not line.endswith(b"\n"):
                    line = lines.readline(1 << 20)
                yield Record(place, None, f"over the limit of {MAX_RECORD:,} bytes")
            elif line.strip():
                text = line.removeprefix(BOM).decode("utf-8", "surrogateescape")
                if problem := not_utf8(text):
                    yield Record(place, None, problem)
                    continue
                try:
                    yield _record(place, parse_json(text))
                except (ValueError, RecursionError) as error:
                    at = getattr(error, "pos", 0) + 1
                    problem = _invalid(error, f"character {at}", is_cut=text[-1:] != "\n")
                    yield Record(place, None, problem)


def _record(place: str, item: Any) -> Record:
    if not isinstance(item, dict):
        return Record(place, None, f"must be a JSON object, got {type(item).__name__}")
    if len(item) > MAX_COLUMNS:
        return Record(place, None, f"has more than {MAX_COLUMNS:,} names")
    return Record(place, item)


def _records(
    file: Path, name: str, steps: tuple[str, ...], mapping: Mapping[str, str]
) -> Iterator[Record]:
    """The records at these steps in a document. Of a list, those before a value that is not JSON;
    where that ends is not known, nor what follows.
    """
    text, number = _text(file, name), 0
    is_list = _is_list(text)
    try:
        for value, problem in _values(text):
            inside = records_at([value] if is_list else value, steps, mapping)
            for item in [value] if problem or (is_list and not steps) else inside:
                number += 1
                place = f"item {number}"
                yield Record(place, None, problem) if problem else _record(place, item)
    except (ValueError, RecursionError) as error:
        place = f"item {number + 1} and what follows it" if is_list else "the file"
        at = getattr(error, "pos", 0)
        is_cut = at > len(text) - LONGEST_WORD or text.find('"', at + 1) < 0
        line = f"line {getattr(error, 'lineno', 1):,}"
        yield Record(place, None, _invalid(error, line, is_cut=is_cut))


def _text(file: Path, name: str) -> str:
    """The text of a document. Raises ``ConfigError`` if it is too large."""
    with open_text(file, "utf-8-sig", "surrogateescape", "") as document:
        text = document.read(MAX_DOCUMENT + 1)
    try:
        if len(text) > MAX_DOCUMENT:
            raise ValueError(f"more than {MAX_DOCUMENT:,} characters")
        check_values(text)
    except ValueError as error:
        raise ConfigError(f"{name}: has {error}; save its records as JSON lines") from None
    return text


def _is_list(text: str) -> bool:
    return text[:1000].lstrip().startswith("[")


def _values(text: str) -> Iterator[tuple[Any, str]]:
    """The items of a list, or the one object of a document; each with what is wrong with its text,
    though it is JSON, or "".

    Raises:
        ValueError, RecursionError: what follows is not JSON.
    """

    def after(place: int) -> int:
        return cast("re.Match[str]", _SPACE.match(text, place)).end()

    at = after(0)
    is_list = text[at : at + 1] == "["
    if not is_list and text[at : at + 1] not in ("", "{"):
        raise json.JSONDecodeError("neither an object nor a list of objects", text, at)
    at = after(at + is_list)
    while at < len(text) and not (is_list and text[at] == "]"):
        value, end = _DECODER.raw_decode(text, at)
        yield value, not_utf8(text, at, end)
        at = after(end)
        follows = text[at : at + 1]
        if is_list and follows == ",":
            at = after(at + 1)
        elif follows != "]" * is_list:
            raise json.JSONDecodeError("',' is missing" if is_list else "more follows", text, at)
    if is_list and at == len(text):
        raise json.JSONDecodeError("']' is missing", text, at)


def _invalid(error: Exception, place: str, *, is_cut: bool) -> str:
    if not isinstance(error, json.JSONDecodeError):
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return f"invalid JSON: {problem}"
    end = "; the file ends here, it may be cut off" if is_cut else ""
    return f"invalid JSON: {error.msg.removesuffix(' at')} at {place}{end}"
