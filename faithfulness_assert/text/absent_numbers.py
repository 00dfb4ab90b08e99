"""Which numbers of a statement occur nowhere in a context, by code alone.

A number occurs in any dress: with other separators, spelled out, as an ordinal, with "million",
rounded, as the sum of a table's column or of two numbers of the evidence, or converted where both
have a unit. In doubt it occurs: of two readings one is enough. What is part of a name ("F-35",
"Boeing 737"), a citation, a list marker, the number of a section or an address is not looked for,
nor what may have been derived: a bound ("before 2005"), a small count.

Only numbers in digits are looked for: spelled-out ones are mostly counts of what is there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from itertools import combinations, islice
from math import isclose
from typing import NamedTuple

from .number_words import Unit, is_clear, units, valued, words_of
from .numbers import (
    NONE,
    OCLOCK,
    SPACED,
    Money,
    Number,
    Numbers,
    ascii_digits,
    clock_of,
    find_numbers,
    is_in_date,
    is_year,
    money_of,
)
from .strings import lazy_pattern

CLOSE = 1e-9
"""Relative difference of numbers that are the same."""
ROUNDED, ROUGHLY = 0.1, 0.2
"""The most that a rounded number differs, as a share, and one after "about"."""
MOST_ABSENT = 20
MOST_EVIDENCE, MOST_ADDED = 5_000, 20
"""Characters of the evidence, and numbers in them, that are added and subtracted."""
SMALL = 10
"""Whole numbers up to this, without a unit, may count what the context lists."""

_CITED = lazy_pattern(r"\[[^\[\]\n]{0,40}\]|\([A-Z][^()\n]{0,80}[12][0-9]{3}[a-z]?\)|[¹²³⁰⁴-⁹]+")
_ADDRESS = lazy_pattern(r"\S{0,80}(?:://|www\.|@)\S{0,200}")
_MARKER = lazy_pattern(r"\s*[(]?[0-9]{1,3}[.)](?=\s)")
_WORD_BEFORE = lazy_pattern(r"([^\W\d_]+)[.]?[ \u00a0\u202f]?$")
_WORD_BEHIND = lazy_pattern(r"[ \u00a0-]([^\W\d_]+)")
_WORK = lazy_pattern(r" [a-z ]{3,20}[)]")
_SPACED_END = lazy_pattern(r"[0-9] [0-9]{3}$")
_ORDINALS = ("st", "nd", "rd", "th", "s")
BEFORE = 30
"""Characters before a number that say what it is."""


class Absent(NamedTuple):
    """A number that is nowhere, the text that it was read in, and where it begins and ends.

    Its unit or currency is a part of it only if the number is there and the unit is not.
    """

    number: Number
    text: str
    start: int
    end: int


def absent_numbers(
    statement: str, context: Numbers, question: Numbers = NONE, evidence: str = ""
) -> tuple[str, ...]:
    """The numbers of ``statement``, as it writes them, that occur nowhere in the context.

    A number is there with its unit if only the unit is nowhere. Left out is what the question has,
    and what is the sum or the difference of two numbers of the ``evidence``.
    """
    found = list(find_absent(statement, context, question))
    results = list(_sums(evidence)) if found else []
    said = (
        statement[one.start : one.end]
        for one in found
        if not any(isclose(a, b, rel_tol=CLOSE) for a in one.number.values for b in results)
    )
    return tuple(dict.fromkeys(said))[:MOST_ABSENT]


def _sums(text: str) -> Iterator[float]:
    """The sums and differences of each two numbers in digits."""
    numbers = islice(find_numbers(text[:MOST_EVIDENCE]), MOST_ADDED)
    for one, other in combinations([number.values[0] for number in numbers], 2):
        yield from (one + other, abs(one - other))


def find_absent(
    statement: str,
    context: Numbers,
    question: Numbers = NONE,
    bounds: Collection[str] = (),
) -> Iterator[Absent]:
    """The same, each where it is, and also what follows these words for ``bounds``."""
    for number, text in own_numbers(statement):
        if _may_be_derived(text, number, bounds) or _occurs(number, question, text):
            continue
        if not _occurs(number, context, text):
            yield Absent(number, text, number.start, number.end)
        elif money := money_of(text, number):
            if not _is_paid(number, money, context, text):
                yield Absent(number, text, money.start, money.end)
        elif end := _end_of_lost_unit(number, context):
            yield Absent(number, text, number.start, end)


def own_numbers(statement: str) -> Iterator[tuple[Number, str]]:
    """The numbers that a statement itself says, each with the text in which it is.

    In that text there are spaces for the list marker, citations and addresses.
    """
    blank = without_references(statement)
    for number in find_numbers(blank):
        if not _is_name(blank, number):
            yield number, blank


def without_references(text: str) -> str:
    """A text with spaces for its list marker, citations and addresses, and digits from 0 to 9."""
    text = ascii_digits(text)
    for pattern in (_CITED, _ADDRESS):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    if marker := _MARKER.match(text):
        text = " " * marker.end() + text[marker.end() :]
    return text


# ---------------------------------------------------------------- what is not looked for


def _is_name(text: str, number: Number) -> bool:
    """Whether a number is part of a name, or numbers a part of a text."""
    start, end = number.start, number.end
    digits, before, behind = text[start:end], text[start - 1 : start], text[end : end + 2]
    if digits.count(".") > 1 or "/" in digits:  # a section, a version, an address; a fraction
        return True
    if SPACED.match(text, start) or _SPACED_END.search(text, max(start - 4, 0), end):
        return True  # 53 879: one number or two
    joined = before != "" and before in "-–_#./" and text[start - 2 : start - 1].isalpha()
    if before.isalpha() or joined or (behind[:1] in ("-", "_") and behind[1:].isupper()):
        return True
    if behind[:1].isalpha() and behind.rstrip(" .,;:") not in _ORDINALS:
        is_measured = number.after in units() or number.after in valued("scales")
        if not is_measured and OCLOCK.match(text, end) is None:
            return True  # 37A
    if money_of(text, number):
        return False
    word = _WORD_BEFORE.search(text, max(start - 40, 0), start)
    return (word is not None and _names(word[1])) or _begins_name(text, start, end)


def _names(word: str) -> bool:
    """Whether a number after this word is a name's: "Boeing", "Chapter"; not "July" or "In"."""
    plain = word.casefold()
    if plain in words_of("labels"):
        return True
    usual = (words_of("before a number"), valued("months"), units())
    return word[0].isupper() and not any(plain in words for words in usual)


def _begins_name(text: str, start: int, end: int) -> bool:
    """Whether a name follows: "2016 Tour", "14th Dalai Lama"; or a work: "Hush (2016 film)"."""
    if text[start - 1 : start] == "(" and _WORK.match(text, end):
        return True
    if text[end : end + 2] in _ORDINALS:
        end += 2
    word = _WORD_BEHIND.match(text, end)
    if word is None or not word[1][0].isupper():
        return False
    usual = (words_of("after a number"), valued("months"), units(), valued("scales"))
    return not any(word[1].casefold() in words for words in usual)


def _may_be_derived(text: str, number: Number, bounds: Collection[str]) -> bool:
    """Whether a number is a bound, or so small that it may count what the context lists."""
    before = _words_before(text, number)
    if not words_of("bounds").isdisjoint({*before[-2:]}.difference(bounds)):
        return True
    if before[-1:] == ["and"] and "between" in before:
        return True
    is_count = number.end - number.start <= 2 and max(number.values) <= SMALL
    is_date = before[-1:] and before[-1].strip(".,") in valued("months")
    if is_date or number.after in valued("months") or is_in_date(text, number):
        return False
    is_time = any(clock_of(text, number))
    is_measured = number.after in units() or money_of(text, number)
    return is_count and not is_time and not is_measured


def _words_before(text: str, number: Number) -> list[str]:
    return text[max(number.start - BEFORE, 0) : number.start].casefold().split()


# ---------------------------------------------------------------- whether it is there


def _occurs(number: Number, context: Numbers, text: str) -> bool:
    if times := list(clock_of(text, number)):
        return _time_occurs(number, times, context)
    if any(_between(context.values, *span) for span in _spans(number, text)):
        return True
    months = valued("months") if is_in_date(text, number) else {}
    if any(month in number.values and name in context.words for name, month in months.items()):
        return True
    roughly = not words_of("roughly").isdisjoint(_words_before(text, number)[-3:])
    tolerance = ROUGHLY if roughly else ROUNDED
    if any(_near(value, number, context.values, tolerance, roughly) for value in number.values):
        return True
    unit = units().get(number.after)
    if unit is None:
        return False
    known = _measured(unit, context)
    return any(_near(v * unit.size, number, known, tolerance, True) for v in number.values)


def _is_paid(number: Number, money: Money, context: Numbers, text: str) -> bool:
    """Whether an amount is there, in a currency that it may be or in one that is not written."""
    amounts = (context.priced[name] for name in money.currencies if name in context.priced)
    return any(
        _occurs(number, context._replace(values=values), text)
        for values in (context.plain, *amounts)
    )


def _measured(unit: Unit, context: Numbers) -> list[float]:
    """What the context measures in this dimension; half is 50 %."""
    found = context.measured.get(unit.dimension, [])
    if unit.dimension != "share":
        return found
    return sorted([*found, *(100 * value for value in context.values if 0 <= value <= 1)])


def _time_occurs(number: Number, times: list[float], context: Numbers) -> bool:
    """Whether a time of day is there, or the two numbers that it consists of."""
    parts = [value for value in times if value >= 0]
    if parts and all(_between(context.values, part, part) for part in parts):
        return True
    said = [value for value in times if value < 0] + ([] if parts else [*number.values])
    return any(_between(context.values, value, value) for value in said)


def _spans(number: Number, text: str) -> Iterator[tuple[float, float]]:
    """The years of "the 1960s" or "the 19th century"."""
    behind = text[number.end : number.end + 14].lstrip(" '’")
    for value in number.values:
        if value % 10 == 0 and behind[:1] == "s" and not behind[1:2].isalpha():
            yield value, value + (99 if value % 100 == 0 else 9)
        if behind[2:].lstrip(" -").startswith("centur"):
            yield 100 * value - 100, 100 * value


def _end_of_lost_unit(number: Number, context: Numbers) -> int:
    """Where the unit of a number ends, if the context has that unit nowhere; else 0.

    Not of a time, which is often implied, nor of a word that may be something else.
    """
    unit, word = units().get(number.after), number.after
    if unit is None or unit.implied or not is_clear(word):
        return 0
    if not context.words.isdisjoint(name for name, one in units().items() if one == unit):
        return 0
    known = _measured(unit, context)
    if any(_near(v * unit.size, number, known, ROUNDED, True) for v in number.values):
        return 0
    return number.after_end


def _near(value: float, number: Number, known: list[float], tolerance: float, rounds: bool) -> bool:
    """Whether a value is among the known ones, or one of them may have been rounded to it."""
    if _between(known, value - CLOSE * value, value + CLOSE * value):
        return True
    if not rounds and is_year(value):  # a year is not rounded
        return False
    first = bisect_left(known, value - value * min(number.step / 2, tolerance))
    most = value + value * min(number.step, tolerance)  # 23,768 is also cut to 23,000
    end = bisect_right(known, most)
    if rounds or value >= 100:
        return first < end
    return any(one != int(one) for one in known[first:end])


def _between(known: list[float], low: float, high: float) -> bool:
    return bisect_left(known, low) < bisect_right(known, high)
