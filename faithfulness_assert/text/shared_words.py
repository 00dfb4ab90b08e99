"""Which words of a text count when two texts are compared by the words that they share."""

from __future__ import annotations

from .patterns import lazy_pattern

STEM = 4
"""Letters of a word that count, so that "opens" and "opened" are the same word."""

# Scripts that put no spaces between words: there each character counts as a word.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_WORD = lazy_pattern(rf"[{_DENSE}]|\d+|[^\W\d_{_DENSE}]+")
_COMMON = frozenset(
    """the and are was were has have had its for with that this from not but they them their there
    der die das und ist ein eine les des est une pas los las una del con por che per non sono het
    een van niet""".split()
)


def words_that_count(text: str) -> frozenset[str]:
    """The words of a text, shortened, without the most common ones and those of two letters."""
    return frozenset(word[:STEM] for word in _WORD.findall(text.casefold()) if _counts(word))


def _counts(word: str) -> bool:
    latin = word.isalpha() and word.isascii()
    return not latin or (len(word) > 2 and word not in _COMMON)
