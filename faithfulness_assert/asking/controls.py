"""Statements whose verdict is known, asked about among the others: a judge that gets them wrong is not to be trusted with the rest.

Two for an ask: a sentence of the context word for word, which must be supported, and one with its number or name swapped for one that the
context does not have, which must not be. They are chosen by the content alone, so that the same case gives the same prompt.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..text.strings import text_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..records.model import Label

CHARS = range(25, 141)
"""How long the sentence of a control is: long enough to say something, short enough to cost little."""
CHOICE = (
    8  # of the shortest sentences, so that answers to one context do not all get the same controls
)
MADE_UP = ("Varlenko", "Tessborough", "Quillmark", "Osterwyn")

_PLAIN = re.compile(r"[^\W\d_][^\n|<>#*`{}\[\]?!\\/]*\.")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
# A sentence that speaks to the reader may speak to the judge: it is not said to it twice.
_ADDRESS = re.compile(
    r"\b(?:you|your|ignore|disregard|label|verdicts?|statements?|supported|instructions?|prompts?|graders?|assistant)\b",
    re.IGNORECASE,
)
# Beside these another number or name may be true as well: "at least 100" backs "at least 90", and what "isn't 90" is not 80 either.
_DOUBT = re.compile(
    r"\b(?:at (?:least|most)|as \w+ as|than|over|under|above|below|up to|about|around|approximately|roughly|circa|ca|nearly|almost|between|"
    r"exceed\w*|reach\w*|minimum|maximum|within|before|after|since|until|through|by (?=\d)|some (?=\d)|every|any|or|if|unless|"
    r"can|could|may|might|not|cannot|never|no|nor|none|neither|without|false|untrue)\b|n['’]t\b|[+~±≈≤≥]",
    re.IGNORECASE,
)
# These words are English: of a sentence in another language nothing is known.
_ENGLISH = re.compile(
    r"\b(?:the|and|for|of|with|from|by|were|are|has|have|its|this|that)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Control:
    """A statement with a known verdict: ``true`` where the context has it word for word."""

    text: str
    true: bool

    def passed(self, label: Label | None) -> bool:
        """Whether the judge got it right. No verdict is none."""
        return label == "supported" if self.true else label not in (None, "supported")


def make_controls(context: Sequence[str], statements: Sequence[str]) -> tuple[Control, ...]:
    """A true and a false control from the sentences of the context; () where none can be made that is beyond doubt."""
    seed = crc32("\n".join(statements).encode("utf-8", "replace"))
    whole = " ".join(context)
    asked = set(map(text_key, statements))
    plain = sorted(
        {s for s in context if _is_plain(s) and text_key(s) not in asked}, key=lambda s: (len(s), s)
    )
    false = next(
        (
            altered
            for s in _turned(plain, seed)
            if (altered := _altered(s, whole)) and text_key(altered) not in asked
        ),
        None,
    )
    if false is None:
        return ()
    return Control(next(_turned(plain, seed >> 8)), true=True), Control(false, true=False)


def _is_plain(sentence: str) -> bool:
    return (
        len(sentence) in CHARS
        and bool(_PLAIN.fullmatch(sentence))
        and len(sentence.split()) > 4
        and not _ADDRESS.search(sentence)
    )


def _turned(items: Sequence[str], seed: int) -> Iterator[str]:
    """The items, beginning with one of the first few."""
    start = seed % min(CHOICE, len(items)) if items else 0
    yield from (*items[start:], *items[:start])


def _altered(sentence: str, context: str) -> str | None:
    """The sentence with its first number or name swapped for one that is nowhere in the context."""
    if _DOUBT.search(sentence) or not _ENGLISH.search(sentence):
        return None
    number, name = _NUMBER.search(sentence), _NAME.search(sentence)
    if number:
        known = set(_DIGITS.findall(context))  # also in "7kg" and "2-7"
        other = next(
            (n for n in _other_numbers(number[0]) if _DIGITS.findall(n)[0] not in known), None
        )
        found = number
    elif name:
        other = next((n for n in MADE_UP if n.casefold() not in context.casefold()), None)
        found = name
    else:
        return None
    return None if other is None else f"{sentence[: found.start()]}{other}{sentence[found.end() :]}"


def _other_numbers(number: str) -> Iterator[str]:
    """Numbers of the same look: another first digit, in a year another third."""
    place = 2 if number.isdecimal() and len(number) == 4 else 0
    digit = int(number[place])
    for step in (4, 3, 5, 2, 6):
        other = (digit + step) % 10
        if other or place:
            yield f"{number[:place]}{other}{number[place + 1 :]}"


def mixed(
    statements: Sequence[tuple[int, str]], controls: Sequence[Control]
) -> tuple[tuple[tuple[int, str], ...], dict[int, Control]]:
    """The numbered statements with the controls among them, and the controls by their numbers, which no statement has."""
    lines = list(statements)
    first = max(number for number, _ in statements) + 1
    seed = crc32("\n".join(text for _, text in statements).encode("utf-8", "replace"))
    numbered = dict(enumerate(controls if seed & 1 else reversed(controls), first))
    for shift, (number, control) in enumerate(numbered.items(), 1):
        lines.insert((seed >> (4 * shift)) % (len(lines) + 1), (number, control.text))
    return tuple(lines), numbered


def summary(results: Sequence[tuple[Control, Label | None]]) -> Mapping[str, Any]:
    """What became of the controls of a case, for its metadata: how many were asked, passed, failed and not answered."""
    counts = Counter(
        "unanswered" if label is None else "passed" if control.passed(label) else "failed"
        for control, label in results
    )
    return {
        "asked": len(results),
        **{name: counts[name] for name in ("passed", "failed", "unanswered")},
    }
