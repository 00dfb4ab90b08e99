"""The end of a plan: what is known becomes a ``GradingResult``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from ..asking.controls import problem_of
from ..asking.schema import label_problem
from ..cases.case import Case
from ..policy.reasons import FIXES
from ..reading.reconcile import Finding
from ..records.errors import JudgeError
from ..records.model import MARKED, NUMBER_FLAG, VERBATIM_FLAG, Statement, Verdict
from ..records.result import GradingResult
from ..text.absent_numbers import Numbers, absent_numbers
from ..text.sentences import Quotable, resolve
from ..text.strings import clip, plain_words
from ..text.wrong_words import MOST_WRONG, difference
from .results import result_of
from .state import State
from .verdicts import finding_of
from .weighing import Found

_DIGIT = re.compile(r"\d")
MAX_EXPLANATION = 600
"""Characters of the judge's own reason."""

NO_CONTROL = (
    "Use controls='report', or give contexts with a few full sentences: a control is a statement "
    "with a known verdict, made from one."
)


def conclude(state: State) -> GradingResult:
    """The result of a plan that is over."""
    return result_of(state, _found(state))


def _found(state: State) -> Found:
    """What is known, whichever policy weighs it."""
    errors, ended = state.log.errors, state.ended
    if ended is None and state.policy.verify == "rubric":
        return Found((), state.audit, rated=state.rated, errors=errors)
    verdicts = () if ended else _verdicts(state)
    enforced = state.policy.controls == "enforce"
    wrong = problem_of(state.answered_controls, state.untested) if enforced else ""
    fix = ""  # what is said of every judge
    if wrong and state.untested and not problem_of(state.answered_controls):
        fix = NO_CONTROL
    if not errors and not any(v.label for v in verdicts):
        errors = _no_label(state, verdicts)
    return Found(
        verdicts,
        state.audit,
        ended,
        None,
        errors,
        _left_open(state, verdicts),
        (wrong, fix),
        not enforced or any(passed is not None for _, passed in state.answered_controls),
        clip(state.explanation, MAX_EXPLANATION),
    )


def _no_label(state: State, verdicts: tuple[Verdict, ...]) -> tuple[JudgeError, ...]:
    """What stands where a label should, if that is why no statement has a verdict."""
    first = next(filter(label_problem, state.log.schema_errors), "")
    if not first or all(v.unresolved != "invalid" for v in verdicts):
        return ()
    own_words = f"{FIXES['unreadable']} The option labels takes other words for labels."
    fix = own_words if label_problem(first) == "wrong" else ""
    said = f"no statement got a valid verdict; {first}"
    return (JudgeError(said, "unreadable", retryable=True, fix=fix),)


def _left_open(state: State, verdicts: tuple[Verdict, ...]) -> dict[int, JudgeError]:
    """The statements that failed asks left open, each with the first error that did."""
    errors: dict[int, JudgeError] = {}
    for (_, number), error in state.failed.items():
        errors.setdefault(number, error)
    first_like = {v.id: state.first_like[v.id] for v in verdicts if v.label is None}
    return {number: errors[first] for number, first in first_like.items() if first in errors}


# ---------------------------------------------------------------- verdicts


def _verdicts(state: State) -> tuple[Verdict, ...]:
    """The verdict on each statement. A repeat has the verdict of the first one like it."""
    firsts = [state.first_like[s.id] for s in state.statements]
    findings = {number: finding_of(state, number) for number in set(firsts)}
    shares: Mapping[int, float] = {}
    if state.likely is not None:
        from .likely_windows import shown_shares

        shares = shown_shares(state, state.likely)
    quotes = any(finding.quote for finding in findings.values())
    quotable = Quotable.of(state.context) if quotes else None
    verdicts = tuple(
        _verdict(state, statement, first, findings[first], quotable, shares.get(first, 1.0))
        for statement, first in zip(state.statements, firsts, strict=True)
    )
    return with_word_checks(state.case, verdicts)


def _verdict(
    state: State,
    statement: Statement,
    first: int,
    finding: Finding,
    quotable: Quotable | None,
    shown: float,
) -> Verdict:
    evidence, flags = resolve(finding.evidence, finding.quote, state.context, quotable)
    start, end = statement.start, statement.end
    return Verdict(
        statement.id,
        statement.text,
        finding.label,
        finding.unresolved,
        evidence,
        finding.reason,
        None if start is None or end is None else (start, end),
        first if first != statement.id else None,
        (*finding.flags, *flags),
        shown,
        wrong=finding.wrong,
        confidence=None if finding.label is None else finding.confidence,
    )


# ---------------------------------------------------------------- what code sees beside the judge

# It changes no label and raises no score. A supported statement may get a flag for a number that
# is nowhere; all others get the words that the evidence lacks, beside those that the judge marks,
# and a flag if the context has the statement word for word.

VERBATIM = 12
"""Characters of the shortest statement of which it says something that the context has it."""


def with_word_checks(case: Case, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts with what code sees in their statements."""
    known = Numbers("\n".join(passage.text for passage in case.context))
    asked = Numbers(case.question)
    said = cache(lambda: f" {' '.join(plain_words(p.text) for p in case.context)} ")
    return tuple(_checked(verdict, asked, known, said) for verdict in verdicts)


def _checked(verdict: Verdict, asked: Numbers, known: Numbers, said: Callable[[], str]) -> Verdict:
    """The verdict with what code sees.

    ``asked``: the numbers of the question. ``said``: the words of the context.
    """
    if verdict.label is None or verdict.label == "not_a_claim":
        return verdict
    if verdict.label != "supported":
        flags = (*verdict.flags, MARKED) if verdict.wrong else verdict.flags
        words = plain_words(verdict.statement)
        if len(words) >= VERBATIM and f" {words} " in said():
            flags = (*flags, VERBATIM_FLAG)
        return _with_wrong_words(replace(verdict, flags=flags), asked, known)
    if not _DIGIT.search(verdict.statement):
        return verdict
    evidence = "\n".join(item.text for item in verdict.evidence)
    absent = absent_numbers(verdict.statement, known, asked, evidence)
    if not absent:
        return verdict
    return replace(verdict, wrong=absent, flags=(*verdict.flags, NUMBER_FLAG))


def _with_wrong_words(verdict: Verdict, asked: Numbers, known: Numbers) -> Verdict:
    if verdict.statement == verdict.statement.casefold() and not (
        verdict.reason or _DIGIT.search(verdict.statement)
    ):
        return verdict
    statement, evidence = verdict.statement, [item.text for item in verdict.evidence]
    wrong, says = difference(statement, evidence, known, verdict.reason, asked)
    beside = (word for word in wrong if not any(word in words for words in verdict.wrong))
    named = sorted(dict.fromkeys([*verdict.wrong, *beside]), key=statement.find)
    return replace(verdict, wrong=tuple(named[:MOST_WRONG]), says=says)
