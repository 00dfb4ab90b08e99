"""What ``words/numbers.txt`` knows: words of numbers, scales, units and months."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
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
