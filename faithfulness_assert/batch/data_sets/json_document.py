"""Reads a JSON document of any size, one value at a time.

Python's own ``json`` reads each value, so that a list of records has the same meaning as the same
records on lines: NaN (which Python's ``json`` writes), escaped surrogates and large numbers too.
Streaming parsers such as ``ijson`` reject the first two, and stop at a byte that is not UTF-8.
"""

from __future__ import annotations

import json
import re
from typing import IO, TYPE_CHECKING, Any

from .text_records import MAX_RECORD, UnreadableError, json_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 1 << 16
LONGEST_WORD = len("-Infinity")
_SPACE = re.compile(r"[ \t\n\r]*")
_CUT = "the file ends here, it may be cut off"


class JsonDocument:
    """A JSON document in a text file. It holds one value at a time."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._ended = False

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
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._more():
                    raise UnreadableError(f"invalid JSON: {self._problem(error)}") from None
            else:
                if end < len(self._text) or not self._more():  # "12" may be the start of "123"
                    self._at = end
                    return value
            if len(self._text) - self._at > MAX_RECORD:
                raise UnreadableError(f"larger than the limit of {MAX_RECORD:,} characters")

    def _problem(self, error: Exception) -> str:
        """What is wrong, at the end of the file."""
        if not isinstance(error, json.JSONDecodeError):
            return json_problem(error)
        cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - LONGEST_WORD
        problem = error.msg.removesuffix(" at")  # json gives a place after that
        return f"{problem}; {_CUT}" if cut else problem

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
        problem = f"{wanted!r} is missing before {got!r}" if got else _CUT
        return UnreadableError(f"invalid JSON: {problem}")

    def _more(self) -> bool:
        """Reads on, at least as much as is waiting. False at the end of the file."""
        self._text = self._text[self._at :]
        self._at = 0
        part = "" if self._ended else self._file.read(max(CHUNK, len(self._text)))
        self._ended = not part
        self._text += part
        return bool(part)
