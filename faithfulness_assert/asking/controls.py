"""Controls: statements with a known verdict that are mixed into an ask.

A judge that gets them wrong cannot be trusted with the rest. There are two: a sentence of the
context word for word, which must be supported, and one that the context surely does not support,
which must not be. Which ones, and where they stand, follows from a secret and the content: the same
case always gives the same prompt, and no author of a text can foresee it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from ..records.judge import Numbered
from ..records.model import Label
from ..text.strings import DENSE, lazy_pattern, text_key
from .altering import Altering
from .fences import Dice

CHARS = range(25, 141)
"""Length of a control's sentence: long enough to say something, short enough to cost little."""
LEAST = 2
"""Sentences of a context in which an invented one is no stranger."""
LOOKED_AT = 8
"""So many sentences of a context are drawn, to find two that can be used."""

_PLAIN = lazy_pattern(r"[^\W\d_][^\n|<>#*`{}\[\]?!\\/]*[.。।]")
_DENSE = lazy_pattern(f"[{DENSE}]")
# A sentence that speaks to the reader may also speak to the judge: do not show it twice.
_ADDRESS = lazy_pattern(
    r"\b(?:you|your|ignore|disregard|label|verdicts?|statements?|supported|instructions?|prompts?"
    r"|graders?|assistant)\b"
)


class Control(NamedTuple):
    """A statement with a known verdict: ``true`` if the context contains it word for word."""

    text: str
    true: bool

    def passed(self, label: Label | None) -> bool | None:
        """Whether the judge got it right; None without a label."""
        return None if label is None else self.true == (label == "supported")


Answered = tuple[tuple[Control, "bool | None"], ...]
"""Controls, and whether the judge got them right; None for one that it did not answer."""


_FAILED = {
    False: "an altered sentence that it called supported",
    True: "a sentence of the context that it did not call supported",
}


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
    drawn = list(islice(_drawn(groups, dice, asked), LOOKED_AT))
    # The false one comes from another passage where it can: one may be the attacker's own.
    altering = Altering(sentences, dice, statements)
    false = altering.made_of([*drawn[1:], *drawn[:1]]) if drawn else ()
    if text := next((t for t in false if text_key(t) not in asked), None):
        return Control(drawn[0], true=True), Control(text, true=False)
    plain = sum(1 for _ in islice(filter(_is_plain, sentences), LEAST))
    return (Control(altering.invented(), true=False),) if plain == LEAST else ()


def _drawn(groups: Iterable[Sequence[str]], dice: Dice, asked: Collection[str]) -> Iterator[str]:
    """Sentences that can be used, one of each passage, then the next of each."""
    plain = [filter(_is_plain, dice.shuffled(sentences)) for sentences in groups]
    while plain:
        going_on = []
        for sentences in dice.shuffled(plain):
            sentence = next((s for s in sentences if text_key(s) not in asked), None)
            if sentence is not None:
                yield sentence
                going_on.append(sentences)
        plain = going_on


def _is_plain(sentence: str) -> bool:
    """Whether a sentence is short, a full sentence, and free of markup and of words to a reader."""
    if len(sentence) not in CHARS or _PLAIN.fullmatch(sentence) is None:
        return False
    if len(sentence.split()) <= 4 and not _DENSE.search(sentence):
        return False
    return not _ADDRESS.search(sentence.casefold())


def mixed(
    statements: Numbered, controls: Sequence[Control], secret: bytes = b""
) -> tuple[tuple[int, str] | Control, ...]:
    """The statements, in their order, with the controls at any places between them."""
    if not controls:
        return statements
    lines: list[tuple[int, str] | Control] = list(statements)
    dice = Dice(secret, "places", *(text for _, text in statements))
    for control in dice.shuffled(controls):
        lines.insert(dice.below(len(lines) + 1), control)
    return tuple(lines)


def problem_of(answered: Answered, untested: int = 0) -> str:
    """Which controls of a case the judge failed or did not answer, in words; "" if none.

    ``untested``: how many windows have verdicts, but could have no control.
    """
    failed = {control.true for control, passed in answered if passed is False}
    kinds = [kind for true, kind in _FAILED.items() if true in failed]
    unanswered = sum(passed is None for _, passed in answered)
    problems = [f"the judge failed a control: {' and '.join(kinds)}"] if kinds else []
    if unanswered:
        problems.append(f"the judge did not answer {unanswered} of {len(answered)} controls")
    if untested:
        where = f" in {untested} part{'s'[: untested - 1]} of the context" if answered else ""
        problems.append(f"no control could be made{where}")
    return "; ".join(problems)


def summary(answered: Answered) -> Mapping[str, Any]:
    """How many controls of a case were asked, passed, failed and not answered."""
    outcomes = Counter(passed for _, passed in answered)
    passed, failed, unanswered = outcomes[True], outcomes[False], outcomes[None]
    return {"asked": len(answered), "passed": passed, "failed": failed, "unanswered": unanswered}
