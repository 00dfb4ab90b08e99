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
from .unwrapping import Pairs, answer_in, looks_like_json, parted, split_json

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


def read_ratings(text: str, names: Sequence[str]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratings of a reply for these dimensions, and its suggestions.

    A rating with a scale ("3/10", "30 %") becomes a share of it; any other is unchanged.

    Raises:
        UnreadableReply: no rating can be read, or the reply says something else, too (kind
            ``unreadable``), or the judge refused (kind ``refusal``).
        TypeError: ``text`` is not a string.
    """
    unopened, reply = parted(text)
    given, suggestions, residue = _given_in(reply, names)
    for name, ratings in _given_in(unopened, names)[0].items() if unopened else ():
        given[name] |= ratings if given[name] else set()
    said = {name: given[key_of(name)] for name in names}
    agreed = {name: next(iter(ratings)) for name, ratings in said.items() if len(ratings) == 1}
    known = {name: rating for name, rating in agreed.items() if rating is not None}
    if not known:
        raise unreadable(reply, "rating")
    raise_unless_silent(residue)
    texts = [clean_text(suggestion).strip() for suggestion in suggestions]
    return known, tuple(text for text in texts if text)[:MAX_SUGGESTIONS]


def _given_in(
    reply: str, names: Sequence[str]
) -> tuple[dict[str, set[float | None]], list[str], list[str]]:
    """The ratings of each dimension, the suggestions, and all else that a text says."""
    values, residue, _ = split_json(reply)
    given: dict[str, set[float | None]] = {key_of(name): set() for name in names}
    suggestions: list[str] = []
    for pairs in (value for value in values if isinstance(value, Pairs)):
        _take(pairs, given, suggestions, residue)
    if not values and not looks_like_json(reply):
        residue = [_LINE.sub(lambda line: _taken(line, given), text) for text in residue]
    return given, suggestions, residue


def _take(
    pairs: Pairs, given: dict[str, set[float | None]], suggestions: list[str], residue: list[str]
) -> None:
    """Adds the ratings, the suggestions and all else that an object says."""
    for key, item in pairs:
        name = key_of(key)
        if name in given:
            given[name].add(_rating(item, residue))
        elif name in _SUGGESTIONS:
            listed = item if isinstance(item, list) else [item]
            suggestions += [text for text in listed if isinstance(text, str)]
        elif isinstance(item, Pairs):
            _take(item, given, suggestions, residue)
        else:
            residue += said_by(key, item)


def _taken(line: re.Match[str], given: dict[str, set[float | None]]) -> str:
    """ "" for a line such as "Faithfulness: 0.3", whose rating is kept; else the line."""
    name = key_of(line[1])
    if name not in given:
        return line[0]
    given[name].add(_rating(line[2], []))
    return ""


def _rating(value: Any, residue: list[str]) -> float | None:
    """One rating. Of an object, {"score": 0.9, "reason": "..."}, the rest is residue."""
    if isinstance(value, Pairs):
        inner = [item for key, item in value if key_of(key) in _VALUES]
        for key, item in value:
            residue += [] if key_of(key) in _VALUES else said_by(key, item)
        return _rating(inner[0], residue) if len(inner) == 1 else None
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
