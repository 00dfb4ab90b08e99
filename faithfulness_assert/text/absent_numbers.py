"""The flag of numbers: which of a statement occur nowhere, and cannot be computed.

What is part of a name ("F-35", "the Boeing 737"), a citation, a list marker, the number of a
section or an address is not looked for, nor what may be derived: a bound ("over 3 g"), a small
count, and what two numbers give that are there. Only numbers in digits are looked for: spelled-out
ones are mostly counts of what is there.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, combinations
from math import isclose

from .citations import without_references
from .context_numbers import BEFORE, CLOSE, MOST_EVIDENCE, NONE, Numbers, occurs, words_before
from .number_words import units_of, valued, words_of
from .numbers import EXACT, Number, find_numbers, is_year, usual_signs
from .strings import FIRST_DENSE, found_once, lazy_pattern

MOST_ABSENT = 20
EQUALS, MOST_LISTED = ("=", "≈"), 6
"""Signs of an equation, and numbers that one is the sum of."""
MOST_ADDED = 20
"""Numbers of statement and evidence that are computed with."""
LEAST_EXACT = 0.02
"""The last digit of a ratio, as a share of it: with a larger one, a wrong number would be met by
chance."""
SMALL = 10
"""Whole numbers up to this, without a unit, may count what the context lists."""
NAME_GAPS = ("-", "–", ".", "/")
"""Between the numbers of one name."""
LIST_GAPS = (*NAME_GAPS, ",", ";", "&", "to", "bis", "à", "a", "hasta", "tot")
TIMES = ("×", "*", "÷", "/")
"""Behind one of these, a power of ten is no fact of a context."""
MOST_APART = 4
"""How many times a bound of what a context says may differ from it: "over 3 g" from 7 g."""

_LATEX = lazy_pattern(
    r"\\text ?\{([^{}]{1,40})\}|\\frac ?\{([0-9.,]{1,20})\}\{([0-9.,]{1,20})\}"
    r"|\\[a-z]{2,10} ?|\\[^\w\s]|\}\{|[{}]"
)
_LATEX_SIGNS = {r"\times": "×", r"\cdot": "×", r"\div": "÷", r"\$": "$", r"\%": "%", "}{": "/"}
# Read backwards from a number, which is much faster than to search for where a word begins.
_JOINED = lazy_pattern(r"(?:[0-9–./_-]*(?:[-–_#./]|#:))?[^\W\d_]{1,10}(?![^\W_])")
_WORD_BEFORE = lazy_pattern(r"( fo | ,|[(=:] ?| ?[.]?)([^\W\d_]+|[§№])")
_WORD_BEHIND = lazy_pattern(r"[ -]([^\W\d_]+)")
_NAMED_YEAR = lazy_pattern(r"(?:[A-Z][\w.'-]*|al[.]) \($")
_WORK = lazy_pattern(r"( [a-z ]{3,20} ?)?[)]")
_DIGITS = lazy_pattern(r"[\d¼-¾⅐-⅞]+")


class Own:
    """The numbers in digits of a statement, and the text that they are read in.

    In that text there are spaces for the list marker, citations, addresses, and marks of LaTeX.
    """

    def __init__(self, statement: str, language: str = "") -> None:
        self.statement, self.language = statement, language
        said = statement if statement.isascii() else usual_signs(statement)
        said = _LATEX.sub(_plain_sign, said) if "\\" in said else said
        self.text = without_references(said)
        self.shown = self.text if "\\" in statement else statement

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


def _plain_sign(latex: re.Match[str]) -> str:
    text, above, below = latex.groups()
    said = f"{above}/{below}" if above else _LATEX_SIGNS.get(latex[0].strip(), "")
    return text.strip().ljust(len(latex[0])) if text else said.rjust(len(latex[0]))


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
    there = [n for n in own.numbers if n.plain and n not in absent]
    if len(there) + len(_DIGITS.findall(evidence[:MOST_EVIDENCE])) > 1:  # two to compute with
        near = [n for n in context.of_evidence(evidence).numbers if n.digits and n.plain]
        results = _results(there, near, own.text)
        for number in [*absent]:
            if _is_among(number, results):
                del absent[number]
                results += _results([number, *there], near, own.text)
    return tuple(dict.fromkeys(absent.values()))[:MOST_ABSENT]


def names_new_price(statement: str, context: Numbers, question: Numbers) -> bool:
    """Whether a statement has an amount of money that occurs nowhere."""
    absent = find_absent(Own(statement, context.language), context, question)
    return any(kind.isupper() for number in absent for kind in number.kinds())


def find_absent(
    own: Own, context: Numbers, question: Numbers = NONE, bounds: Collection[str] = ()
) -> dict[Number, str]:
    """The numbers of a statement that occur neither in a context nor in a question, as it says.

    With its unit or currency only if the number is there and the unit is not.

    Args:
        bounds: words for bounds behind which a number is looked for all the same.
    """
    text, found = own.text, dict[Number, str]()
    if context.has_as_written(text) or not (
        absent := [n for n in own.read if not occurs(n, context, text)]
    ):
        return found
    asked = question.text and question.numbers
    absent = [n for n in absent if n in own.numbers and not (asked and occurs(n, question, text))]
    there = {m for n in own.numbers if n not in absent for m in n.meanings}
    for number in absent:
        is_whole = number.is_clear and context.has(("any", value) for value in number.plain)
        if there.isdisjoint(number.meanings) and (  # not said again in another unit
            is_whole or not _may_be_derived(text, number, bounds, context)
        ):
            is_whole = is_whole and number.kinds().isdisjoint(("clock", "order"))
            place = (number.first, number.last) if is_whole else (number.start, number.end)
            found[number] = own.shown[slice(*place)]
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
    words = words_before(text, number)
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


# ---------------------------------------------------------------- what numbers give


Result = tuple[str, float, bool]
"""A kind, a value, and whether it is a ratio, which may be rounded."""


def _is_among(number: Number, results: Sequence[Result]) -> bool:
    """Whether a number is one of these results."""
    rounded = number.step if number.step < LEAST_EXACT else 0
    asked = number.asks + [("any", value) for value in number.loose]
    if number.kinds() & EXACT:  # a date is not computed
        asked = [(kind, value) for kind, value in asked if kind == "time"]
    return any(
        kind == of and isclose(value, result, rel_tol=rounded if is_ratio else CLOSE)
        for kind, value in asked
        for of, result, is_ratio in results
    )


def _results(there: list[Number], near: list[Number], text: str) -> list[Result]:
    """What two numbers of a statement and its evidence give.

    Args:
        text: of the statement, whose signs say what is multiplied.
    """
    found = list[Result]()
    if any(sign in text for sign in EQUALS):
        found = _sums([number.plain[0] for number in there[:MOST_ADDED]])
    known = [(n, dict(n.meanings)) for n in (*there, *near)[:MOST_ADDED]]
    has_times = "×" in text or "*" in text or " x " in text
    for (one, mine), (other, its) in combinations(known, 2):
        a, b = one.plain[0], other.plain[0]
        values = [(k, v, its[k]) for k, v in mine.items() if k in its and k not in EXACT]
        # 75 mg and 30 minutes give nothing, nor do 75 mg and 2 tablets.
        are_apart = not values and (one.is_clear or other.is_clear) and one.after != other.after
        values += [(kind, a, b) for kind in ("", "any") if not are_apart]
        found += [(k, v, False) for k, x, y in values for v in (x + y, abs(x - y))]
        if 1 < a < SMALL and one.after and not one.is_clear and 0 < other.first - one.last < BEFORE:
            found += [(kind, a * value, False) for kind, value in its.items()]  # 2 x 500 mg
        if one in there and ("share" in mine or "share" in its or has_times):
            share = mine.get("share", a) * its.get("share", b)
            found += (("", share, False), ("any", share, False))
        is_one_kind = (one.is_clear and mine.keys()) == (other.is_clear and its.keys())
        if is_one_kind and a != b and (mine or its or one in there):
            found += [(kind, (x + y) / 2, False) for kind, x, y in values]
            ratios = (b and a / b, a and b / a)
            for ratio in (*ratios, *(abs(ratio - 1) for ratio in ratios)):
                found += (("share", ratio, True), ("any", ratio, True), ("any", 100 * ratio, True))
    return found


def with_computed(statements: Iterable[str], context: Numbers, question: Numbers) -> Numbers:
    """The numbers of a question, and what statements compute from those that they list before.

    That is what two of the last ones give, and the sum and the mean of several. A result is known
    to what follows from it.
    """
    found, listed = list[float](), deque[Number](maxlen=MOST_LISTED)
    for text in filter(_DIGITS.search, statements):
        own = Own(text, context.language)
        absent = find_absent(own, context, question)
        for number in own.numbers:
            may_be_year = number.digits.isdecimal() and any(map(is_year, number.plain))
            if not number.plain or may_be_year or number.kinds() & EXACT:
                continue
            if number in absent:
                results = [*_results([*listed], [], text), *_sums([n.plain[0] for n in listed])]
                if not _is_among(number, results):
                    continue
                found.append(number.plain[0])
            listed.append(number)
    return Numbers(question.text, *(f"{value:.9f}" for value in found)) if found else question


def _sums(values: Sequence[float]) -> list[Result]:
    """The sums and means of what stands side by side."""
    sums = [(n, s) for i in range(len(values)) for n, s in enumerate(accumulate(values[i:]), 1)]
    return [(kind, v, False) for n, s in sums if n > 1 for v in (s, s / n) for kind in ("", "any")]
