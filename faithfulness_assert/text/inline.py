"""Removes the inline markup of markdown, and keeps each visible character's place in the source.

Emphasis, links, code spans, known HTML tags and escapes are removed; what they enclose stays. So do
link titles, unknown tags, and tags with attributes such as ``alt``: they are text. What a page
hides, a comment or a style, stays with its marks: a judge sees that no reader does.
Struck-through text keeps its ``~~``. One pass over the tokens, so time is linear for any input.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .strings import lazy_pattern, word_lists

_TAGS = {name: frozenset(tags.split()) for name, tags in word_lists("tags").items()}
_TAG_NAME = "|".join(sorted(_TAGS["block"] | _TAGS["inline"]))
_STRUCK = ("s", "strike", "del")
# The meaning of a tag is shown: 10<sup>6</sup> is not 106, "<s>not</s>" means the contrary of
# "not", and two cells are not one word.
_SHOWN_AS = dict.fromkeys(_STRUCK, "~~") | {"sup": "^", "sub": "_", "td": " ", "th": " "}
_VALUE = r"""(?:"[^"<>]{0,2000}"|'[^'<>]{0,2000}'|[^\s"'<>=]{1,2000})"""
# A tag with another attribute is text: ``alt`` is read out, and ``style`` may hide what is inside.
_SILENT = "href|src|class|id|align|width|height|target|rel|type|colspan|rowspan|lang|dir"
_CONTACT = r"""(?!["']?(?i:tel|sms|mailto):)"""  # a number or address that a reader would use
_ATTRIBUTE = rf"\s{{1,20}}(?i:{_SILENT})\s{{0,9}}=\s{{0,9}}{_CONTACT}{_VALUE}"
_TARGET = r"(?:<[^<>\n]{0,2000}>|(?:[^\s()<>\\]|\\.|\([^\s()]{0,500}\)){0,2000})"
_TITLE = r"""\s{1,9}(?:"[^"]{0,500}"|'[^']{0,500}')"""
_SIGN = lazy_pattern(r"[\\`$<!\[\]*_~]")
_TOKEN = lazy_pattern(
    rf"""
    (?P<escape> \\[*_\#|`~>.!+\-] )
  | (?P<code> `+ )
  | (?P<math> \$(?=[^\s\d$]) [^$\n]{{1,300}} (?<!\s)\$(?!\d) )
  | (?P<tag> <(?P<slash>/?)(?P<name>(?i:{_TAG_NAME}))(?:{_ATTRIBUTE}){{0,20}}\s{{0,20}}/?> )
  | (?P<address> <(?:https?://|mailto:)[^\s<>]{{1,2000}}> )
  | (?P<bracket> !?\[ )
  | (?P<link> \]\(\s{{0,9}}{_CONTACT}{_TARGET}(?P<title>{_TITLE})?\s{{0,9}}\) )
  | (?P<close> \] )
  | (?P<mark> \*+|_+|~+ )
    """,
    re.VERBOSE,
)


class Clear(NamedTuple):
    """Text without markup. ``places[i]`` is the place of ``text[i]`` in the source."""

    text: str
    places: Sequence[int]


def clear(text: str, pieces: Sequence[tuple[int, int]]) -> list[Clear]:
    """The visible text of a block whose lines are ``pieces``, given as ranges of ``text``.

    More than one where an HTML tag inside the block starts a new one.
    """
    raw = "\n".join(text[start:end] for start, end in pieces)
    places: Sequence[int] = range(pieces[0][0], pieces[0][1])
    if len(pieces) > 1:  # the line break after a piece has the place where the piece ends
        places = [place for start, end in pieces for place in range(start, end + 1)]
    if not _SIGN.search(raw):
        return [Clear(raw, places)]
    stripper = _Stripper(raw)
    stripper.run()
    bounds = [0, *stripper.breaks, len(raw)]
    kept = ([i for i in range(*span) if not stripper.hidden[i]] for span in pairwise(bounds))
    return [Clear("".join(stripper.chars[i] for i in k), [places[i] for i in k]) for k in kept]


class _Stripper:
    """One pass over a block."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.chars = list(raw)  # what is shown, unless it is hidden
        self.hidden = bytearray(len(raw))
        self.breaks: list[int] = []  # where a tag starts a new block
        self.brackets: list[tuple[int, int]] = []
        self.marks: dict[str, list[int]] = {}
        self.closing = _code_spans(raw) if "`" in raw else {}

    def run(self) -> None:
        position = 0
        while sign := _SIGN.search(self.raw, position):
            position = sign.end()
            token = _TOKEN.match(self.raw, sign.start())
            if token is None:
                continue
            start, position = token.span()
            kind = token.lastgroup
            if kind == "code" and start in self.closing:
                close = self.closing[start]
                self.hide(start, position)
                position = close + len(token[0])
                self.hide(close, position)
            elif kind == "escape":
                self.hide(start, start + 1)
            elif kind == "address":
                self.hide(start, start + 1)
                self.hide(position - 1, position)
            elif kind == "tag":
                self.tag(token)
            elif kind == "bracket":
                self.brackets.append(token.span())
            elif kind in ("link", "close") and self.brackets:
                bracket = self.brackets.pop()
                if kind == "link":
                    begin, end = token.span("title") if token["title"] else (position, position)
                    self.hide(*bracket)
                    self.hide(start, begin)
                    self.hide(end, position)
            elif kind == "mark":
                self.mark(token)

    def hide(self, start: int, end: int) -> None:
        self.hidden[start:end] = b"\1" * (end - start)

    def tag(self, token: re.Match[str]) -> None:
        name = token["name"].lower()
        if name in _TAGS["block"]:
            self.breaks.append(token.start())
        self.hide(*token.span())
        if name in _SHOWN_AS and (not token["slash"] or name in _STRUCK):
            shown, place = _SHOWN_AS[name], token.start()
            self.hidden[place : place + len(shown)] = bytes(len(shown))
            self.chars[place : place + len(shown)] = shown

    def mark(self, token: re.Match[str]) -> None:
        mark, (start, end) = token[0], token.span()
        before, after = self.raw[max(start - 1, 0) : start], self.raw[end : end + 1]
        if len(mark) > 3 or mark[0] == "~" or _is_in_word(mark[0], before, after):
            return
        opened = self.marks.setdefault(mark, [])
        is_name = mark[0] == "_" and (before.isalnum() or before == ".")  # x.__init__
        if opened and not before.isspace():
            begin = opened.pop()
            self.hide(begin, begin + len(mark))
            self.hide(start, end)
        elif after and not after.isspace() and not is_name:
            opened.append(start)


def _is_in_word(char: str, before: str, after: str) -> bool:
    """Whether a mark is part of a word: ``snake_case``, ``2*3``.

    A star between two characters that are not ASCII is markup: Chinese has no spaces.
    """
    between = before.isalnum() and after.isalnum()
    return between and (char == "_" or (before + after).isascii())


def _code_spans(raw: str) -> dict[int, int]:
    """The start of each run of backticks -> the start of the next run of the same length."""
    next_run: dict[int, int] = {}
    closing: dict[int, int] = {}
    for run in reversed(list(re.finditer("`+", raw))):
        width = len(run[0])
        if width in next_run:
            closing[run.start()] = next_run[width]
        next_run[width] = run.start()
    return closing
