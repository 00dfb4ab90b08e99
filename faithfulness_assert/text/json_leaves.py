"""The leaves of JSON in an answer, which are judged one by one: ``{"price": 20}`` says "price: 20".

So is JSON in a text, also if it is cut off. What stands under a name of a context, beside an
answer, is what the answer was made from: judged, it would be supported by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from .lead_ins import Piece
from .sentences import INNER_STOP, sentence_spans
from .strings import FENCE, has_sign, is_blank, key_words, lazy_pattern, plain_words
from .talk import claims_nothing

MAX_JSON = 100_000
"""Characters. A longer answer is read as text."""
MAX_LABEL = 1_000
"""Characters of the keys that a leaf is shown with."""
MAX_LISTS = 10
"""Lists of objects around a leaf, of which it is shown with the first leaf of the object."""
Names = Mapping[str, Collection[str]]
"""What answers and contexts are called in the JSON that applications write."""

_TOKEN = lazy_pattern(
    r'"(?:[^"\\\n]|\\.|\n(?!\s*\n))*"|(?P<cut>"[^\n]*)'
    r'|[{}\[\],:]|[^\s{}\[\],:"]+(?:[ \t]+[^\s{}\[\],:"]+)*',
    re.DOTALL,
)
"""A string, which goes on over no blank line, also one that is cut off; a sign; or words outside of
a string."""
_OPENING = lazy_pattern(
    r'(?:^[ \t]{0,3}|: ?)(?=[{\[]\s*(?:"(?:[^"\\]|\\.)*(?:"\s*[:,]|\\?\Z)|\{\s*"))',
    re.DOTALL | re.MULTILINE,
)
"""Where JSON begins: an object with a key, or a list of texts or of objects."""
_FENCED = lazy_pattern(r"^[ \t>]*```\w*[ \t\r]*\n(?P<body>[ \t]*[{\[].*?)\n[ \t>]*```", re.M | re.S)
_SENTENCE = lazy_pattern(r'"[^\W\d_a-z][^"\n]{8,1000}[.!?。！？]"')
"""A text of JSON that reads as a sentence."""
_STATES = lazy_pattern(r"(?:\S+\s+){4}\S+[.!?]$|[。！？]$")
"""What reads as a sentence, and is no name of a file or a score."""
_COLON = lazy_pattern(r"\s*:")
_CLOSING = lazy_pattern(r"(?:[\s,]*[}\]])*")


def leaves(text: str, names: Names, context: str = "") -> tuple[list[Piece], str]:
    """The leaves of JSON in a text: all of it, behind other words, several on lines, or cut off.

    Also the text with line breaks for them. JSON in a fence is code, unless nothing beside it
    claims something, or a sentence is in it. Leaves under a name of a context are skipped where
    another is under a name of an answer, but for sentences that the ``context`` does not have.
    """
    if len(text) > MAX_JSON:
        return [], text
    fence = FENCE.fullmatch(text)
    spans = [fence.span("body") if fence else (0, len(text.partition("```")[0]))]
    if not fence and spans[0][1] < len(text):
        inside = [one.span("body") for one in _FENCED.finditer(text)]
        beside = [line for line in _FENCED.sub("", text).splitlines() if not is_blank(line)]
        is_all = all(map(claims_nothing, beside))
        spans += [span for span in inside if is_all or _SENTENCE.search(text, *span)]
    known = {field: {_plain(name) for name in names[field]} for field in names}
    found: list[_Leaf] = []
    rest, done = "", 0
    for at, end in spans:
        at = max(at, done)  # JSON that is not closed may go on behind its fence
        while opening := _OPENING.search(text, at, end):
            start = opening.end()
            own = _leaves(text, start, known)
            closing = _CLOSING.match(text, own[-1].piece.end if own else start + 1)
            at = closing.end() if closing else start + 1
            found += own
            rest += text[done:start] + "\n" * (at - start)
            done = at
    has_answer = any("answer" in own.fields and "context" not in own.fields for own in found)
    copied = [has_answer and "context" in own.fields for own in found]
    there = plain_words(context) if any(copied) else ""
    pieces = [
        piece._replace(skipped="context") if is_copied and _repeats(piece.text, there) else piece
        for (piece, *_), is_copied in zip(found, copied, strict=True)
    ]
    return pieces, rest + text[done:]


def _repeats(leaf: str, there: str) -> bool:
    """Whether a leaf states nothing behind its keys that a context with these words lacks."""
    return not _STATES.search(leaf) or plain_words(leaf.partition(": ")[2]) in there


def _plain(key: str) -> str:
    """A key in one spelling: ``sourceDocuments`` as ``source document``."""
    return " ".join(key_words(key))


class _Leaf(NamedTuple):
    piece: Piece
    fields: frozenset[str]  # whose names it stands under
    listed: str = ""  # the keys of its list, if it is an item of one


class _Keys(NamedTuple):
    """What a leaf stands under: the keys, and the fields whose names they are."""

    label: str = ""
    fields: frozenset[str] = frozenset()

    def and_key(self, key: str, known: Mapping[str, set[str]]) -> _Keys:
        if not key:
            return self
        label = f"{self.label}, {key}" if self.label else key
        own = (field for field, names in known.items() if _plain(key) in names)
        return _Keys(label[-MAX_LABEL:], self.fields.union(own))


def _leaves(text: str, start: int, known: Mapping[str, set[str]]) -> list[_Leaf]:
    """The leaves up to where the first object or list closes. What has no value ends in one.

    In a list of objects each leaf is shown behind the first of its object: "service: Parking |
    price: 16 euros", or nobody could check of which service 16 euros is the price. So is each in a
    list of lists, and in lists of one length side by side behind that of the first list.
    """
    found: list[_Leaf] = []
    # With the first leaves of the objects in lists around it (None: there is none), and its sign.
    opened: list[tuple[_Keys, list[str | None], str]] = []
    here, key, firsts, sign = _Keys(), "", list[str | None](), ""
    begin = end = -1  # of what is in no leaf yet
    for token in _TOKEN.finditer(text, start):
        said = token[0]
        if said in "{[":
            opened.append((here, firsts, sign))
            is_record = sign + said in ("[{", "[[")
            firsts = [*firsts[1 - MAX_LISTS :], None] if is_record else firsts
            here, key, sign = here.and_key(key, known), "", said
        elif said in "}]":
            if begin >= 0:  # "allergens": []
                found.append(_Leaf(Piece(begin, token.end(), "", "no value", "row"), here.fields))
                begin = -1
            here, firsts, sign = opened.pop()
        elif " " in said and said[0] != '"':
            break  # words outside of a string: the JSON has ended
        elif said not in ",:":
            begin, end = token.start() if begin < 0 else begin, token.end()
            if _COLON.match(text, end):
                key = _value(said)
                continue
            label, fields = here.and_key(key, known)
            values = _sentences(token)
            listed = label if sign == "[" and len(values) == 1 else ""
            for first, last, value in values:
                begin = first if begin < 0 else begin
                line = " ".join((f"{label}: {value}" if label else value).split())
                is_empty = said == "null" or (is_blank(value) and not has_sign(value))
                reason = "no value" if is_empty else ""
                over = " | ".join(filter(None, firsts))[-MAX_LABEL:]
                shown = f"{over} | {line}" if over and not reason else ""
                if firsts and firsts[-1] is None and not reason:
                    firsts[-1] = line
                piece = Piece(begin, last, line, reason, "row", shown=shown)
                found.append(_Leaf(piece, fields, listed))
                begin = -1
            key = ""
        if not opened or token["cut"]:
            break
    if begin >= 0:
        found.append(_Leaf(Piece(begin, end, "", "no value", "row"), here.fields))
    return _as_rows(found)


def _as_rows(found: list[_Leaf]) -> list[_Leaf]:
    """The leaves, those of lists of one length side by side shown as the rows of their table."""
    rows, over, heads = list[_Leaf](), "", list[_Leaf]()
    for listed, items in groupby(found, key=attrgetter("listed")):
        own, above = [*items], listed.rpartition(", ")[0]
        is_next = heads and above == over and listed != heads[0].listed
        if listed and is_next and len(own) == len(heads):
            own = [_behind(head, leaf) for head, leaf in zip(heads, own, strict=True)]
        elif listed and len(own) > 1:
            over, heads = above, own
        rows += own
    return rows


def _behind(head: _Leaf, leaf: _Leaf) -> _Leaf:
    shown = f"{head.piece.text} | {leaf.piece.shown or leaf.piece.text}"
    return leaf if leaf.piece.skipped else leaf._replace(piece=leaf.piece._replace(shown=shown))


def _sentences(token: re.Match[str]) -> list[tuple[int, int, str]]:
    """The sentences of a value, each with where it begins and ends in the text."""
    said, (start, end) = token[0], token.span()
    body = said[1:] if token["cut"] else said[1:-1]
    spans = sentence_spans(body) if said[0] == '"' and INNER_STOP.search(body) else []
    if len(spans) < 2:
        return [(start, end, _value(said))]
    begins = [start, *(start + 1 + first for first, _ in spans[1:])]
    ends = [*(start + 1 + last for _, last in spans[:-1]), end]
    said_by = [_value(f'"{body[first:last]}"') for first, last in spans]
    return [*zip(begins, ends, said_by, strict=True)]


def _value(said: str) -> str:
    """What a token says. Of a string that is cut off, or of other words, it is the text."""
    try:
        value = json.loads(said)
    except (ValueError, RecursionError):
        return said.strip('"')
    return value if isinstance(value, str) else said
