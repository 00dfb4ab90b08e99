"""Words of numbers, scales, units and months, and numbers in words.

"Two hundred and fifty thousand", "fünfundzwanzig", "quatre-vingt-dix".

One reader for English, German, French, Spanish, Italian and Dutch. Words are split into those of
``words/numbers.txt``, which are added or multiplied by their size alone. In doubt a number has
several values, as nobody knows where one ends: "two hundred and fifty" is also 2, 200 and 50.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from .strings import word_lists


class Unit(NamedTuple):
    """A unit: its dimension, how many basic units it is, and whether it is often left out."""

    dimension: str
    size: float
    implied: bool = False


@cache
def valued(section: str) -> Mapping[str, float]:
    """The words of a section that begins each line with a value."""
    lines = (line.split() for line in word_lists("numbers")[section].splitlines() if line)
    return {word: float(value) for value, *words in lines for word in words}


@cache
def words_of(section: str) -> frozenset[str]:
    return frozenset(word_lists("numbers")[section].split())


@cache
def currencies() -> Mapping[str, frozenset[str]]:
    """The signs, codes and words of money, each with the currencies that it may be."""
    found: dict[str, frozenset[str]] = {}
    for code, *names in map(str.split, word_lists("numbers")["money"].splitlines()):
        for name in names:
            found[name] = found.get(name, frozenset()) | {code}
    return found


@cache
def units() -> Mapping[str, Unit]:
    lines = (line.split() for line in word_lists("numbers")["units"].splitlines() if line)
    units = {w: Unit(kind, float(size)) for kind, size, *words in lines for w in words}
    return {**{w: Unit("time", size, True) for w, size in valued("times").items()}, **units}


def is_clear(word: str) -> bool:
    """Whether a unit or scale is that word alone: "in" and "m" may be something else."""
    return len(word) > 3 or word in ("%", "km", "kg", "cm", "mph")


# ---------------------------------------------------------------- numbers in words

LONGEST = 100
"""Letters of a word that may be a number."""
SHORTEST = 3
"""Letters of a word that may be a part of another one."""
JOINERS = ("und", "en", "ën")
"""What joins two parts of a word: "einundzwanzig"."""


def spelled_numbers(words: list[str]) -> Iterator[tuple[float, str]]:
    """The values of the numbers among words in lower case, each with the word behind it.

    Takes linear time.
    """
    parts: dict[str, tuple[str, ...]] = {}
    number = _Number()
    for word, behind in pairwise([*words, ""]):
        if word not in parts:
            parts[word] = number_parts(word)
        if word in words_of("joiners"):
            number.is_joined = True
        elif not parts[word]:
            number = _Number()
        for place, part in enumerate(parts[word]):
            number.is_joined |= place > 0
            yield from ((value, behind) for value in number.values_with(part))


def may_be_numbers(words: list[str]) -> bool:
    """Whether one of these words begins like a number: a quick look before a slow one."""
    return not _beginnings().isdisjoint([word[:SHORTEST] for word in words])


def number_parts(word: str) -> tuple[str, ...]:
    """The words of numbers of which a word consists, or ()."""
    if word in _simple():
        return (word,)
    if len(word) > LONGEST or word[:SHORTEST] not in _beginnings():
        return ()
    # What each rest of the word consists of, the shortest rest first.
    rests: dict[int, tuple[str, ...]] = {len(word): ()}
    rests |= {len(word) - len(end): () for end in words_of("ordinal ends") if word.endswith(end)}
    is_ordinal = len(rests) > 1
    for start in range(len(word) - SHORTEST, -1, -1):
        for end in range(len(word), start + 1, -1):
            part = word[start:end]
            if end in rests and part in _parts():
                rests[start] = (part, *rests[end]) if part not in JOINERS else rests[end]
                break
    found = rests.get(0, ())
    return found if len(found) > 1 or is_ordinal else ()


@cache
def _simple() -> Mapping[str, float]:
    """The words that are numbers, and their values; of fractions the denominator."""
    sections = ("fractions", "scales", "hundreds", "worth", "ordinals", "spelled")
    simple = {word: value for name in sections for word, value in valued(name).items()}
    return {word: value for word, value in simple.items() if len(word) > 1}


@cache
def _parts() -> frozenset[str]:
    """The words of numbers inside other words, and what joins them."""
    words = (word for word in _simple() if len(word) >= SHORTEST)
    return frozenset([*words, *valued("stems"), *JOINERS])


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(word[:SHORTEST] for word in _parts().union(_simple()) - {*JOINERS})


class _Number:
    """A number of which some words were read: what a scale has closed, and what is still open."""

    def __init__(self) -> None:
        self.closed = self.scale = self.open = self.before = 0.0
        self.is_joined = False

    def values_with(self, word: str) -> Iterator[float]:
        """What it may be after one more word."""
        if share := valued("fractions").get(word):
            yield (self.open or 1) / share
        sections = ("spelled", "ordinals", "worth", "stems")
        value = next((valued(name)[word] for name in sections if word in valued(name)), None)
        scale = valued("hundreds").get(word) or valued("scales").get(word)
        if scale:
            yield self._multiply(scale)
        elif value is not None:
            yield value
            self._add(value, word)
        elif share:
            self.open = self.open + 1 / share if self.is_joined else (self.open or 1) / share
        else:
            yield 0.0
        self.is_joined = False
        yield self.closed + self.open
        if self.before > 10 and self.open >= 10 and not self.closed:  # nineteen eighty-four
            yield 100 * self.before + self.open

    def _multiply(self, scale: float) -> float:
        product = (self.open or 1) * scale
        if scale < 1000:
            self.open = product
        else:
            self.closed = product + (self.closed if scale < self.scale else 0)
            self.open, self.scale = 0.0, scale
        return product

    def _add(self, value: float, word: str) -> None:
        if self.open % 100 == 4 and word in ("vingt", "vingts"):  # quatre-vingts
            value = 76
        elif not _may_follow(value, self.open, self.is_joined):
            self.before, self.closed, self.open = self.open, 0.0, 0.0
        self.open += value


def _may_follow(value: float, open_: float, is_joined: bool) -> bool:
    """Whether a word below 100 goes on with a number, and does not begin another."""
    rest = open_ % 100
    if rest == 0:
        return True
    if rest < 10:
        return is_joined and 20 <= value < 100  # fünf-und-zwanzig
    if rest == 10:
        return 6 <= value < 10  # dix-sept
    return rest % 10 == 0 and (value < 10 or (rest in (60, 80) and value < 20))  # soixante-dix
