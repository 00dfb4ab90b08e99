"""The numbers of a context and those of a statement, and which of these the context lacks.

A number occurs if the context has one of its kind and value (``numbers.py``), also rounded. In
doubt it occurs: of two readings one is enough. What is part of a name ("F-35", "the Boeing 737"), a
citation, a list marker, the number of a section or an address is not looked for, nor what may be
derived: a bound ("over 3 g"), a small count.

Only numbers in digits are looked for: spelled-out ones are mostly counts of what is there.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import accumulate
from math import isclose
from typing import NamedTuple

from .citations import without_references
from .number_words import units_of, valued, words_of
from .numbers import EXACT, Meaning, Number, find_numbers, is_year, usual_signs
from .strings import FIRST_DENSE, found_once, function_words, lazy_pattern

CLOSE = 1e-9
"""Relative difference of numbers that are the same."""
ROUNDED, ROUGHLY = 0.1, 0.2
"""The most that a rounded number differs, as a share, and one after "about"."""
SHORT = 100
"""Whole numbers below it are as short as what they would be rounded to."""
SMALL = 10
"""Whole numbers up to this, without a unit, may count what the context lists."""
IN_TABLES = 100
"""What is at least so much may stand in a table of thousands or millions, which does not say so."""
NAME_GAPS = ("-", "–", ".", "/")
"""Between the numbers of one name."""
LIST_GAPS = (*NAME_GAPS, ",", ";", "&", "to", "bis", "à", "a", "hasta", "tot")
TIMES = ("×", "*", "÷", "/")
"""Behind one of these, a power of ten is no fact of a context."""
MOST_APART = 4
"""How many times a bound of what a context says may differ from it: "over 3 g" from 7 g."""
BEFORE = 30
"""Characters before a number that say what it is."""
MOST_EVIDENCE = 5_000
"""Characters of the evidence that are read."""
BESIDE = 5
"""Words from a number on that are looked for as they are written."""
STOPS = ",;:!?.)]"

_LATEX = lazy_pattern(
    r"\\(?:frac\s?\{([^{}]{1,40})\}\{([^{}]{1,40})\}|text\s?\{([^{}]{1,40})\}|(times|cdot|div)\b"
    r"|[$%,;()\[\]])"
)
_LATEX_SIGNS = {"times": "×", "cdot": "×", "div": "÷", "$": " $", "%": " %"}
_HEADS_TABLE = lazy_pattern(r"(?:\b[ie][nm] ?|[(])$", re.IGNORECASE)
"""Before "millions", of which all bare numbers below are then."""
# Read backwards from a number, which is much faster than to search for where a word begins.
_JOINED = lazy_pattern(r"(?:[0-9–./_-]*(?:[-–_#./]|#:))?[^\W\d_]{1,10}(?![^\W_])")
_WORD_BEFORE = lazy_pattern(r"( fo | ,|[(=:] ?| ?[.]?)([^\W\d_]+|[§№])")
_WORD_BEHIND = lazy_pattern(r"[ -]([^\W\d_]+)")
_NAMED_YEAR = lazy_pattern(r"(?:[A-Z][\w.'-]*|al[.]) \($")
_WORK = lazy_pattern(r"( [a-z ]{3,20} ?)?[)]")
_ROMAN = lazy_pattern(r"[XVI](?<![^\W_].)[XVI]{1,5}(?![^\W_])")
MOST_ROMAN = 40
_ROMAN_SIGNS = {"X": 10, "V": 5, "I": 1}
_DIGIT = lazy_pattern(r"\d")
_ENDS = lazy_pattern(r"[.,;:!?)\]]*(?:\s|$)")
_STOPS = lazy_pattern(r"[.,;:!?)\]]*(?:\n|$)|[.;!?](?:\s|$)")


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

    def has_as_written(self, own: Own) -> bool:
        """Whether each number of a statement stands here among the same words.

        Then nothing need be read. What goes on in another way is in doubt: "$5" and "$5 million".
        """
        words, text = own.text.split(), self.text
        for place, word in enumerate(words):
            if not word.isalpha() and _DIGIT.search(word):  # the first is five times as fast
                said = " ".join(words[max(place - 1, 0) : place + BESIDE]).rstrip(STOPS)
                start, is_last = text.find(said), place + BESIDE >= len(words)
                ends = _STOPS if is_last else _ENDS
                if not place or start < 0 or not ends.match(text, start + len(said)):
                    return False
        return True

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
    def romans(self) -> set[int]:
        """The values of its Roman numerals below 40, of two letters or more."""
        signs = [[_ROMAN_SIGNS[sign] for sign in roman] for roman in _ROMAN.findall(self.text)]
        return {sum(-a if a < max(of[i:]) else a for i, a in enumerate(of)) for of in signs}

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
        return {kind: sorted(values) for kind, values in found.items()}

    def _in_tables(self) -> Iterator[Meaning]:
        """What bare numbers mean behind "in millions" or "£'000", as far as a passage goes."""
        size, end = 1.0, 0
        for number in self.numbers:
            if number.digits in ("", "000") and (scale := self._scale_above(number)) >= 1000:
                size, ends = scale, accumulate(len(passage) + 1 for passage in self._passages)
                end = next(place for place in ends if place > number.start)
            elif number.start < end and not number.loose and all(map(str.isupper, number.kinds())):
                yield from ((kind, value * size) for kind, value in number.offers)

    def _scale_above(self, number: Number) -> float:
        text, start = self.text, number.start
        if number.digits:
            return 1000.0 if text[start - 1 : start] in ("'", "’", *"£$€") else 0.0
        word = text[start : number.end].casefold()
        is_head = word[2:] and _HEADS_TABLE.search(text, max(start - 4, 0), start)  # no (mm)
        return valued("scales").get(word, 0.0) if is_head else 0.0


NONE = Numbers("")


def _said_by_latex(found: re.Match[str]) -> str:
    r"""What "\\$" or "\\text{ million}" says, as long as that is."""
    above, below, text, _ = found.groups()
    said = text.strip() if text else _LATEX_SIGNS.get(found[0][1:], "")
    return (f"    ({above})/({below})" if above else said).ljust(len(found[0]))


class Own:
    """The numbers in digits of a statement, and the text that they are read in.

    In that text there are spaces for the list marker, citations and addresses.
    """

    def __init__(self, statement: str, language: str = "") -> None:
        self.statement, self.language = statement, language
        said = statement if statement.isascii() else usual_signs(statement)
        said = _LATEX.sub(_said_by_latex, said) if "\\" in said else said
        self.text = without_references(said)

    @found_once
    def read(self) -> list[Number]:
        return find_numbers(self.text, in_words=False, language=self.language)

    @found_once
    def numbers(self) -> list[Number]:
        """Those that say something themselves: neither a name nor a page nor a part of another."""
        found: list[Number] = []
        end_of_name, in_list = -1, False
        for number in self.read:
            gap = self.text[end_of_name : number.start]
            in_list = in_list and gap.strip() in {*LIST_GAPS, *words_of("joiners")}
            before = self.text[max(number.start - 20, 0) : number.start].rstrip(" .:=#")
            word = before.rpartition(" ")[2].lstrip("([")
            in_list = in_list or (word.casefold() in words_of("pages") and not _is_share(number))
            if in_list or gap in NAME_GAPS or _is_name(self.text, number, self.language):
                end_of_name = number.end
            elif not number.is_part:
                found.append(number)
        return found


class Absent(NamedTuple):
    """A number that is nowhere, and where in its statement what is nowhere begins and ends."""

    number: Number
    first: int
    last: int


def find_absent(
    own: Own, context: Numbers, question: Numbers = NONE, bounds: Collection[str] = ()
) -> list[Absent]:
    """The numbers of a statement that occur neither in a context nor in a question.

    With its unit or currency only if the number is there and the unit is not.

    Args:
        bounds: words for bounds behind which a number is looked for all the same.
    """
    text, found = own.text, []
    if context.has_as_written(own):
        return []
    if not (absent := [n for n in own.read if not _occurs(n, context, text)]):
        return []
    asked = question.text and question.numbers
    absent = [n for n in absent if n in own.numbers and not (asked and _occurs(n, question, text))]
    there = {m for n in own.numbers if n not in absent for m in n.meanings}
    for number in absent:
        is_whole = number.is_clear and context.has(("any", value) for value in number.plain)
        if there.isdisjoint(number.meanings) and (  # not said again in another unit
            is_whole or not _may_be_derived(text, number, bounds, context)
        ):
            is_whole = is_whole and number.kinds().isdisjoint(("clock", "order"))
            place = (number.first, number.last) if is_whole else (number.start, number.end)
            found.append(Absent(number, *place))
    return found


# ---------------------------------------------------------------- what is not looked for


def _is_share(number: Number) -> bool:
    """Whether a number is between 0 and 1, and so numbers no page: "p = 0.03"."""
    return "/" not in number.digits and any(0 < value < 1 for value in number.plain[:1])


def _is_name(text: str, number: Number, language: str) -> bool:
    """Whether a number is part of a name, or numbers a part of a text."""
    start, end, kinds = number.start, number.end, number.kinds()
    said, behind = text[start : number.last], text[end : end + 2].rstrip(" .,;:'")
    if any(kind.startswith("written ") for kind in kinds):
        return True
    if not words_of("names").isdisjoint((said, said.casefold())):
        return True
    if kinds & EXACT - {"order"}:
        return False
    before = text[max(start - 40, 0) : start][::-1]
    if before and not before[0].isspace() and _JOINED.match(before[:20]):
        if before[0] >= FIRST_DENSE:  # 정부24, 제50조, but not 于2023年, 有3万 or 有300人
            is_counted = behind[:1] in words_of("counters") and before[0] != "第"
            return before[0] == "제" or (number.last == end and not is_counted)
        return number.first == start  # not US$5
    if number.last == end and (behind[:1].isalpha() or behind[:1] == "_"):
        return behind[0] not in words_of("counters") and behind != "s"  # 37A
    parts = [float(part) for part in number.digits.split("/") if part.isdecimal()]
    if len(parts) == 2 and sum(map(is_year, parts)) == 1 and min(parts) > 12:
        return True  # the laws 168/2024 and 2016/679
    is_named = False
    if word := _WORD_BEFORE.match(before):
        said = word[2][::-1]
        plain = said.casefold()
        is_named = plain in words_of("labels") and not _is_share(number)
        # "Boeing" makes a name of what follows, "July" and "In" do not, nor do brackets.
        if not is_named and said[0].isupper() and not word[1].strip(" ."):
            is_usual = plain in words_of("before a number") or plain in valued("months")
            is_first = not any(map(str.isalnum, text[: start - word.end()]))
            is_named = not is_first and not (is_usual and (said.istitle() or plain == "ad"))
    if number.is_clear and "order" not in kinds:
        return is_named and len(number.after) == 1  # the type 37A
    return is_named or _begins_name(text, number, language)


def _begins_name(text: str, number: Number, language: str) -> bool:
    """Whether a name follows: "2016 Tour", "14th Dalai Lama"; or a work: "Hush (2016 film)"."""
    start, end = number.start, number.last
    in_bracket = text[max(start - 2, 0) : start].strip() == "("
    if in_bracket and (work := _WORK.match(text, end)):  # Hush (2016 film), Roe v. Wade (1973)
        return bool(work[1]) or bool(_NAMED_YEAR.search(text, max(start - 40, 0), start))
    word = None if language == "de" else _WORD_BEHIND.match(text, end)  # all nouns are capitalised
    if word is None or not word[1][0].isupper() or (units_of(word[1]) and not number.kinds()):
        return False
    says_nothing = word[1][1:].isupper() or text.istitle()
    if says_nothing and not ("order" in number.kinds() or any(map(is_year, number.plain))):
        return False  # 20,000 TEU, and 9999 Rooms as a heading, but the 2018 FIFA World Cup
    usual = (words_of("after a number"), valued("months"), valued("scales"))
    return not any(word[1].casefold() in words for words in usual)


def _may_be_derived(text: str, number: Number, bounds: Collection[str], context: Numbers) -> bool:
    """Whether a number is a bound, or so small that it may count what the context lists.

    It counts nothing that is listed where the context itself counts the same: 2 or 20 tablets.
    """
    words = _words_before(text, number)
    is_power = not text[number.start : number.end].strip("10,")
    if not words_of("bounds").isdisjoint({*words[-2:]}.difference(bounds)):
        apart = ((kind, v / MOST_APART, v * MOST_APART) for kind, v in number.asks)
        is_near = any(context.between(kind, *sorted(span)) for kind, *span in apart)
        is_alike = number.after in context.counted or any(map(context.kinds.get, number.kinds()))
        return is_power or is_near or not is_alike
    if is_power and (
        text[: number.start].rstrip(" ($")[-1:] in TIMES
        or any(word.startswith("multipl") for word in words[-4:])
    ):
        return True  # 0.25 × 100 = 25
    is_short = number.end - number.start <= 2 and not number.meanings
    is_small = is_short and max(number.plain, default=SMALL + 1) <= SMALL
    return is_small and number.after not in context.counted


def _words_before(text: str, number: Number) -> list[str]:
    return text[max(number.first - BEFORE, 0) : number.first].casefold().split()


# ---------------------------------------------------------------- whether it is there


def _occurs(number: Number, context: Numbers, text: str) -> bool:
    """Whether a context has a number, perhaps rounded, or in the years of a decade or century."""
    if context.has(number.asks) or _is_rounded(number, context, text):
        return True
    values = (*number.plain, *number.loose)
    if any(context.between("any", *years) for years in _spans(number, text)) or any(
        value < MOST_ROMAN and value in context.romans for value in values
    ):
        return True
    pool = "any" if "order" in number.kinds() else ""
    least = IN_TABLES if number.last > number.end and number.plain else 0
    return context.has((pool, value) for value in number.loose if value >= least)


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
    known = [
        (kind, value, near)
        for kind, value in number.asks
        if (reach := ROUGHLY * abs(value) + (kind == "temperature")) and kind not in EXACT
        if (near := context.between(kind, value - reach, value + reach))
    ]
    if not known:
        return False
    roughly = not words_of("roughly").isdisjoint(_words_before(text, number)[-3:])
    tolerance, step = ROUGHLY if roughly else ROUNDED, number.step
    half = min(step / 2, tolerance)
    most = max(half, min(step, tolerance / 2))
    for kind, value, near in known:
        if is_year(value) and kind in ("", "any") and not roughly:
            continue
        low, high = value - half * abs(value), value + most * abs(value)
        if kind == "temperature":  # of which no share can be taken: 36 °F from 2 °C
            decimals = len(number.digits.replace(",", ".").partition(".")[2])
            degree = number.units[0].size / 10**decimals * tolerance / ROUNDED / 2
            low, high = value - degree, value + degree
        unit = value / number.plain[0] if value and any(number.plain[:1]) else 1.0
        for one in near:
            is_short = abs(one / unit) < SHORT and isclose(one / unit, round(one / unit))
            if low <= one <= high and (roughly or not is_short):
                return True
    return False
