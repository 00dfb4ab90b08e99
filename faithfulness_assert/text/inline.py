"""Takes the inline markup out of a block of markdown, so that what a reader sees is left, each character with its place in the source.

Emphasis, links, code spans, known HTML tags and escapes go. What they enclose stays, and so does all else: the text of comments, of
unknown tags, of link titles and of attributes such as ``alt`` is text, and what is struck through keeps its ``~~``. One pass over the
tokens, so it is linear whatever the input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCK_TAGS = _words(
    "address article aside blockquote body br caption center dd details div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 head "
    "header hr html li main nav ol p pre script section style summary table tbody tfoot thead title tr ul "
    # what models wrap their texts in
    "analysis answer final output reasoning reflection response result scratchpad think thinking thought"
)
_INLINE_TAGS = _words(
    "a abbr b bdi bdo big button cite code col colgroup data del dfn em font i iframe img input ins kbd label link mark meta q rp rt "
    "ruby s samp small span strike strong sub sup td th time tt u var wbr"
)
_STRUCK = ("s", "strike", "del")
# What a tag means is shown: 10<sup>6</sup> is not 106, "<s>not</s>" says the contrary of "not", and two cells are not one word.
_INSTEAD = dict.fromkeys(_STRUCK, "~~") | {"sup": "^", "sub": "_", "td": " ", "th": " "}
_VALUE = r"""(?:"[^"<>]{0,2000}"|'[^'<>]{0,2000}'|[^\s"'<>=]{1,2000})"""
_ATTRIBUTE = (
    rf"\s{{1,20}}(?:[\w:-]{{1,50}}\s{{0,9}}=\s{{0,9}}{_VALUE}|checked|disabled|hidden|open)"
)
_TARGET = r"(?:<[^<>\n]{0,2000}>|(?:[^\s()<>\\]|\\.|\([^\s()]{0,500}\)){0,2000})"
_SAYS = re.compile(
    rf"""\s(?:alt|title|aria-label|label|placeholder|summary|content|value)\s{{0,9}}=\s{{0,9}}(?P<value>{_VALUE})""",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[\\`$<!\[\]*_~]|-->")
_TOKEN = re.compile(
    rf"""
    (?P<escape> \\[*_\#|`~>.!+\-] )
  | (?P<code> `+ )
  | (?P<math> \$(?=[^\s\d$]) [^$\n]{{1,300}} (?<!\s)\$(?!\d) )
  | (?P<comment> <!--|--> )
  | (?P<tag> <(?P<slash>/?)(?P<name>(?i:{"|".join(sorted(_BLOCK_TAGS | _INLINE_TAGS))}))(?:{_ATTRIBUTE}){{0,20}}\s{{0,20}}/?> )
  | (?P<address> <(?:https?://|mailto:)[^\s<>]{{1,2000}}> )
  | (?P<bracket> !?\[ )
  | (?P<link> \]\(\s{{0,9}}{_TARGET}(?P<title>\s{{1,9}}(?:"[^"]{{0,500}}"|'[^']{{0,500}}'))?\s{{0,9}}\) )
  | (?P<close> \] )
  | (?P<mark> \*+|_+|~+ )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Clear:
    """Text without markup; ``places[i]`` is where ``text[i]`` stands in the source."""

    text: str
    places: Sequence[int]


def clear(text: str, pieces: Sequence[tuple[int, int]]) -> list[Clear]:
    """The visible text of ``pieces``, which are the lines of a block as ranges of ``text``. An HTML tag that starts a block cuts it."""
    raw = "\n".join(text[start:end] for start, end in pieces)
    places: Sequence[int] = range(pieces[0][0], pieces[0][1])
    if len(pieces) > 1:  # the line break after a piece has the place where the piece ends
        places = [place for start, end in pieces for place in range(start, end + 1)]
    if not _SIGN.search(raw):
        return [Clear(raw, places)]
    stripper = _Stripper(raw)
    stripper.run()
    bounds = [0, *stripper.breaks, len(raw)]
    return [_kept(stripper, places, start, end) for start, end in pairwise(bounds)]


def _kept(stripper: _Stripper, places: Sequence[int], start: int, end: int) -> Clear:
    keep = [i for i in range(start, end) if not stripper.gone[i]]
    return Clear("".join(stripper.chars[i] for i in keep), [places[i] for i in keep])


class _Stripper:
    """One pass over a block. Each kind of token has a method of its name."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.chars = list(raw)  # what is shown, where it is not gone
        self.gone = bytearray(len(raw))
        self.breaks: list[int] = []  # where a tag starts a new block
        self.position = 0  # where the next token is looked for
        self.brackets: list[tuple[int, int]] = []
        self.marks: dict[str, list[int]] = {}
        self.closing = _code_spans(raw)

    def run(self) -> None:
        while sign := _SIGN.search(self.raw, self.position):
            self.position = sign.end()
            if found := _TOKEN.match(self.raw, sign.start()):
                self.position = found.end()
                handle: Callable[[re.Match[str]], None] = getattr(self, found.lastgroup or "")
                handle(found)

    def drop(self, start: int, end: int) -> None:
        self.gone[start:end] = b"\1" * (end - start)

    def around(self, found: re.Match[str]) -> tuple[str, str]:
        return self.raw[max(found.start() - 1, 0) : found.start()], self.raw[
            found.end() : found.end() + 1
        ]

    def escape(self, found: re.Match[str]) -> None:
        self.drop(found.start(), found.start() + 1)

    def code(self, found: re.Match[str]) -> None:
        close = self.closing.get(found.start())
        if close is not None and not _inside_word("`", *self.around(found)):
            self.position = close + len(found[0])
            self.drop(*found.span())
            self.drop(close, self.position)

    def math(self, found: re.Match[str]) -> None:
        """Formulas stay as they are: their stars and underscores are no emphasis."""

    def comment(self, found: re.Match[str]) -> None:
        self.drop(*found.span())

    def tag(self, found: re.Match[str]) -> None:
        name = found["name"].lower()
        self.drop(*found.span())
        if name in _BLOCK_TAGS:
            self.breaks.append(found.start())
        if name in _INSTEAD and (not found["slash"] or name in _STRUCK):
            self.write(found.start(), _INSTEAD[name])
        elif name in ("sub", "sup") and self.raw[found.end() : found.end() + 1].isdigit():
            self.write(found.start(), " ")
        for said in _SAYS.finditer(found[0]):
            self.aside(found.start() + said.start("value"), found.start() + said.end("value"))
            if self.gone[found.end() - 1] and self.raw[found.end() : found.end() + 1].isalnum():
                self.write(found.end() - 1, " ")

    def write(self, place: int, shown: str) -> None:
        """Shows ``shown`` in the place of markup."""
        self.gone[place : place + len(shown)] = bytes(len(shown))
        self.chars[place : place + len(shown)] = shown

    def aside(self, start: int, end: int) -> None:
        """An attribute that a reader may see stays, in parentheses."""
        quoted = self.raw[start] in "\"'"
        inner, after = (start + 1, end - 1) if quoted else (start, end)
        if not self.raw[inner:after].strip():
            return
        self.gone[inner:after] = bytes(after - inner)
        self.write(inner - 2, " (")
        self.write(after, ")")

    def address(self, found: re.Match[str]) -> None:
        self.drop(found.start(), found.start() + 1)
        self.drop(found.end() - 1, found.end())

    def bracket(self, found: re.Match[str]) -> None:
        self.brackets.append(found.span())

    def close(self, _: re.Match[str]) -> None:
        if self.brackets:
            self.brackets.pop()

    def link(self, found: re.Match[str]) -> None:
        if self.brackets:
            start, end = found.span("title") if found["title"] else (found.end(), found.end())
            self.drop(*self.brackets.pop())
            self.drop(found.start(), start)
            self.drop(end, found.end())

    def mark(self, found: re.Match[str]) -> None:
        mark, (start, end) = found[0], found.span()
        before, after = self.around(found)
        if len(mark) > 3 or mark[0] == "~" or _inside_word(mark[0], before, after):
            return
        opened = self.marks.setdefault(mark, [])
        if opened and not before.isspace():
            begin = opened.pop()
            self.drop(begin, begin + len(mark))
            self.drop(start, end)
        elif (
            after
            and not after.isspace()
            and not (mark[0] == "_" and (before.isalnum() or before == "."))
        ):  # x.__init__ is a name
            opened.append(start)


def _inside_word(char: str, before: str, after: str) -> bool:
    """``snake_case``, ``2*3`` and ``it`s`` hold no markup. Chinese, which has no spaces, may: only ASCII shields a star."""
    if char == "`" and before and not before.isspace() and after.isspace():
        return True  # Armenian puts it after a word
    between = before.isalnum() and after.isalnum()
    return between and (char == "_" or (before + after).isascii())


def _code_spans(raw: str) -> dict[int, int]:
    """For the start of each run of backticks the start of the next run of the same length."""
    following: dict[int, int] = {}
    closing: dict[int, int] = {}
    for found in reversed(list(re.finditer("`+", raw))):
        width = len(found[0])
        if width in following:
            closing[found.start()] = following[width]
        following[width] = found.start()
    return closing
