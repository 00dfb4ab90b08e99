"""Splits an answer into statements. Nothing of the answer may vanish.

Every letter and digit is in the span of exactly one statement, or of one skipped piece that says
why it was skipped. A statement's text has no markup, but its span covers the markup in the source.
In doubt a piece is a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ..records.model import Skipped, Statement
from .citations import heads_sources, is_reference, may_be_title
from .inline import Clear, clear
from .lead_ins import Names, Piece, leaves, leaves_inside, under_lead_ins, with_headers
from .learned import asks, is_topic
from .markdown import Block, Kind, blocks
from .sentences import FIND, MAX_SENTENCES, Span, in_parts, language_of, sentence_spans, trimmed
from .strings import clean_text, is_blank, lazy_pattern

_SPACE = lazy_pattern(r"\s")
_ENDS_CITATION = "])】］）}>"
_STOP = lazy_pattern(r"[.!?。！？][\"'”’»)]?(?=\s?[\[(【（{<［])")
_OPENING = ("[", "(", "【", "（")
_PARENTHESIS = lazy_pattern(r"\([^()]*\)[.!?]?|（[^（）]*）[。！？]?")
_EXPECTS_ANSWER = lazy_pattern(
    r"\b(?:is|are|was|were|be|by|answer|ist|est|es|è|é)\s?[:：]\W*\Z", re.IGNORECASE
)


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


def split(text: str, language: str = FIND, names: Names = MappingProxyType({})) -> Split:
    """The statements of an answer in plain text or markdown, and the skipped pieces.

    Spans are ``(start, end)`` character offsets into ``text``, in order, without overlap. Skipped
    are code, rules, headers of tables, link definitions, citations that stand alone, and headings
    that only name a topic. If an answer contains nothing but such headings, they are statements.
    ``names``: by which JSON is known that has a context beside the answer, which is skipped, too.
    """
    text = clean_text(text)
    language = language_of(text, language)
    thinking = _thinking(text) if any(mark in text for mark in _MAY_THINK) else (0, 0)
    source = " " * thinking[1] + text[thinking[1] :]
    source = _with_breaks(source) if "\\n" in source else source
    pieces = [Piece(*thinking, "", "thinking")] if thinking[1] else []
    inside = leaves(source, names)
    if not inside:
        if '"' in source:
            inside, source = leaves_inside(source, names)
        inside += under_lead_ins(_all_pieces(source, language))
    pieces += sorted(inside)
    if all(piece.skipped for piece in pieces):
        pieces = [_promoted(piece) for piece in pieces]
    if "\\n" in text:
        pieces = [piece._replace(end=_behind_breaks(text, piece.end)) for piece in pieces]
    stated = (piece for piece in pieces if not piece.skipped)
    return Split(
        tuple(
            Statement(number, p.text, p.start, p.end, p.kind in ("item", "row"), p.shown)
            for number, p in enumerate(stated, 1)
        ),
        tuple(Skipped(piece.start, piece.end, piece.skipped) for piece in pieces if piece.skipped),
    )


def _all_pieces(text: str, language: str) -> list[Piece]:
    all_blocks = blocks(text)
    no_content = ("rule", "heading", "bold")
    content = [i for i, block in enumerate(all_blocks) if block.kind not in no_content]
    last_content = max(content, default=0)
    pieces: list[Piece] = []
    headers: list[str] = []
    is_listed = False
    for i, block in enumerate(all_blocks):
        if len(pieces) >= MAX_SENTENCES:
            return [*pieces, *_cut(text, block.start)]
        is_answer = _EXPECTS_ANSWER.search(text, max(block.start - 40, 0), block.start)
        may_be_topic = i < last_content and is_answer is None
        found = list(_pieces(text, block, language, may_be_topic=may_be_topic))
        if block.kind in no_content:
            is_listed = False
        if block.kind == "row":
            row = with_headers(headers, _cells(text, block))
            found = [piece._replace(shown=row if row != piece.text else "") for piece in found]
        elif block.kind == "table header" and not (i and all_blocks[i - 1].kind == block.kind):
            headers = _cells(text, block)
        is_cited = is_reference(" ".join(piece.text for piece in found), is_listed=is_listed)
        for place, piece in enumerate(found, 1):
            is_over = place < len(found) or i < last_content
            named = is_cited
            if is_over and heads_sources(piece.text):
                near = max(piece.start - 40, 0)
                named = is_listed = not _EXPECTS_ANSWER.search(text, near, piece.start)
            elif len(found) > 1:
                named &= not is_listed or may_be_title(piece.text)
                named |= is_reference(piece.text, is_listed=is_listed)
            pieces.append(_cited(piece) if named else piece)
    return pieces


def _cited(piece: Piece) -> Piece:
    """A piece that is nothing but a citation, which is skipped."""
    return piece._replace(skipped=piece.skipped or "citation")


def _cells(text: str, block: Block) -> list[str]:
    """The cells of a row, without markup, with the empty ones inside."""
    said = " ".join(part.text for part in clear(text, block.pieces)).strip().strip("|")
    return [" ".join(cell.split()) for cell in said.split("|")]


_THINKING = lazy_pattern(
    r"\s*(?:<(think|thinking|reasoning)>.*?</\1>"
    r"|Thinking: (?:.*?\nSignature: [^\n]+|(?:[^\n]+\n)+)(?=\n))",
    re.DOTALL,
)
_MAY_THINK = ("think", "Think", "reasoning>")
_LITERAL_BREAK = lazy_pattern(r"\\n(?![a-z])")
_BEHIND_BREAK = lazy_pattern(r"(?:\s*\\n(?![a-z]))+")


def _thinking(text: str) -> Span:
    """Where an answer tells what the model thought before it: ``(0, 0)`` if it does not.

    Models that think put it in tags; promptfoo shows it behind "Thinking:".
    """
    thought = _THINKING.match(text)
    if thought is None or is_blank(thought[0]) or is_blank(text[thought.end() :]):
        return 0, 0
    return trimmed(text, 0, thought.end())


def _with_breaks(text: str) -> str:
    """``text`` with a line break where it has, more than once, a backslash and an n."""
    if "```" in text or len(_LITERAL_BREAK.findall(text)) < 2:
        return text
    return _LITERAL_BREAK.sub("\n ", text)


def _behind_breaks(text: str, end: int) -> int:
    """The end of a piece, with the written line breaks behind it."""
    behind = _BEHIND_BREAK.match(text, end) if text.startswith("\\n", end) else None
    return behind.end() if behind else end


def _promoted(piece: Piece) -> Piece:
    """A skipped heading as a statement: in an answer that is only ``# Paris``, it is the answer."""
    is_title = piece.skipped in ("heading", "table header")
    is_answer = is_title and piece.text and not piece.text.endswith(("?", "？"))
    return piece._replace(skipped="") if is_answer else piece


def _pieces(text: str, block: Block, language: str, *, may_be_topic: bool) -> Iterator[Piece]:
    """The statements and skipped pieces of a block.

    ``may_be_topic``: whether it can be the heading of something that follows.
    """
    if block.kind in ("code", "rule"):
        yield Piece(*trimmed(text, block.start, block.end), "", block.kind)
        return
    parts = clear(text, block.pieces)
    if block.kind in ("row", "table header"):
        said = _row(parts)
    else:
        said = [piece for part in parts for piece in _sentences(part, language)]
    if not said:
        yield from _unsaid(text, block)
        return
    column = block.pieces[0][0] - max(text.rfind("\n", 0, block.pieces[0][0]), -1)
    for piece in _covering(text, block, said):
        reason = _skip_reason(block.kind, piece.text, may_be_topic=may_be_topic)
        yield piece._replace(skipped=reason, kind=block.kind, column=column)


def _unsaid(text: str, block: Block) -> Iterator[Piece]:
    """A block without visible text: markup such as a table's delimiter row."""
    source = text[block.start : block.end]
    if source.isspace():
        return
    if block.kind == "table header" or not is_blank(source):
        reason = "markup" if block.kind != "table header" else block.kind
        yield Piece(*trimmed(text, block.start, block.end), "", reason)


MAY_BE_SKIPPED = ("table header", "link definition", "heading", "bold")


def _skip_reason(kind: Kind, said: str, *, may_be_topic: bool) -> str:
    """Why a piece is not a statement; "" if it is one."""
    if kind not in MAY_BE_SKIPPED:
        return "citation" if said.startswith(_OPENING) and is_reference(said) else ""
    if kind == "table header":
        named = (is_topic(cell) for cell in said.split(" | ") if len(cell) > 1)
        return kind if all(named) else ""
    if kind == "link definition":
        name = said[1 : said.find("]:")]
        return kind if " " not in name or is_topic(name) else ""
    return "heading" if (may_be_topic or asks(said)) and is_topic(said) else ""


def _cut(text: str, start: int) -> Iterator[Piece]:
    """The rest of a text that already has more statements than any real answer."""
    for first, end in in_parts(text, start, len(text)):
        if not is_blank(text[first:end]):
            yield Piece(*trimmed(text, first, end), " ".join(text[first:end].split()))


def _sentences(part: Clear, language: str) -> Iterator[Piece]:
    before: Piece | None = None
    spans = sentence_spans(part.text, language)
    if any(mark in part.text for mark in _ENDS_CITATION):
        spans = [own for span in spans for own in _without_citations(part.text, *span)]
    for start, end in spans:
        said = " ".join(part.text[start:end].split())
        if is_blank(said):
            continue
        piece = Piece(part.places[start], part.places[end - 1] + 1, said)
        if before and _PARENTHESIS.fullmatch(said) and not is_reference(said):
            before = before._replace(end=piece.end, text=f"{before.text} {said}")
            continue
        if before:
            yield before
        before = piece
    if before:
        yield before


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


def _row(parts: Sequence[Clear]) -> list[Piece]:
    """A row of a table as one statement."""
    said = " ".join(part.text for part in parts)
    if is_blank(said):
        return []
    cells = [" ".join(cell.split()) for cell in said.split("|")]
    pairs = (pair for part in parts for pair in zip(part.places, part.text, strict=True))
    places = [place for place, char in pairs if char not in "| \t"]
    return [Piece(places[0], places[-1] + 1, " | ".join(cell for cell in cells if cell))]


# ---------------------------------------------------------------- who owns the markup between


def _covering(text: str, block: Block, said: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, widened to cover the markup around them.

    Markup that touches a piece belongs to it. Other markup with a letter or digit belongs to the
    piece before it.
    """
    lead = text[block.start : said[0].start]
    begins = _shares(lead)[1] if _SPACE.search(lead) else 0
    if not is_blank(lead[:begins]):  # a marker with a number: "10. Tenth"
        begins = len(lead) - len(lead.lstrip())
    start = block.start + begins
    for piece, following in zip(said, [*said[1:], None], strict=True):
        between = text[piece.end : following.start if following else block.end]
        own, rest = _shares(between)
        if following is None and not is_blank(between):
            own = len(between.rstrip())
        yield Piece(start, piece.end + own, piece.text)
        start = piece.end + rest


def _shares(markup: str) -> Span:
    """Where in the markup between two pieces the first one's share ends and the second's begins."""
    if not markup or markup.isspace():
        return 0, len(markup)
    spaces = [space.start() for space in _SPACE.finditer(markup)]
    if not spaces:
        return len(markup), len(markup)
    first, last = spaces[0], spaces[-1] + 1
    return (first if is_blank(markup[first:last]) else len(markup[:last].rstrip())), last
