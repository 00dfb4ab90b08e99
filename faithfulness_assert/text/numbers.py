"""The numbers of a text, and all that they may mean: with separators, scales, units, and in words.

In doubt a number has several values. ``absent_numbers.py`` says which ones a context lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from unicodedata import digit, numeric

from .number_words import currencies, spelled_numbers, units, valued
from .strings import lazy_pattern

FIRST_YEAR, LAST_YEAR = 1000, 2100
MAX_DIGITS = 25
MOST_CELLS = 5_000
"""Cells of tables that are added up."""
WORD_BEFORE = 40
"""Characters before a number or a name in which a word is looked for."""

_DIGITS = lazy_pattern(r"[0-9]+(?:[.,'’\u00a0\u202f:/][0-9]+| , [0-9]{3}(?![0-9])| \. [0-9]+)*")
_TOKEN = lazy_pattern(r"[^\W\d_]+|[0-9]|%")
_WORD_AFTER = lazy_pattern(
    r"[ \u00a0\u202f-]?(%|°? ?[CF](?![^\W_])|[^\W\d_]+(?:/[^\W\d_]+|[²³]|[23](?!\w))?)"
)
_MONTH_AFTER = lazy_pattern(r"(?:[.º]|st|nd|rd|th|er)? (?:of |de )?([^\W\d_]+)")
_WORD_BEFORE = lazy_pattern(r"([^\W\d_]+)[.]? (?:the )?$")
_MINUTES = lazy_pattern(r"[0-5][0-9](?![0-9])")
OCLOCK = lazy_pattern(
    r"[ \u00a0\u202f]?(?:[ap](?:m|[.]m[.]?)|h(?:[0-5][0-9])?|uhr|heures|o['’]clock)(?![^\W_])",
    re.IGNORECASE,
)
_BETWEEN = lazy_pattern(r" ?(?:,|and|und|et|y|e|en)? ?$")
MONEY = "$€£¥₹₩₽₺₴₪"
_MONEY_BEFORE = lazy_pattern(
    rf"([^\W\d_]{{0,3}}[{MONEY}]|(?<![^\W_])[^\W\d_]{{2,4}}[.]?)[ \u00a0\u202f]?$"
)
_MONEY_AFTER = lazy_pattern(
    rf"[ \u00a0\u202f-]?(?:(?:US|U[.]S[.]) )?([{MONEY}](?! ?[0-9])|[^\W\d_]{{2,10}}(?![^\W_]))"
)
SPACED = lazy_pattern(r"(?<![0-9])[0-9]{1,3}(?:[ \u00a0\u202f][0-9]{3}){1,6}(?![0-9])")
_FROM_YEAR = lazy_pattern(r"(?<![0-9])([12][0-9])[0-9]{2} ?(?:--?|–) ?$")
_DAY_BEHIND = lazy_pattern(r"-[0-9]")
_SEASON = lazy_pattern(r"([12][0-9])[0-9]{2}/([0-9]{2})$")
_DATE = lazy_pattern(
    r"(?<![0-9-])(?:[0-9]{4}-[0-9]{1,2}(?:-[0-9]{1,2})?|(?:[0-9]{1,2}-){1,2}[0-9]{4})(?![0-9-])"
)
_FRACTION = lazy_pattern(r"([0-9]{0,9}) ?([¼-¾⅐-⅞])")
_OTHER_DIGITS = lazy_pattern(r"(?![0-9])\d")


class Number(NamedTuple):
    """A number in digits.

    Args:
        start, end: where it is.
        values: what it may be: ``1,234`` is 1234 or 1.234.
        step: the place that it may have been rounded to, as a share of the value.
        after: the word after it, in lower case, and where that ends.
    """

    start: int
    end: int
    values: tuple[float, ...]
    step: float
    after: str = ""
    after_end: int = 0


class Numbers(NamedTuple):
    """The numbers of a context: all values, ascending, and those with a unit by its dimension.

    Args:
        plain: the values that stand somewhere without a currency.
        priced: those that stand somewhere with one, by the currencies that it may be.
    """

    values: list[float]
    measured: Mapping[str, list[float]]
    words: frozenset[str]
    plain: list[float]
    priced: Mapping[str, list[float]]


class Money(NamedTuple):
    """Which currencies an amount may be of, and where it begins and ends with its sign or word."""

    currencies: frozenset[str]
    start: int
    end: int


NONE = Numbers([], {}, frozenset(), [], {})


# ---------------------------------------------------------------- reading


def find_numbers(text: str) -> Iterator[Number]:
    """The numbers in digits of ``text``, in order."""
    for found in _DIGITS.finditer(text):
        digits = found[0]
        if len(digits) > MAX_DIGITS:
            continue
        ahead = _MONTH_AFTER.match(text, found.end())
        if not ahead or ahead[1].casefold() not in valued("months"):
            ahead = _WORD_AFTER.match(text, found.end())
        after = ahead[1].casefold() if ahead else ""
        values, step = _values(digits)
        scale = valued("scales").get(after)
        if scale:
            values += tuple(value * scale for value in values)
        if year := last_year(text, *found.span()):
            values += (year,)
        after_end = ahead.end() if ahead else found.end()
        yield Number(found.start(), found.end(), values, step, after, after_end)


def is_year(value: float) -> bool:
    """Whether a number may be a year."""
    return FIRST_YEAR <= value <= LAST_YEAR and value == int(value)


def last_year(text: str, start: int, end: int) -> float | None:
    """The year that the two digits of "1983–84" stand for; none in a date such as 1983-04-05."""
    if end - start != 2 or _DAY_BEHIND.match(text, end):
        return None
    first = _FROM_YEAR.search(text, *_before(start))
    year = float(first[1] + text[start:end]) if first else 0.0
    return year if is_year(year) else None


def money_of(text: str, number: Number) -> Money | None:
    """The amount of money that a number is: "$3.5 million", "3.50 EUR"; None if it is none."""
    end = number.after_end if number.after in valued("scales") else number.end
    if found := _MONEY_BEFORE.search(text, *_before(number.start)):
        name = found[1].casefold().rstrip(".")
        if known := currencies().get(name) or currencies().get(name[-1:]):
            return Money(known, found.start(), end)
    found = _MONEY_AFTER.match(text, end)
    known = currencies().get(found[1].casefold()) if found else None
    return Money(known, number.start, found.end()) if found and known else None


def _before(start: int) -> tuple[int, int]:
    return max(start - 8, 0), start


def ascii_digits(text: str) -> str:
    """A text with the digits of all scripts as 0 to 9, each in its place."""
    return text if text.isascii() else _OTHER_DIGITS.sub(lambda sign: str(digit(sign[0])), text)


def _values(digits: str) -> tuple[tuple[float, ...], float]:
    """What these digits may mean, and the share of the value that its last digit stands for."""
    plain = digits.replace(" ", "")
    parts = [part for part in split_digits(plain) if part]
    if len(parts) == 1:
        return (float(plain),), _step(plain)
    if ":" in plain:
        return (_time(*map(int, parts[:2])),), 0.0
    numbers = tuple(map(float, parts))
    if "/" in plain:  # a date, a season or a fraction
        season = [float(year[1] + year[2]) for year in _SEASON.finditer(plain)]
        return (*numbers, *season, numbers[0] / (numbers[1] or 1)), 0.0
    whole, last = "".join(parts[:-1]), parts[-1]
    values = []
    if len(parts) == 2 or len(last) != 3:
        values.append(float(f"{whole}.{last}"))
    if len(last) == 3 and all(len(part) in (2, 3) for part in parts[1:]):  # also 1,23,456
        values.append(float(whole + last))
    if not values or (len(parts) == 3 and len(last) == 4):  # 3.5.2020
        values.extend(numbers)
    return tuple(values), _step(whole + last)


def _time(hours: int, minutes: int = 0) -> float:
    """A time of day as a value of its own: a negative one."""
    return -1.0 - 60 * hours - minutes


def split_digits(digits: str) -> list[str]:
    return "".join(char if char.isdigit() else " " for char in digits).split(" ")


def _step(digits: str) -> float:
    """The last digit that is not a closing zero, as a share: 330 was rounded to 10/330."""
    significant = digits.strip("0")
    return 1 / int(significant) if significant else 0.0


def numbers_of(text: str) -> Numbers:
    """All that may be a number in a context. Takes linear time."""
    text = ascii_digits(text)
    values: set[float] = set()
    priced: dict[str, set[float]] = {}
    measured: dict[str, list[float]] = {}
    found = list(find_numbers(text))
    for number in found:
        money = money_of(text, number)
        for name in money.currencies if money else ():
            priced.setdefault(name, set()).update(number.values)
        if not money:
            values.update(number.values)
        values.update(clock_of(text, number))
        if number.after.rstrip(" cf") == "°" or number.after in ("c", "f"):
            values.update(
                v for value in number.values for v in (value * 9 / 5 + 32, (value - 32) * 5 / 9)
            )
    for dimension, value in _measures(text, found):
        measured.setdefault(dimension, []).append(value)
    words = [token.casefold() for token in _TOKEN.findall(text)]
    for value, after in spelled_numbers(words):
        values.add(value)
        if unit := units().get(after):
            measured.setdefault(unit.dimension, []).append(value * unit.size)
    values.update(float("".join(parts[0].split())) for parts in SPACED.finditer(text))
    values.update(int(whole or 0) + numeric(sign) for whole, sign in _FRACTION.findall(text))
    values.update(_column_sums(text))
    ordered = {name: sorted(known) for name, known in measured.items()}
    amounts = {name: sorted(known) for name, known in priced.items()}
    all_values = sorted(values.union(*priced.values()))
    return Numbers(all_values, ordered, frozenset(words), sorted(values), amounts)


def _measures(text: str, numbers: list[Number]) -> Iterator[tuple[str, float]]:
    """The numbers with a unit, in basic units; also "6 feet 2 inches" as one."""
    last, last_end = ("", 0.0), 0
    for number in numbers:
        if not (unit := units().get(number.after)):
            continue
        yield from ((unit.dimension, value * unit.size) for value in number.values)
        value = number.values[0] * unit.size
        is_near = number.start - last_end < 6 and _BETWEEN.match(text, last_end, number.start)
        if last[0] == unit.dimension and is_near:
            yield unit.dimension, last[1] + value
        last, last_end = (unit.dimension, value), number.after_end


def clock_of(text: str, number: Number) -> Iterator[float]:
    """The times of day that a number may be, and the numbers that it consists of."""
    if time := hours_and_minutes(text, number):
        hours, minutes = time
        if not text[number.start : number.end].isdecimal():
            yield from (float(hours), float(minutes))
        yield from (_time(hours, minutes), _time((hours + 12) % 24, minutes))


def hours_and_minutes(text: str, number: Number) -> tuple[int, int] | None:
    """The time of day that a number is, as it is written: 5.30 pm is (5, 30)."""
    digits = text[number.start : number.end]
    is_clock = OCLOCK.match(text, number.end) is not None
    if ":" in digits or ("." in digits and is_clock):
        hours, minutes = map(int, split_digits(digits)[:2])
        return hours, minutes
    if number.after == "h" and (past := _MINUTES.match(text, number.after_end)):
        return int(number.values[0]), int(past[0])  # 17h30
    if is_clock and 0 <= number.values[0] <= 24:
        return int(number.values[0]), 0
    return None


def month_before(text: str, number: Number) -> re.Match[str] | None:
    """The word before a number, if it is a month."""
    before = word_before(text, number.start)
    return before if before and before[1].casefold() in valued("months") else None


def word_before(text: str, start: int) -> re.Match[str] | None:
    """The word that stands before a place, also with "the" between them."""
    return _WORD_BEFORE.search(text, max(start - WORD_BEFORE, 0), start)


def is_in_date(text: str, number: Number) -> bool:
    """Whether a number is a part of a date in digits: 2024-05-06, 6-5-2024 or 2024-05."""
    near = _DATE.finditer(text, max(number.start - 8, 0), number.end + 8)
    return any(date.start() <= number.start and number.end <= date.end() for date in near)


def _column_sums(text: str) -> Iterator[float]:
    """The sums of columns of numbers in tables: lines that follow each other with as many cells."""
    sums: list[float | None] = []
    left = MOST_CELLS
    for line in text.split("\n") if "|" in text or "\t" in text or ";" in text else ():
        mark = next((mark for mark in "|\t;" if mark in line), None)
        texts = line.strip().strip("|").split(mark)[:50] if mark else []
        firsts = [next(find_numbers(cell[:60]), None) for cell in texts]
        cells = [number and number.values[0] for number in firsts]
        left -= len(cells)
        if left < 0:
            return
        if len(cells) < 2 or len(cells) != len(sums) or not any(cells):
            sums = list(cells)
            continue
        # A header or a text in a column starts it anew.
        pairs = list(zip(sums, cells, strict=True))
        added = [None if one is None or two is None else one + two for one, two in pairs]
        yield from (total for total in added if total)
        sums = [two if total is None else total for total, two in zip(added, cells, strict=True)]
