"""The values of a text, each with its kind: those of one kind may stand for each other.

A number's kind is what it counts or measures. A name's is the word before it: what follows "born
in" in one text stands in the place of what follows it in another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple
from unicodedata import combining, normalize

from .absent_numbers import without_references
from .number_words import units, valued
from .numbers import MONEY, OCLOCK, Number, clock_of, find_numbers, is_year, last_year
from .shared_words import STEM
from .strings import lazy_pattern, word_lists

Kind = tuple[str, str]
UNKNOWN: Kind = ("", "")
DAY: Kind = ("day", "")
"""Of a month, in digits."""
MONTH: Kind = ("month", "")
WEEKDAY: Kind = ("weekday", "")

BEFORE = 40
"""Characters before a value in which its kind is looked for."""
SHORTEST = 3
"""Letters of a word that says what a number counts."""

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][^\W\d_]+"
_NAME = lazy_pattern(rf"(?<![^\W_]){_CAPITAL}(?:[ -]{_CAPITAL})*")
_WORD = lazy_pattern(r"[^\W\d_]+")
_WORD_BEFORE = lazy_pattern(r"([^\W\d_]+)[.]? (?:the )?$")
_DECADE = lazy_pattern(r" ?['’]?s(?![^\W_])")


class Value(NamedTuple):
    """A number, a month, a day of the week, or a name.

    Args:
        start: where it begins.
        text: as it is written; of a number with its sign of money, month, scale or unit.
        kind: what values may stand for it, or ``UNKNOWN``.
    """

    start: int
    text: str
    kind: Kind


def numbers_in(text: str) -> list[Value]:
    """All numbers in digits, also those in names: "the 2012 film" may say the year."""
    blank = without_references(text)
    return [_number(text, blank, number) for number in find_numbers(blank)]


def dates_in(text: str) -> list[Value]:
    """The months and days of the week that have a capital: "may" is no month."""
    words = (word for word in _WORD.finditer(text) if word[0][0].isupper())
    found = ((word, date_of(word[0])) for word in words)
    return [Value(word.start(), word[0], date[0]) for word, date in found if date]


def date_of(word: str) -> tuple[Kind, str] | None:
    """Whether a word is a month or a day of the week, and which one; None if it is neither."""
    plain = word.casefold()
    if plain in valued("months"):
        return MONTH, str(valued("months")[plain])
    day = plain.removesuffix("s")
    return (WEEKDAY, day) if day in _weekdays() else None


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(word_lists("names")["weekdays"].split())


def names_in(text: str) -> Iterator[Value]:
    """The words with capitals, but the most common ones."""
    for match in _NAME.finditer(text):
        if not _is_common(match[0]):
            before = _word_before(text, match.start())
            kind = ("name", before[1].casefold()) if before else UNKNOWN
            yield Value(match.start(), match[0], kind)


def kind_of(text: str, number: Number) -> Kind:
    """What a number counts or measures."""
    sign = text[max(number.start - 2, 0) : number.start].strip()[-1:]
    if sign and sign in MONEY:
        return "money", sign
    if any(value < 0 for value in clock_of(text, number)):
        return "time", ""
    unit = units().get(number.after)
    if unit is not None:
        return unit.dimension, str(unit.size)
    digits = text[number.start : number.end]
    is_whole = digits.isdecimal() and len(digits) == 4
    if (is_whole and is_year(number.values[0])) or last_year(text, number.start, number.end):
        return "year", ""
    if number.after in valued("months") or month_before(text, number):
        return DAY
    counts = number.after.isalpha() and len(number.after) >= SHORTEST
    return ("count", number.after[:5]) if counts else UNKNOWN


def plain_words(text: str) -> set[str]:
    """The beginnings of a text's words without case and accents: "Chinese" is "China" here."""
    words = (normalize("NFD", word.casefold()) for word in _WORD.findall(text) if len(word) > 2)
    return {"".join(char for char in word if not combining(char))[:STEM] for word in words}


def _number(text: str, blank: str, number: Number) -> Value:
    kind, start, end = kind_of(blank, number), number.start, number.end
    if any(number.after in words for words in (valued("scales"), units(), valued("months"))):
        end = number.after_end
    if kind[0] == "money":
        start = blank.rindex(kind[1], 0, start)
    elif kind[0] == "day" and (month := month_before(blank, number)):
        start = month.start()
    elif kind[0] == "time" and (oclock := OCLOCK.match(blank, end)):
        end = oclock.end()
    elif kind[0] == "year" and (decade := _DECADE.match(blank, end)):
        end = decade.end()
    return Value(start, text[start:end], kind)


def month_before(text: str, number: Number) -> re.Match[str] | None:
    """The word before a number, if it is a month."""
    before = _word_before(text, number.start)
    return before if before and before[1].casefold() in valued("months") else None


def _word_before(text: str, start: int) -> re.Match[str] | None:
    return _WORD_BEFORE.search(text, max(start - BEFORE, 0), start)


def _is_common(word: str) -> bool:
    """Whether a word has a capital for another reason than that it is a name."""
    lists, plain = word_lists("names"), word.casefold()
    return plain in f"{lists['openers']} {lists['sentence starters']}".split() or (
        plain in valued("months") or plain in _weekdays()
    )
