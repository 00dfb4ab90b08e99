"""The blocks of a markdown answer: paragraphs, list items, table rows, headings, code.

One pass over the lines, so no nesting is too deep. Every line with more than marks of quotes is in
exactly one block. Models indent and fence prose, and someone may call a claim code to hide it: what
has no sign of code is text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from itertools import groupby
from typing import Literal, NamedTuple

from .learned import is_topic
from .strings import lazy_pattern

Kind = Literal[
    "text", "item", "heading", "bold", "row", "code", "rule", "table header", "link definition"
]
Span = tuple[int, int]
_KINDS: dict[str, Kind] = {"rule": "rule", "heading": "heading", "link": "link definition"}
"""Of lines whose form alone tells what they are."""

_LINE = lazy_pattern(r"[^\r\n]+(?:\r?\n|\r)?|\r?\n|\r")
_QUOTES = re.compile(r"(?:[ \t]|>(?!\d| ?=| \d{1,9}(?![\d.)])))*")  # >50%, > 80 and >= 5 are none
_MARKER = lazy_pattern(
    r"(?:[-*+•◦▪‣●○∙–—→]|(?P<number>\d{1,3})[.)]"
    r"|(?P<sign>[✓✔✅☑✗✘✖❌❎]\ufe0f?|\d\ufe0f?\u20e3|(?P<point>[➔➜➤►▶🔹🔸🔷🔶])\ufe0f?))"
    r"(?:[ \t]+|\Z)|\[\^[^\]\s]{1,50}\]:[ \t]*"
)
_NUMBERED = lazy_pattern(r"^[ \t>]*(?:[-*+][ \t]+)?(\d{1,3})[.)][ \t]", re.MULTILINE)
_CLOSING = lazy_pattern(r"[ \t>]*(?:`{3,}|~{3,})[ \t\r\n]*")
_FORM = lazy_pattern(
    r"""
    (?P<fence> (?:`{3,}|~{3,})[^`]* )
  | (?P<rule> (?P<mark>[-*_])(?:[ \t]*(?P=mark)){2,} )
  | (?P<underline> =+ )
  | (?P<heading> \#{1,6}(?:[ \t].*)? )
  | (?P<bold> (?:[\u2190-\u2bff\U0001f000-\U0001faff]\ufe0f?[ \t]*)?
      (?:\*\*[^*]{1,200}\*\*|__[^_]{1,200}__|\*[^*]{1,100}\*|_[^_]{1,100}_|【[^【】†\d]{1,60}】)
      (?:[ \t]*\([^()]{1,60}\))?:? )
  | (?P<link> \[[^\]]{1,200}\]:[ \t]*
      <?(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|mailto:|www\.|\.{0,2}/(?=\w*[A-Za-z])|\#[A-Za-z])
      [^\s<>]{0,2000}>? )
    """,
    re.VERBOSE,
)
KINDS = "1🔹✅•-"
"""Kinds of markers: at the same column, each is over those behind it."""
_FORM_SIGNS = lazy_pattern(r"[`~\-*_=#\[【\u2190-\u2bff\U0001f000-\U0001faff]")
_TITLE = lazy_pattern(
    r"[一二三四五六七八九十]{1,3}、"
    r"|(?:[A-ZÀ-ÖØ-ÞА-Я]['’/&-]?){3,20}(?: [A-ZÀ-ÖØ-ÞА-Я&/'’-]{1,20}){0,3}$"
)
"""A title by its number, or in capitals: "CHECK-IN"."""
MAX_TITLE = 60
"""Characters of a title that has no mark."""
_NO_TITLE = lazy_pattern("[:：=]|[.!?,;。！？，；…]$")
_DELIMITER = lazy_pattern(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_COMMANDS = (
    "apt|apt-get|brew|cargo|cat|cd|cp|curl|docker|echo|git|go|import|ls|make|mkdir|mv|node|npm|npx|"
    "pip|pip3|print|python|python3|return|rm|sh|sudo|uv|wget|yarn"
)
_CODE_SIGN = lazy_pattern(
    r"[{}\\`~^|@\u2500-\u257f]|[=<>]{2}|\w ?= ?\S|</?[A-Za-z]|;[ \t]*$|\w\(|\w\[|\w_\w|::|->|"
    rf"\$[A-Za-z]|\s--?[A-Za-z]|^[ \t>]*(?:[$#]|//|(?:{_COMMANDS}) )",
    re.MULTILINE,
)
_LANGUAGE = lazy_pattern(r"\{?\.?[a-z]{1,16}[\d.+#*]{0,4}(?:[-_+/:.,][a-z\d]{1,12}[+#]{0,2})?\}?")
_PLAIN_INFOS = ("", "text", "txt", "plain", "plaintext", "markdown", "md")
_LINE_OF_PROSE = lazy_pattern(r"[ \t>]*[^\W\d_a-z][^\n]*[\w)\"'”’\]][.!?。！？]\s*")


class Block:
    """Lines that belong together.

    ``start`` and ``end`` are offsets in the source; ``pieces`` are the lines without their markers.
    ``column`` grows with that of the item's marker in its line, or else of the text;
    ``number`` is its place in a list that counts, else 0.
    """

    __slots__ = ("column", "end", "kind", "number", "pieces", "start")

    def __init__(self, kind: Kind, start: int, end: int, column: int, number: int) -> None:
        self.kind, self.start, self.end, self.column = kind, start, end, column
        self.number = number
        self.pieces: list[Span] = []


class _Line(NamedTuple):
    """A line, and what it says behind its marks of quotes and lists."""

    start: int
    end: int
    begin: int
    said: str
    marker: int  # columns before its first marker of a list; -1 without one
    kind: str  # of that marker
    number: int  # its place in a list that counts, else 0
    is_quoted: bool


def blocks(text: str) -> list[Block]:
    """The blocks of ``text``, in order. Outside them there are only white space and ``>``."""
    reader = _Reader(text)
    for at, span in enumerate(reader.lines):
        line = _line(text, *span, reader.numbers)
        if line.said or line.marker >= 0:
            reader.read(at, line)
        else:
            reader.is_next = False
    return reader.found


def _line(text: str, start: int, end: int, numbers: set[int]) -> _Line:
    """A line of a text. ``numbers``: those of the items before it, to which it adds its own."""
    last = start + len(text[start:end].rstrip())
    begin, marker, kind, number, is_quoted = start, -1, "", 0, False
    while True:
        if marks := _QUOTES.match(text, begin, last):
            begin, is_quoted = marks.end(), is_quoted or ">" in marks[0]
        found = _MARKER.match(text, begin, last)
        if found and found["number"]:
            own = int(found["number"])
            # What no list has reached is no item: "26. Dezember".
            if marker >= 0 or own - 1 not in numbers:
                found = None
            else:
                number = own
                numbers.add(own)
        elif marker < 0 and _form(text[begin:last]) == "rule":
            found = None
        if found is None:
            return _Line(start, end, begin, text[begin:last], marker, kind, number, is_quoted)
        if marker < 0:
            marker = begin - start
            usual = "-" if found[0][0] in "-*+" else "•"
            sign = "🔹" if found["point"] else "✅" if found["sign"] else usual
            kind = "1" if found["number"] else sign
        if found["sign"]:  # it says something: ✅, ❌
            return _Line(start, end, begin, text[begin:last], marker, kind, number, is_quoted)
        begin = found.end()


def _form(said: str) -> str:
    found = _FORM.fullmatch(said)
    return (found.lastgroup or "") if found else ""


class _Reader:
    """One pass over the lines of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [line.span() for line in _LINE.finditer(text)]
        self.found: list[Block] = []
        self.is_next = self.is_quoted = False  # whether the last line is in a block, in a quote
        self.margin = 0  # columns before the text of an outermost item
        # Whether the last line begins an item; whether lines below items belong to these, without
        # an indent: not if two items stand right below each other.
        self.was_item = self.goes_on = False
        # The numbers of the items so far, and before the first: of a list of two or more.
        listed = Counter(map(int, _NUMBERED.findall(text)))
        self.numbers = {n - 1 for n in (0, 1) if n in listed and (listed[n] > 1 or n + 1 in listed)}
        self.known: dict[int, Kind] = {}  # lines of code, and the heads of tables
        self.closing: list[int] | None = None  # the lines that may close a fence

    def read(self, at: int, line: _Line) -> None:
        """Reads the next line: it goes on with the last block, or begins one."""
        is_plain = at in self.known or not _FORM_SIGNS.match(line.said)
        form = "" if is_plain else _form(line.said)
        if form == "fence":
            self.note_code(at, line.said)
        elif "|" in line.said:
            self.note_table(at, line.said)
        before = self.found[-1].kind if self.is_next else ""
        if before == "text" and (form == "underline" or set(line.said) == {"-"}):
            self.found[-1].kind, self.found[-1].end = "heading", line.end
            return
        kind = self.known.get(at) or self.kind_of(line, form, before)
        may_be_title = kind == "text" and not self.is_next and len(line.said) <= MAX_TITLE
        kind = "bold" if may_be_title and self.is_title(at, line.said) else kind
        said = self.text[line.begin : line.end].rstrip("\r\n")  # two spaces at its end break it
        said = _title(line.said) if form in ("heading", "fence") else said
        begin = self.text.index(said, line.begin)
        if kind != before or kind not in ("text", "item", "code") or line.marker >= 0:
            column = len(KINDS) * (begin - line.start)
            if kind == "item" and line.marker >= 0:
                column = len(KINDS) * line.marker + KINDS.index(line.kind)
            self.found.append(Block(kind, line.start, line.end, column, line.number))
        self.found[-1].pieces.append((begin, begin + len(said)))
        self.found[-1].end = line.end
        # Items that stand right below each other have no more lines.
        is_item = line.marker >= 0
        self.goes_on = (
            is_item if not self.is_next else self.goes_on and not (is_item and self.was_item)
        )
        self.is_next, self.is_quoted, self.was_item = True, line.is_quoted, is_item

    def kind_of(self, line: _Line, form: str, before: str) -> Kind:
        if kind := _KINDS.get(form):
            self.margin = 0
            return kind
        if line.marker >= 0:
            if line.marker < self.margin or not self.margin:
                self.margin = line.begin - line.start
            return "item"
        if "|" in line.said and before in ("row", "table header"):
            return "row"
        is_inside = 0 < self.margin <= line.begin - line.start
        if before in ("text", "item") and line.is_quoted <= self.is_quoted:
            # A line that is not indented goes on with an item if it begins with a small word.
            begins_small = line.said[0].islower() and line.said[:2].isalpha()
            is_inside = before == "item" and (is_inside or begins_small or self.goes_on)
        self.margin = self.margin if is_inside else 0
        return "item" if is_inside else "bold" if form == "bold" else "text"

    def is_title(self, at: int, line: str) -> bool:
        """Whether a line without a mark is a title: it stands alone and only names a topic."""
        below = [self.text[slice(*span)].strip() for span in self.lines[at + 1 : at + 3]]
        if not any(below) or _NO_TITLE.search(line):
            return False
        if below[0]:
            return _TITLE.match(line) is not None
        over = self.found[-1] if self.found else None
        above = self.text[over.start : over.end].rstrip() if over else ""
        is_name = over and over.kind == "text" and not _NO_TITLE.search(above) and is_topic(above)
        is_listed = is_name or above.endswith((":", "："))  # one of several lines of values
        return not is_listed and is_topic(line) and not is_topic(below[1])

    def note_table(self, at: int, header: str) -> None:
        """Notes the head of a table, if the line behind it has as many columns."""
        below = (_line(self.text, *line, set()).said for line in self.lines[at + 1 : at + 3])
        delimiter, row = next(below, ""), next(below, "")
        columns = header.strip("|").count("|"), delimiter.strip("|").count("|")
        if _DELIMITER.fullmatch(delimiter) and columns[0] == columns[1]:
            self.known |= {at: "table header" if "|" in row else "row", at + 1: "table header"}

    def note_code(self, at: int, fence: str) -> None:
        """Notes the lines of a fence that are code, apart from the prose in it.

        Only its own lines are if it is never closed, is labelled as markdown, or has no sign of
        code; the first is text if more than the name of a language stands in it. A paragraph
        without such a sign is prose, unless the fence names a language; there, as in a paragraph
        of code, a line that reads as a sentence is.
        """
        info = fence.lstrip(fence[0])
        info = info.strip().lower()
        is_plain = info in _PLAIN_INFOS
        is_named = not is_plain and _LANGUAGE.fullmatch(info) is not None
        if is_plain or is_named:
            self.known[at] = "code"
        if end := self.end_of(at):
            self.known[end] = "code"
            if info not in ("markdown", "md"):
                self.note_lines(at + 1, end, is_named=is_named)

    def note_lines(self, start: int, end: int, *, is_named: bool) -> None:
        lines = {number: self.text[slice(*self.lines[number])] for number in range(start, end)}
        for _, paragraph in groupby(lines, lambda number: bool(lines[number].strip())):
            own = list(paragraph)
            if is_named or any(_CODE_SIGN.search(lines[number]) for number in own):
                self.known |= {n: "code" for n in own if not _is_prose(lines[n])}

    def end_of(self, at: int) -> int:
        """The line that closes a fence; 0 if none does."""
        if self.closing is None:
            lines = enumerate(self.text[slice(*line)] for line in self.lines)
            self.closing = [number for number, line in lines if _CLOSING.fullmatch(line)]
        later = bisect_right(self.closing, at)
        return self.closing[later] if later < len(self.closing) else 0


def _title(line: str) -> str:
    """A heading without its hashes, and what stands behind the marks of a fence."""
    title = line.lstrip(line[0]).lstrip()
    shut = title.rstrip("#")
    return title if shut[-1:].strip() else shut.rstrip()


def _is_prose(line: str) -> bool:
    is_sentence = len(line.split()) > 2 and _LINE_OF_PROSE.fullmatch(line)
    return bool(is_sentence) and not _CODE_SIGN.search(line)
