"""What a piece of an answer stands under: the lead-in of its list, the headers of its row, its key.

A line that ends in a colon only announces what follows ("The plan covers:"). It is skipped, and the
pieces under it are shown behind it: nobody could check "dental care" alone. So what a lead-in
claims is judged with each piece. One that states something by itself is a statement as well.

An answer in JSON is judged leaf by leaf: ``{"price": 20}`` says "price: 20". So is JSON in a text,
also if it is cut off. What stands under a name of a context, beside an answer, is what the answer
was made from: judged, it would be supported by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .learned import is_topic
from .strings import FENCE, is_blank, key_words, lazy_pattern
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
_TOKEN = lazy_pattern(
    r'"(?:[^"\\]|\\.)*"|(?P<cut>"[^\n]*)|[{}\[\],:]|[^\s{}\[\],:"]+(?:[ \t]+[^\s{}\[\],:"]+)*',
    re.DOTALL,
)
"""A string, also one that is cut off; a sign; or words outside of a string."""
_OPENING = lazy_pattern(
    r'(?:^[ \t]{0,3}|: ?)(?=[{\[]\s*(?:"(?:[^"\\]|\\.)*(?:"\s*[:,]|\\?\Z)|\{\s*"))',
    re.DOTALL | re.MULTILINE,
)
"""Where JSON begins: an object with a key, or a list of texts or of objects."""
_CLOSING = lazy_pattern(r"(?:[\s,]*[}\]])*")
MAX_LABEL = 1_000
"""Characters of the keys that a leaf is shown with."""
Names = Mapping[str, Collection[str]]
"""What answers and contexts are called in the JSON that applications write."""


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


def leaves(text: str, names: Names) -> list[Piece]:
    """The leaves of an answer that is one JSON object or list, also in a fence; else nothing.

    The span of a leaf begins behind the one before, so names of objects and lists are in one, too.
    Leaves under a name of a context are skipped where another is under a name of an answer.
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
    pieces = _judged(_leaves(text, start, end, names))
    if fence is None or all(piece.skipped for piece in pieces):
        return pieces
    marks = [(text.index("`"), start - 1), (text.rindex("```"), len(text.rstrip()))]
    opening, closing = (Piece(*mark, "", "code") for mark in marks)
    return [opening, *pieces, closing]


def leaves_inside(text: str, names: Names) -> tuple[list[Piece], str]:
    """The leaves of JSON in a text: behind other words, several on lines, or cut off.

    Also the text with line breaks for them. JSON in a fence is code.
    """
    found: list[_Leaf] = []
    rest, at = "", 0
    before = text.find("```") if "```" in text else len(text)
    while len(text) <= MAX_JSON and (opening := _OPENING.search(text, at)):
        start = opening.end()
        if start >= before:
            break
        own = list(_leaves(text, start, len(text), names))
        closing = _CLOSING.match(text, own[-1].piece.end if own else start + 1)
        end = closing.end() if closing else start + 1
        found += own
        rest += text[at:start] + "\n" * (end - start)
        at = end
    return _judged(found), rest + text[at:]


class _Leaf(NamedTuple):
    piece: Piece
    fields: frozenset[str]  # whose names it stands under


def _judged(found: Iterable[_Leaf]) -> list[Piece]:
    """The pieces of leaves, of which those of a context are skipped if there is an answer."""
    leaves = list(found)
    has_answer = any("answer" in fields and "context" not in fields for _, fields in leaves)
    return [
        piece._replace(skipped="context") if has_answer and "context" in fields else piece
        for piece, fields in leaves
    ]


def _leaves(text: str, start: int, end: int, names: Names) -> Iterator[_Leaf]:
    """The leaves up to where the first object or list closes. What has no value ends in one."""
    usual = [(field, frozenset(map(_plain, names[field]))) for field in names]

    def under(above: _Above, key: str) -> _Above:
        if not key:
            return above
        own = {field for field, plain in usual if _plain(key) in plain}
        label = f"{above.label}, {key}" if above.label else key
        return _Above(label[-MAX_LABEL:], above.fields | own)

    opened: list[_Above] = []
    here, key = _Above("", frozenset()), ""
    done: int | None = None
    last = start
    tokens = _TOKEN.finditer(text, start, end)
    following = next(tokens, None)
    while following is not None:
        token, following = following, next(tokens, None)
        said = token[0]
        if said in "{[":
            opened.append(here)
            here, key = under(here, key), ""
        elif said in "}]":
            here = opened.pop()
            if not opened:
                break
        elif " " in said and said[0] != '"':
            break  # words outside of a string: the JSON has ended
        elif said not in ",:":
            done = token.start() if done is None else done
            last = token.end()
            value = _value(said)
            if following is not None and following[0] == ":":
                key = str(value)
                continue
            label, fields = under(here, key)
            shown = said if isinstance(value, bool) else str(value)
            line = " ".join(f"{label}: {shown}".split()) if label else " ".join(shown.split())
            is_empty = value is None or is_blank(shown)
            yield _Leaf(Piece(done, last, line, "no value" if is_empty else "", "row"), fields)
            key, done = "", None
            if token["cut"]:
                break
    if done is not None:
        yield _Leaf(Piece(done, last, "", "no value", "row"), frozenset())


class _Above(NamedTuple):
    """What a leaf stands under: the keys, and the fields whose names they are."""

    label: str
    fields: frozenset[str]


def _plain(key: str) -> str:
    """A key in one spelling: ``sourceDocuments`` as ``source document``."""
    return " ".join(key_words(key))


def _value(said: str) -> object:
    """What a token says. Of a string that is cut off, or of other words, it is the text."""
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return said.strip('"')
