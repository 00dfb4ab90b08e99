"""Read the lists of a reply: claims under sentences of an answer, or truths under passages.

Only JSON is read. Whether a text that is listed is a claim of its sentence, ``plan/claims.py``
decides by the words that they share, so a refusal or a remark in a list stands for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from ..records.errors import UnreadableReply
from ..text.strings import clean_text, is_blank
from .gate import MOST_CHARS, objects
from .json_form import IDS, key_of, read_id, said_by
from .json_values import Pairs, split_json
from .reader import answer_in, unreadable
from .remarks import remarks

Listed = tuple[int | None, str]
"""A number (None if the reply gives none) and a text that is listed under it."""

_TEXTS = frozenset("claim statement fact truth proposition text".split())
_NUMBERS = IDS.union("sentence sentenceid sentencenumber passage passageid".split())


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
    own = (read_id(item) for key, item in value if key_of(key) in _NUMBERS)
    number = next((n for n in own if n is not None), number)
    for key, item in value:
        below = read_id(key)
        under = number if below is None else below
        is_text = isinstance(item, str) and (below is not None or key_of(key) in _TEXTS)
        if isinstance(item, list | Pairs):
            yield from _walk(item, under)
        elif is_text and not has_list:
            yield under, clean_text(item).strip()
        elif not (key_of(key) in _NUMBERS and read_id(item) is not None):
            yield from said_by(key, item)
