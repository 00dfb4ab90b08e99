"""The numbers of a context, and whether it has a number of a statement.

A number occurs if the context has one of its kind and value (``numbers.py``), also rounded, in a
table of millions, or within a decade or century. In doubt it occurs: of two readings one is enough.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from math import isclose

from .citations import without_references
from .number_words import valued, words_of
from .numbers import EXACT, Meaning, Number, find_numbers, is_year
from .strings import found_once, function_words, lazy_pattern

CLOSE = 1e-9
"""Relative difference of numbers that are the same."""
ROUNDED, ROUGHLY = 0.1, 0.2
"""The most that a rounded number differs, as a share, and one after "about"."""
SHORT = 100
"""Whole numbers below it are as short as what they would be rounded to."""
IN_TABLES = 100
"""What is at least so much may stand in a table of thousands or millions, which does not say so."""
BEFORE = 30
"""Characters before a number that say what it is."""
MOST_EVIDENCE = 5_000
"""Characters of the evidence that are read."""

_HEADS_TABLE = lazy_pattern(r"(?i:\b[ie][nm] ?|[('’$£€])$")
"""Before "millions" or "000", of which all bare numbers below are then."""
_ROMAN = lazy_pattern(r"[XVI](?<![^\W_].)[XVI]{1,5}(?![^\W_])")
_ROMANS = {
    f"{'X' * tens}{ones}": 10.0 * tens + value
    for tens in range(4)
    for value, ones in enumerate(("", *"I II III IV V VI VII VIII IX".split()))
}


class Numbers:
    """The numbers that passages have. They are read when they are first asked for.

    Args:
        language: of the answer, which says what 1.200 is in a text that does not tell; "" if it is
            not known.
    """

    def __init__(self, *passages: str, language: str = "") -> None:
        self._passages, self.language = passages, language
        self.text = "\n".join(passages)
        self._parts: dict[str, Numbers] = {}

    def of_evidence(self, sentences: str) -> Numbers:
        """Those of evidence, which many statements share, without its citations."""
        if sentences not in self._parts:
            text = without_references(sentences[:MOST_EVIDENCE])
            self._parts[sentences] = Numbers(text, language=self.language)
        return self._parts[sentences]

    def has_as_written(self, sentence: str) -> bool:
        """Whether a sentence stands here word for word: then nothing need be read."""
        said, start = sentence.strip(), self.text.find(sentence.strip())
        end, is_whole = start + len(said), said[:1].isalpha() and said.endswith((".", "!", "?"))
        return is_whole and start >= 0 and not self.text[end : end + 1].strip()

    def has_all_of(self, text: str) -> bool:
        """Whether each number of ``text`` is here too. "One" is an article as well."""
        found = find_numbers(without_references(text))
        asked = [n.asks for n in found if n.asks and (n.digits or n.plain != (1.0,))]
        return all(map(self.has, asked))

    def has(self, meanings: Iterable[Meaning]) -> bool:
        """Whether its numbers have one of these."""
        return any(
            self.between(kind, value - CLOSE * abs(value), value + CLOSE * abs(value))
            for kind, value in meanings
        )

    def between(self, kind: str, low: float, high: float) -> list[float]:
        """The values of a kind within these bounds."""
        known = self.kinds.get(kind, [])
        return known[bisect_left(known, low) : bisect_right(known, high)]

    @found_once
    def numbers(self) -> list[Number]:
        return find_numbers(self.text, language=self.language)

    @found_once
    def counted(self) -> set[str]:
        """The words behind its numbers."""
        return {number.after for number in self.numbers} - {""} - function_words()

    @found_once
    def kinds(self) -> Mapping[str, list[float]]:
        """The values of each kind, ascending, as ``Number.offers`` has them, also of tables.

        "" are the numbers without a kind, "any" all.
        """
        found = defaultdict[str, list[float]](list, {"": [], "any": []})
        for number in self.numbers:
            for kind, value in number.offers:
                found[kind].append(value)
            if number.loose:
                found["any"] += number.loose
                found[""] += number.loose if not number.digits or number.kinds() & EXACT else ()
        for kind, value in self._in_tables():
            found[kind].append(value)
        found["share"] += [value for value in found[""] if 0 <= value <= 1]
        romans = [_ROMANS[roman] for roman in _ROMAN.findall(self.text) if roman in _ROMANS]
        for kind in ("", "any", "order"):
            found[kind] += romans
        return {kind: sorted(values) for kind, values in found.items()}

    def _in_tables(self) -> Iterator[Meaning]:
        """What bare numbers mean behind "in millions" or "£'000", as far as a passage goes."""
        size, end = 1.0, 0
        for number in self.numbers:
            word = self.text[number.start : number.end].casefold()
            scale = 1000.0 if word == "000" else word[2:] and valued("scales").get(word)  # no (mm)
            head = self.text[max(number.start - 4, 0) : number.start] if scale else ""
            if scale and scale >= 1000 and _HEADS_TABLE.search(head):
                size, ends = scale, accumulate(len(passage) + 1 for passage in self._passages)
                end = next(place for place in ends if place > number.start)
            elif number.start < end and not number.loose and all(map(str.isupper, number.kinds())):
                yield from ((kind, value * size) for kind, value in number.offers)


NONE = Numbers("")


def occurs(number: Number, context: Numbers, text: str) -> bool:
    """Whether a context has a number of a text, perhaps rounded, or a year of its decade."""
    if context.has(number.asks) or _is_rounded(number, context, text):
        return True
    if any(context.between("any", *years) for years in _spans(number, text)):
        return True
    pool = "any" if "order" in number.kinds() else ""
    least = IN_TABLES if number.last > number.end and number.plain else 0
    return context.has((pool, value) for value in number.loose if value >= least)


def words_before(text: str, number: Number) -> list[str]:
    """The words that say what a number is."""
    return text[max(number.first - BEFORE, 0) : number.first].casefold().split()


def _spans(number: Number, text: str) -> Iterator[tuple[float, float]]:
    """The years of "the 1960s" or "the 19th century"."""
    behind = text[number.last : number.last + 14].lstrip(" '’-")
    if behind[:1] not in ("s", "c", "年", "년"):
        return
    for value in (*number.plain, *number.loose):
        is_plural = behind[:1] == "s" and not behind[1:2].isalpha()
        if value % 10 == 0 and (is_plural or behind[:2] in ("年代", "년대")):
            yield value, value + (99 if value % 100 == 0 else 9)
        if behind.startswith("centur"):
            yield 100 * value - 100, 100 * value


def _is_rounded(number: Number, context: Numbers, text: str) -> bool:
    """Whether a number may have been rounded, or cut off: 23,768 to 24,000 or 23,000.

    Nobody rounds a year, nor without a word what is as short as 28.
    """
    roughly = not words_of("roughly").isdisjoint(words_before(text, number)[-3:])
    tolerance, step = ROUGHLY if roughly else ROUNDED, number.step
    half = min(step / 2, tolerance)
    most = max(half, min(step, tolerance / 2))
    for kind, value in number.asks:
        if kind in EXACT or (is_year(value) and kind in ("", "any") and not roughly):
            continue
        plain = number.plain[0] if any(number.plain[:1]) else 0.0
        unit = value / plain if plain and value else 1.0
        whole = abs(value)
        if kind == "temperature":  # of which no share can be taken: 36 °F from 2 °C
            whole = abs(plain) * number.units[0].size
        for one in context.between(kind, value - half * whole, value + most * whole):
            is_short = abs(one / unit) < SHORT and isclose(one / unit, round(one / unit))
            if roughly or not is_short:
                return True
    return False
