"""The plain form of a text, tables of patterns, and which words two texts have in common.

In a table, each line is a regular expression. An indented line continues the one before it;
``<name>`` is a part from ``words/phrases.txt``; ``~`` is a gap of up to 60 characters inside a
sentence. The plain form of a text, which they match, is lower case, one line, straight quotes, no
markdown, no English short forms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from .strings import (
    DENSE,
    FIRST_DENSE,
    expressions,
    lazy_pattern,
    word_lists,
    words_in,
)

_STRAIGHT = str.maketrans(
    dict.fromkeys("’‘′ʼ`´＇", "'")
    | dict.fromkeys("“”„«»「」『』＂", '"')
    | dict.fromkeys("*\u0307\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", None)
)
_BARE = str.maketrans(
    {"–": " ", "—": " ", "…": ".", "_": None, "#": None, ">": None, "~": None, "|": None}
)
_SHORT_FORMS = {
    "won't": "will not",
    "can't": "cannot",
    "n't": " not",
    "'m ": " am ",
    "'ve ": " have ",
    "'ll ": " will ",
    "'d ": " would ",
    "'re ": " are ",
    "it's ": "it is ",
    "that's ": "that is ",
}


def straight(text: str) -> str:
    """``text`` in lower case, with straight quotes, without bold marks and invisible characters."""
    return text.lower().translate(_STRAIGHT)


def plain(text: str) -> str:
    """``text`` in its plain form, which the tables are written for."""
    text = straight(text).translate(_BARE)
    for short, full in _SHORT_FORMS.items():
        text = text.replace(short, full)
    return " ".join(text.split())


@cache
def _pronouns(language: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The pronouns of a language, or of all if it is "", and those in scripts without spaces."""
    lines = (line.split() for line in word_lists("function_words")["pronouns"].splitlines() if line)
    words = [word for code, *words in lines if language in ("", code) for word in words]
    return frozenset(words), tuple(word for word in words if word >= FIRST_DENSE)


def refers_back(text: str, language: str = "") -> bool:
    """Whether a text has a pronoun, which may stand for something that was said before it."""
    words, signs = _pronouns(language)
    said = words_in(text)
    return not words.isdisjoint(said) or (not text.isascii() and any(s in text for s in signs))


@cache
def _parts() -> Mapping[str, str]:
    """The parts of rules by name: each line of their table is "name: rule"."""
    lines = (line.partition(": ") for line in expressions(word_lists("phrases")["parts"]))
    return {name: rule for name, _, rule in lines}


def _filled(rule: str) -> str:
    """``rule`` with its parts and gaps written out."""
    rule = re.sub(r"<(\w+)>", lambda part: _filled(_parts()[part[1]]), rule)
    return rule.replace("~", r"[^.!?。！？।]{0,60}?")


@cache
def rules(table: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_filled(line)) for line in expressions(table))


# ---------------------------------------------------------------- words that two texts share

STEM = 4
"""Letters of a word that count, so that "opens" and "opened" are the same word."""

_WORD = lazy_pattern(rf"[{DENSE}]|\d+|[^\W\d_{DENSE}]+")
_ASCII_WORD = lazy_pattern(r"[a-z]+|\d+")  # the same where there are no others, in half the time
_RUN = lazy_pattern(rf"[{DENSE}]+|\d+(?:[.,]\d+)*|[^\W\d_{DENSE}]+")
_COMMON = frozenset(
    """the and are was were has have had its for with that this from not but they them their there
    der die das und ist ein eine les des est une pas los las una del con por che per non sono het
    een van niet""".split()
)


def words_that_count(text: str) -> frozenset[str]:
    """The words of a text, shortened, without the most common ones and those of two letters."""
    pattern = _ASCII_WORD if text.isascii() else _WORD
    return frozenset(
        word[:STEM]
        for word in {*pattern.findall(text.casefold())} - _COMMON
        if len(word) > 2 or not (word.isalpha() and word.isascii())
    )


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
