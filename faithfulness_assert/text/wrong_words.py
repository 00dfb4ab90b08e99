"""The words of a statement that its evidence lacks, and the value that the evidence has instead.

A value, a number or a date, is wrong if it is nowhere in the context, or if evidence of the same
matter lacks it and has another one of its kind: what it counts or measures. Nothing is corrected:
where more than one value could be meant, none is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from .absent_numbers import MOST_EVIDENCE, NONE, Numbers, Own, find_absent
from .citations import without_references
from .number_words import valued, words_of
from .numbers import Number, is_year
from .phrases import STEM, words_that_count
from .strings import lazy_pattern, word_set

Kind = tuple[str, str]
UNKNOWN: Kind = ("", "")
DAY: Kind = ("day", "")
"""Of a month, in digits."""
MONTH: Kind = ("month", "")
WEEKDAY: Kind = ("weekday", "")

SHORTEST = 3
"""Letters of a word that says what a number counts."""

_WORD = lazy_pattern(r"[^\W\d_]+")
_CAPITALISED = lazy_pattern(r"[A-Z](?<![^\W\d_].)[^\W\d_]+")
_HOURS = ("h", "heure", "heures", "uur")
_DECADE = lazy_pattern(r" ?['’]?s(?![^\W_])")
MOST_WRONG = 20
ALIKE, LEAST_WORDS = 0.6, 2
"""The share of a statement's words that evidence of the same matter has, and how many at least."""

_QUOTED = lazy_pattern(r"“([^“”\n]{2,100})”|\"([^\"\n]{2,100})\"|‘([^‘’\n]{2,100})’")


class Value(NamedTuple):
    """A number, a month, or a day of the week.

    Args:
        start: where it begins.
        text: as it is written; of a number with its sign of money, month, scale or unit.
        kind: what values may stand for it.
    """

    start: int
    text: str
    kind: Kind = UNKNOWN


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
    own, near = Own(statement, context.language), NONE
    dates, instead = dates_in(statement), dict[Kind, list[Value]]()
    if (dates or own.has_digits) and _alike(statement, text):
        near = Numbers(without_references(text), language=context.language)
        if dates or not near.has_as_written(own):
            instead = _instead(own, dates, near)
    found = list(_wrong_numbers(own, near, context, instead, question))
    if dates:
        there = _dates(context.text)
        kinds = instead.keys() if text else {kind for kind, _ in there}
        known = there | _dates(question.text)
        found += [d for d in dates if d.kind in kinds and date_of(d.text) not in known]
    values = {*found}
    found = [*values, *_quoted(statement, reason, text, context)]
    words = dict.fromkeys(wrong.text for wrong in sorted(found))
    if any(value.kind == DAY for value in values):  # "4 July" in place of "5 June" is one value
        values = {value for value in values if value.kind != MONTH}
    says = ""
    if len(values) == 1 and (kind := values.pop().kind) in instead:
        of_kind = [number for number in own.numbers if kind_of(number) == kind]
        is_only = len(of_kind) + sum(date.kind == kind for date in dates) == 1
        says = _says(statement, instead[kind], text) if is_only else ""
    return tuple(words)[:MOST_WRONG], says


def _alike(statement: str, evidence: str) -> bool:
    """Whether the evidence speaks of the same: it has most words of the statement."""
    own = {word for word in words_that_count(statement) if not word.isdecimal()}
    shared = own & words_that_count(evidence)
    return len(own) >= LEAST_WORDS and len(shared) >= ALIKE * len(own)


def _wrong_numbers(
    own: Own,
    near: Numbers,
    context: Numbers,
    instead: Mapping[Kind, list[Value]],
    question: Numbers,
) -> Iterator[Value]:
    """The numbers that are nowhere, or of a kind of which the evidence has others."""
    found = find_absent(own, context, question)
    if instead:
        # "Within 60 days" may follow from what a context says, but not from "within 30 days".
        bounds = words_of("bounds").intersection(near.text.casefold().split())
        nearer = find_absent(own, near, question, bounds)
        found += [number for number in nearer if kind_of(number) in instead]
    for number in found:
        kind = kind_of(number)
        if kind != DAY or number.last == number.end:  # the day is right, but of another month
            yield Value(number.first, own.statement[number.first : number.last], kind)


@lru_cache(maxsize=2)  # of the context and of the question
def _dates(text: str) -> frozenset[tuple[Kind, str]]:
    return frozenset(date for date in map(date_of, {*_WORD.findall(text)}) if date)


def _quoted(statement: str, reason: str, evidence: str, context: Numbers) -> Iterator[Value]:
    """Without any evidence, a judge may quote what it finds: then the context must lack it, too."""
    there = (evidence or context.text).casefold() if reason else ""
    for match in _QUOTED.finditer(reason):
        quote = next(group for group in match.groups() if group)
        start = statement.find(quote)
        if start >= 0 and quote.casefold() not in there and len(quote) < len(statement) / 2:
            yield Value(start, quote)


def _instead(own: Own, dates: list[Value], evidence: Numbers) -> dict[Kind, list[Value]]:
    """The values of the evidence by kind, of the kinds of which the statement has others."""
    asked = {kind_of(number) for number in own.numbers}.union(date.kind for date in dates)
    asked -= {UNKNOWN}
    said = {meaning for number in own.numbers for meaning in number.asks}
    found: dict[Kind, list[Value]] = {}
    for number in evidence.numbers if own.numbers else ():
        value = _value(evidence.text, number)
        if value.kind not in asked or number.is_part or not number.digits:
            continue
        found.setdefault(value.kind, []).append(value)
        if not said.isdisjoint(number.offers):
            asked.discard(value.kind)
    known = {date_of(date.text) for date in dates}
    for date in dates_in(evidence.text) if dates else ():
        found.setdefault(date.kind, []).append(date)
        if date_of(date.text) in known:
            asked.discard(date.kind)
    return {kind: values for kind, values in found.items() if kind in asked}


def _says(statement: str, instead: list[Value], evidence: str) -> str:
    """The only value of its kind in the evidence, if the statement has only one, too.

    Only if the evidence has all that the statement says, apart from names: it may say when somebody
    was born, and the statement when she died.
    """
    said = " ".join(word for word in statement.split() if word == word.casefold())
    own = {word for word in words_that_count(said) if not word.isdecimal()}
    return instead[0].text if len(instead) == 1 and own <= words_that_count(evidence) else ""


# ---------------------------------------------------------------- values and their kinds


def dates_in(text: str) -> list[Value]:
    """The months and days of the week that have a capital: "may" is no month."""
    found = ((word, date_of(word[0])) for word in _CAPITALISED.finditer(text))
    return [Value(word.start(), word[0], date[0]) for word, date in found if date]


def date_of(word: str) -> tuple[Kind, str] | None:
    """Whether a word is a month or a day of the week, and which one; None if it is neither."""
    plain = word.casefold()
    if plain in valued("months"):
        return MONTH, str(valued("months")[plain])
    day = plain.removesuffix("s")
    return (WEEKDAY, day) if day in word_set("names", "weekdays") else None


def kind_of(number: Number) -> Kind:
    """What a number counts or measures."""
    kinds = number.kinds() - {"", "half"}
    if kinds == {"time"} and number.after in _HOURS:
        kinds = frozenset(("clock",))  # as "24 heures" is, which may be a time of day
    if "date" in kinds:
        return DAY
    if kinds:
        return "measure", min(kinds)
    if any(map(is_year, number.plain)) and number.end - number.start in (2, 4):
        return "year", ""
    if number.after.isalpha() and len(number.after) >= SHORTEST:
        return "count", number.after[:STEM]
    return UNKNOWN


def _value(text: str, number: Number) -> Value:
    kind, start, end = kind_of(number), number.first, number.last
    if kind[0] == "year" and (decade := _DECADE.match(text, end)):
        end = decade.end()
    return Value(start, text[start:end], kind)
