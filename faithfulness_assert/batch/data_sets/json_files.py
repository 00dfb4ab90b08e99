"""Reads JSON: an object on each line, or a document with a list of records somewhere in it.

Python's own ``json`` reads each value, so that a list of records has the same meaning as the same
records on lines: NaN (which Python's ``json`` writes), escaped surrogates and large numbers too.
Files may be hostile: ``ijson`` 3.6 rejects NaN, loses all that follows a byte that is not UTF-8,
and ends the process at an integer of 4,301 digits or a list in 100,000 others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from ...cases.tables import MAX_COLUMNS
from ...files import open_file, open_text
from ...text.strings import check_values, parse_json
from .data_set import BEGIN, MAX_RECORD, Record, Start, UnreadableError, check_utf8
from .record_lists import EACH, Place, choose_place, of_object, records_at

CHUNK, MAX_CHUNK = 1 << 16, 1 << 22
LONGEST_WORD = len("-Infinity")
BOM = b"\xef\xbb\xbf"
MAX_LEVELS = 8
"""Objects inside each other in which a list of records is looked for."""
MAX_NAMES, MAX_ITEMS = 1_000, 20
"""Names of an object, and items of a list, that are looked at for that."""
MAX_SEEN, MAX_PARTS = 40_000_000, 200_000
"""Characters, names and items after which nothing more is looked at."""
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_CUT = "the file ends here, it may be cut off"


def json_records(file: Path, place: Place) -> Iterator[Record]:
    """The records of a file: an object on each line, or those at a place in one JSON document."""
    if place.form == "lines":
        yield from json_lines(file)
        return
    with open_text(file, "utf-8-sig", "surrogateescape", "") as text:
        document = _Document(text)
        try:
            start = document.peek()
            if start and start in "[{":
                yield from _at(document, place.steps, place.form)
            elif start:
                yield Record("the file", None, "must be JSON: an object or a list of objects")
        except UnreadableError as error:
            yield Record("the file", None, str(error))


def find_records(file: Path, mapping: Mapping[str, str]) -> tuple[Place, str]:
    """Where the records of a JSON file are, and what a person should know of that or "".

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names.
    """
    with open_text(file, "utf-8-sig", "surrogateescape", "") as text:
        document, outline = _Document(text), list[Any]()
        with suppress(UnreadableError):  # what is before it counts
            is_object = document.peek() == "{"
            _outline(document, outline.append, MAX_LEVELS)
            if is_object and document.peek():  # another follows
                return Place((), "lines"), ""
    return choose_place(outline[0] if outline else [], mapping, file.name)


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
                yield _line(place, line.removeprefix(BOM) if number == 1 else line)


def _line(place: str, line: bytes) -> Record:
    text = line.decode("utf-8", "surrogateescape")
    try:
        check_utf8(text)
        return _item(place, parse_json(text))
    except UnreadableError as error:
        return Record(place, None, str(error))
    except (ValueError, RecursionError) as error:
        end = "" if line.endswith(b"\n") else f"; {_CUT}"
        return Record(place, None, f"invalid JSON: {_problem(error)}{end}")


def _item(place: str, item: Any) -> Record:
    if not isinstance(item, dict):
        return Record(place, None, f"must be a JSON object, got {type(item).__name__}")
    if len(item) > MAX_COLUMNS:
        return Record(place, None, f"has more than {MAX_COLUMNS:,} names")
    return Record(place, item)


def _at(document: _Document, steps: Sequence[str], form: str) -> Iterator[Record]:
    """The records at these steps. Only a value inside of the list or object is held as a whole."""
    start = document.peek()
    each = steps[0] == EACH if steps else start == "[" or form == "object"
    if start in ("[", "{") and each:
        yield from _each(document, steps)
    elif start == "{" and steps:
        for name in document.parts():
            if name == steps[0]:
                yield from _at(document, steps[1:], form)
                return
            document.value()
    else:
        value = document.value()
        if document.problem:
            yield Record("the file", None, document.problem)
            return
        for number, item in enumerate(records_at(value, steps), 1):
            yield _item("the file" if form == "one" else f"item {number}", item)


def _each(document: _Document, steps: Sequence[str]) -> Iterator[Record]:
    """The values of a list or an object, or the records at the steps that follow in each.

    Where one is not JSON, its end is not known, nor what follows.
    """
    number = 0
    try:
        for name in document.parts():
            document.problem = ""
            value = document.value()
            own = (of_object(name, value) if name else value,)
            for item in records_at(value, steps[1:]) if steps else own:
                number += 1
                place, problem = f"item {number}", document.problem
                yield Record(place, None, problem) if problem else _item(place, item)
    except UnreadableError as error:
        yield Record(f"item {number + 1} and what follows it", None, str(error))


def _outline(document: _Document, keep: Callable[[Any], object], levels: int) -> None:
    """A document with the first parts of its objects and lists. It is kept piece by piece, so that
    what was read stays where the rest cannot be, or is too much.
    """
    start = document.peek()
    if not levels or not start or start not in "[{":
        keep(document.value())
        return
    parts: Any = {} if start == "{" else []
    keep(parts)
    for name in document.parts():
        if document.place() > MAX_SEEN or document.passed_parts > MAX_PARTS:
            raise UnreadableError("more than is looked at")
        if start == "{":
            into = partial(parts.__setitem__, name) if len(parts) < MAX_NAMES else type
            _outline(document, into, levels - 1)
        elif len(parts) < MAX_ITEMS:
            parts.append(document.value())
        elif levels == MAX_LEVELS:
            return  # the document is this list
        else:
            document.value()


def _problem(error: Exception) -> str:
    """What is wrong with a JSON text, without its lines: they are not those of the file."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at character {error.pos + 1}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


class _Document:
    """A JSON document in a text file. It holds one value at a time.

    ``problem``: what is wrong with the text of the values that were read, though it is JSON.
    """

    def __init__(self, file: IO[str]) -> None:
        self.problem = ""
        self._file = file
        self._text, self._at, self._lines = "", 0, 1  # the line in which the text begins
        self._passed = 0  # the characters before the text
        self.passed_parts = 0

    def place(self) -> int:
        """The characters that were read."""
        return self._passed + self._at

    def peek(self) -> str:
        """The next character that is not white space; "" at the end."""
        while True:
            self._at = cast("re.Match[str]", _SPACE.match(self._text, self._at)).end()
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def parts(self) -> Iterator[str]:
        """The names of the values in the list or object that begins here: "" in a list.

        The caller reads each value.
        """
        end = "]" if self._take("[{") == "[" else "}"
        if self.peek() == end:
            self._take(end)
            return
        while True:
            name = ""
            if end == "}":
                name = self.value() if self.peek() == '"' else self._take('"')
                self._take(":")
            self.passed_parts += 1
            yield name
            if self._take(f",{end}") == end:
                return

    def value(self) -> Any:
        """The next value.

        Raises:
            UnreadableError: it is not JSON, larger than ``MAX_RECORD``, or has too many values.
        """
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                if end == len(self._text) and self._more():  # "12" may be the start of "123"
                    continue
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._more():
                    raise self._invalid(error) from None
            else:
                try:
                    check_utf8(self._text[self._at : end])
                except UnreadableError as error:
                    self.problem = str(error)
                self._at = end
                return value
            if len(self._text) - self._at > MAX_RECORD:
                raise UnreadableError(f"larger than the limit of {MAX_RECORD:,} characters")
            try:
                check_values(self._text[self._at :])
            except ValueError as error:
                raise UnreadableError(str(error)) from None

    def _invalid(self, error: Exception) -> UnreadableError:
        """What is wrong, once the file was read to its end."""
        if not isinstance(error, json.JSONDecodeError):
            return UnreadableError(f"invalid JSON: {_problem(error)}")
        cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - LONGEST_WORD
        return self._error(error.msg.removesuffix(" at"), error.pos, cut=cut)

    def _error(self, problem: str, place: int, *, cut: bool) -> UnreadableError:
        line = self._lines + self._text.count("\n", 0, place)
        end = f"; {_CUT}" if cut else ""
        return UnreadableError(f"invalid JSON: {problem} at line {line:,}{end}")

    def _take(self, wanted: str) -> str:
        """Passes over the next character, which must be one of these."""
        char = self.peek()
        if not char or char not in wanted:
            before = f" before {char!r}" if char else ""
            raise self._error(f"{wanted[0]!r} is missing{before}", self._at, cut=not char)
        self._at += 1
        return char

    def _more(self) -> bool:
        """Reads on, at least as much as is waiting. False at the end of the file."""
        part = self._file.read(max(CHUNK, min(MAX_CHUNK, len(self._text) - self._at)))
        if part:
            self._lines += self._text.count("\n", 0, self._at)
            self._passed += self._at
            self._text, self._at = self._text[self._at :] + part, 0
        return bool(part)
