"""Which words of a text count when two texts are compared by the words that they share."""

from __future__ import annotations

from itertools import pairwise

from .strings import DENSE, lazy_pattern

STEM = 4
"""Letters of a word that count, so that "opens" and "opened" are the same word."""

_WORD = lazy_pattern(rf"[{DENSE}]|\d+|[^\W\d_{DENSE}]+")
_RUN = lazy_pattern(rf"[{DENSE}]+|\d+(?:[.,]\d+)*|[^\W\d_{DENSE}]+")
_COMMON = frozenset(
    """the and are was were has have had its for with that this from not but they them their there
    der die das und ist ein eine les des est une pas los las una del con por che per non sono het
    een van niet""".split()
)


def words_that_count(text: str) -> frozenset[str]:
    """The words of a text, shortened, without the most common ones and those of two letters."""
    return frozenset(word[:STEM] for word in _WORD.findall(text.casefold()) if _counts(word))


def search_terms(text: str) -> set[str]:
    """What to search a long text for: words, their first letters, and whole numbers.

    A word and its beginning are two terms, so that "opened" finds "opens", and "opened" before it.
    Where no spaces stand between words, each pair of characters is a term.
    """
    terms: set[str] = set()
    for run in _RUN.findall(text.casefold()):
        if not run.isascii() and _WORD.findall(run) == list(run):
            terms.update(map("".join, pairwise(run)) if len(run) > 1 else run)
        elif run[0].isdecimal():
            terms.add(run.replace(",", "").replace(".", ""))
        elif run not in _COMMON:
            terms.update((run, run[:STEM] + "-") if len(run) > STEM else (run,))
    return terms


def _counts(word: str) -> bool:
    latin = word.isalpha() and word.isascii()
    return not latin or (len(word) > 2 and word not in _COMMON)
