"""Splits an answer into statements: nothing of it may vanish.

Every letter and digit of the answer lies in the span of exactly one statement, or of one skipped piece that says why it was skipped.
Markup is taken out of a statement's text; its span covers it in the source. In doubt a piece is a statement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .blocks import blocks
from .markup import clear
from .model import Skipped, Statement, clean_text, is_blank
from .sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .blocks import Block
    from .markup import Clear
    from .sentences import Span

__all__ = ["Split", "sentence_spans", "split", "split_statements"]

_SKIPPED_KINDS = ("code", "rule", "table header", "link definition")
_SPACE = re.compile(r"\s")

# ---- does a heading claim something?

_LABEL = re.compile(
    r"\W*(?:(?:step|part|section|chapter|phase|stage|option|question|appendix|schritt|teil|abschnitt|kapitel|étape|partie|chapitre|paso|parte|"
    r"capítulo)\s+)?(?:\d{1,3}(?:\.\d{1,3}){0,5}|[A-Za-z])?(?:[.):]|\s[–—-])?\s+",
    re.IGNORECASE,
)
_FULL_STOP = re.compile(r"[.!。！][\"'”’)\]]*$")
_ASKS = re.compile(
    r"(?:how|what|when|where|which|who|whom|whose|why|wie|was|wann|wer|warum|comment|pourquoi|quand|cómo|qué|por qué)\b", re.IGNORECASE
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|wasn't|weren't|has|have|had|does|did|do|doesn't|didn't|don't|can|can't|cannot|could|will|won't|would|"
    r"shall|should|must|may|might|became|become|becomes|began|begins|causes|contains|costs|died|fell|founded|gets|gives|got|grew|grows|helps|"
    r"includes|increased|increases|invented|joined|joins|kills|leads|left|lost|made|makes|means|moved|needs|owns|pays|requires|rises|rose|"
    r"runs|said|says|signed|sold|starts|started|stops|takes|took|wins|won|works|worked|wrote|"
    r"ist|sind|war|waren|hat|haben|wird|werden|kann|muss|est|sont|était|ont|peut|doit|es|son|era|fue|está|están|tiene|tienen|puede|"
    r"è|sono|ha|hanno|può|é|são|foi|tem|pode|zijn|heeft|wordt|kan)\b",
    re.IGNORECASE,
)
_CLAIM_WORDS = 8


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
    """
    return [statement.text for statement in split(text, language).statements]


def split(text: str, language: str = "en") -> Split:
    """The statements of an answer in plain text or markdown, and what was skipped.

    Spans are ``(start, end)`` character offsets into ``text``; they are in order and do not overlap. Skipped are code, rules, headers of
    tables, link definitions, and headings that claim nothing, except where the answer holds nothing else than such headings.
    """
    text = clean_text(text)
    pieces = [piece for block in blocks(text) for piece in _pieces(text, block, language)]
    if all(piece.skipped for piece in pieces):
        pieces = [_promoted(piece) for piece in pieces]
    stated = [piece for piece in pieces if not piece.skipped]
    return Split(
        tuple(Statement(number, piece.text, piece.start, piece.end) for number, piece in enumerate(stated, 1)),
        tuple(Skipped(piece.start, piece.end, piece.skipped) for piece in pieces if piece.skipped),
    )


def _promoted(piece: _Piece) -> _Piece:
    """An answer that is nothing but ``# Paris`` is answered by its heading."""
    answers = piece.skipped == "heading" and not piece.text.endswith(("?", "？"))
    return _Piece(piece.start, piece.end, piece.text) if answers else piece


def _pieces(text: str, block: Block, language: str) -> Iterator[_Piece]:
    if block.kind in _SKIPPED_KINDS:
        yield _Piece(*_trimmed(text, block.start, block.end), "", block.kind)
        return
    parts = clear(text, block.pieces)
    found = _row(parts) if block.kind == "row" else [piece for part in parts for piece in _sentences(part, language)]
    if not found and not is_blank(text[block.start : block.end]):
        yield _Piece(*_trimmed(text, block.start, block.end), "", "markup")
    for piece in _covering(text, block, found) if found else ():
        silent = block.kind == "heading" and not _claims(piece.text)
        yield _Piece(piece.start, piece.end, piece.text, "heading" if silent else "")


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
    places = [place for part in parts for place, char in zip(part.places, part.text, strict=True) if char not in "| \t"]
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


def _claims(heading: str) -> bool:
    """Whether a heading says something that can be checked. In doubt it does."""
    if heading.endswith(("?", "？")):
        return False
    label = _LABEL.match(heading)
    rest = heading[label.end() :] if label else heading
    words = rest.split()
    if _FULL_STOP.search(rest) or len(words) >= _CLAIM_WORDS:
        return True
    if _ASKS.match(rest):
        return False
    has_digit = any(char.isdigit() for char in rest) and len(words) > 1
    return has_digit or bool(_VERB.search(rest)) or bool(re.search(r":\s*\w", rest))
