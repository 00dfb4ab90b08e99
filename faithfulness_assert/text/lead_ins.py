"""What a piece of an answer stands under: the lead-in of its list, the headers of its row, its key.

A line that ends in a colon only announces what follows ("The plan covers:"). It is skipped, and the
pieces under it are shown behind it: nobody could check "dental care" alone. So what a lead-in
claims is judged with each piece. One that states something by itself is a statement as well.

An answer in JSON is judged leaf by leaf: ``{"price": 20}`` says "price: 20".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .learned import is_topic
from .strings import FENCE, is_blank, lazy_pattern
from .talk import announces

MAX_PREFIX = 240
"""Characters. A longer line says more than what the list is about."""
MAX_VALUE = 80
"""Characters of a value: what stands below a label, and is no sentence."""
_COLON = (":", "：")
_ENDS = (*_COLON, *".!?。！？")
_TITLES = ("heading", "bold")

MAX_JSON = 100_000
"""Characters. A longer answer is read as text."""
_TOKEN = lazy_pattern(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class Piece(NamedTuple):
    """A statement or a skipped piece of an answer, with its span."""

    start: int
    end: int
    text: str
    skipped: str = ""  # the reason if it is not a statement
    kind: str = "text"  # of its block
    column: int = 0  # where its block begins in its line
    shown: str = ""  # the text with what it stands under, if that is more


class _LeadIn(NamedTuple):
    column: int  # of its line; -1 for a paragraph, under which each list stands
    text: str


def under_lead_ins(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, each shown with what it stands under."""
    over: list[_LeadIn] = []
    in_list = False
    for piece, following in zip(pieces, (*pieces[1:], None), strict=False):
        is_over = in_list and piece.kind in ("text", "bold")
        over = [] if is_over else [lead_in for lead_in in over if _holds(lead_in, piece)]
        in_list = piece.kind not in ("text", "bold")
        prefix = " ".join(lead_in.text for lead_in in over)
        if prefix and not piece.skipped and not piece.shown and len(prefix) <= MAX_PREFIX:
            piece = piece._replace(shown=f"{prefix} {piece.text}")
        if following and piece.text.endswith(_COLON) and piece.skipped in ("", *_TITLES):
            leads = len(piece.text) <= MAX_PREFIX and _leads(piece, following)
            if leads:
                over.append(_LeadIn(piece.column if piece.kind == "item" else -1, piece.text))
            if _only_announces(piece, leads=leads):
                piece = piece._replace(skipped=piece.skipped or "lead-in")
        yield piece


def _only_announces(piece: Piece, *, leads: bool) -> bool:
    """Whether a piece says nothing by itself. Where nothing stands under it, in doubt it does."""
    if leads:
        return announces(piece.text, is_over=True)
    is_label = piece.kind == "text" and is_topic(piece.text)
    return is_label and announces(piece.text, is_over=False)


def _leads(piece: Piece, following: Piece) -> bool:
    """Whether something stands under a piece: a list, a table, or a value without a verb."""
    if following.kind == "item":
        return piece.kind != "item" or following.column > piece.column
    return following.kind in ("row", "table header") or _is_value(following)


def _holds(lead_in: _LeadIn, piece: Piece) -> bool:
    """Whether a piece still stands under a lead-in."""
    if piece.kind == "item":
        return piece.column > lead_in.column
    return lead_in.column < 0 and (piece.kind in ("row", "table header") or _is_value(piece))


def _is_value(piece: Piece) -> bool:
    """Whether a piece of plain text is short and no sentence, so that it needs the line before."""
    is_plain = piece.kind in ("text", "bold") and not piece.skipped
    return is_plain and len(piece.text) <= MAX_VALUE and not piece.text.endswith(_ENDS)


def with_headers(headers: Sequence[str], cells: Iterable[str]) -> str:
    """A row of a table with the name of each column: ``Plan: Pro | Users: 5``."""
    named = zip([*headers, *[""] * 100], cells, strict=False)
    shown = (f"{name}: {cell}" if name and name != cell else cell for name, cell in named if cell)
    return " | ".join(shown)


# ---------------------------------------------------------------- leaves of JSON


def leaves(text: str) -> list[Piece]:
    """The leaves of an answer that is one JSON object or list, also in a fence; else nothing.

    The span of a leaf begins behind the one before, so names of objects and lists are in one, too.
    """
    fence = FENCE.fullmatch(text) if "```" in text else None
    start, end = fence.span("body") if fence else (0, len(text))
    body = text[start:end].strip()
    if body[:1] + body[-1:] not in ("{}", "[]") or len(body) > MAX_JSON:
        return []
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return []
    pieces = list(_leaves(text, start, end))
    if fence is None or all(piece.skipped for piece in pieces):
        return pieces
    marks = [(text.index("`"), start - 1), (text.rindex("```"), len(text.rstrip()))]
    opening, closing = (Piece(*mark, "", "code") for mark in marks)
    return [opening, *pieces, closing]


def _leaves(text: str, start: int, end: int) -> Iterator[Piece]:
    names: list[str | None] = []  # of what is open: its key; None in a list
    key = ""
    done: int | None = None
    tokens = list(_TOKEN.finditer(text, start, end))
    for token, following in zip(tokens, (*tokens[1:], None), strict=False):
        said = token[0]
        if said in "{[":
            names.append(key or None)
            key = ""
        elif said in "}]":
            names.pop()
        elif said not in ",:":
            done = token.start() if done is None else done
            value = json.loads(said)
            if following is not None and following[0] == ":":
                key = str(value)
                continue
            label = ", ".join(name for name in (*names, key) if name)
            shown = said if isinstance(value, bool) else str(value)
            line = " ".join(f"{label}: {shown}".split()) if label else " ".join(shown.split())
            is_empty = value is None or is_blank(shown)
            yield Piece(done, token.end(), line, "no value" if is_empty else "", "row")
            key, done = "", None
