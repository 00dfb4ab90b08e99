"""The words of a statement that its evidence lacks, and the value that the evidence has instead.

A value, a number or a date, is wrong if it is nowhere in the context, or if evidence of the same
matter lacks it and has another one of its kind: what it counts or measures. Nothing is corrected:
where more than one value could be meant, none is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from .absent_numbers import Own, find_absent
from .context_numbers import MOST_EVIDENCE, NONE, Numbers
from .number_words import valued, words_of
from .numbers import Number, is_year
from .phrases import STEM, words_that_count
from .strings import lazy_pattern, word_set

DAY, MONTH, WEEKDAY = "day", "month", "weekday"
"""Kinds of values: of a month in digits, and in words."""
SHORTEST = 3
"""Letters of a word that says what a number counts."""
MOST_WRONG = 20
ALIKE, LEAST_WORDS = 0.6, 2
"""The share of a statement's words that evidence of the same matter has, and how many at least."""

_CAPITALISED = lazy_pattern(r"[A-Z](?<![^\W\d_].)[^\W\d_]+")
_QUOTED = lazy_pattern(r"“([^“”\n]{2,100})”|\"([^\"\n]{2,100})\"|‘([^‘’\n]{2,100})’")


Meaning = tuple[str, object]
"""A kind, and which of it."""


class Value(NamedTuple):
    """A number, a month, or a day of the week.

    Args:
        start: where it begins.
        text: as it is written; of a number with its sign of money, month, scale or unit.
        kind: what values may stand for it; "" if none.
        meanings: another value is the same if it has one of these.
    """

    start: int
    text: str
    kind: str = ""
    meanings: tuple[Meaning, ...] = ()


def difference(
    statement: str,
    evidence: Sequence[str],
    context: Numbers,
    reason: str = "",
    question: Numbers = NONE,
) -> tuple[tuple[str, ...], str]:
    """The wrong words of a statement, in their order, and what the evidence says instead, or "".

    They are what a statement that is not supported has, and its evidence lacks. Takes linear time.

    Args:
        evidence: the sentences that the verdict names.
        context: of all passages.
        reason: the judge's. What it quotes of the statement and the evidence lacks is wrong.
        question: its numbers are what the answer was asked about, so they are not wrong.
    """
    text = "\n".join(evidence)[:MOST_EVIDENCE]
    own, near, dates = Own(statement, context.language), NONE, _dates(statement)
    has_values = dates or any(map(str.isdigit, own.text))
    said, near_words = list[Value](), words_that_count(text) if has_values else frozenset[str]()
    if has_values and _is_alike(statement, near_words):
        near = context.of_evidence(text)
        said = [*(_value(statement, number, number.asks) for number in own.numbers), *dates]
    instead = _instead(said, near) if said else {}
    values = {*_wrong_numbers(own, near, context, instead, question)}
    if dates:
        there = _meanings_of_dates(context.text)
        kinds = instead.keys() if text else {kind for kind, _ in there}
        there |= _meanings_of_dates(question.text)
        values |= {one for one in dates if one.kind in kinds and there.isdisjoint(one.meanings)}
    found = sorted([*values, *_quoted(statement, reason, text or context.text)])
    words = tuple(dict.fromkeys(wrong.text for wrong in found))[:MOST_WRONG]
    if any(value.kind == DAY for value in values):  # "4 July" in place of "5 June" is one value
        values = {value for value in values if value.kind != MONTH}
    kind = values.pop().kind if len(values) == 1 else ""
    others, is_only = instead.get(kind, []), [value.kind for value in said].count(kind) == 1
    if len(others) == 1 and is_only and _says_all(near_words, statement):
        return words, others[0].text
    return words, ""


def _is_alike(statement: str, there: Set[str]) -> bool:
    """Whether evidence with these words speaks of the same: it has most words of the statement."""
    own = {word for word in words_that_count(statement) if not word.isdecimal()}
    return len(own) >= LEAST_WORDS and len(own & there) >= ALIKE * len(own)


def _says_all(there: Set[str], statement: str) -> bool:
    """Whether evidence with these words has all that the statement says but names and numbers.

    It may say when somebody was born, and the statement when she died.
    """
    said = " ".join(word for word in statement.split() if word == word.casefold())
    own = {word for word in words_that_count(said) if not word.isdecimal()}
    return own <= there


def _wrong_numbers(
    own: Own,
    near: Numbers,
    context: Numbers,
    instead: Mapping[str, list[Value]],
    question: Numbers,
) -> Iterator[Value]:
    """The numbers that are nowhere, or of a kind of which the evidence has others."""
    found = find_absent(own, context, question)
    if instead:
        # "Within 60 days" may follow from what a context says, but not from "within 30 days".
        bounds = words_of("bounds").intersection(near.text.casefold().split())
        nearer = find_absent(own, near, question, bounds)
        found |= {number: said for number, said in nearer.items() if _kind_of(number) in instead}
    for number, said in found.items():
        kind, is_whole = _kind_of(number), len(said) > number.end - number.start
        if kind != DAY or not is_whole or number.last == number.end:
            yield Value(number.first if is_whole else number.start, said, kind)


def _quoted(statement: str, reason: str, there: str) -> Iterator[Value]:
    """What a judge quotes of a statement, and its evidence lacks; without any, the context."""
    there = there.casefold() if reason else ""
    for match in _QUOTED.finditer(reason):
        quote = next(group for group in match.groups() if group)
        start = statement.find(quote)
        if start >= 0 and quote.casefold() not in there and len(quote) < len(statement) / 2:
            yield Value(start, quote)


def _instead(said: list[Value], evidence: Numbers) -> dict[str, list[Value]]:
    """The values of the evidence by kind, of the kinds of which the statement has others."""
    numbers = (number for number in evidence.numbers if number.digits and not number.is_part)
    there = [_value(evidence.text, number, number.offers) for number in numbers]
    there += _dates(evidence.text)
    meanings = {meaning for value in said for meaning in value.meanings}
    known = {value.kind for value in there if not meanings.isdisjoint(value.meanings)}
    kinds = {value.kind for value in said} - known - {""}
    found = {kind: [value for value in there if value.kind == kind] for kind in kinds}
    return {kind: values for kind, values in found.items() if values}


# ---------------------------------------------------------------- values and their kinds


def _dates(text: str) -> list[Value]:
    """The months and days of the week of a text, with a capital: "may" is no month."""
    months, days, found = valued("months"), word_set("names", "weekdays"), list[Value]()
    for word in _CAPITALISED.finditer(text):
        plain = word[0].casefold()
        if plain in months:
            found.append(Value(word.start(), word[0], MONTH, ((MONTH, months[plain]),)))
        elif (day := plain.removesuffix("s")) in days:
            found.append(Value(word.start(), word[0], WEEKDAY, ((WEEKDAY, day),)))
    return found


@lru_cache(maxsize=2)  # of the context and of the question
def _meanings_of_dates(text: str) -> frozenset[Meaning]:
    return frozenset(meaning for date in _dates(text) for meaning in date.meanings)


def _kind_of(number: Number) -> str:
    """What a number counts or measures."""
    kinds = number.kinds() - {"", "half"}
    if "date" in kinds:
        return DAY
    if kinds:  # "24 heures" may be a time of day too
        return "time" if "time" in kinds else min(kinds)
    if any(map(is_year, number.plain)) and number.end - number.start in (2, 4):
        return "year"
    is_word = number.after.isalpha() and len(number.after) >= SHORTEST
    return f"count {number.after[:STEM]}" if is_word else ""


def _value(text: str, number: Number, meanings: Sequence[Meaning]) -> Value:
    said = text[number.first : number.last]
    return Value(number.first, said, _kind_of(number), tuple(meanings))
