"""The blocks of a markdown answer: paragraphs, list items, table rows, headings, code.

One pass over the lines, so no nesting is too deep. Every line with more than marks of quotes is in
exactly one block. Models indent and fence prose, and someone may call a claim code to hide it: what
has no sign of code is text.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Literal, NamedTuple

from .strings import lazy_pattern

Kind = Literal[
    "text", "item", "heading", "bold", "row", "code", "rule", "table header", "link definition"
]
Span = tuple[int, int]
Place = tuple[int, ...]
"""Of an item in a list: 1.2 is (1, 2)."""
_KINDS: dict[str, Kind] = {"rule": "rule", "heading": "heading", "link": "link definition"}
"""Of lines whose form alone tells what they are."""

_LINE = lazy_pattern(r"[^\r\n]+(?:\r?\n|\r)?|\r?\n|\r")
_QUOTES = re.compile(r"(?:[ \t]|>(?!\d| ?=| \d{1,9}(?![\d.)])))*")  # >50%, > 80 and >= 5 are none
_MARKER = lazy_pattern(
    r"(?:[-*+•◦▪‣●○∙]|(?P<number>\d{1,3}(?:\.\d{1,2}){0,3})(?P<stop>[.)]?))(?:[ \t]+|\Z)"
    r"|\[\^[^\]\s]{1,50}\]:[ \t]*"
)
_NUMBERED = lazy_pattern(
    r"^[ \t>]*(?:[-*+][ \t]+)?(\d{1,3}(?=[.)][ \t])|\d{1,3}(?:\.\d{1,2}){1,3}(?=\.?[ \t]))",
    re.MULTILINE,
)
_FORM = lazy_pattern(
    r"""
    (?P<fence> (?:`{3,}|~{3,})[^`]* )
  | (?P<rule> (?P<mark>[-*_])(?:[ \t]*(?P=mark)){2,} )
  | (?P<underline> =+ )
  | (?P<heading> \#{1,6}(?:[ \t].*)? )
  | (?P<bold> (?:\*\*[^*]{1,200}\*\*|__[^_]{1,200}__):? )
  | (?P<link> \[[^\]]{1,200}\]:[ \t]*
      <?(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|mailto:|www\.|\.{0,2}/(?=\w*[A-Za-z])|\#[A-Za-z])
      [^\s<>]{0,2000}>? )
    """,
    re.VERBOSE,
)
_FORM_SIGNS = "`~-*_=#["
_INDENTS = (" " * 4, "\t")
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
    ``column`` is where the marker of an item is in its line, or else where the text begins;
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
    place: Place  # that of its number in a list, if it has one
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


def _line(text: str, start: int, end: int, numbers: set[Place]) -> _Line:
    """A line of a text. ``numbers``: those of the items before it, to which it adds its own."""
    last = start + len(text[start:end].rstrip())
    begin, marker, place, is_quoted = start, -1, Place(), False
    while True:
        if marks := _QUOTES.match(text, begin, last):
            begin, is_quoted = marks.end(), is_quoted or ">" in marks[0]
        found = _MARKER.match(text, begin, last)
        is_text = found is None or _is_text(found, text[begin:last], numbers, is_first=marker < 0)
        if found and not is_text:
            marker = marker if marker >= 0 else begin - start
            place = _place(found["number"]) if found["number"] else ()
            numbers.update([place] if place else [])
        if found is None or is_text or place[1:]:  # 1.1 may be an amount: it stays in the text
            return _Line(start, end, begin, text[begin:last], marker, place, is_quoted)
        begin = found.end()


def _place(number: str) -> Place:
    return tuple(map(int, number.split(".")))


def _is_text(marker: re.Match[str], said: str, numbers: set[Place], *, is_first: bool) -> bool:
    """Whether what looks as the marker of an item is a rule, counts on ("1) One 2) Two"), or has a
    number that no list has reached: "26. Dezember". In a list, 1.1 comes behind 1, and before 1.2.
    """
    if marker["number"]:
        *parent, last = _place(marker["number"])
        counts_on = f" {last + 1}{marker['stop']} " in said
        before = {(*parent, last - 1), *([tuple(parent)] if parent else [])}
        is_amount = not (parent or marker["stop"])  # "12 apples"
        return is_amount or not is_first or counts_on or not before <= numbers
    return is_first and _form(said) == "rule"


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
        # Columns before the last number of a list, and how deep that is: 1.2 is 2.
        self.numbered, self.depth = -1, 0
        # The numbers of the items so far, and before the first: of a list of two or more.
        listed = [*map(_place, _NUMBERED.findall(text))]
        self.numbers: set[Place] = {
            (*above, last - 1)
            for *above, last in listed
            if last < 2 and ((*above, last + 1) in listed or listed.count((*above, last)) > 1)
        }
        self.known: dict[int, Kind] = {}  # lines of code, and the heads of tables
        # Up to which line no fence of at least this length is closed that is not known.
        self.searched = dict.fromkeys("`~", (0, -1))

    def read(self, at: int, line: _Line) -> None:
        """Reads the next line: it goes on with the last block, or begins one."""
        is_plain = at in self.known or line.said[:1] not in _FORM_SIGNS
        form = "" if is_plain else _form(line.said)
        if form == "fence":
            self.note_code(at, line.said)
        elif "|" in line.said:
            self.note_table(at, line.said)
        before = self.found[-1].kind if self.is_next else ""
        if not before and at not in self.known and self.text.startswith(_INDENTS, line.start):
            self.note_indented(at)
        if before == "text" and (form == "underline" or set(line.said) == {"-"}):
            self.found[-1].kind, self.found[-1].end = "heading", line.end
            return
        kind = self.known.get(at) or self.kind_of(at, line, form, before)
        said = self.text[line.begin : line.end].rstrip("\r\n")  # two spaces at its end break it
        said = _title(line.said) if form in ("heading", "fence") else said
        begin = self.text.index(said, line.begin)
        if kind != before or kind not in ("text", "item", "code") or line.marker >= 0:
            column = begin - line.start
            if kind == "item" and line.marker >= 0:
                if line.place:
                    self.numbered, self.depth = line.marker, len(line.place)
                # What is below a numbered item belongs to it, also without an indent.
                depth = len(line.place) or self.depth + 1
                column = line.marker + (depth - 1 if line.marker == self.numbered else 0)
            elif kind != "item":
                self.numbered = -1
            number = line.place[0] if len(line.place) == 1 else 0
            self.found.append(Block(kind, line.start, line.end, column, number))
        self.found[-1].pieces.append((begin, begin + len(said)))
        self.found[-1].end = line.end
        self.is_next, self.is_quoted = True, line.is_quoted

    def kind_of(self, at: int, line: _Line, form: str, before: str) -> Kind:
        if kind := _KINDS.get(form):
            self.margin = 0
            return kind
        if line.marker >= 0:
            if line.marker < self.margin or not self.margin:
                self.margin = line.begin - line.start
            return "item"
        if "|" in line.said and before in ("row", "table header"):
            return "row"
        is_inside = line.is_quoted or 0 < self.margin <= line.begin - line.start
        if before in ("text", "item") and line.is_quoted <= self.is_quoted:
            names = not is_inside and (form == "bold" or self.is_over_items(at, line.said))
            is_inside = before == "item" and not names
        self.margin = self.margin if is_inside else 0
        return "item" if is_inside else "bold" if form == "bold" else "text"

    def is_over_items(self, at: int, said: str) -> bool:
        """Whether a line that is not indented names the items below it, and wraps no item."""
        below = (_line(self.text, *line, {*self.numbers}) for line in self.lines[at + 1 : at + 2])
        first = said.partition(" ")[0]  # "b." begins a line, and "and" does not
        begins = not first[:1].islower() or first.endswith((".", ")"))
        is_name = begins and first[0] != "*" and not said.endswith((*".!?,;。！？",))
        return is_name and any(line.marker >= 0 for line in below)

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
        mark, info = fence[: len(fence) - len(info)], info.strip().lower()
        is_plain = info in _PLAIN_INFOS
        is_named = not is_plain and _LANGUAGE.fullmatch(info) is not None
        if is_plain or is_named:
            self.known[at] = "code"
        if end := self.end_of(mark, at):
            self.known[end] = "code"
            if info not in ("markdown", "md"):
                self.note_lines(at + 1, end, is_named=is_named)

    def note_lines(self, start: int, end: int, *, is_named: bool) -> None:
        lines = {number: self.text[slice(*self.lines[number])] for number in range(start, end)}
        for _, paragraph in groupby(lines, lambda number: bool(lines[number].strip())):
            own = list(paragraph)
            if is_named or any(_CODE_SIGN.search(lines[number]) for number in own):
                self.known |= {n: "code" for n in own if not _is_prose(lines[n])}

    def note_indented(self, at: int) -> None:
        """Notes the code in a paragraph whose lines are all indented."""
        indent, end = (" " * (self.margin + 4), "\t"), at
        while end < len(self.lines) and self.text.startswith(indent, self.lines[end][0]):
            end += 1
        self.note_lines(at, end, is_named=False)

    def end_of(self, mark: str, at: int) -> int:
        """The line that closes a fence; 0 if none does."""
        length, line = self.searched[mark[0]]
        end = max(at, line) if len(mark) >= length else at
        if end >= len(self.lines):
            return 0
        is_closed = False
        while not is_closed and (end := end + 1) < len(self.lines):
            said = self.text[slice(*self.lines[end])].strip(" \t\r\n>")
            is_closed = said.startswith(mark) and not said.strip(mark[0]) and end not in self.known
        self.searched[mark[0]] = len(mark), end
        return end if is_closed else 0


def _title(line: str) -> str:
    """A heading without its hashes, and what stands behind the marks of a fence."""
    title = line.lstrip(line[0]).lstrip()
    shut = title.rstrip("#")
    return title if shut[-1:].strip() else shut.rstrip()


def _is_prose(line: str) -> bool:
    is_sentence = len(line.split()) > 2 and _LINE_OF_PROSE.fullmatch(line)
    return bool(is_sentence) and not _CODE_SIGN.search(line)
