"""Reads JSON: an object on each line, a list of objects, or an export with a list inside.

Python's own ``json`` reads each value, so that a list of records has the same meaning as the same
records on lines: NaN (which Python's ``json`` writes), escaped surrogates and large numbers too.
Streaming parsers such as ``ijson`` reject the first two, and stop at a byte that is not UTF-8.
"""

from __future__ import annotations

import json
import re
from typing import IO, TYPE_CHECKING, Any

from ...cases.systems import FIELDS, names
from ...files import open_file, open_text
from .data_set import MAX_RECORD, Known, Record, UnreadableError, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNK = 1 << 16
LONGEST_WORD = len("-Infinity")
BOM = b"\xef\xbb\xbf"
LISTS = (
    *("results", "testCases", "test_cases", "data", "examples", "runs", "traces"),
    *("observations", "spans", "rows", "samples"),
)
"""The names under which exports have their list of records."""
OUTER = ("results", "testRunData")
"""Objects around such a list: of promptfoo, of the last test run of deepeval."""

_OF_A_CASE = {name for field in FIELDS for name in names(field)} - {"input"}
# (an export may have an input of its own)
_SPACE = re.compile(r"[ \t\n\r]*")
_CUT = "the file ends here, it may be cut off"


def json_records(file: Path, known: Known) -> Iterator[Record | None]:
    """The records of a file: an object on each line, or one JSON document."""
    return json_lines(file, known) if _has_lines(file) else _document(file)


def json_lines(file: Path, known: Known) -> Iterator[Record | None]:
    """The records of a file with an object on each line, with None for those that are known.

    Blank lines are passed over.
    """
    number = records = 0
    with open_file(file) as lines:
        while line := lines.readline(MAX_RECORD + 1):
            number += 1
            place = f"line {number}"
            if len(line) <= MAX_RECORD and not line.strip():
                continue
            records += 1
            if known(records):
                if len(line) > MAX_RECORD:
                    _rest_of_line(lines)
                yield None
            elif len(line) > MAX_RECORD:
                size = len(line) + _rest_of_line(lines)
                yield Record(place, None, f"{size:,} bytes, the limit is {MAX_RECORD:,}")
            else:
                yield _line(place, line.removeprefix(BOM) if number == 1 else line)


def _line(place: str, line: bytes) -> Record:
    text = line.decode("utf-8", "surrogateescape")
    try:
        check_utf8(text)
        return _item(place, json.loads(text))
    except UnreadableError as error:
        return Record(place, None, str(error))
    except (ValueError, RecursionError) as error:
        end = "" if line.endswith(b"\n") else f"; {_CUT}"
        return Record(place, None, f"invalid JSON: {_problem(error)}{end}")


def _item(place: str, item: Any) -> Record:
    if isinstance(item, dict):
        return Record(place, item)
    return Record(place, None, f"must be a JSON object, got {type(item).__name__}")


def _rest_of_line(lines: IO[bytes]) -> int:
    size = 0
    while part := lines.readline(1 << 20):
        size += len(part)
        if part.endswith(b"\n"):
            break
    return size


def _has_lines(file: Path) -> bool:
    """Whether the first line is a whole object, and there are more."""
    with open_file(file) as lines:
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
    with open_text(file, "utf-8-sig", "surrogateescape", "") as text:
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
            place, problem = f"item {number}", document.take_problem()
            yield Record(place, None, problem) if problem else _item(place, item)
    except UnreadableError as error:
        yield Record(f"item {number + 1} and what follows it", None, str(error))


def _object(document: JsonDocument) -> Iterator[Record]:
    """The records of an export: those in its list. Any other object is a record itself."""
    values: dict[str, Any] = {}
    try:
        if _reaches_list(document, values):
            yield from _items(document)
            return
        problem = document.take_problem()
    except UnreadableError as error:
        problem = str(error)
    yield Record("the file", None if problem else values, problem)


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


def _problem(error: Exception) -> str:
    """What is wrong with a JSON text, without its lines: they are not those of the file."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at character {error.pos + 1}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


class JsonDocument:
    """A JSON document in a text file. It holds one value at a time."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._lines = 0  # before the text
        self._ended = False
        self._not_utf8 = ""

    def peek(self) -> str:
        """The next character that is not white space; "" at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def value(self) -> Any:
        """The next value.

        Raises:
            UnreadableError: it is not JSON, or larger than ``MAX_RECORD``.
        """
        self.peek()
        while True:
            start = self._at
            try:
                value, end = self._decoder.raw_decode(self._text, start)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._more():
                    raise self._invalid(error, start) from None
            else:
                if end < len(self._text) or not self._more():  # "12" may be the start of "123"
                    self._check_utf8(self._text[self._at : end])
                    self._at = end
                    return value
            if len(self._text) - self._at > MAX_RECORD:
                raise UnreadableError(f"larger than the limit of {MAX_RECORD:,} characters")

    def take_problem(self) -> str:
        """What is wrong with the texts that were read since the last time; "" if nothing is."""
        problem, self._not_utf8 = self._not_utf8, ""
        return problem

    def _check_utf8(self, text: str) -> None:
        try:
            check_utf8(text)
        except UnreadableError as error:
            self._not_utf8 = str(error)

    def _invalid(self, error: Exception, start: int) -> UnreadableError:
        """What is wrong, once the file was read to its end: the text begins at ``start`` now."""
        if not isinstance(error, json.JSONDecodeError):
            return UnreadableError(f"invalid JSON: {_problem(error)}")
        place = error.pos - start
        cut = error.msg.startswith("Unterminated") or place > len(self._text) - LONGEST_WORD
        problem = error.msg.removesuffix(" at")  # json gives a place after that
        return self._error(problem, place, cut=cut)

    def _error(self, problem: str, place: int, *, cut: bool) -> UnreadableError:
        line = self._lines + self._text.count("\n", 0, place) + 1
        end = f"; {_CUT}" if cut else ""
        return UnreadableError(f"invalid JSON: {problem} at line {line:,}{end}")

    def items(self) -> Iterator[Any]:
        """The items of the list that begins here. Each is read only when it is asked for."""
        return self._parts("[", "]", self.value)

    def names(self) -> Iterator[str]:
        """The names in the object that begins here. The caller reads each value."""
        return self._parts("{", "}", self._name)

    def _parts(self, first: str, last: str, read: Any) -> Iterator[Any]:
        self._take(first)
        if self.peek() == last:
            self._take(last)
            return
        while True:
            yield read()
            if self.peek() == last:
                self._take(last)
                return
            self._take(",")

    def _name(self) -> str:
        if self.peek() != '"':
            raise self._unexpected('"')
        name = str(self.value())
        self._take(":")
        return name

    def _take(self, char: str) -> None:
        if self.peek() != char:
            raise self._unexpected(char)
        self._at += 1

    def _unexpected(self, wanted: str) -> UnreadableError:
        got = self.peek()
        before = f" before {got!r}" if got else ""
        return self._error(f"{wanted!r} is missing{before}", self._at, cut=not got)

    def _more(self) -> bool:
        """Reads on, at least as much as is waiting. False at the end of the file."""
        self._lines += self._text.count("\n", 0, self._at)
        self._text = self._text[self._at :]
        self._at = 0
        part = "" if self._ended else self._file.read(max(CHUNK, len(self._text)))
        self._ended = not part
        self._text += part
        return bool(part)
