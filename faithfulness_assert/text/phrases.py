"""Phrases as tables of patterns, and the plain form of a text that they match.

In a table, each line is a regular expression, or "word: expression". An indented line continues the
one before it; ``<name>`` is a part from ``words/phrases.txt``; ``~`` is a gap of up to 60
characters inside a sentence. The plain form of a text is lower case, one line, straight quotes, no
markdown, no English short forms.
"""

from __future__ import annotations

import re
from functools import cache

from .strings import word_lists

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


def _lines(table: str) -> list[str]:
    lines = table.replace("\n  ", "").split("\n")
    return [line for line in lines if line and not line.startswith("# ")]


@cache
def pairs(table: str) -> tuple[tuple[str, str], ...]:
    """A table of "word: rule" lines."""
    return tuple((word, rule) for word, _, rule in (line.partition(": ") for line in _lines(table)))


def _filled(rule: str) -> str:
    """``rule`` with its parts and gaps written out."""
    rule = re.sub(
        r"<(\w+)>", lambda part: _filled(dict(pairs(word_lists("phrases")["parts"]))[part[1]]), rule
    )
    return rule.replace("~", r"[^.!?。！？।]{0,60}?")


@cache
def compiled(rule: str) -> re.Pattern[str]:
    return re.compile(_filled(rule))


@cache
def rules(table: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(compiled, _lines(table)))
