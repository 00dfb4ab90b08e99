"""Controls: statements with a known verdict that are mixed into an ask.

A judge that gets them wrong cannot be trusted with the rest. There are two: a sentence of the
context word for word, which must be supported, and one that the context surely does not support,
which must not be. Which ones, and where they stand, follows from a secret and the content: the same
case always gives the same prompt, and no author of a text can foresee it.

False sentences are of several kinds, and whoever knows one kind does not know the next one: one of
the context with another number or name, or with "not", or one that is made up. Some of them stand
beside a statement of the answer, so that a rule for what the answer says holds for them too. A
sentence that is not beyond doubt is not altered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import shake_256
from itertools import chain, count, islice, zip_longest
from operator import itemgetter
from struct import unpack
from typing import NamedTuple, TypeVar

from ..records.judge import Numbered
from ..text.learned import asks
from ..text.phrases import refers_back
from ..text.strings import (
    DENSE,
    FIRST_DENSE,
    alternatives,
    lazy_pattern,
    sections,
    text_key,
    words_in,
)
from .fences import keyed

T = TypeVar("T")

_WORDS = sections(__file__.removesuffix("controls.py") + "words/altering.txt")
# What begins with a kind of character is searched twice as fast as what looks behind first.
_NUMBER = lazy_pattern(r"\d(?<![\w.,-]\d)\d*(?:[.,]\d+)*(?![\w-])")
_DIGITS = lazy_pattern(r"\d+")
_NAME = lazy_pattern(r"[A-Z](?<=[a-z,] [A-Z])[a-z]{3,}\b")
_WORD = lazy_pattern(r"[^\W\d_]{4,}")
# Patterns with words search a case-folded sentence: three times as fast as with re.IGNORECASE.
DOUBT = lazy_pattern(rf"\W(?:{alternatives(_WORDS['doubt'])})")  # with what stands before each
# Only English sentences are altered: of other languages these rules know nothing.
ENGLISH = lazy_pattern(r"\b(?:the|and|for|of|with|from|by|were|are|has|have|its|this|that)\b")
# A plain main clause: "not" after its one verb turns all of it round.
CLAUSE = lazy_pattern(r"[A-Z][\w' ]* (?:is|are|was|were)(?= [a-z][\w' -]*\.$)")
VERB = lazy_pattern(r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would)\b")
TWO_WAYS = lazy_pattern(alternatives(_WORDS["two ways"]))
_COMMON = frozenset(_WORDS["common"].split())
_TOLD = _WORDS["told"].strip().split("\n")
# A sentence of the context that is shown, and a statement that can stand beside another one.
_PLAIN = lazy_pattern(r"[^\W\d_][^\n|<>#*`{}\[\]?!\\/]*[.。।]")
_STATEMENT = lazy_pattern(r"[^\W\d_][^\n|<>#*`{}\[\]?!\\/;:]{11,98}[.。।]")
_DENSE = lazy_pattern(f"[{DENSE[DENSE.index(FIRST_DENSE) :]}\uac00-\ud7a3]")  # and Hangul
# A sentence that speaks to the reader may also speak to the judge: do not show it twice.
_ADDRESS = frozenset(
    "you your ignore disregard label verdict verdicts statement statements supported instruction "
    "instructions prompt prompts grader graders assistant".split()
)
_STARTS = frozenset("The A An In At On For Its This These Those That".split())
_ONSETS = "b br d dr f g gr k kl l m n p pl qu r s sk t tr v w z".split()
_CODAS = "l m n r s th x lt nd rk".split()
CHARS, DENSE_CHARS = range(25, 141), range(8, 71)
"""Length of a control's sentence: long enough to say something, short enough to cost little. The
other is for Chinese, Japanese and Korean: so short, they claim something as often as English."""
LEAST = 2
"""Sentences of a context in which an invented one is no stranger."""
LOOKED_AT = 5
"""So many sentences of a context are drawn, to find some that can be used."""
BESIDE = 4
"""One of so many false sentences stands beside a statement of the answer."""
TRIES = 4
"""After so many, a number is one digit longer, to be one that the context does not have."""


class Control(NamedTuple):
    """A statement with a known verdict: ``true`` if the context contains it word for word."""

    text: str
    true: bool


Answered = tuple[tuple[Control, "bool | None"], ...]
"""Controls, and whether the judge got them right; None for one that it did not answer."""


def controls_from(
    passages: Iterable[Iterable[str]], statements: Sequence[str], secret: bytes = b""
) -> tuple[Control, ...]:
    """A true and a false control from the sentences of these passages.

    Where the answer says all of them, or the rest cannot be altered, an invented one stands alone.
    () if there are not two that say something. Time is linear in the context.

    Args:
        statements: of the answer. A control never says what one of them says.
        secret: who does not know it cannot foresee the controls.
    """
    asked = frozenset(map(text_key, statements))
    groups = [list(dict.fromkeys(sentences)) for sentences in passages]
    sentences = list(chain.from_iterable(groups))
    dice = Dice(secret, "controls", *statements)
    drawn = [*islice(_drawn(groups, dice, asked), LOOKED_AT)]
    altering = Altering(sentences, dice)
    # The false one comes from another passage where it can: one may be the attacker's own.
    false = altering.made_of([*drawn[1:], *drawn[:1]], statements)
    if text := next((text for text in false if text_key(text) not in asked), None):
        return Control(drawn[0], true=True), Control(text, true=False)
    plain = sum(1 for _ in islice(filter(_is_plain, sentences), LEAST))
    return (Control(altering.invented(), true=False),) if plain == LEAST else ()


def _drawn(groups: Iterable[Sequence[str]], dice: Dice, asked: Collection[str]) -> Iterator[str]:
    """Sentences that can be used: of one of each passage, then of the next of each."""
    rounds = zip_longest(*dice.shuffled(map(dice.shuffled, groups)), fillvalue="")
    drawn = filter(_is_plain, chain.from_iterable(rounds))
    return (sentence for sentence in drawn if text_key(sentence) not in asked)


def _is_plain(sentence: str) -> bool:
    """Whether a sentence is short, a full sentence, and free of markup and of words to a reader."""
    is_begun = sentence[:1].islower()  # the end of one that was cut
    if is_begun or len(sentence) > CHARS[-1] or _PLAIN.fullmatch(sentence) is None:
        return False
    is_dense = not sentence.isascii() and len(_DENSE.findall(sentence)) > len(sentence) / 3
    fits = len(sentence) in DENSE_CHARS if is_dense else len(sentence) in CHARS
    words = words_in(sentence) if fits else []
    return (is_dense or len(words) > 4) and fits and _ADDRESS.isdisjoint(words)


def mixed(
    statements: Numbered, controls: Sequence[Control], secret: bytes = b""
) -> tuple[tuple[int, str] | Control, ...]:
    """The statements, in their order, with the controls at any places between them.

    But none stands before a statement that refers back, as if that spoke of the control, or behind
    a question of the answer, as if the control answered it.
    """
    if not controls:
        return statements
    lines: list[tuple[int, str] | Control] = list(statements)
    texts = [text for _, text in statements]

    def is_free(place: int) -> bool:
        if place > 0 and asks(texts[place - 1]):
            return False
        return place in (0, len(texts)) or not refers_back(texts[place])

    dice, placed = Dice(secret, "places", *texts), list[tuple[Control, int]]()
    for control in dice.shuffled(controls):
        place = next(filter(is_free, dice.shuffled(range(len(texts) + 1))))  # the first one is free
        placed.append((control, place))
    for control, place in sorted(placed, key=itemgetter(1))[::-1]:  # no place moves before its turn
        lines.insert(place, control)
    return tuple(lines)


# ---------------------------------------------------------------- how the judge did


def problem_of(answered: Answered) -> str:
    """Which controls of a case the judge failed or did not answer, in words; "" if none."""
    failed = {control.true for control, passed in answered if passed is False}
    problems = [words for is_true, words in FAILED.items() if is_true in failed]
    if unanswered := [control for control, passed in answered if passed is None]:
        which = f"{len(unanswered)} of {len(answered)} controls"
        problems.append(f"the judge gave no valid verdict on {which}")
    return "; ".join(problems)


FAILED = {
    False: "the judge failed a control: it called an altered sentence supported",
    True: "the judge failed a control: it did not call a sentence of the context supported",
}


# ---------------------------------------------------------------- what the context does not say


class Dice:
    """Throws that follow from a secret and the texts that they are about."""

    def __init__(self, secret: bytes, *texts: str) -> None:
        key = keyed(secret, *texts)  # before the block, it is safe with SHAKE
        blocks = (shake_256(key + n.to_bytes(8, "big")).digest(512) for n in count())
        throws: Iterator[int] = chain.from_iterable(unpack(">64Q", block) for block in blocks)
        self._throws = throws

    def below(self, end: int) -> int:
        """A whole number from 0 to below ``end``."""
        return next(self._throws) % end

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[next(self._throws) % len(items)]

    def shuffled(self, items: Iterable[T]) -> Iterator[T]:
        """The items in any order, each thrown for when it is wanted."""
        left = list(items)
        while left:
            place = next(self._throws) % len(left)
            left[place], left[-1] = left[-1], left[place]
            yield left.pop()


class Altering:
    """Alters sentences of a context, as the dice fall."""

    def __init__(self, sentences: Sequence[str], dice: Dice) -> None:
        self._dice = dice
        self._sentences, self._whole = sentences, "\n".join(sentences).casefold()

    def made_of(self, sentences: Sequence[str], statements: Sequence[str]) -> Iterator[str]:
        """False sentences made of these, the kinds in any order, some beside a statement."""
        are_several = len(sentences) > 1
        new: list[Kind] = [self._swapped, *([self.invented] if are_several else [])]
        groups: list[list[Kind]] = [[*self._dice.shuffled(new)], [self._denied]]
        for kind in chain.from_iterable(self._dice.shuffled(groups)):
            is_made_up = kind == self.invented
            for sentence in sentences[:1] if is_made_up else filter(_is_certain, sentences):
                if false := kind(sentence):
                    is_beside = are_several and self._dice.below(BESIDE) == 0
                    yield self._beside(statements, false) if is_beside else false

    def _beside(self, statements: Sequence[str], false: str) -> str:
        """A false sentence in one with a statement, if one of them can stand in another."""
        plain = filter(_STATEMENT.fullmatch, self._dice.shuffled(statements))
        statement = next((s for s in islice(plain, 1) if len(s.split()) > 2), "")
        if not statement:
            return false
        first, second = self._dice.shuffled([statement, false])
        if second.split()[0] in _STARTS:
            second = second[0].lower() + second[1:]
        return f"{first[:-1]}, and {second}"

    def _swapped(self, sentence: str) -> str | None:
        """The sentence with another number, or else another name."""
        number = _NUMBER.search(sentence)
        old = number or _NAME.search(sentence)
        if not old:
            return None
        new = self._new_number(old[0]) if number else self._new_name()
        return f"{sentence[: old.start()]}{new}{sentence[old.end() :]}"

    def _new_number(self, number: str) -> str:
        """A number of the same kind whose first digits the context does not have anywhere."""
        digits = _DIGITS.findall(number)[0]
        is_year = number.isdecimal() and len(number) == 4
        for attempt in count():
            longer = attempt // TRIES
            new = f"{1 + self._dice.below(9)}{'' if longer else digits[1:]}"
            if is_year and not longer:
                new = f"{number[:2]}{self._dice.below(10)}{number[3]}"
            while len(new) < len(digits) + longer:
                new += str(self._dice.below(10))
            is_there = new in self._whole and new in _DIGITS.findall(self._whole)  # also "7kg"
            if new != digits and not is_there:
                break
        return new + number[len(digits) :]

    def _new_name(self) -> str:
        """A name that can be spoken, and that the context does not contain."""
        one_of = self._dice.one_of
        while True:
            name = "".join(one_of(_ONSETS) + one_of("aeiou") for _ in range(3)) + one_of(_CODAS)
            if name not in self._whole:
                return name.capitalize()

    def invented(self, _sentence: str = "") -> str:
        """A sentence about people and towns that the context does not name."""
        names = [self._new_name() for _ in range(3)]
        numbers = self._new_number("1764"), self._new_number("316")
        return self._dice.one_of(_TOLD).format(*names, *numbers)

    def _denied(self, sentence: str) -> str | None:
        """The sentence with "not", if no other one says nearly the same."""
        folded, clause = sentence.casefold(), CLAUSE.match(sentence)
        if not clause or len(VERB.findall(folded)) != 1 or TWO_WAYS.search(folded):
            return None
        words, subject = _words(sentence), _words(clause[0])
        if not subject:
            return None
        for other in map(str.casefold, self._sentences):
            if sum(word in other for word in words) > 1 and other != folded:
                return None
        return f"{clause[0]} not{sentence[clause.end() :]}"


Kind = Callable[[str], "str | None"]
"""A way to alter a sentence; None where it cannot."""


@lru_cache(maxsize=64)
def _is_certain(sentence: str) -> bool:
    folded = sentence.casefold()
    return ENGLISH.search(folded) is not None and not DOUBT.search(f" {folded}")


def _words(sentence: str) -> frozenset[str]:
    """The words of a sentence that say what it is about, without the ends that they may lose."""
    words = _WORD.findall(sentence.casefold())
    return frozenset(word.removesuffix("s") for word in words if word not in _COMMON)
