"""False statements that a rule makes of a sentence of any context, if it is beyond doubt.

Each rule changes one word or number of a plain English sentence, and only where the context has
nothing else that could make the new one true: the new number, date, unit or word stands nowhere in
it. What is in doubt is left out: a rule needs few sentences, and a wrong one would blame a judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..asking.altering import CLAUSE, DOUBT, ENGLISH, TWO_WAYS, VERB
from ..text.strings import lazy_pattern
from .slots import MONTHS, ONES, TENS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random

    Rule = Callable[[str, str, Random], str | None]

RULE_KINDS: Mapping[str, str] = {
    "date": "another year",
    "number": "a number raised",
    "unit": "another unit",
    "negation": "not, added",
    "comparison": "a superlative or comparison turned",
    "verbatim": "true: word for word",
}
CHARS = range(30, 221)
RAISED = (0.3, 0.9)
MOST_WORDS = 12
"""Words behind the verb that is denied."""

_PLAIN = lazy_pattern(r"[A-Z][^\n|<>#*`{}\[\]()?!\\/:;\"“”]*[a-z0-9%]\.")
_YEAR = lazy_pattern(rf"\b(?:in|{'|'.join(MONTHS)}|on \d\d?)(?: \d\d?,)? ((?:1[5-9]|20)\d\d)\b")
_DIGITS = lazy_pattern(r"\d+(?:[.,]\d+)*")
_COUNTED = lazy_pattern(r"(?<![\w.,$€£-])(?<!\b[A-Z] )(\d{1,3}) ([a-z]{4,})(?=[ ,.])")
_NOUN_NOT = frozenset(
    "about after also been before between during each from have into just later more most next "
    "only other over some such than that their them then there these they this those until were "
    "when where which while will with would against under above below with without and million "
    "billion trillion thousand hundred dozen percent years-old because since through across along "
    "around both either neither versus plus minus minutes hours points seats again away early "
    "late long tall wide deep high old ahead"
    "".split()
)
_LABEL = lazy_pattern(
    r"\b(?:number|no|chapter|section|page|part|volume|article|season|episode|level|grade|class|"
    r"group|phase|stage|step|type|version|route|highway|interstate|room|act|verse|figure|table|day|"
    r"week|round|top|age|aged|nearest|last|first|next|past|other|another|only|just|all|one of) $"
)
# Only to a greater unit: who was there for 17 years was there for 17 days, too.
_UNITS = {
    "metres": "kilometres",
    "meters": "kilometers",
    "feet": "miles",
    "yards": "miles",
    "inches": "yards",
    "grams": "tonnes",
    "kilograms": "tonnes",
    "ounces": "tons",
    "pounds": "tons",
    "litres": "gallons",
    "million": "billion",
    "seconds": "hours",
    "minutes": "weeks",
    "hours": "months",
    "days": "years",
    "weeks": "decades",
}
_MEASURED = lazy_pattern(
    rf"(?<![\w.,-])[1-9]\d*(?:[.,]\d+)* ({'|'.join(_UNITS)})\b(?![- ](?:old|ago|of age))"
)
_TURNED = {
    "largest": "smallest",
    "biggest": "smallest",
    "smallest": "largest",
    "highest": "lowest",
    "lowest": "highest",
    "longest": "shortest",
    "tallest": "shortest",
    "oldest": "youngest",
    "youngest": "oldest",
    "heaviest": "lightest",
    "deepest": "shallowest",
    "fastest": "slowest",
    "slowest": "fastest",
    "richest": "poorest",
    "strongest": "weakest",
    "larger than": "smaller than",
    "bigger than": "smaller than",
    "older than": "younger than",
    "smaller than": "larger than",
    "higher than": "lower than",
    "lower than": "higher than",
    "longer than": "shorter than",
    "taller than": "shorter than",
    "heavier than": "lighter than",
    "younger than": "older than",
    "faster than": "slower than",
    "slower than": "faster than",
}
_COMPARED = lazy_pattern(rf"\b(?:{'|'.join(_TURNED)})\b")
_RANKED = lazy_pattern(
    r"\b(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)|next|one|"
    r"two|three|among|no|not|never|n't|nearly|almost|perhaps|probably|possibly|arguably|if|could|"
    r"may|might|usually|often|some|also|last|levels?|truths?|much|slightly|both|either|or|than the|"
    r"century|all|any|least|most|more)\b"
)
_UNSURE = lazy_pattern(
    r"\b(?:say|says|said|claims?|claimed|believes?|believed|thinks?|thought|estimated?|estimates|"
    r"expects?|expected|suggests?|suggested|reportedly|allegedly|supposedly|approximate|average|"
    r"per|total|range|total|each|every|another|additional|extra|further|remaining|including|plans?|"
    r"planned|scheduled|proposed|if|would|should|will|shall|wants?|hopes?|so far|still|already|"
    r"only|just|even|least|most|more|less|fewer|few|several|many)\b"
)
_FOUR = lazy_pattern(r"\d{4}")
_VAGUE = lazy_pattern(r"\bin (?:early|late|mid)|\d0s")
_SHORT_YEAR = lazy_pattern(r"['’]\d\d")
_NAMED = lazy_pattern(r" [A-Z][a-z]{2,}")
_LONG = lazy_pattern(r"[a-z]{5,}")
_SCOPED = lazy_pattern(r"\b(?:and|\w+ly|as|amid|in \w+ form|(?:late|high|key|good|well) \w+)\b")
_PRONOUN = lazy_pattern(
    r"^(?:it|they|he|she|we|i|you|this|these|those|that|there|here|such|its|his|"
    r"her|their|our|my|your|another|and|but|or|so|also|however|then)\b"
)


def altered(kind: str, sentence: str, context: str, chance: Random) -> str | None:
    """The sentence made false in the way of this kind; None where that is not beyond doubt."""
    folded = sentence.casefold()
    if len(sentence) not in CHARS or not _PLAIN.fullmatch(sentence) or _PRONOUN.search(folded):
        return None
    if kind != "comparison" and (DOUBT.search(folded) or _UNSURE.search(folded)):
        return None
    return _RULES[kind](sentence, context, chance) if ENGLISH.search(folded) else None


def is_plain(sentence: str) -> bool:
    """Whether a sentence can be asked about word for word."""
    return len(sentence) in CHARS and _PLAIN.fullmatch(sentence) is not None


def _dated(sentence: str, context: str, chance: Random) -> str | None:
    """With another year, that the context does not have, in a sentence with one year alone."""
    years = _FOUR.findall(sentence)
    found = _YEAR.search(sentence)
    if found is None or len(years) != 1 or _VAGUE.search(sentence):
        return None
    old = int(found[1])
    near = [old + step for step in range(-9, 10) if step]
    new = [str(year) for year in near if str(year) not in context]
    # "From 1990 in 2010": a second date would need a second look. "2003-04" is no year either.
    in_a_range = any(f"{old}{mark}" in context for mark in "-–/")
    if not new or in_a_range or _SHORT_YEAR.search(context):
        return None
    return _swapped(sentence, found.span(1), chance.choice(new))


def _raised(sentence: str, context: str, chance: Random) -> str | None:
    """With a greater number of the same things, if it is the only number of the sentence."""
    found = _COUNTED.search(sentence)
    if found is None or len(_DIGITS.findall(sentence)) != 1 or found[2] in {*_NOUN_NOT, *_UNITS}:
        return None
    if _LABEL.search(sentence[: found.start(1)].casefold()) or not found[2].endswith("s"):
        return None
    old = int(found[1])
    new = old + max(2, round(old * chance.uniform(*RAISED)))
    if old < 2 or " ago" in sentence or _says(context, new) or context.count(found[1]) > 1:
        return None
    return _swapped(sentence, found.span(1), str(new))


def _says(context: str, number: int) -> bool:
    """Whether a number stands in a context, in digits or in words."""
    if str(number) in context:
        return True
    tens = number // 10
    words = ONES[number] if number < len(ONES) else TENS[min(tens, 9) - 2]
    return words in context.casefold()


def _scaled(sentence: str, context: str, _chance: Random) -> str | None:
    """With another unit, if the context does not have that unit at all."""
    found = _MEASURED.search(sentence)
    if found is None or len(_DIGITS.findall(sentence)) != 1:
        return None
    new = _UNITS[found[1]]
    if new in context.casefold():
        return None
    return _swapped(sentence, found.span(1), new)


def _denied(sentence: str, context: str, _chance: Random) -> str | None:
    """With "not" behind its one verb, if its subject is named and no other sentence is like it."""
    folded, clause = sentence.casefold(), CLAUSE.match(sentence)
    if clause is None or len(VERB.findall(folded)) != 1 or TWO_WAYS.search(folded):
        return None
    rest = sentence[clause.end() :]
    # A name behind the first word; and no adverb and no second part that "not" might be about.
    if not _NAMED.search(clause[0]) or _SCOPED.search(folded):
        return None
    if len(rest.split()) > MOST_WORDS:
        return None
    words = _LONG.findall(rest)
    others = context.replace(sentence, " ").casefold()
    if any(word in others for word in words):
        return None
    return f"{clause[0]} not{rest}"


def _turned(sentence: str, context: str, _chance: Random) -> str | None:
    """With the opposite superlative or comparison, if the context has no other one."""
    found = list(_COMPARED.finditer(sentence))
    folded = sentence.casefold()
    if len(found) != 1 or _RANKED.search(folded) or _UNSURE.search(folded):
        return None
    new = _TURNED[found[0][0]]
    if new.split()[0] in context.casefold() or "," in sentence or "." in sentence[:-1]:
        return None
    return _swapped(sentence, found[0].span(), new)


def _swapped(sentence: str, place: tuple[int, int], new: str) -> str:
    return f"{sentence[: place[0]]}{new}{sentence[place[1] :]}"


_RULES: Mapping[str, Rule] = {
    "date": _dated,
    "number": _raised,
    "unit": _scaled,
    "negation": _denied,
    "comparison": _turned,
}
ALTERED: Sequence[str] = tuple(_RULES)
