"""The plain form of a text, tables of patterns, and which words are numbers, names or in common.

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

from .number_words import valued
from .strings import DENSE, expressions, function_words, lazy_pattern, word_lists

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

_PUNCTUATION = "\"'“”‘’«»„(*[_]).,;:!?…—–-"


def numbers_and_names(text: str) -> list[str]:
    """The words of a text that have a digit, are a number word or may be a name.

    In doubt a word with a capital is a name; function words are none.
    """
    words = (word for part in text.split() if (word := part.strip(_PUNCTUATION)))
    return [
        word
        for word in words
        if any(map(str.isdigit, word))
        or valued("spelled").get(plain := word.casefold(), 0) > 1
        or (word[0].isupper() and plain.partition("'")[0] not in function_words())
    ]


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
    return frozenset(
        word[:STEM]
        for word in _WORD.findall(text.casefold())
        if not word.isalpha() or not word.isascii() or (len(word) > 2 and word not in _COMMON)
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
