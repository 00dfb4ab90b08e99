"""Read what is no verdict: lists, ratings, and the reason for a score. Only JSON is read as these.

Lists have claims under sentences of an answer, or truths under passages. Whether a text that is
listed is a claim of its sentence, ``plan/lists.py`` decides by the words that they share, so a
refusal or a remark in a list stands for nothing. Ratings are a number for each dimension, with
suggestions. One that is missing, null, not a number, or given twice with different values is left
out.

Each function raises ``UnreadableReply`` if that is not there, or not alone, or the judge refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from ..records.checks import as_share, is_number
from ..records.errors import UnreadableReply
from ..text.strings import clean_text, is_blank
from .gate import MOST_CHARS, objects, remarks
from .json_form import IDS, key_of, read_id, said_by
from .refusal import is_refusal, unreadable
from .unwrapping import Pairs, answer_in, leaves, looks_like_json, split_json

Listed = tuple[int | None, str]
"""A number (None if the reply gives none) and a text that is listed under it."""
_TEXTS = frozenset("claim statement fact truth proposition text".split())
_NUMBER_KEYS = IDS.union("sentence sentenceid sentencenumber passage passageid".split())


def read_lists(text: str, known: Iterable[str] = ()) -> tuple[Listed, ...]:
    """The texts that a reply lists, in their order. An empty list is one empty text.

    ``known``: the texts that were asked about, which a reply may repeat.
    """
    reply = answer_in(text)
    values, said = split_json(reply)
    parts = [part for value in values for part in _walk(value, None)]
    listed = tuple(part for part in parts if not isinstance(part, str))
    if not listed:
        raise unreadable(reply, "list")
    _raise_unless_silent([*said, *(part for part in parts if isinstance(part, str))], known)
    return listed


def _raise_unless_silent(residue: Sequence[str], known: Iterable[str] = ()) -> None:
    """Raises ``UnreadableReply`` if something that a reply says beside its values is not quiet."""
    whole = " ".join(known)[:MOST_CHARS]
    too_long = sum(map(len, residue)) > MOST_CHARS
    if too_long or any(objects(text, whole) for text in {r.text for r in remarks(residue, ())}):
        raise UnreadableReply("the judge's reply says more than what was asked for")


def _walk(value: Any, number: int | None) -> Iterator[Listed | str]:
    """What a value lists, by default under this number, and all else that it says."""
    if isinstance(value, Pairs):
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


MAX_SUGGESTIONS, MAX_REASON_CHARS = 10, 1000
MAX_WRITTEN = 100  # of a rating that is a text
_SUGGESTIONS = frozenset("suggestions improvementsuggestions improvements".split())
_VALUES = ("score", "rating", "value", "")


def read_ratings(text: str, names: Sequence[str]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratings of a reply for these dimensions, and its suggestions.

    A percentage becomes a share; any other rating is unchanged. In ``{"score": 0.9, "reason":
    "..."}`` the score is the rating.
    """
    reply = answer_in(text, names)
    values, said = split_json(reply)
    ratings: dict[str, set[Any]] = {key_of(name): set() for name in names}
    suggestions: list[str] = []
    for keys, value in chain.from_iterable(map(leaves, values)):
        plain = [key_of(key) for key in keys]
        rated = plain[:-1] if plain and plain[-1] in _VALUES else plain
        if rated and rated[-1] in ratings:
            ratings[rated[-1]].add(_rating(value) if plain[-1] else None)
        elif not _SUGGESTIONS.isdisjoint(plain):
            suggestions += [clean_text(value).strip()] if isinstance(value, str) else []
        else:
            said += said_by(" ".join(filter(None, keys)), value)
    found = ((name, ratings[key_of(name)]) for name in names)
    known = {name: min(given) for name, given in found if len(given) == 1 and None not in given}
    if not known:
        raise unreadable(reply, "rating")
    _raise_unless_silent(said)
    return known, tuple(filter(None, suggestions))[:MAX_SUGGESTIONS]


def _rating(value: Any) -> float | None:
    share = as_share(value) if isinstance(value, str) else value
    if not is_number(share) or (isinstance(value, str) and abs(share) > MAX_WRITTEN):
        return None
    return float(share)


def read_reason(text: str) -> str:
    """The reason that a reply gives for a score, as JSON or in plain words."""
    reply = answer_in(text)
    found = chain.from_iterable(map(leaves, split_json(reply)[0]))
    plain = "" if looks_like_json(reply) else reply
    said = next((v for k, v in found if k and key_of(k[-1]) == "reason" and v), plain)
    if not isinstance(said, str) or not said.strip() or is_refusal(reply):
        raise unreadable(reply, "reason")
    return clean_text(said).strip()[:MAX_REASON_CHARS]
