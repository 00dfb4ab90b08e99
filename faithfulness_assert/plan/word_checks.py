"""What code sees beside the judge: numbers that are nowhere, and words that the evidence lacks.

It changes no label and raises no score. A supported statement may get a flag, all others get the
words that are wrong, beside those that the judge marks itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ..records.model import MARKED, NUMBER_FLAG, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..cases.case import Case
    from ..text.numbers import Numbers


def with_word_checks(case: Case, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts with what code sees in their statements."""

    @cache
    def numbers() -> Numbers:
        from ..text.numbers import numbers_of

        return numbers_of("\n".join(passage.text for passage in case.context))

    @cache
    def asked() -> Numbers:
        from ..text.numbers import numbers_of

        return numbers_of(case.question)

    return tuple(_checked(verdict, asked, numbers) for verdict in verdicts)


def _checked(
    verdict: Verdict, asked: Callable[[], Numbers], numbers: Callable[[], Numbers]
) -> Verdict:
    """The verdict with what code sees. ``asked``: the numbers of the question."""
    if verdict.label is None or verdict.label == "not_a_claim":
        return verdict
    if verdict.label != "supported":
        flags = (*verdict.flags, MARKED) if verdict.wrong else verdict.flags
        return _with_wrong_words(replace(verdict, flags=flags), asked, numbers)
    if not any(char.isdigit() for char in verdict.statement):
        return verdict
    from ..text.absent_numbers import absent_numbers

    evidence = "\n".join(item.text for item in verdict.evidence)
    absent = absent_numbers(verdict.statement, numbers(), asked(), evidence)
    if not absent:
        return verdict
    return replace(verdict, wrong=absent, flags=(*verdict.flags, NUMBER_FLAG))


def _with_wrong_words(
    verdict: Verdict, asked: Callable[[], Numbers], numbers: Callable[[], Numbers]
) -> Verdict:
    if verdict.statement == verdict.statement.casefold() and not (
        verdict.reason or any(char.isdigit() for char in verdict.statement)
    ):
        return verdict
    from ..text.wrong_words import MOST_WRONG, difference

    statement, evidence = verdict.statement, [item.text for item in verdict.evidence]
    wrong, says = difference(statement, evidence, numbers(), verdict.reason, asked())
    beside = (word for word in wrong if not any(word in words for words in verdict.wrong))
    named = sorted(dict.fromkeys([*verdict.wrong, *beside]), key=statement.find)
    return replace(verdict, wrong=tuple(named[:MOST_WRONG]), says=says)
