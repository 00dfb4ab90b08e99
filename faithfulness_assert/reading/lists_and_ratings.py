"""Read what is no verdict: lists, ratings, and the reason for a score.

Lists have claims under sentences of an answer, or truths under passages. Ratings are a number for
each dimension, with suggestions.

Only JSON is read as a list. Whether a text that is listed is a claim of its sentence,
``plan/lists.py`` decides by the words that they share, so a refusal or a remark in a list stands
for nothing. A rating that is missing, null, not a number, or given twice with different values is
left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from ..records.checks import is_number
from ..records.errors import UnreadableReply
from ..text.strings import clean_text, is_blank, lazy_pattern
from .gate import MOST_CHARS, objects, remarks
from .json_form import IDS, key_of, read_id, said_by
from .refusal import is_refusal, unreadable
from .unwrapping import Pairs, answer_in, between, looks_like_json, parted, split_json

Listed = tuple[int | None, str]
"""A number (None if the reply gives none) and a text that is listed under it."""

_TEXTS = frozenset("claim statement fact truth proposition text".split())
_NUMBER_KEYS = IDS.union("sentence sentenceid sentencenumber passage passageid".split())


def read_lists(text: str, known: Iterable[str] = ()) -> tuple[Listed, ...]:
    """The texts that a reply lists, in their order. An empty list is one empty text.

    ``known``: the texts that were asked about, which a reply may repeat.

    Raises:
        UnreadableReply: the reply has no list, or it says something else, too (kind
            ``unreadable``), or the judge refused (kind ``refusal``).
    """
    reply = answer_in(text)
    values, around, _ = split_json(reply)
    said = [*around, *chain.from_iterable(_walk(value, None) for value in values)]
    listed = tuple(part for part in said if not isinstance(part, str))
    if not listed:
        raise unreadable(reply, "list")
    raise_unless_silent([part for part in said if isinstance(part, str)], known)
    return listed


def raise_unless_silent(residue: Sequence[str], known: Iterable[str] = ()) -> None:
    """Raises ``UnreadableReply`` if something that a reply says beside its values is not quiet."""
    whole = " ".join(known)[:MOST_CHARS]
    too_long = sum(map(len, residue)) > MOST_CHARS
    said = set() if too_long else {remark.text for remark in remarks(residue, ())}
    if too_long or any(objects(text, whole) for text in said):
        raise UnreadableReply("the judge's reply says more than what was asked for")


def _walk(value: Any, number: int | None) -> Iterator[Listed | str]:
    """What a value lists, by default under this number, and all else that it says."""
    if isinstance(value, Pairs):
        yield from _walk_object(value, number)
    elif not isinstance(value, list):
        yield from said_by("", value)
    else:
        for item in value or [""]:
            if not isinstance(item, str):
                yield from _walk(item, number)
            elif item.strip() and is_blank(item):  # "..."
                raise UnreadableReply("a list of the judge's reply has an item that says nothing")
            else:
                yield number, clean_text(item).strip()


def _walk_object(value: Pairs, number: int | None) -> Iterator[Listed | str]:
    has_list = any(isinstance(item, list | Pairs) for _, item in value)
    own = (read_id(item) for key, item in value if key_of(key) in _NUMBER_KEYS)
    number = next((n for n in own if n is not None), number)
    for key, item in value:
        below = read_id(key)
        under = number if below is None else below
        is_text = isinstance(item, str) and (below is not None or key_of(key) in _TEXTS)
        if isinstance(item, list | Pairs):
            yield from _walk(item, under)
        elif is_text and not has_list:
            yield under, clean_text(item).strip()
        elif not (key_of(key) in _NUMBER_KEYS and read_id(item) is not None):
            yield from said_by(key, item)


# ---------------------------------------------------------------- ratings

MAX_SUGGESTIONS = 10
MAX_REASON_CHARS = 1000

_SUGGESTIONS = ("suggestions", "improvementsuggestions", "improvements")
_VALUES = ("score", "rating", "value")
# "0.9", "3/10", "7 out of 10", "90 %"
_NUMBER = lazy_pattern(
    r"([+-]?\d{1,6}(?:\.\d{1,20})?)\s?(?:(?:/|out of|of)\s?(\d{1,4})|(%))?[.,;]?", re.IGNORECASE
)
_LINE = lazy_pattern(
    r"^[\s*_#>•-]{0,8}([\w ]{1,40}?)[*_]{0,3}\s?[:=][*_\s]{0,4}([^\n]{1,40}?)[*_\s]*$", re.MULTILINE
)


_REST, _SUGGESTION = "", "*"  # no key_of is one of these


def read_ratings(text: str, names: Sequence[str]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratings of a reply for these dimensions, and its suggestions.

    A rating with a scale ("3/10", "30 %") becomes a share of it; any other is unchanged.

    Raises:
        UnreadableReply: no rating can be read, or the reply says something else, too (kind
            ``unreadable``), or the judge refused (kind ``refusal``).
        TypeError: ``text`` is not a string.
    """
    unopened, reply = parted(text)
    wanted = [key_of(name) for name in names]
    said, before = list(_said_in(reply, wanted)), list(_said_in(unopened, wanted))
    known = {}
    for name, key in zip(names, wanted, strict=True):
        ratings = {value for found, value in said if found == key}
        ratings |= {value for found, value in before if found == key and ratings}
        if len(ratings) == 1 and None not in ratings:
            known[name] = ratings.pop()
    if not known:
        raise unreadable(reply, "rating")
    raise_unless_silent([text for found, text in said if found == _REST])
    texts = [clean_text(text).strip() for found, text in said if found == _SUGGESTION]
    return known, tuple(text for text in texts if text)[:MAX_SUGGESTIONS]


def _said_in(text: str, wanted: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The ratings in a text under their keys, the suggestions, and all else that it says."""
    values, around, _ = split_json(text)
    pairs = [pair for value in values if isinstance(value, Pairs) for pair in value]
    if not values and not looks_like_json(text):  # lines such as "Faithfulness: 0.3"
        lines = [line for line in _LINE.finditer(text) if key_of(line[1]) in wanted]
        pairs = [(line[1], line[2]) for line in lines]
        around = between(text, [line.span() for line in lines])
    yield from ((_REST, rest) for rest in around)
    yield from _said_under(pairs, wanted)


def _said_under(
    pairs: Iterable[tuple[str, Any]], wanted: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """What keys and values say. In {"score": 0.9, "reason": "..."} a score is the rating."""
    for key, item in pairs:
        name = key_of(key)
        if name in wanted and isinstance(item, Pairs):
            scores = [value for inner, value in item if key_of(inner) in _VALUES]
            yield from _said_under([(key, scores[0] if len(scores) == 1 else None)], wanted)
            item = Pairs(pair for pair in item if key_of(pair[0]) not in _VALUES)
            yield from ((_REST, rest) for rest in said_by("", item))
        elif name in wanted:
            yield name, _rating(item)
        elif name in _SUGGESTIONS:
            listed = item if isinstance(item, list) else [item]
            yield from ((_SUGGESTION, text) for text in listed if isinstance(text, str))
        elif isinstance(item, Pairs):
            yield from _said_under(item, wanted)
        else:
            yield from ((_REST, rest) for rest in said_by(key, item))


def _rating(value: Any) -> float | None:
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value.strip())):
        whole = 100.0 if match[3] else float(match[2] or 1)
        return float(match[1]) / whole if whole else None
    return float(value) if is_number(value) else None


def read_reason(text: str) -> str:
    """The reason that a reply gives for a score, as JSON or in plain words.

    Raises:
        UnreadableReply: it gives none (kind ``unreadable``), or the judge refused (kind
            ``refusal``).
        TypeError: ``text`` is not a string.
    """
    reply = answer_in(text)
    if is_refusal(reply):
        raise unreadable(reply, "reason")
    values, _, _ = split_json(reply)
    reasons = [item for value in values for item in _under_reason(value)]
    found = reasons[0] if reasons else "" if looks_like_json(reply) else reply
    if not found.strip():
        raise UnreadableReply("the judge's reply contains no reason")
    return clean_text(found).strip()[:MAX_REASON_CHARS]


def _under_reason(value: Any) -> Iterator[str]:
    for key, item in value if isinstance(value, Pairs) else ():
        if key_of(key) == "reason" and isinstance(item, str):
            yield item
        yield from _under_reason(item)
