"""Which numbers of a statement occur nowhere in a context, by code alone.

A number occurs if the context has one of its kind and value (``numbers.py``), also rounded, or as
what the statement computes from two others. In doubt it occurs: of two readings one is enough. What
is part of a name ("F-35", "the Boeing 737"), a citation, a list marker, the number of a section or
an address is not looked for, nor what may be derived: a bound ("over 3 g"), a small count.

Only numbers in digits are looked for: spelled-out ones are mostly counts of what is there.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, combinations
from math import isclose

from .citations import without_references
from .equations import results
from .number_words import units_of, valued, words_of
from .numbers import (
    EXACT,
    MINUS,
    Meaning,
    Number,
    find_numbers,
    is_year,
    roles_of_words,
    usual_signs,
)
from .strings import FIRST_DENSE, found_once, function_words, lazy_pattern

CLOSE = 1e-9
"""Relative difference of numbers that are the same."""
ROUNDED, ROUGHLY = 0.1, 0.2
"""The most that a rounded number differs, as a share, and one after "about"."""
SHORT = 100
"""Whole numbers below it are as short as what they would be rounded to."""
MOST_ABSENT = 20
EQUALS, MOST_STEPS, MOST_LISTED = ("=", "≈"), 5, 6
"""Signs of equality, results that follow from one another, and numbers that one is the sum of."""
MOST_EVIDENCE, MOST_ADDED = 5_000, 20
"""Characters of the evidence, and numbers in them, that are added and subtracted."""
LEAST_EXACT = 0.02
"""The last digit of a ratio, as a share of it: with a larger one, a wrong number would be met by
chance."""
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
MOST_SEARCHED, MOST_TRIES, MOST_BESIDE = 50_000, 5, 6
"""Characters that are searched for a number as it is written, places that are tried there, and the
words behind it that may belong to it."""

_LATEX = lazy_pattern(
    r"\\(?:frac\s?\{([^{}]{1,40})\}\{([^{}]{1,40})\}|text\s?\{([^{}]{1,40})\}|(times|cdot|div)\b"
    r"|[$%,;()\[\]])"
)
_LATEX_SIGNS = {"times": "×", "cdot": "×", "div": "÷", "$": " $", "%": " %"}
_IN_MILLIONS = lazy_pattern(
    r"(?:\b[ie][nm] ?|[(])(thousands|milliers|tausend|mio|mrd|lakhs?|lacs?|crores?"
    r"|(?:m|b|tr)ill?i(?:on|ard)[a-z]{0,3})\b|(?<!\d)['’£$€]000(?![\d.,])",
    re.IGNORECASE,
)
_OF_TABLES = "thousand illi tausend mio mrd lakh lac crore '000 ’000 £000 $000 €000".split()
# Read backwards from a number, which is much faster than to search for where a word begins.
_JOINED = lazy_pattern(r"(?:[0-9–./_-]*(?:[-–_#./]|#:))?[^\W\d_]{1,10}(?![^\W_])")
_WORD_BEFORE = lazy_pattern(r"( fo | ,|[(=:] ?| ?[.]?)([^\W\d_]+|[§№])")
_WORD_BEHIND = lazy_pattern(r"[ -]([^\W\d_]+)")
_NAMED_YEAR = lazy_pattern(r"(?:[A-Z][\w.'-]*|al[.]) \($")
_WORK = lazy_pattern(r"( [a-z ]{3,20} ?)?[)]")
_ROMAN = lazy_pattern(r"[XVI](?<![^\W_].)[XVI]{1,5}(?![^\W_])")
_ONES = " I II III IV V VI VII VIII IX".split(" ")
_ROMANS = {"X" * n + ones: 10.0 * n + one for n in range(4) for one, ones in enumerate(_ONES)}
_ENUMERATES = lazy_pattern(r"\.(?: [A-Z]|[a-z](?![\w.]))")
"""Behind the number of a part of a text: "1.1. Growth", "Article 3.1.a"."""
_BROKEN = lazy_pattern(
    r"([0-9](?<![\d.,].)[0-9]{0,2})(?: [.,]|[.,] )"
    r"([0-9]{1,2}(?![\d.,])(?:[^\d\n]|(?<=[a-z])[23](?!\d)){0,20})"
)
"""A decimal that was torn where a document became a text, with what may be its unit: "12, 4 %"."""
_DIGIT, _DIGITS = lazy_pattern(r"\d"), lazy_pattern(r"[\d¼-¾⅐-⅞]+")
STOPS = (",", ";", ":", "!", "?", ".", ")", "]")
_GOES_ON = lazy_pattern(r"[^\W_]|[%‰°²³/^'\"’”′*·×−–-]| ?[\d½¼¾]|[.,:][^\W_]| ?[.,:×x*/–−-] ?\d")
"""What goes on with a number."""


class Numbers:
    """The numbers that passages have. They are read when they are first asked for.

    Args:
        language: of the answer, which says what 1.200 is in a text that does not tell; "" if it is
            not known.
    """

    def __init__(self, *passages: str, language: str = "") -> None:
        self._passages, self.language = passages, language
        self.text = "\n".join(passages)

    def has_as_written(self, own: Own) -> bool:
        """Whether each number of a statement stands here too, with the words that belong to it.

        Then none of them need be read, and mostly nothing of a context.
        """
        words = own.text.split(" ")
        for at, word in enumerate(words):
            if word.isalpha() or not _DIGIT.search(word):
                continue
            first, end = at - (at > 0 and not _is_plain(words[at - 1])), at + 1
            while end < len(words) and not (
                words[end - 1].endswith(STOPS) or _is_plain(words[end])
            ):
                end += 1
            said = " ".join(words[first:end]).lstrip("([").rstrip("".join(STOPS))
            if end > at + MOST_BESIDE or not self._has(said):
                return False
        return True

    def _has(self, said: str) -> bool:
        text, at = self.text, -1
        for _ in range(MOST_TRIES if len(text) <= MOST_SEARCHED else 0):
            if (at := text.find(said, at + 1)) < 0:
                break
            before = text[max(at - 2, 0) : at]
            is_begun = before[-1:] in ("", " ", "\n", "(") and not before[:-1].isdecimal()
            is_begun = is_begun and not text.endswith(MINUS, 0, at)
            if is_begun and not _GOES_ON.match(text, at + len(said)):
                scale = _WORD_BEHIND.match(text, at + len(said))
                return scale is None or scale[1].casefold() not in valued("scales")
        return False

    def has_all_of(self, text: str) -> bool:
        """Whether each number of ``text`` is here too. "One" is an article as well."""
        found = find_numbers(without_references(text))
        asked = [n.asks for n in found if n.asks and (n.digits or n.plain != (1.0,))]
        return all(map(self.has, asked))

    @found_once
    def numbers(self) -> list[Number]:
        return find_numbers(self.text, language=self.language)

    @found_once
    def counted(self) -> set[str]:
        """The words behind its numbers."""
        return {number.after for number in self.numbers} - {""} - function_words()

    @found_once
    def kinds(self) -> Mapping[str, list[float]]:
        """The values of each kind, ascending, as ``Number.offers`` has them.

        Also those of tables and Roman numerals. "" are the numbers without a kind, "any" all.
        """
        text, found = self.text, defaultdict[str, set[float]](set)
        bare, values = found[""], found["any"]
        if "II" in text or "V" in text or "X" in text:  # found much faster
            bare.update([_ROMANS[word] for word in _ROMAN.findall(text) if word in _ROMANS])
            values |= bare
        for number in self.numbers:
            for kind, value in number.meanings:
                found[kind].add(value)
            values.update(number.plain, number.loose)
            bare.update(() if number.is_clear or not number.digits else number.plain)
            if number.loose and (not number.digits or number.kinds() & EXACT):
                bare.update(number.loose)
        mended = "\n\n".join(f"{torn[1]}.{torn[2]}" for torn in _BROKEN.finditer(text))
        for kind, value in (offer for number in find_numbers(mended) for offer in number.offers):
            found[kind].add(value)
        plain = text.casefold()
        if any(map(plain.__contains__, _OF_TABLES)):
            for kind, value in chain(*(_in_tables(one, self.language) for one in self._passages)):
                found[kind].add(value)
        found["share"].update([value for value in bare if 0 <= value <= 1])
        return {kind: sorted(values) for kind, values in found.items()}

    def has(self, meanings: Iterable[Meaning]) -> bool:
        """Whether its numbers have one of these."""
        return any(_between(self.kinds.get(kind, ()), value, value) for kind, value in meanings)


NONE = Numbers("")


def _is_plain(word: str) -> bool:
    """Whether a word says nothing of a number beside it."""
    plain = word.casefold()
    return word.isalpha() and plain not in roles_of_words() and plain not in words_of("links")


def _in_tables(passage: str, language: str) -> Iterator[Meaning]:
    """What the bare numbers of a passage mean behind a line that says "in millions"."""
    scales = [*_IN_MILLIONS.finditer(passage)]
    for number in find_numbers(passage, language=language) if scales else ():
        if not number.loose and all(map(str.isupper, number.kinds())):
            above = [one for one in scales if one.end() <= number.start]
            size = valued("scales").get((above[-1][1] or "thousand").casefold(), 1) if above else 1
            yield from ((kind, value * size) for kind, value in number.offers)


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
        self.statement, self.language, said = statement, language, usual_signs(statement)
        said = _LATEX.sub(_said_by_latex, said) if "\\" in said else said
        self.text = without_references(said)

    @property
    def has_digits(self) -> bool:
        return _DIGIT.search(self.text) is not None

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
            in_list = in_list or word.casefold() in words_of("pages")
            if in_list or gap in NAME_GAPS or _is_name(self.text, number):
                end_of_name = number.end
            elif not number.is_part:
                found.append(number)
        return found


def absent_numbers(
    statement: str, context: Numbers, question: Numbers = NONE, evidence: str = ""
) -> tuple[str, ...]:
    """The numbers of ``statement``, as it writes them, that occur nowhere in the context.

    A number is there with its unit if only the unit is nowhere. Left out is what the question has,
    and what two numbers give that are there: the sum and the difference of those of the statement
    and the evidence; where the statement has one of them, also their mean, product, ratio and
    change ("up from 16.4 to 23.6 billion, by 43.6 %").
    """
    own = Own(statement, context.language)
    if not (absent := find_absent(own, context, question)):
        return ()
    if any(sign in statement for sign in EQUALS):
        question = with_computed([statement], context, question)
        absent = find_absent(own, context, question)
    places = {number.start for number in absent}
    there = [n for n in own.numbers if n.plain and n.start not in places]
    evidence = evidence[:MOST_EVIDENCE]
    are_two = len(there) + len(_DIGITS.findall(evidence)) > 1  # or there is nothing to compute
    near = [n for n in Own(evidence, context.language).read if n.plain] if are_two else []
    exact, ratios = _results(there, near)

    def is_computed(number: Number) -> bool:
        step = number.step if ratios and number.step < LEAST_EXACT else 0
        asked = number.asks + [("any", value) for value in number.loose]
        if number.kinds() & EXACT:  # a date is not computed
            asked = [(kind, value) for kind, value in asked if kind == "time"]
        return any(
            True
            for kind, value in asked
            for results, close in ((exact, CLOSE), (ratios, step))
            for of, result in results
            if kind == of and isclose(value, result, rel_tol=close)
        )

    said = (statement[n.first : n.last] for n in absent if not is_computed(n))
    return tuple(dict.fromkeys(said))[:MOST_ABSENT]


def names_new_price(statement: str, context: Numbers, question: Numbers) -> bool:
    """Whether a statement has an amount of money that occurs nowhere."""
    absent = find_absent(Own(statement, context.language), context, question)
    return any(kind.isupper() for number in absent for kind in number.kinds())


def with_computed(statements: Iterable[str], context: Numbers, question: Numbers) -> Numbers:
    """The numbers of a question, and what statements compute from known ones.

    That is the result of an equation, and the sum or difference of what is listed before it. A
    result is known to what follows from it, but not in more than ``MOST_STEPS``.
    """
    owns = [Own(text, context.language) for text in statements if _DIGIT.search(text)]
    known, found = question, set[float]()
    for _ in range(MOST_STEPS):
        steps, listed = len(found), deque[float](maxlen=MOST_LISTED)
        for own in owns:
            absent = {number.start for number in find_absent(own, context, known)}
            if any(sign in own.text for sign in EQUALS):
                places = {number.start for number in own.read} - absent
                found.update(results(own.text, own.read, places))
            for number in own.numbers:
                value = number.plain[0] if number.plain else 0.0
                if is_year(value) or number.kinds() & EXACT:
                    continue
                if number.start in absent and value not in _sums(listed):
                    continue
                found.update([value] if number.start in absent else [])
                listed.append(value)
        if len(found) == steps:
            break
        known = Numbers(question.text, *(f"{value:.9f}" for value in found))
    return known


def _sums(listed: Sequence[float]) -> set[float]:
    """What numbers side by side add up to, and the sums and differences of two."""
    values = [*listed]
    found = [v for a, b in combinations(values, 2) for v in (a + b, abs(a - b))]
    for first in range(len(values)):
        found += [*accumulate(values[first:])][1:]
    return {float(f"{value:.9g}") for value in found}


def _results(there: list[Number], near: list[Number]) -> tuple[list[Meaning], list[Meaning]]:
    """What two numbers of a statement and its evidence give: exact values, ratios and shares."""
    exact, ratios = list[Meaning](), list[float]()
    known = [(n, dict(n.meanings)) for n in (*there, *near)[:MOST_ADDED]]
    for (one, mine), (other, its) in combinations(known, 2):
        a, b = one.plain[0], other.plain[0]
        values = [(k, v, its[k]) for k, v in mine.items() if k in its and k not in EXACT]
        values += [(k, a, b) for k in _plain_kinds(one, other, bool(values))]
        exact += [(k, v) for k, x, y in values for v in (x + y, abs(x - y))]
        if 1 < a < SMALL and one.after and not one.is_clear and 0 < other.first - one.last < BEFORE:
            exact += [(k, a * v) for k, v in its.items()]  # 2 tablets of 500 mg
        if ("share" in mine or "share" in its) and one in there:
            share = mine.get("share", a) * its.get("share", b)
            exact += (("", share), ("any", share))
        is_one_kind = (one.is_clear and mine.keys()) == (other.is_clear and its.keys())
        if is_one_kind and a != b and (mine or its or one in there):
            exact += [(k, (x + y) / 2) for k, x, y in values]
            ratios += [b and a / b, a and b / a]
    ratios += [abs(ratio - 1) for ratio in ratios]
    found = [(kind, ratio) for ratio in ratios for kind in ("share", "any")]
    return exact, found + [("any", 100 * ratio) for ratio in ratios]


def _plain_kinds(one: Number, other: Number, are_alike: bool) -> tuple[str, ...]:
    """Of which kinds a result is without a unit: 75 mg and 30 minutes give none, nor 2 tablets."""
    if one.is_clear and other.is_clear and not (one.kinds() | other.kinds()) & EXACT:
        return ("any",) if are_alike and one.after == other.after else ()
    bare, measured = (one, other) if other.is_clear else (other, one)
    is_whole = bare.plain[0] == int(bare.plain[0])
    is_count = bare.is_clear or (is_whole and bare.after not in function_words() | {""})
    return ("any",) * are_alike if measured.is_clear and is_count else ("", "any")


def find_absent(
    own: Own, context: Numbers, question: Numbers = NONE, bounds: Collection[str] = ()
) -> list[Number]:
    """The same without what is computed, but with what follows these ``bounds``.

    Each has as ``first`` and ``last`` what is nowhere: with its unit or currency only if the number
    is there and the unit is not.
    """
    text, found = own.text, []
    if context.has_as_written(own):
        return []
    if not (absent := [n for n in own.read if not _occurs(n, context, text)]):
        return []
    asked = question.text and question.numbers
    absent = [n for n in absent if n in own.numbers and not (asked and _occurs(n, question, text))]
    places = {number.start for number in absent}
    there = {m for n in own.numbers if n.start not in places for m in n.meanings}
    for number in absent:
        has_value = any(_near(v, number, context.kinds["any"], 0, True) for v in number.plain)
        is_whole = number.is_clear and has_value
        if there.isdisjoint(number.meanings) and (  # not said again in another unit
            is_whole or not _may_be_derived(text, number, bounds, context)
        ):
            if not is_whole or number.kinds() & {"clock", "order"}:
                number = replace(number, first=number.start, last=number.end)
            found.append(number)
    return found


# ---------------------------------------------------------------- what is not looked for


def _is_name(text: str, number: Number) -> bool:
    """Whether a number is part of a name, or numbers a part of a text."""
    start, end, kinds = number.start, number.end, number.kinds()
    said, behind = text[start : number.last], text[end : end + 4]
    if _ENUMERATES.match(behind) and (
        behind[1:2] != " " or text[:start].rstrip()[-1:] in {"", *STOPS}
    ):
        return True
    is_written = kinds and any(kind.startswith("written ") for kind in kinds)
    if is_written or not words_of("names").isdisjoint((said, said.casefold())):
        return True
    if kinds and kinds & EXACT - {"order"}:
        return False
    before, behind = text[max(start - 40, 0) : start][::-1], behind[:2]
    if before and not before[0].isspace() and _JOINED.match(before[:20]):
        if before[0] >= FIRST_DENSE:  # 정부24, 제50조, but not 于2023年, 有3万 or 有300人
            is_counted = behind[:1] in words_of("counters") and before[0] != "第"
            return before[0] == "제" or (number.last == end and not is_counted)
        return number.first == start  # not US$5
    if number.last == end and (behind[:1].isalpha() or behind[:1] == "_"):
        return behind[0] not in words_of("counters") and behind.rstrip(" .,;:'") != "s"  # 37A
    if "/" in text[start:end] and _is_law(text[start:end], behind):
        return True
    is_named = False
    if word := _WORD_BEFORE.match(before):
        said = word[2][::-1]
        plain = said.casefold()
        is_named = plain in words_of("labels")
        # "Boeing" makes a name of what follows, "July" and "In" do not, nor do brackets.
        if not is_named and said[0].isupper() and not word[1].strip(" ."):
            is_usual = plain in words_of("before a number") or plain in valued("months")
            is_first = not any(map(str.isalnum, text[: start - word.end()]))
            is_named = not is_first and not (is_usual and (said.istitle() or plain == "ad"))
    if number.is_clear and "order" not in kinds:
        return is_named and len(number.after) == 1  # the type 37A
    return is_named or _begins_name(text, number)


def _is_law(digits: str, behind: str) -> bool:
    """Whether a number with a slash is that of a law: 8/2024/QH15, 168/2024, 2016/679."""
    parts = [float(part) for part in digits.split("/") if part.isdecimal()]
    has_year = len(parts) == 2 and sum(map(is_year, parts)) == 1 and min(parts) > 12
    return has_year or (behind[:1] == "/" and behind[1:].isalpha())


def _begins_name(text: str, number: Number) -> bool:
    """Whether a name follows: "2016 Tour", "14th Dalai Lama"; or a work: "Hush (2016 film)"."""
    start, end = number.start, number.last
    in_bracket = text[max(start - 2, 0) : start].strip() == "("
    if in_bracket and (work := _WORK.match(text, end)):  # Hush (2016 film), Roe v. Wade (1973)
        return bool(work[1]) or bool(_NAMED_YEAR.search(text, max(start - 40, 0), start))
    word = _WORD_BEHIND.match(text, end)
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
    words, known = _words_before(text, number), context.kinds
    is_power = not text[number.start : number.end].strip("10,")
    if not words_of("bounds").isdisjoint({*words[-2:]}.difference(bounds)):
        spans = ((kind, sorted((v / MOST_APART, v * MOST_APART))) for kind, v in number.asks)
        is_near = any(_between(known.get(kind, ()), *span) for kind, span in spans)
        is_alike = number.after in context.counted or not known.keys().isdisjoint(number.kinds())
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
    """Whether a context has a number, perhaps rounded."""
    known = context.kinds if context.text else {}
    if not any(known.values()):
        return False
    if context.has(asked := number.asks):
        return True
    if any(_between(known["any"], *span) for span in _spans(number, text)):
        return True
    roughly = not words_of("roughly").isdisjoint(_words_before(text, number)[-3:])
    tolerance = ROUGHLY if roughly else ROUNDED
    for kind, value in asked:
        rounds = roughly or kind not in ("", "any")
        there = () if kind in EXACT else known.get(kind, ())
        if there and _near(value, number, there, tolerance, rounds):
            return True
    pool = known["any" if "order" in number.kinds() else ""]
    least = IN_TABLES if number.last > number.end and number.plain else 0
    loose = (value for value in number.loose if value >= least)
    return any(_near(value, number, pool, 0, False) for value in loose)


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


def _near(
    value: float, number: Number, known: Sequence[float], tolerance: float, rounds: bool
) -> bool:
    """Whether a value is among the known ones, or one of them may have been rounded to it."""
    size = abs(value)
    if _between(known, value - CLOSE * size, value + CLOSE * size):
        return True
    if not rounds and is_year(value):  # a year is not rounded
        return False
    is_warmth = number.meanings[:1] and number.meanings[0][0] == "temperature"
    if not (is_warmth or _between(known, value - size * tolerance, value + size * tolerance)):
        return False  # most are nowhere near
    step = number.step if tolerance else 0
    half = min(step / 2, tolerance)
    if tolerance and is_warmth and (degree := units_of(number.after)):  # 36 °F from 2 °C
        decimals = len("".join(re.split("[.,]", number.digits)[1:]))
        size, half = degree[0].size / 10**decimals, tolerance / ROUNDED / 2
        step = half
    first = bisect_left(known, value - size * half)
    most = value + size * max(half, min(step, tolerance / 2))  # 23,768 is cut to 23,000
    end = bisect_right(known, most)
    if rounds or value >= 100:
        if tolerance != ROUNDED or not (value and any(number.plain[:1])) or end - first > SHORT:
            return first < end
        unit = value / number.plain[0]
        values = (known[place] / unit for place in range(first, end))
        # Nobody rounds without a word what is as short as 28.
        return any(v >= SHORT or not isclose(v, round(v), rel_tol=CLOSE) for v in values)
    return any(one != int(one) for one in known[first:end])


def _between(known: Sequence[float], low: float, high: float) -> bool:
    return bisect_left(known, low) < bisect_right(known, high)
