"""Choices that nobody can foresee without a secret, and that are the same each time with it.

The secret lives with what is replayed: replies are found again by the text of their ask.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def keyed(secret: bytes, *texts: str) -> bytes:
    """The HMAC-SHA-256 of these texts. Other texts, or texts cut otherwise, have another one."""
    parts = (text.encode("utf-8", "surrogatepass") for text in texts)
    return hmac.digest(secret, b"".join(b"%d:%b" % (len(part), part) for part in parts), "sha256")


class Dice:
    """Throws that follow from a secret and the texts that they are about."""

    def __init__(self, secret: bytes, *texts: str) -> None:
        self._key, self._thrown = keyed(secret, *texts), 0

    def below(self, end: int) -> int:
        """A whole number from 0 to below ``end``."""
        self._thrown += 1
        thrown = hmac.digest(self._key, self._thrown.to_bytes(8, "big"), "sha256")
        return int.from_bytes(thrown[:16], "big") % end

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
