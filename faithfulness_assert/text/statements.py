"""Splits an answer into statements: nothing of it may vanish.

Every letter and digit of the answer lies in the span of exactly one statement, or of one skipped piece that says why it was skipped.
Markup is taken out of a statement's text; its span covers it in the source. In doubt a piece is a statement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..records.model import Skipped, Statement
from .headings import claims, replies
from .inline import clear
from .markdown import blocks
from .sentences import MAX_SENTENCES, in_parts, sentence_spans
from .strings import clean_text, is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .inline import Clear
    from .markdown import Block, Kind
    from .sentences import Span

__all__ = ["Split", "sentence_spans", "split", "split_statements"]

_SPACE = re.compile(r"\s")
_AWAITS = re.compile(
    r"\b(?:is|are|was|were|be|by|answer|ist|est|es|è|é)\s?[:：]\W*\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Split:
    """What an answer says (``statements``, with ids from 1) and what of it is no statement (``skipped``), each in order of place."""

    statements: tuple[Statement, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    text: str
    skipped: str = ""  # the reason, where it is no statement


def split_statements(text: str, language: str = "en") -> list[str]:
    """The statements of ``text``: its sentences, list items and table rows, without markup, each on one line.

    ``language`` is an ISO 639 code, see :func:`sentence_spans`.

    Raises:
        TypeError: ``text`` or ``language`` is no string.
    """
    for name, value in (("text", text), ("language", language)):
        if not isinstance(value, str):
            raise TypeError(
                f"split_statements: {name} must be a string, got {type(value).__name__}"
            )
    return [statement.text for statement in split(text, language).statements]


def split(text: str, language: str = "en") -> Split:
    """The statements of an answer in plain text or markdown, and what was skipped.

    Spans are ``(start, end)`` character offsets into ``text``; they are in order and do not overlap. Skipped are code, rules, headers of
    tables, link definitions, and headings that claim nothing, except where the answer holds nothing else than such headings.
    """
    text = clean_text(text)
    found = blocks(text)
    last = max(
        (
            place
            for place, block in enumerate(found)
            if block.kind not in ("rule", "heading", "bold")
        ),
        default=0,
    )
    pieces: list[_Piece] = []
    for place, block in enumerate(found):
        if len(pieces) >= MAX_SENTENCES:
            pieces += _cut(text, block.start)
            break
        awaited = place > 0 and _AWAITS.search(
            text, max(found[place - 1].start, block.start - 40), block.start
        )
        pieces += _pieces(text, block, language, heads=place < last and not awaited)
    if all(piece.skipped for piece in pieces):
        pieces = [_promoted(piece) for piece in pieces]
    stated = [piece for piece in pieces if not piece.skipped]
    return Split(
        tuple(
            Statement(number, piece.text, piece.start, piece.end)
            for number, piece in enumerate(stated, 1)
        ),
        tuple(Skipped(piece.start, piece.end, piece.skipped) for piece in pieces if piece.skipped),
    )


def _promoted(piece: _Piece) -> _Piece:
    """An answer that is nothing but ``# Paris`` is answered by its heading."""
    answers = (
        piece.skipped in ("heading", "table header")
        and piece.text
        and not piece.text.endswith(("?", "？"))
    )
    return _Piece(piece.start, piece.end, piece.text) if answers else piece


def _pieces(text: str, block: Block, language: str, *, heads: bool) -> Iterator[_Piece]:
    """What a block holds. ``heads``: something follows it, so that it may be a heading."""
    if block.kind in ("code", "rule"):
        yield _Piece(*_trimmed(text, block.start, block.end), "", block.kind)
        return
    parts = clear(text, block.pieces)
    whole = block.kind in ("row", "table header")
    found = (
        _row(parts) if whole else [piece for part in parts for piece in _sentences(part, language)]
    )
    if not found and not text[block.start : block.end].isspace():
        reason = block.kind if block.kind == "table header" else "markup"
        if reason != "markup" or not is_blank(text[block.start : block.end]):
            yield _Piece(*_trimmed(text, block.start, block.end), "", reason)
    for piece in _covering(text, block, found) if found else ():
        yield _Piece(
            piece.start, piece.end, piece.text, _silence(block.kind, piece.text, heads=heads)
        )


def _silence(kind: Kind, said: str, *, heads: bool) -> str:
    """Why a piece is no statement, or nothing where it is one."""
    if kind == "table header":
        return "" if any(claims(cell.rstrip("."), 3) for cell in said.split(" | ")) else kind
    if kind == "link definition":
        name = said[1 : said.find("]:")]
        return "" if " " in name and claims(name) else kind
    if kind in ("heading", "bold") and not (heads or said.endswith(("?", "？"))):
        return ""
    bold = kind == "bold" and not said.endswith((":", "："))
    return (
        "heading"
        if kind in ("heading", "bold") and not (claims(said, 3 if bold else 4) or replies(said))
        else ""
    )


def _cut(text: str, start: int) -> Iterator[_Piece]:
    """The rest of a text that already has more statements than any answer."""
    for first, end in in_parts(text, start, len(text)):
        if not is_blank(text[first:end]):
            yield _Piece(*_trimmed(text, first, end), " ".join(text[first:end].split()))


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _sentences(part: Clear, language: str) -> Iterator[_Piece]:
    for start, end in sentence_spans(part.text, language):
        said = part.text[start:end]
        if not is_blank(said):
            yield _Piece(part.places[start], part.places[end - 1] + 1, " ".join(said.split()))


def _row(parts: Sequence[Clear]) -> list[_Piece]:
    """A row of a table is one statement."""
    said = " ".join(part.text for part in parts)
    if is_blank(said):
        return []
    cells = [" ".join(cell.split()) for cell in said.split("|")]
    places = [
        place
        for part in parts
        for place, char in zip(part.places, part.text, strict=True)
        if char not in "| \t"
    ]
    return [_Piece(places[0], places[-1] + 1, " | ".join(cell for cell in cells if cell))]


def _covering(text: str, block: Block, found: Sequence[_Piece]) -> Iterator[_Piece]:
    """The pieces with the markup between them: what touches a piece belongs to it, what says something and stands apart to the first."""
    lead = text[block.start : found[0].start]
    _, start = _shares(lead) if _SPACE.search(lead) else (0, 0)
    if not is_blank(lead[:start]):
        start = len(lead) - len(lead.lstrip())  # a marker that says something: 10. Tenth
    start += block.start
    for piece, following in zip(found, [*found[1:], None], strict=True):
        between = text[piece.end : following.start if following else block.end]
        own, rest = _shares(between)
        if following is None and not is_blank(between):
            own = len(between.rstrip())
        yield _Piece(start, piece.end + own, piece.text)
        start = piece.end + rest


def _shares(markup: str) -> Span:
    """How far the markup between two pieces belongs to the first, and from where on to the second."""
    if not markup or markup.isspace():
        return 0, len(markup)
    spaces = [found.start() for found in _SPACE.finditer(markup)]
    if not spaces:
        return len(markup), len(markup)
    first, last = spaces[0], spaces[-1] + 1
    return (first if is_blank(markup[first:last]) else len(markup[:last].rstrip())), last
