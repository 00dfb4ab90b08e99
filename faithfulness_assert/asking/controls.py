"""Controls: statements with a known verdict that are mixed into an ask.

A judge that gets them wrong cannot be trusted with the rest. There are two: a sentence of the
context word for word, which must be supported, and one that the context surely does not support,
which must not be. Which ones, and where they stand, follows from a secret and the content: the same
case always gives the same prompt, and no author of a text can foresee it.

False sentences are of several kinds, and whoever knows one kind does not know the next one. Some
have a word that the context lacks: a number or a name that is made up, or a whole sentence. Others
have no new word but "not". They are made of the context, or look like the answer: a statement of it
is altered, or stands beside such a sentence, so that a rule for what the answer says holds for them
too. A sentence that is not beyond doubt is not altered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from hashlib import shake_256
from itertools import chain, count, islice, tee
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
LOOKED_AT = 8
"""So many sentences of a context, and statements, are drawn, to find some that can be used."""
LONGER, TRIES = 6, 4
"""Digits that a number may gain to be one that the context does not have, and tries for each."""
UNLIKELY = 3
"""Digits of a number that no text gives in words, or leaves to be computed, by chance."""


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
    groups = sorted(sorted(set(sentences)) for sentences in passages)
    sentences = list(chain.from_iterable(groups))
    dice = Dice(secret, "controls", "\n".join(statements), "\n".join(sentences))
    drawn = islice(_drawn(groups, dice, asked), LOOKED_AT)
    altering, true = Altering(sentences, dice, statements), next(drawn, None)
    # The false one comes from another passage where it can: one may be the attacker's own.
    false = altering.made_of(chain(drawn, [true])) if true else ()
    if true and (text := next((t for t in false if text_key(t) not in asked), None)):
        return Control(true, true=True), Control(text, true=False)
    plain = sum(1 for _ in islice(filter(_is_plain, sentences), LEAST))
    return (Control(altering.invented(), true=False),) if plain == LEAST else ()


def _drawn(groups: Iterable[Sequence[str]], dice: Dice, asked: Collection[str]) -> Iterator[str]:
    """Sentences that can be used, one of each passage, then the next of each."""
    usable = [
        (one for one in dice.shuffled(sentences) if _is_plain(one) and text_key(one) not in asked)
        for sentences in groups
    ]
    while usable:
        going_on = []
        for own in dice.shuffled(usable):
            if (sentence := next(own, None)) is not None:
                yield sentence
                going_on.append(own)
        usable = going_on


def _is_plain(sentence: str) -> bool:
    """Whether a sentence is short, a full sentence, and free of markup and of words to a reader."""
    if len(sentence) > CHARS[-1] or _PLAIN.fullmatch(sentence) is None:
        return False
    is_dense = not sentence.isascii() and len(_DENSE.findall(sentence)) > len(sentence) / 3
    fits = len(sentence) in DENSE_CHARS if is_dense else len(sentence) in CHARS
    if not fits or not (is_dense or len(sentence.split()) > 4):
        return False
    return _ADDRESS.isdisjoint(words_in(sentence))


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
    places = [0, *(n for n, text in enumerate(texts, 1) if not asks(text))]
    places = [n for n in places if n in (0, len(texts)) or not refers_back(texts[n])]
    dice = Dice(secret, "places", *texts)
    placed = [(control, dice.one_of(places)) for control in dice.shuffled(controls)]
    for control, place in sorted(placed, key=itemgetter(1))[::-1]:  # no place moves before its turn
        lines.insert(place, control)
    return tuple(lines)


# ---------------------------------------------------------------- how the judge did


def problem_of(answered: Answered, untested: int = 0) -> str:
    """Which controls of a case the judge failed or did not answer, in words; "" if none.

    ``untested``: how many windows have verdicts, but could have no control.
    """
    failed = {control.true for control, passed in answered if passed is False}
    kinds = ["an altered sentence that it called supported"] if False in failed else []
    if True in failed:
        kinds.append("a sentence of the context that it did not call supported")
    unanswered = sum(passed is None for _, passed in answered)
    problems = [f"the judge failed a control: {' and '.join(kinds)}"] if kinds else []
    if unanswered:
        which = f"{unanswered} of {len(answered)} controls"
        problems.append(f"the judge gave no valid verdict on {which}")
    if untested:
        where = f" in {untested} part{'s'[: untested - 1]} of the context" if answered else ""
        problems.append(f"no control could be made{where}")
    return "; ".join(problems)


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
    """Alters sentences of a context, and statements of an answer, as the dice fall."""

    def __init__(self, sentences: Sequence[str], dice: Dice, statements: Sequence[str]) -> None:
        self._dice, self._statements = dice, statements
        self._folded = [sentence.casefold() for sentence in sentences]
        self._whole = "\n".join(self._folded)
        self._drawn: Iterator[str] = iter(())
        self._are_several = False

    def made_of(self, sentences: Iterator[str]) -> Iterator[str]:
        """False sentences made of these or of the answer, the kinds in any order."""
        first, drawn = tee(sentences)  # each is drawn when it is first wanted
        self._are_several = len([*islice(first, 2)]) > 1
        self._drawn = (s for s in drawn if _is_certain(s) and ENGLISH.search(s.casefold()))
        sources = [self._of_context(), *([self._of_answer()] if self._are_several else [])]
        return chain.from_iterable(self._dice.shuffled(sources))

    def _of_context(self) -> Iterator[str]:
        new: list[Kind] = [self._with_number, self._with_name]
        if self._are_several:
            new.append(self.invented)
        return self._by_kind([new, [self._denied]], self._usable)

    def _usable(self) -> Iterator[str]:
        self._drawn, again = tee(self._drawn)
        return again

    def _by_kind(
        self, groups: Iterable[Sequence[Kind]], sentences: Callable[[], Iterator[str]]
    ) -> Iterator[str]:
        """The sentences, altered in each of these ways: a group after the other, in any order."""
        shuffled = [list(self._dice.shuffled(kinds)) for kinds in groups]
        for kind in chain.from_iterable(self._dice.shuffled(shuffled)):
            yield from filter(None, map(kind, [""] if kind == self.invented else sentences()))

    def _of_answer(self) -> Iterator[str]:
        """What looks like the answer: a statement of it altered, or beside a false sentence."""
        plain = filter(_STATEMENT.fullmatch, self._dice.shuffled(self._statements))
        statements = [s for s in islice(plain, LOOKED_AT) if len(s.split()) > 2]
        for kind in self._dice.shuffled([self._altered, self._beside]):
            yield from kind(statements)

    def _altered(self, statements: Sequence[str]) -> Iterator[str]:
        if not ENGLISH.search("\n".join(self._statements).casefold()):
            return iter(())
        unlikely = partial(self._with_number, least=UNLIKELY)
        kinds: list[Kind] = [unlikely, self._with_name]
        return self._by_kind([kinds], lambda: filter(_is_certain, statements))

    def _beside(self, statements: Sequence[str]) -> Iterator[str]:
        for statement in statements:
            for false in islice(self._of_context(), 1):
                first, second = self._dice.shuffled([statement, false])
                if second.split()[0] in _STARTS:
                    second = second[0].lower() + second[1:]
                yield f"{first[:-1]}, and {second}"

    def _with_number(self, sentence: str, least: int = 0) -> str | None:
        number = _NUMBER.search(sentence)
        return number and _swapped(sentence, number, self._new_number(number[0], least))

    def _with_name(self, sentence: str) -> str | None:
        name = None if _NUMBER.search(sentence) else _NAME.search(sentence)
        return name and _swapped(sentence, name, self._new_name())

    def _new_number(self, number: str, least: int = 0) -> str | None:
        """A number of the same kind whose first digits the context does not have anywhere.

        ``least``: how many digits are thrown for at least; 0 for any.
        """
        digits = _DIGITS.findall(number)[0]
        rest, is_year = number[len(digits) :], number.isdecimal() and len(number) == 4
        for longer in range(max(least - len(digits), least > 0), LONGER):
            for _ in range(TRIES):
                new = f"{1 + self._dice.below(9)}{'' if longer else digits[1:]}"
                if is_year and not longer:
                    new = f"{number[:2]}{self._dice.below(10)}{number[3]}"
                while len(new) < len(digits) + longer:
                    new += str(self._dice.below(10))
                is_there = new in self._whole and new in _DIGITS.findall(self._whole)  # also "7kg"
                if new != digits and not is_there:
                    return new + rest
        return None

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
        year, number = self._new_number("1764") or "", self._new_number("316") or ""
        templates = [t for t in _TOLD if (year or "{3}" not in t) and (number or "{4}" not in t)]
        return self._dice.one_of(templates).format(*names, year, number)

    def _denied(self, sentence: str) -> str | None:
        """The sentence with "not", if no other one says nearly the same."""
        folded, clause = sentence.casefold(), CLAUSE.match(sentence)
        if not clause or len(VERB.findall(folded)) != 1 or TWO_WAYS.search(folded):
            return None
        words, subject = _words(sentence), _words(clause[0])
        if not subject:
            return None
        for other in self._folded:
            if sum(word in other for word in words) > 1 and other != folded:
                return None
        return f"{clause[0]} not{sentence[clause.end() :]}"


Kind = Callable[[str], "str | None"]
"""A way to alter a sentence; None where it cannot."""


@lru_cache(maxsize=64)
def _is_certain(sentence: str) -> bool:
    return not DOUBT.search(f" {sentence.casefold()}")


def _words(sentence: str) -> frozenset[str]:
    """The words of a sentence that say what it is about, without the ends that they may lose."""
    words = _WORD.findall(sentence.casefold())
    return frozenset(word.removesuffix("s") for word in words if word not in _COMMON)


def _swapped(sentence: str, old: re.Match[str], new: str | None) -> str | None:
    return None if new is None else f"{sentence[: old.start()]}{new}{sentence[old.end() :]}"
