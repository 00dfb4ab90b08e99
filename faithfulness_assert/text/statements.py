"""Splits an answer into statements. Nothing of the answer may vanish.

Every letter and digit is in the span of exactly one statement, or of one skipped piece that says
why it was skipped. A statement's text has no markup, but its span covers the markup in the source.
In doubt a piece is a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from types import MappingProxyType
from typing import NamedTuple

from ..records.model import Skipped, Statement
from .citations import Trust, heads_sources, is_reference, may_be_title, without_references
from .inline import Clear, clear
from .json_leaves import Names, leaves
from .lead_ins import (
    MAX_FRAGMENT,
    MAX_PREFIX,
    TITLES,
    Piece,
    as_value,
    under_lead_ins,
    with_colon,
    with_headers,
)
from .learned import CLAIM, asks, is_topic, scores
from .markdown import Block, Kind, blocks
from .sentences import FIND, INNER_STOP, LABEL, Span, language_of, sentence_spans, trimmed
from .strings import clean_text, has_sign, is_blank, lazy_pattern
from .talk import COLON, ENDS, STOPS, claims_nothing

_ENDS_CITATION = "])】］）}>"
_WORD = lazy_pattern(r"[^\W\d_]+")
_SPACE = lazy_pattern(r"\s")
_STOP = lazy_pattern(r"[.!?。！？][\"'”’»)]?(?=\s?[\[(【（{<［])")
_OPENING = ("[", "(", "【", "（")
_PARENTHESIS = lazy_pattern(r"\([^()]*\)[.!?]?|（[^（）]*）[。！？]?")
_EXPECTS_ANSWER = lazy_pattern(
    r"\b(?:is|are|was|were|be|by|answer|ist|est|es|è|é)\s?[:：]\W*\Z", re.IGNORECASE
)
_BOLD_LABEL = lazy_pattern(  # the box of a task, and a name in bold: "[ ] **Pro plan:** "
    r"(?:\[[ xX]\](?=\s))?[ \t]*(?:(\*\*|__)[^*_\n]{1,80}(?:[:：]\1|\1\s?[:：]|\1\s[–—-](?=\s)))?"
)
_LABEL_SIGN = lazy_pattern("[:：*_]")
_VALUE = lazy_pattern(r"\W{0,3}\d[\d.,:/–-]*\s?[^\W\d_]{0,12}\W{0,3}")
MOST_SPACES = 2
"""Spaces in what may be no sentence behind a label: "Not covered: Flood. Theft of bikes."."""
_GROUP = lazy_pattern(r"[ \t]*\|?[ \t]*(\*\*|__)[^*_|\n]{1,80}\1[ \t]*(?:\|[ \t]*)+\s*")
"""A row that only names the rows below it: "| **Children** | |"."""
_AS_ABOVE = ("", '"', "''", "”", "〃")
"""The first cell of a row that goes on with what stands there in the row above."""
_THINKING = lazy_pattern(
    r"\s*(?:<(think|thinking|reasoning)>.*?</\1>"
    r"|Thinking: (?:.*?\nSignature: [^\n]+|(?:[^\n]+\n)+)(?=\n))",
    re.DOTALL,
)
_LITERAL_BREAK = lazy_pattern(r"\\n(?![a-z])")
"""A line break that was written as a backslash and an n."""


class _Label(NamedTuple):
    """What a line begins with: where that is, up to where it holds, and its text."""

    start: int = 0
    end: int = 0
    last: int = 0
    text: str = ""
    is_bold: bool = False


class Split(NamedTuple):
    """The statements of an answer, with ids from 1, and the skipped pieces. Each in text order."""

    statements: tuple[Statement, ...]
    skipped: tuple[Skipped, ...]


def split_statements(text: str, language: str = FIND) -> list[str]:
    """The statements of ``text``, each on one line, without markup.

    They are sentences, list items and rows of tables. ``language`` is an ISO 639 code, see
    ``sentence_spans``.

    Raises:
        TypeError: ``text`` or ``language`` is not a string.
    """
    for name, value in (("text", text), ("language", language)):
        if not isinstance(value, str):
            got = type(value).__name__
            raise TypeError(f"split_statements: {name} must be a string, got {got}")
    return [statement.text for statement in split(text, language).statements]


def split(
    text: str,
    language: str = FIND,
    names: Names = MappingProxyType({}),
    context: str = "",
) -> Split:
    """The statements of an answer in plain text or markdown, and the skipped pieces.

    Spans are ``(start, end)`` character offsets into ``text``, in order, without overlap. Skipped
    are code, rules, headers of tables, link definitions, citations that stand alone, and headings
    that only name a topic. If an answer contains nothing but such headings, they are statements.

    Args:
        text: the answer.
        language: an ISO 639 code, or ``auto``.
        names: by which JSON is known that has a context beside the answer, which is skipped, too,
            as far as it is ``context``.
    """
    text = clean_text(text)
    language = language_of(text, language)
    thought = _THINKING.match(text) if "hink" in text or "reasoning>" in text else None
    pieces: list[Piece] = []
    source = text
    if thought and not is_blank(thought[0]) and not is_blank(text[thought.end() :]):
        pieces = [Piece(*trimmed(text, 0, thought.end()), "", "thinking")]
        source = "\n" * thought.end() + text[thought.end() :]  # what follows begins a line
    if "```" not in source and len(_LITERAL_BREAK.findall(source)) > 1:
        source = _LITERAL_BREAK.sub("\n ", source)
    inside: list[Piece] = []
    if "{" in source or "[" in source:
        inside, source = leaves(source, names, context)
    read = [*_completed(_read(source, language))]
    pieces += sorted([*inside, *under_lead_ins(read, source)])
    pieces = list(_covering(text, pieces))
    stated = (piece for piece in pieces if not piece.skipped)
    return Split(
        tuple(
            Statement(n, p.text, p.start, p.end, p.kind in ("item", "row"), *p[-4:])
            for n, p in enumerate(stated, 1)
        ),
        tuple(Skipped(piece.start, piece.end, piece.skipped) for piece in pieces if piece.skipped),
    )


def _covering(text: str, pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, widened to cover the markup around them, so that no letter is in none.

    Markup that touches a piece belongs to it. Other markup with a letter or digit belongs to the
    piece before it, or behind it on its line: "10. Tenth".
    """
    lead = text[: pieces[0].start] if pieces else ""
    begin = _shares(f"\n{lead}")[1] - 1 if is_blank(lead) else len(lead) - len(lead.lstrip())
    for piece, following in zip_longest(pieces, pieces[1:]):
        end = following.start if following else len(text)
        own, rest = _shares(text[piece.end : end] + ("" if following else "\n"))
        is_wider = own or begin != piece.start
        yield piece._replace(start=begin, end=piece.end + own) if is_wider else piece
        begin = piece.end + rest


def _shares(gap: str) -> Span:
    """Where in a gap between two pieces the first one's share ends and the second's begins."""
    if not gap or gap.isspace():
        return 0, len(gap)
    line = gap.rfind("\n") + 1
    spaces = [space.start() for space in _SPACE.finditer(gap)] or [len(gap)]
    begin = min(spaces[-1] + 1, len(gap))
    if line and not is_blank(gap[line:]):
        begin = len(gap) - len(gap[line:].lstrip())
    between = gap[: line or begin]
    return (spaces[0] if is_blank(between[spaces[0] :]) else len(between.rstrip())), begin


# ---------------------------------------------------------------- the pieces of blocks

_HEADER = "table header"


def _read(text: str, language: str) -> Iterator[Piece]:
    """The statements and skipped pieces of all blocks."""
    all_blocks = blocks(text)
    table = _Table()
    listed: Trust = ""  # in a list of sources
    only_names = False  # it claims nothing so far
    kind: Kind = "text"
    for block, below in zip_longest(all_blocks, all_blocks[1:]):
        is_answer = _EXPECTS_ANSWER.search(text, max(block.start - 40, 0), block.start)
        parts = [] if block.kind in ("code", "rule") else clear(text, block.pieces)
        if block.kind == _HEADER != kind:
            table = _Table()
            table.headers = _cells(parts)
        is_group, row = table.row(text, block, below, parts) if block.kind == "row" else (False, "")
        kind = block.kind
        if kind == "heading" and block.end - block.start > MAX_PREFIX:
            kind = "text"  # it says more than what its part is about
        found = list(_pieces(text, block, parts, language))
        is_lead_in = any(piece.text.endswith(COLON) for piece in found)
        listed = "" if is_lead_in or kind in TITLES else listed
        may_label = kind in ("text", "item") and _LABEL_SIGN.search(text, block.start, block.end)
        labels = _labels(text, block) if may_label else []
        label = _Label()  # what the line of a piece begins with
        is_cited = is_reference(" ".join(piece.text for piece in found), listed=listed)
        for place, piece in enumerate(found, 1):
            reason = piece.skipped or _skip_reason(kind, piece.text, is_answer=bool(is_answer))
            trust = heads_sources(piece.text)
            if trust:
                listed, only_names = trust, trust == "surely"
            is_source = trust == "surely" or (is_cited and (not listed or may_be_title(piece.text)))
            if is_source or _is_source(piece.text, listed, only_names=only_names):
                reason = reason or "citation"
            reason = _HEADER if is_group else reason
            only_names = only_names and reason != ""
            while labels and labels[-1].start <= piece.start:
                new = labels.pop()
                label = new if label.last <= new.start or new.is_bold else label
            is_long = piece.text.count(" ") > MOST_SPACES or len(piece.text) > MAX_FRAGMENT
            is_prose = kind == "text" and not label.is_bold and is_long
            is_under = label.end <= piece.start < label.last and not is_prose
            is_under = is_under and (label.is_bold or not LABEL.match(piece.text))
            is_under = is_under and not claims_nothing(piece.text)
            shown = f"{label.text} {piece.text}" if is_under else row
            shown = shown if shown != piece.text else ""
            where = (block.column + (place > 1), block.start)  # under the begin of its item
            number = block.number if place == 1 else 0
            yield Piece(
                piece.start, piece.end, piece.text, reason, kind, *where, shown, list_number=number
            )


def _completed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, each with the signs alone that follow it: "Dogs allowed?" and a tick below it.

    A title with nothing below it is a value.
    """
    before: Piece | None = None
    for piece in chain(pieces, [None]):
        if piece is None or piece.skipped or piece.kind == "row" or not is_blank(piece.text):
            if before:
                yield as_value(before, piece) if before.skipped == "heading" else before
            before = piece
        elif before and before.skipped in ("", "heading"):
            text = before.text
            if asks(text) or not text.endswith(STOPS):  # else they are decoration
                before = before._replace(end=piece.end, text=f"{text} {piece.text}", skipped="")


class _Table:
    """The headers of a table, and its last row that names the rows below it."""

    headers: Sequence[str] = ()
    group = first = ""

    def row(
        self, text: str, block: Block, below: Block | None, parts: Sequence[Clear]
    ) -> tuple[bool, str]:
        """Whether a row only names the rows below it, and how it is shown."""
        cells = _cells(parts)
        if cells[1:] and self.headers and cells[0] in _AS_ABOVE:
            cells[0] = self.first
        self.first = cells[0]
        is_group = _GROUP.fullmatch(text, block.start, block.end) is not None
        if is_group:
            over = below if below and below.kind == "row" else None
            is_over = over and not _GROUP.fullmatch(text, over.start, over.end)
            self.group = next(filter(None, cells)) if is_over else ""
        shown = with_headers(self.headers, cells)
        if self.group:
            shown = f"{with_colon(self.group)} {shown}"
        return is_group and self.group != "", shown


def _labels(text: str, block: Block) -> list[_Label]:
    """What the lines of a paragraph begin with, the last one first.

    A name in bold holds to the end of its paragraph, another one to that of its line.
    """
    found = list[_Label]()
    for start, end in block.pieces[::-1]:
        bold, plain = _BOLD_LABEL.match(text, start), LABEL.match(text, start)
        if bold and bold[0]:
            said = bold[0].replace(bold[1] or "*", "")
            found.append(_Label(start, bold.end(), block.end, said, is_bold=True))
        else:
            label = _Label(start, plain.end(), end, plain[0]) if plain else _Label(start)
            found.append(label)
    return found


def _pieces(text: str, block: Block, parts: Sequence[Clear], language: str) -> list[Piece]:
    """What a block says; or why it says nothing, if it is more than marks."""
    if block.kind in ("row", _HEADER):
        found = _row(parts)
    else:
        found = [piece for part in parts for piece in _sentences(part, language)]
    reason = block.kind if block.kind in ("code", "rule", _HEADER) else "markup"
    if found or (reason == "markup" and is_blank(text[block.start : block.end])):
        return found
    return [Piece(*trimmed(text, block.start, block.end), "", reason)]


def _is_source(entry: str, listed: Trust, *, only_names: bool) -> bool:
    """Whether a piece only names a source, in a list of them also as "Handbook (2021), p. 3"."""
    if is_reference(entry, listed=listed):
        return True
    if not (listed and only_names):
        return False
    words = " ".join(_WORD.findall(without_references(entry)))
    return scores(entry).talk > CLAIM and (not words or is_topic(words))


def _skip_reason(kind: Kind, said: str, *, is_answer: bool) -> str:
    """Why a piece is not a statement; "" if it is one."""
    if kind == _HEADER:
        return kind  # it is shown with each row
    if kind == "link definition":
        name = said[1 : said.find("]:")]
        return kind if " " not in name or is_topic(name) else ""
    is_title = kind in TITLES and not is_answer and is_topic(said)
    return "heading" if is_title else ""


def _cells(parts: Sequence[Clear]) -> list[str]:
    """The cells of a row, without markup, with the empty ones inside."""
    said = " ".join(part.text for part in parts).strip().strip("|")
    return [" ".join(cell.split()) for cell in said.split("|")]


def _row(parts: Sequence[Clear]) -> list[Piece]:
    """A row of a table as one statement."""
    said = " | ".join(cell for cell in _cells(parts) if cell)
    pairs = (pair for part in parts for pair in zip(part.places, part.text, strict=True))
    places = [place for place, char in pairs if char not in "| \t"]
    is_empty = is_blank(said) and not has_sign(said)
    return [] if is_empty else [Piece(places[0], places[-1] + 1, said)]


def _sentences(part: Clear, language: str) -> Iterator[Piece]:
    before: Piece | None = None
    end_before = 0
    spans = sentence_spans(part.text, language)
    if any(mark in part.text for mark in _ENDS_CITATION):
        spans = [own for span in spans for own in _without_citations(part.text, *span)]
    for start, end in spans:
        said = " ".join(part.text[start:end].split())
        if is_blank(said) and not has_sign(said):
            continue
        piece = Piece(part.places[start], part.places[end - 1] + 1, said)
        is_aside = _PARENTHESIS.fullmatch(said) and not INNER_STOP.search(said)
        if before and (
            (is_aside and not is_reference(said))
            or ("\n" in part.text[end_before:start] and _is_value_of(before.text, said))
        ):
            before = before._replace(end=piece.end, text=f"{before.text} {said}")
            continue
        if before:
            yield before
        before, end_before = piece, end
    if before:
        yield before


def _is_value_of(before: str, said: str) -> bool:
    """Whether a line says nothing without the one before: a number with its unit, a definition."""
    if said.startswith(": "):
        return True
    is_value = said[-1] not in ".!?" and _VALUE.fullmatch(said)
    return bool(is_value) and not (before.endswith(ENDS) or _VALUE.fullmatch(before))


def _without_citations(text: str, start: int, end: int) -> Iterator[Span]:
    """A sentence, and apart from it what it cites in words behind its full stop: "[a.pdf]"."""
    if text[end - 1] in _ENDS_CITATION:
        for stop in _STOP.finditer(text, start, end):
            cited = text[stop.end() : end].strip()
            if any(map(str.isalpha, cited)) and is_reference(cited):
                yield start, stop.end()
                yield trimmed(text, stop.end(), end)
                return
    yield start, end
