"""Controls: statements with a known verdict that are mixed into an ask.

A judge that gets them wrong cannot be trusted with the rest. There are two: a sentence of the
context word for word, which must be supported, and one whose number or name was swapped for one
that the context does not contain, which must not be. They depend on the content alone, so that the
same case always gives the same prompt.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from ..text.strings import lazy_pattern, text_key

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping, Sequence

    from ..records.ask import Numbered
    from ..records.model import Label

CHARS = range(25, 141)
"""Length of a control's sentence: long enough to say something, short enough to cost little."""
CHOICE = 8
"""A control is one of so many of the shortest sentences, so that it differs between answers."""
MADE_UP = ("Varlenko", "Tessborough", "Quillmark", "Osterwyn")

_PLAIN = lazy_pattern(r"[^\W\d_][^\n|<>#*`{}\[\]?!\\/]*\.")
_NUMBER = lazy_pattern(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
_DIGITS = lazy_pattern(r"\d+")
_NAME = lazy_pattern(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
# Patterns with words search a case-folded sentence: three times as fast as with re.IGNORECASE.
# A sentence that speaks to the reader may also speak to the judge: do not show it twice.
_ADDRESS = lazy_pattern(
    r"\b(?:you|your|ignore|disregard|label|verdicts?|statements?|supported|instructions?|prompts?"
    r"|graders?|assistant)\b"
)
# Beside these words another number or name may be true as well: "at least 100" also backs
# "at least 90".
_DOUBT = lazy_pattern(
    r"\b(?:at (?:least|most)|as \w+ as|than|over|under|above|below|up to|about|around|approximately"
    r"|roughly|circa|ca|nearly|almost|between|exceed\w*|reach\w*|minimum|maximum|within|before|after"
    r"|since|until|through|by (?=\d)|some (?=\d)|every|any|or|if|unless|can|could|may|might|not"
    r"|cannot|never|no|nor|none|neither|without|false|untrue)\b|n['’]t\b|[+~±≈≤≥]"
)
# Only English sentences are altered: of other languages these rules know nothing.
_ENGLISH = lazy_pattern(r"\b(?:the|and|for|of|with|from|by|were|are|has|have|its|this|that)\b")


class Control(NamedTuple):
    """A statement with a known verdict: ``true`` if the context contains it word for word."""

    text: str
    true: bool

    def passed(self, label: Label | None) -> bool:
        """Whether the judge got it right. Without a verdict it did not."""
        return label == "supported" if self.true else label not in (None, "supported")


Answered = tuple[tuple[Control, "Label | None"], ...]
"""Controls with the labels that the judge gave them."""


_FAILED = {
    False: "an altered sentence that it called supported",
    True: "a sentence of the context that it did not call supported",
}


def make_controls(context: Sequence[str], statements: Sequence[str]) -> tuple[Control, ...]:
    """A true and a false control from the sentences of the context.

    () if no control can be made that is beyond doubt.
    """
    seed = crc32("\n".join(statements).encode("utf-8", "replace"))
    asked = set(map(text_key, statements))
    by_length = sorted(set(context), key=lambda s: (len(s), s))
    usable = (s for s in by_length if _is_plain(s) and text_key(s) not in asked)
    shortest = list(islice(usable, CHOICE))
    if not shortest:
        return ()
    start = seed % len(shortest)
    rotated = chain(shortest[start:], usable, shortest[:start])
    whole = " ".join(context)
    altered = (_altered(sentence, whole) for sentence in rotated)
    false = next((text for text in altered if text and text_key(text) not in asked), None)
    if false is None:
        return ()
    true = shortest[(seed >> 8) % len(shortest)]
    return Control(true, true=True), Control(false, true=False)


def _is_plain(sentence: str) -> bool:
    """Whether a sentence is short, a full sentence, and free of markup and of words to a reader."""
    whole = len(sentence) in CHARS and _PLAIN.fullmatch(sentence) is not None
    return whole and len(sentence.split()) > 4 and not _ADDRESS.search(sentence.casefold())


def _altered(sentence: str, context: str) -> str | None:
    """The sentence with its first number or name swapped for one that the context lacks."""
    words = sentence.casefold()
    if _DOUBT.search(words) or not _ENGLISH.search(words):
        return None
    if number := _NUMBER.search(sentence):
        known = set(_DIGITS.findall(context))  # also in "7kg" and "2-7"
        others = (n for n in _similar_numbers(number[0]) if _DIGITS.findall(n)[0] not in known)
        return _swapped(sentence, number, next(others, None))
    if name := _NAME.search(sentence):
        others = (n for n in MADE_UP if n.casefold() not in context.casefold())
        return _swapped(sentence, name, next(others, None))
    return None


def _swapped(sentence: str, old: re.Match[str], new: str | None) -> str | None:
    return None if new is None else f"{sentence[: old.start()]}{new}{sentence[old.end() :]}"


def _similar_numbers(number: str) -> Iterator[str]:
    """Numbers that differ in the first digit, or in the third one of a year."""
    place = 2 if number.isdecimal() and len(number) == 4 else 0
    digit = int(number[place])
    for step in (4, 3, 5, 2, 6):
        other = (digit + step) % 10
        if other or place:
            yield f"{number[:place]}{other}{number[place + 1 :]}"


def mixed(
    statements: Numbered, controls: Sequence[Control]
) -> tuple[tuple[int, str] | Control, ...]:
    """The statements, in their order, with the controls at places that depend on the texts."""
    if not controls:
        return statements
    lines: list[tuple[int, str] | Control] = list(statements)
    seed = crc32("\n".join(text for _, text in statements).encode("utf-8", "replace"))
    for shift, control in enumerate(controls if seed & 1 else reversed(controls), 1):
        lines.insert((seed >> (4 * shift)) % (len(lines) + 1), control)
    return tuple(lines)


def problem_of(answered: Answered) -> str:
    """Which controls of a case the judge failed or did not answer, in words; "" if none."""
    failed = {control.true for control, label in answered if label and not control.passed(label)}
    kinds = [kind for true, kind in _FAILED.items() if true in failed]
    unanswered = sum(label is None for _, label in answered)
    problems = [f"the judge failed a control: {' and '.join(kinds)}"] if kinds else []
    if unanswered:
        problems.append(f"the judge did not answer {unanswered} of {len(answered)} controls")
    return "; ".join(problems)


def summary(answered: Answered) -> Mapping[str, Any]:
    """How many controls of a case were asked, passed, failed and not answered."""
    outcomes = Counter(_outcome(control, label) for control, label in answered)
    names = ("passed", "failed", "unanswered")
    return {"asked": len(answered), **{name: outcomes[name] for name in names}}


def _outcome(control: Control, label: Label | None) -> str:
    if label is None:
        return "unanswered"
    return "passed" if control.passed(label) else "failed"
