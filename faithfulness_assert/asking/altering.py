"""Sentences that a context surely does not support, of several kinds, for controls.

Some have a word that the context lacks: a number or a name that is made up, or a whole sentence.
Others have no new word: a number of another sentence, or "not". They are made of the context, or
look like the answer: a statement of it is altered, or stands beside such a sentence, so that a rule
for what the answer says holds for them too. Whoever knows one kind does not know the next one.
A sentence that is not beyond doubt is not altered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from ..text.strings import alternatives, lazy_pattern, sections
from .fences import Dice

T = TypeVar("T")
Altered = Callable[[str, Sequence[str]], "str | None"]

_WORDS = sections(__file__.removesuffix("altering.py") + "words/altering.txt")
_NUMBER = lazy_pattern(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
_COUNTED = lazy_pattern(r"(?<![\w.,-])(\d+) ([a-z]{4,})\b(?! \d)")
_DIGITS = lazy_pattern(r"\d+")
_NAME = lazy_pattern(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_WORD = lazy_pattern(r"[^\W\d_]{4,}")
# Patterns with words search a case-folded sentence: three times as fast as with re.IGNORECASE.
DOUBT = lazy_pattern(alternatives(_WORDS["doubt"]))
# Only English sentences are altered: of other languages these rules know nothing.
ENGLISH = lazy_pattern(r"\b(?:the|and|for|of|with|from|by|were|are|has|have|its|this|that)\b")
# A plain main clause: "not" after its one verb turns all of it round.
CLAUSE = lazy_pattern(r"[A-Z][\w' ]* (?:is|are|was|were)(?= [a-z][\w' -]*\.$)")
VERB = lazy_pattern(r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would)\b")
TWO_WAYS = lazy_pattern(alternatives(_WORDS["two ways"]))
_COMMON = frozenset(_WORDS["common"].split())
# A statement that can stand beside another one in a sentence.
_STATEMENT = lazy_pattern(r"[^\W\d_][^\n|<>#*`{}\[\]?!\\/;:]{11,98}[.。।]")
_STARTS = frozenset("The A An In At On For Its This These Those That".split())
_ONSETS = "b br d dr f g gr k kl l m n p pl qu r s sk t tr v w z".split()
_CODAS = "l m n r s th x lt nd rk".split()
_TOLD = _WORDS["told"].strip().split("\n")
LONGER = 6
"""Digits that a number may gain to be one that the context does not have."""
TRIES = 4
UNLIKELY = 3
"""Digits of a number that no text gives in words, or leaves to be computed, by chance."""
LOOKED_AT = 8
"""So many statements of an answer are drawn, to find one that can be used."""
READINGS = 4
"""How often a context is read to see whether it says what an altered sentence would say."""


class Altering:
    """Alters sentences of a context, and statements of an answer, as the dice fall."""

    def __init__(
        self, sentences: Sequence[str], dice: Dice, statements: Sequence[str] = ()
    ) -> None:
        self._dice, self._statements, self._readings = dice, statements, READINGS
        self._folded = [sentence.casefold() for sentence in sentences]
        self._whole = "\n".join(self._folded)

    def _has_number(self, digits: str) -> bool:
        """Whether the context has these digits with no digit beside them, also in "7kg"."""
        start, text = self._whole.find(digits), self._whole
        while start >= 0:
            end = start + len(digits)
            if not (text[max(start - 1, 0) : start].isdecimal() or text[end : end + 1].isdecimal()):
                return True
            start = text.find(digits, start + 1)
        return False

    def made_of(self, sentences: Sequence[str]) -> Iterator[str]:
        """False sentences made of these or of the answer, the kinds in any order."""
        folded = ((sentence, sentence.casefold()) for sentence in sentences)
        usable = [s for s, words in folded if not DOUBT.search(words) and ENGLISH.search(words)]
        alone = len(sentences) == 1
        sources = [self._of_context(usable, alone=alone)]
        if not alone:
            sources.append(self._of_answer(usable))
        yield from chain.from_iterable(self._dice.shuffled(sources))

    def _of_context(self, usable: Sequence[str], *, alone: bool) -> Iterator[str]:
        new = [self._with_number, self._with_name]
        invented: list[None] = [] if alone else [None]
        for kind in self._in_any_order([*new, *invented], [self._denied, self._with_borrowed]):
            if kind is None:
                yield self.invented()
            else:
                yield from filter(None, (kind(sentence, usable) for sentence in usable))

    def _of_answer(self, usable: Sequence[str]) -> Iterator[str]:
        """What looks like the answer: a statement of it altered, or beside a false sentence."""
        plain = filter(_STATEMENT.fullmatch, self._dice.shuffled(self._statements))
        statements = [s for s in islice(plain, LOOKED_AT) if len(s.split()) > 2]
        for kind in self._dice.shuffled([self._altered, self._beside]):
            yield from kind(statements, usable)

    def _altered(self, statements: Sequence[str], usable: Sequence[str]) -> Iterator[str]:
        if not ENGLISH.search("\n".join(self._statements).casefold()):
            return
        certain = [s for s in statements if not DOUBT.search(s.casefold())]
        unlikely: Altered = partial(self._with_number, least=UNLIKELY)
        for kind in self._in_any_order([unlikely, self._with_name], [self._with_borrowed]):
            yield from filter(None, (kind(statement, usable) for statement in certain))

    def _beside(self, statements: Sequence[str], usable: Sequence[str]) -> Iterator[str]:
        for statement in statements:
            for false in islice(self._of_context(usable, alone=False), 1):
                first, second = self._dice.shuffled([statement, false])
                yield f"{first[:-1]}, and {_inside(second)}"

    def _in_any_order(self, *groups: Iterable[T]) -> Iterator[T]:
        shuffled = [list(self._dice.shuffled(group)) for group in groups]
        return chain.from_iterable(self._dice.shuffled(shuffled))

    # ------------------------------------------------------------ with something new

    def _with_number(self, sentence: str, _others: Sequence[str], least: int = 0) -> str | None:
        number = _NUMBER.search(sentence)
        return number and _swapped(sentence, number, self._new_number(number[0], least))

    def _with_name(self, sentence: str, _others: Sequence[str]) -> str | None:
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
                if new != digits and not self._has_number(new):
                    return new + rest
        return None

    def _new_name(self) -> str:
        """A name that can be spoken, and that the context does not contain."""
        while True:
            name = "".join(
                self._dice.one_of(_ONSETS) + self._dice.one_of("aeiou") for _ in range(3)
            ) + self._dice.one_of(_CODAS)
            if name not in self._whole:
                return name.capitalize()

    def invented(self) -> str:
        """A sentence about people and towns that the context does not name."""
        names = [self._new_name() for _ in range(3)]
        year, count = self._new_number("1764") or "", self._new_number("316") or ""
        templates = [t for t in _TOLD if (year or "{3}" not in t) and (count or "{4}" not in t)]
        return self._dice.one_of(templates).format(*names, year, count)

    # ------------------------------------------------------------ without a new word

    def _denied(self, sentence: str, _others: Sequence[str]) -> str | None:
        """The sentence with "not", if no other one says nearly the same."""
        folded, clause = sentence.casefold(), CLAUSE.match(sentence)
        if not clause or len(VERB.findall(folded)) != 1 or TWO_WAYS.search(folded):
            return None
        words, subject = _words(sentence), _words(clause[0])
        if not subject or not self._may_read():
            return None
        for other in self._folded:
            if sum(word in other for word in words) > 1 and other != folded:
                return None
        return f"{clause[0]} not{sentence[clause.end() :]}"

    def _with_borrowed(self, sentence: str, others: Sequence[str]) -> str | None:
        """The sentence with the number of things of another kind, of which it says nothing."""
        own = _COUNTED.search(sentence)
        if not own or _NUMBER.search(sentence).start() != own.start():  # type: ignore[union-attr]
            return None
        words = _words(sentence)
        for other in self._dice.shuffled(others):
            counted = _COUNTED.search(other)
            if not counted or words & _words(other) or {counted[2], own[2]} & _COMMON:
                continue
            number = counted[1]
            if number == own[1] or not self._may_read():
                continue
            saying = (s for s in self._folded if number in s and number in _DIGITS.findall(s))
            if not any(word in text for text in saying for word in words):
                return f"{sentence[: own.start(1)]}{number}{sentence[own.end(1) :]}"
        return None

    def _may_read(self) -> bool:
        self._readings -= 1
        return self._readings >= 0


def _words(sentence: str) -> frozenset[str]:
    """The words of a sentence that say what it is about, without the ends that they may lose."""
    words = _WORD.findall(sentence.casefold())
    return frozenset(word.removesuffix("s") for word in words if word not in _COMMON)


def _inside(sentence: str) -> str:
    """A sentence as it stands behind another one."""
    return sentence[0].lower() + sentence[1:] if sentence.split()[0] in _STARTS else sentence


def _swapped(sentence: str, old: re.Match[str], new: str | None) -> str | None:
    return None if new is None else f"{sentence[: old.start()]}{new}{sentence[old.end() :]}"
