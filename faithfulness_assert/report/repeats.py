"""Statements without support that stand in several answers: one cause, seen many times."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

from ..text.strings import clip

MOST_CHARS = 300
SHOWN = 5


class Repeated(NamedTuple):
    """A statement, the label that it got first, and in how many answers it stands."""

    statement: str
    label: str
    answers: int

    @property
    def search(self) -> str:
        """The search that finds these answers."""
        return '"' + self.statement.removesuffix("…") + '"'


class Repeats:
    """Counts statements over cases; upper and lower case and blanks make no difference.

    A text is kept from the second answer on. Before, it is a number of 8 bytes.
    """

    def __init__(self) -> None:
        self._once: set[bytes] = set()
        self._again: dict[bytes, Repeated] = {}

    def add(self, statements: Iterable[tuple[str, str]]) -> None:
        """Counts the statements of an answer, each with its label."""
        for key, (text, label) in {_key(text): (text, label) for text, label in statements}.items():
            if known := self._again.get(key):
                self._again[key] = known._replace(answers=known.answers + 1)
            elif key in self._once:
                self._again[key] = Repeated(clip(text, MOST_CHARS), label, 2)
            else:
                self._once.add(key)

    def most(self) -> list[Repeated]:
        """Those that stand in most answers, the most frequent first."""
        return sorted(self._again.values(), key=lambda r: (-r.answers, r.statement))[:SHOWN]


def _key(text: str) -> bytes:
    plain = " ".join(text.casefold().split())
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest()
