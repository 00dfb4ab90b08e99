"""Fences around foreign text: tags that nobody can foresee, and that no text can imitate.

They, and all choices that nobody may foresee, follow from a secret, which lives with what is
replayed: replies are found again by the text of their ask.
"""

from __future__ import annotations

import hmac
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from hashlib import shake_256
from itertools import count
from typing import TypeVar

from ..text.strings import lazy_pattern

NAMES = (
    *("context", "question", "statement", "statements", "answer", "passages", "citation-audit"),
    "score",
)
"""What the tags of asks are called."""
SHORT, LONG = 4, 8
LONGEST = 64
"""Characters of what can still be read as a tag."""
TRIES = 8
"""So many short tags are tried, which cost fewer tokens; then long ones."""

_OPENS = "<\u02c2\u1438\u2039\u227a\u22d6\u2329\u276c\u276e\u27e8\u3008\ufe64\uff1c"
_ENDS = ">\u02c3\u1433\u203a\u227b\u22d7\u232a\u276d\u276f\u27e9\u3009\ufe65\uff1e"
_BETWEEN = lazy_pattern(f"[{_OPENS}]([^{_OPENS}{_ENDS}]*)[{_ENDS}]")
# A letter of an alphabet may look like one of ours.
_LETTERS = "\u00c0-\u058f\u13a0-\u13ff"
_SPELLED = "|".join(
    "".join(f"[{char}{_LETTERS}]" if char.isalpha() else "[^\\W_]?\\W?" for char in name)
    for name in sorted(NAMES, key=len, reverse=True)
)
_TAG = lazy_pattern(rf"\W*(?:{_SPELLED})(?:\W+[0-9a-z{_LETTERS}]*)?\W*")
_TAKEN = lazy_pattern(r"-([0-9a-f]{4})([0-9a-f]{4})?")


def fenced(blocks: Iterable[tuple[str, str]], secret: bytes = b"") -> str:
    """These named blocks, each between tags that no block contains, or anything that reads so.

    A tag follows from its block and the secret, so that asks about the same context begin with the
    same text, which providers cache. All blocks are read once, whatever they contain.
    """
    shown = [(name, disarmed(block)) for name, block in blocks]
    hits = (hit for _, block in shown for hit in _TAKEN.findall(block.casefold()))
    taken = {mark for short, more in hits for mark in (short, short + more)}
    fences = []
    for name, block in shown:
        key = keyed(secret, name, block)
        for salt in count():
            mark = keyed(key, str(salt)).hex()[: SHORT if salt < TRIES else LONG]
            if mark not in taken:
                break
        fences.append(f"<{name}-{mark}>\n{block}\n</{name}-{mark}>")
    return "\n\n".join(fences)


def disarmed(text: str) -> str:
    """``text``, in which nothing reads as a tag of an ask: its brackets are written as entities."""
    if text.isascii() and "<" not in text:
        return text
    return _BETWEEN.sub(_disarmed, text)


def _disarmed(tag: re.Match[str]) -> str:
    read = tag[1]
    if not read.isascii():  # as a reader takes it in: usual forms of letters, nothing invisible
        import unicodedata

        read = unicodedata.normalize("NFKC", read)
        read = "".join(c for c in read if unicodedata.category(c)[0] not in "CM")
    read = "".join(read.split()).casefold()
    if len(read) > LONGEST or _TAG.fullmatch(read) is None:
        return tag[0]
    return f"&lt;{tag[1]}&gt;"


T = TypeVar("T")


def keyed(secret: bytes, *texts: str) -> bytes:
    """The HMAC-SHA-256 of these texts. Other texts, or texts cut otherwise, have another one."""
    parts = (text.encode("utf-8", "surrogatepass") for text in texts)
    return hmac.digest(secret, b"".join(b"%d:%b" % (len(part), part) for part in parts), "sha256")


def _throws(key: bytes) -> Iterator[int]:
    """Numbers of 64 bits without an end. A key before the block is safe with SHAKE."""
    for block in count():
        yield from struct.unpack(">64Q", shake_256(key + block.to_bytes(8, "big")).digest(512))


class Dice:
    """Throws that follow from a secret and the texts that they are about."""

    def __init__(self, secret: bytes, *texts: str) -> None:
        self._throws = _throws(keyed(secret, *texts))

    def below(self, end: int) -> int:
        """A whole number from 0 to below ``end``."""
        return next(self._throws) % end

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> Iterator[T]:
        """The items in any order, each thrown for when it is wanted."""
        left = list(items)
        while left:
            place = self.below(len(left))
            left[place], left[-1] = left[-1], left[place]
            yield left.pop()
