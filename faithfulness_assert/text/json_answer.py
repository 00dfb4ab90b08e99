"""An answer in JSON, which is judged leaf by leaf: ``{"price": 20}`` says "price: 20"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .lead_ins import Piece
from .strings import is_blank, lazy_pattern

MAX_CHARS = 100_000
"""A longer answer is read as text."""
_FENCE = lazy_pattern(r"\s*```\w*[ \t]*\n(?P<body>.*?)\n[ \t]*```\s*", re.DOTALL)
_TOKEN = lazy_pattern(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def leaves(text: str) -> list[Piece]:
    """The leaves of an answer that is one JSON object or list, also in a fence; else nothing.

    The span of a leaf begins behind the one before, so names of objects and lists are in one, too.
    """
    fence = _FENCE.fullmatch(text) if "```" in text else None
    start, end = fence.span("body") if fence else (0, len(text))
    body = text[start:end].strip()
    if body[:1] + body[-1:] not in ("{}", "[]") or len(body) > MAX_CHARS:
        return []
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return []
    pieces = list(_pieces(text, start, end))
    if fence is None or all(piece.skipped for piece in pieces):
        return pieces
    marks = [(text.index("`"), start - 1), (text.rindex("```"), len(text.rstrip()))]
    opening, closing = (Piece(*mark, "", "code") for mark in marks)
    return [opening, *pieces, closing]


def _pieces(text: str, start: int, end: int) -> Iterator[Piece]:
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
