"""Reads JSON: an object on each line, a list of records, or a document with such a list in it.

A list in a file is read one item at a time, any other document as a whole. Python's own ``json``
reads each value, so that a list of records has the same meaning as the same records on lines: NaN
(which Python's ``json`` writes), escaped surrogates and large numbers too. Files may be hostile:
``ijson`` 3.6 rejects NaN, loses all that follows a byte that is not UTF-8, and ends the process at
an integer of 4,301 digits or a list in 100,000 others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from ...cases.tables import MAX_COLUMNS
from ...files import open_file, open_text
from ...records.errors import ConfigError
from ...text.strings import check_values, parse_json
from .data_set import BEGIN, MAX_RECORD, Record, Source, Start, UnreadableError, check_utf8
from .record_lists import choose_steps, records_at

CHUNK, MAX_CHUNK = 1 << 16, 1 << 22
LONGEST_WORD = len("-Infinity")
BOM = b"\xef\xbb\xbf"
OUTLINE = 20
"""Items of a list that are looked at, to say where the records are."""
MAX_DOCUMENT, MAX_VALUES = 80_000_000, 3_000_000
"""Characters and values of a document that is read as a whole."""
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_CUT = "the file ends here, it may be cut off"


def json_source(file: Path, name: str, mapping: Mapping[str, str]) -> Source:
    """The records of a JSON file, wherever they are in it.

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names; or
            the file is a document that is too large.
    """
    with open_text(file, "utf-8-sig", "surrogateescape", "") as text:
        items = _Items(text)
        start = items.peek()
        outline: list[Any] = []
        with suppress(UnreadableError):  # what is before it counts
            for value, _ in items if start == "[" else ():
                outline.append(value)
                if len(outline) == OUTLINE or items.passed > MAX_RECORD:
                    break
    if start == "[":
        steps, note = choose_steps(outline, mapping, file.name)
        return Source(name, partial(_listed, file, steps, mapping), note=note)
    with open_file(file) as lines:  # an object on a line of its own, and more after it
        first = lines.readline(MAX_RECORD).removeprefix(BOM)
        follows = any(line.strip() for line in iter(partial(lines.readline, MAX_RECORD), b""))
    with suppress(ValueError, RecursionError):
        if follows and isinstance(parse_json(first.decode("utf-8", "replace")), dict):
            return Source(name, partial(json_lines, file), lines=file)
    document, problem = _whole(file, name)
    if document is None:
        broken = [Record("the file", None, problem)] if problem else []
        return Source(name, lambda: iter(broken))
    steps, note = choose_steps(document, mapping, file.name)
    return Source(name, partial(_in_document, file, name, steps, mapping), note=note)


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
                text = (line.removeprefix(BOM) if number == 1 else line).decode(
                    "utf-8", "surrogateescape"
                )
                try:
                    check_utf8(text)
                    yield _record(place, parse_json(text))
                except UnreadableError as error:
                    yield Record(place, None, str(error))
                except (ValueError, RecursionError) as error:
                    end = "" if line.endswith(b"\n") else f"; {_CUT}"
                    problem = _problem(error)
                    if isinstance(error, json.JSONDecodeError):
                        problem += f" at character {error.pos + 1}"
                    yield Record(place, None, f"invalid JSON: {problem}{end}")


def _record(place: str, item: Any) -> Record:
    if not isinstance(item, dict):
        return Record(place, None, f"must be a JSON object, got {type(item).__name__}")
    if len(item) > MAX_COLUMNS:
        return Record(place, None, f"has more than {MAX_COLUMNS:,} names")
    return Record(place, item)


def _listed(file: Path, steps: tuple[str, ...], mapping: Mapping[str, str]) -> Iterator[Record]:
    """The items of a list, or the records at these steps in each of them.

    Where one is not JSON, its end is not known, nor what follows.
    """
    number = 0
    with open_text(file, "utf-8-sig", "surrogateescape", "") as text:
        try:
            for value, problem in _Items(text):
                own = records_at([value], steps, mapping) if steps else (value,)
                for item in (None,) if problem else own:
                    number += 1
                    place = f"item {number}"
                    yield Record(place, None, problem) if problem else _record(place, item)
        except UnreadableError as error:
            yield Record(f"item {number + 1} and what follows it", None, str(error))


def _in_document(
    file: Path, name: str, steps: tuple[str, ...], mapping: Mapping[str, str]
) -> Iterator[Record]:
    """The records at these steps in a document."""
    for number, item in enumerate(records_at(_whole(file, name)[0], steps, mapping), 1):
        yield _record(f"item {number}", item)


def _whole(file: Path, name: str) -> tuple[Any, str]:
    """What a file says that is no list; and what is wrong with it, or ""."""
    with open_text(file, "utf-8-sig", "surrogateescape", "") as lines:
        text = lines.read(MAX_DOCUMENT + 1)
    if len(text) > MAX_DOCUMENT or sum(map(text.count, "[{,")) > MAX_VALUES:
        most = f"{MAX_DOCUMENT // 10**6} MB or {MAX_VALUES:,} values"
        raise ConfigError(f"{name}: has more than {most}; save its records as JSON lines")
    if not text.lstrip().startswith("{"):
        return None, "must be JSON: an object or a list of objects" if text.strip() else ""
    try:
        check_utf8(text)
        return json.loads(text), ""
    except UnreadableError as error:
        return None, str(error)
    except (ValueError, RecursionError) as error:
        return None, _invalid(error, text, 1)


def _problem(error: Exception) -> str:
    """What is wrong with a JSON text, without its place: that is not the place in the file."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg.removesuffix(" at")
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _invalid(error: Exception, text: str, line: int) -> str:
    """What is wrong with a text that begins at this line, and goes to the end of the file."""
    problem = f"invalid JSON: {_problem(error)}"
    if not isinstance(error, json.JSONDecodeError):
        return problem
    is_cut = error.msg.startswith("Unterminated") or error.pos > len(text) - LONGEST_WORD
    end = f"; {_CUT}" if is_cut else ""
    return f"{problem} at line {line + text.count(chr(10), 0, error.pos):,}{end}"


class _Items:
    """The items of a JSON list in a text file, each with what is wrong with its text, or "".

    Iterating raises ``UnreadableError`` where an item is not JSON, larger than ``MAX_RECORD``, or
    has too many values. ``passed``: the characters that were read and left behind.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._text, self._at, self._lines = "", 0, 1  # the line in which the text begins
        self.passed = 0

    def __iter__(self) -> Iterator[tuple[Any, str]]:
        self._take("[")
        if self.peek() == "]":
            return
        while True:
            yield self._value()
            if self._take(",]") == "]":
                return

    def peek(self) -> str:
        """The next character that is not white space; "" at the end."""
        while True:
            self._at = cast("re.Match[str]", _SPACE.match(self._text, self._at)).end()
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _value(self) -> tuple[Any, str]:
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                if end == len(self._text) and self._more():  # "12" may be the start of "123"
                    continue
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._more():
                    raise UnreadableError(_invalid(error, self._text, self._lines)) from None
            else:
                problem = ""
                try:
                    check_utf8(self._text[self._at : end])
                except UnreadableError as error:
                    problem = str(error)
                self._at = end
                return value, problem
            if len(self._text) - self._at > MAX_RECORD:
                raise UnreadableError(f"larger than the limit of {MAX_RECORD:,} characters")
            try:
                check_values(self._text[self._at :])
            except ValueError as error:
                raise UnreadableError(str(error)) from None

    def _take(self, wanted: str) -> str:
        """Passes over the next character, which must be one of these."""
        char = self.peek()
        if not char or char not in wanted:
            line = self._lines + self._text.count("\n", 0, self._at)
            end = f" before {char!r} at line {line:,}" if char else f" at line {line:,}; {_CUT}"
            raise UnreadableError(f"invalid JSON: {wanted[0]!r} is missing{end}")
        self._at += 1
        return char

    def _more(self) -> bool:
        """Reads on, at least as much as is waiting. False at the end of the file."""
        part = self._file.read(max(CHUNK, min(MAX_CHUNK, len(self._text) - self._at)))
        if part:
            self._lines += self._text.count("\n", 0, self._at)
            self.passed += self._at
            self._text, self._at = self._text[self._at :] + part, 0
        return bool(part)
