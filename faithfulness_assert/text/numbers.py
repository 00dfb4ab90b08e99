"""The numbers of a text, and all that they may mean: with separators, scales, units, and in words.

In doubt a number has several values. ``absent_numbers.py`` says which ones a context lacks.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .strings import lazy_pattern, word_lists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

YEARS = range(1000, 2101)
"""Whole numbers that may be years."""
MAX_DIGITS = 25
MOST_CELLS = 5_000
"""Cells of tables that are added up."""

_DIGITS = lazy_pattern(r"[0-9]+(?:[.,'’\u00a0\u202f:/][0-9]+| , [0-9]{3}(?![0-9])| \. [0-9]+)*")
_TOKEN = lazy_pattern(r"[^\W\d_]+|[0-9]|%")
_WORD_AFTER = lazy_pattern(
    r"[ \u00a0\u202f-]?(%|°? ?[CF](?![^\W_])|[^\W\d_]+(?:/[^\W\d_]+|[²³]|[23](?!\w))?)"
)
_MONTH_AFTER = lazy_pattern(r"(?:[.º]|st|nd|rd|th|er)? (?:of |de )?([^\W\d_]+)")
MONEY = "$€£¥₹"
SPACED = lazy_pattern(r"(?<![0-9])[0-9]{1,3}(?:[ \u00a0\u202f][0-9]{3}){1,6}(?![0-9])")
_SEASON = lazy_pattern(r"(?<![0-9])([12][0-9])([0-9]{2}) ?(?:--?|–|/) ?([0-9]{2})(?![0-9])")
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75}


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
    """The numbers of a context: all values, ascending, and those with a unit by its dimension."""

    values: list[float]
    measured: Mapping[str, list[float]]
    words: frozenset[str]


NONE = Numbers([], {}, frozenset())


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
def units() -> Mapping[str, Unit]:
    lines = (line.split() for line in word_lists("numbers")["units"].splitlines() if line)
    units = {w: Unit(kind, float(size)) for kind, size, *words in lines for w in words}
    return {**{w: Unit("time", size, True) for w, size in valued("times").items()}, **units}


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
        after_end = ahead.end() if ahead else found.end()
        yield Number(found.start(), found.end(), values, step, after, after_end)


def _values(digits: str) -> tuple[tuple[float, ...], float]:
    """What these digits may mean, and the share of the value that its last digit stands for."""
    plain = digits.replace(" ", "")
    parts = [part for part in _split(plain) if part]
    if len(parts) == 1:
        return (float(plain),), _step(plain)
    if ":" in plain:
        return (_time(*map(int, parts[:2])),), 0.0
    if "/" in plain:
        return tuple(map(float, parts)), 0.0
    whole, last = "".join(parts[:-1]), parts[-1]
    values = []
    if len(parts) == 2 or len(last) != 3:
        values.append(float(f"{whole}.{last}"))
    if all(len(part) == 3 for part in parts[1:]):
        values.append(float(whole + last))
    return tuple(values), _step(whole + last)


def _time(hours: int, minutes: int = 0) -> float:
    """A time of day as a value of its own: a negative one."""
    return -1.0 - 60 * hours - minutes


def _split(digits: str) -> list[str]:
    return "".join(char if char.isdigit() else " " for char in digits).split(" ")


def _step(digits: str) -> float:
    """The last digit that is not a closing zero, as a share: 330 was rounded to 10/330."""
    significant = digits.strip("0")
    return 1 / int(significant) if significant else 0.0


def numbers_of(text: str) -> Numbers:
    """All that may be a number in a context. Takes linear time."""
    values: set[float] = set()
    measured: dict[str, list[float]] = {}
    for number in find_numbers(text):
        values.update(number.values)
        values.update(clock_of(text, number))
        if unit := units().get(number.after):
            measured.setdefault(unit.dimension, []).extend(v * unit.size for v in number.values)
        elif number.after.rstrip(" cf") == "°" or number.after in ("c", "f"):
            values.update(
                v for value in number.values for v in (value * 9 / 5 + 32, (value - 32) * 5 / 9)
            )
    words = [token.casefold() for token in _TOKEN.findall(text)]
    for value, after in _spelled(words):
        values.add(value)
        if unit := units().get(after):
            measured.setdefault(unit.dimension, []).append(value * unit.size)
    values.update(float(found[0].replace(" ", "")) for found in SPACED.finditer(text))
    values.update(float(found[1] + found[3]) for found in _SEASON.finditer(text))
    values.update(_FRACTIONS[sign] for sign in _FRACTIONS if sign in text)
    values.update(_column_sums(text))
    ordered = {name: sorted(found) for name, found in measured.items()}
    signs = {sign for sign in MONEY if sign in text}
    return Numbers(sorted(values), ordered, frozenset(words) | signs)


def clock_of(text: str, number: Number) -> Iterator[float]:
    """The times of day that a number may be, and the numbers that it consists of."""
    digits = text[number.start : number.end]
    if ":" in digits:
        hours, minutes = map(int, _split(digits)[:2])
        yield from (float(hours), float(minutes))
    elif number.after in words_of("clock") and 0 <= number.values[0] <= 24:
        hours, minutes = int(number.values[0]), 0
    else:
        return
    yield from (_time(hours, minutes), _time((hours + 12) % 24, minutes))


def _spelled(words: list[str]) -> Iterator[tuple[float, str]]:
    """Numbers in words, such as "two hundred and fifty thousand", each with the word after it.

    Each part is a number too: nobody knows where one ends.
    """
    spelled, scales, months = valued("spelled"), valued("scales"), valued("months")
    total = part = 0.0
    for word, after in pairwise([*words, ""]):
        if word in spelled and word != "hundred":
            value = spelled[word]
            yield value, after
            part = (
                part + value
                if part >= 20 and part % 10 == 0 and value < max(part % 100, 100)
                else value
            )
        elif word in scales and part and len(word) > 1:
            part *= scales[word]
            if scales[word] > 100:
                total, part = total + part, 0.0
        elif word in months:
            yield months[word], after
            total = part = 0.0
        elif word != "and" or not (part or total):
            total = part = 0.0
        if total or part:
            yield total + part, after


def _column_sums(text: str) -> Iterator[float]:
    """The sums of columns of numbers in tables: lines that follow each other with as many cells."""
    sums: list[float | None] = []
    left = MOST_CELLS
    for line in text.split("\n") if "|" in text or "\t" in text or ";" in text else ():
        cells = [next(_cell_values(cell), None) for cell in _cells(line)[:50]]
        left -= len(cells)
        if left < 0:
            return
        if len(cells) < 2 or len(cells) != len(sums) or not any(cells):
            sums = list(cells)
            continue
        # A header or a text in a column starts it anew.
        sums = [
            one + two if one is not None and two is not None else two
            for one, two in zip(sums, cells, strict=True)
        ]
        yield from (total for total in sums if total)


def _cells(line: str) -> list[str]:
    mark = next((mark for mark in "|\t;" if mark in line), None)
    return line.strip().strip("|").split(mark) if mark else []


def _cell_values(cell: str) -> Iterator[float]:
    for number in find_numbers(cell[:60]):
        yield from number.values[:1]
