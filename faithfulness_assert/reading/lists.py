"""Read the lists of a reply: claims under sentences of an answer, or truths under passages.

Only JSON is read. Whether a text that is listed is a claim of its sentence, ``plan/claims.py``
decides by the words that they share, so a refusal or a remark in a list stands for nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..records.errors import UnreadableReply
from ..text.strings import clean_text, is_blank
from .gate import MOST_CHARS, is_silent
from .json_form import IDS, key_of, read_id, said_by
from .json_values import Pairs, split_json
from .reader import answer_in, unreadable
from .remarks import remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Listed = tuple[int | None, str]
"""A number (None if the reply gives none) and a text that is listed under it."""

_TEXTS = frozenset("claim statement fact truth proposition text".split())
_SENTENCES = frozenset("sentence sentenceid sentencenumber passage passageid".split())


def read_lists(text: str, known: Iterable[str] = ()) -> tuple[Listed, ...]:
    """The texts that a reply lists, in their order. An empty list is one empty text.

    ``known``: the texts that were asked about, which a reply may repeat.

    Raises:
        UnreadableReply: the reply has no list, or it says something else, too (kind
            ``unreadable``), or the judge refused (kind ``refusal``).
    """
    reply = answer_in(text)
    values, residue, _ = split_json(reply)
    listed: list[Listed] = []
    found = [_walk(value, None, listed, residue) for value in values]
    if not any(found):
        raise unreadable(reply, "list")
    raise_unless_silent(residue, known)
    return tuple(listed)


def raise_unless_silent(residue: Sequence[str], known: Iterable[str] = ()) -> None:
    """Raises ``UnreadableReply`` if something that a reply says beside its values is not quiet."""
    whole = " ".join(known)[:MOST_CHARS]
    too_long = sum(map(len, residue)) > MOST_CHARS
    said = set() if too_long else {remark.text for remark in remarks(residue, ())}
    if too_long or not all(is_silent(text, whole) for text in said):
        raise UnreadableReply("the judge's reply says more than what was asked for")


def _walk(value: Any, number: int | None, listed: list[Listed], residue: list[str]) -> bool:
    """Adds what a value lists, and all else to the residue; whether it has a list at all."""
    if isinstance(value, Pairs):
        return _walk_object(value, number, listed, residue)
    if not isinstance(value, list):
        residue += said_by("", value)
        return False
    if not value:
        listed.append((number, ""))
    for item in value:
        if isinstance(item, str):
            if item.strip() and is_blank(item):  # "..."
                raise UnreadableReply("a list of the judge's reply has an item that says nothing")
            listed.append((number, clean_text(item).strip()))
        else:
            _walk(item, number, listed, residue)
    return True


def _walk_object(
    value: Pairs, number: int | None, listed: list[Listed], residue: list[str]
) -> bool:
    has_list = any(isinstance(item, list | Pairs) for _, item in value)
    names = IDS | _SENTENCES
    own = (read_id(item) for key, item in value if key_of(key) in names)
    number = next((n for n in own if n is not None), number)
    found = False
    for key, item in value:
        below = read_id(key)
        under = number if below is None else below
        is_text = isinstance(item, str) and (below is not None or key_of(key) in _TEXTS)
        if isinstance(item, list | Pairs):
            found |= _walk(item, under, listed, residue)
        elif is_text and not has_list:
            listed.append((under, clean_text(item).strip()))
            found = True
        elif not (key_of(key) in names and read_id(item) is not None):
            residue += said_by(key, item)
    return found
