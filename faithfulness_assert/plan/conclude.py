"""The end of a plan: what is known becomes a ``GradingResult``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from ..asking.controls import problem_of
from ..asking.schema import label_problem
from ..cases.case import Case
from ..policy.reasons import FIXES
from ..reading.reconcile import Finding
from ..records.errors import JudgeError
from ..records.model import MARKED, NUMBER_FLAG, SET_ASIDE, VERBATIM_FLAG, Evidence, Verdict
from ..records.result import GradingResult
from ..records.views import FLAG_WORDS
from ..text.absent_numbers import Numbers, absent_numbers
from ..text.sentences import Quotable, resolve
from ..text.strings import clip, plain_words
from ..text.wrong_words import MOST_WRONG, difference
from .results import result_of
from .state import State
from .verdicts import finding_of
from .weighing import CaseFindings

_DIGIT = re.compile(r"\d")
MAX_EXPLANATION = 600
"""Characters of the judge's own reason."""

NO_CONTROL = (
    "Use controls='report', or give contexts with a few full sentences: a control is a statement "
    "with a known verdict, made from one."
)


def conclude(state: State) -> GradingResult:
    """The result of a plan that is over: what is known of the case, as its policy weighs it."""
    errors, ended = state.log.errors, state.ended
    if ended is None and state.policy.verify == "rubric":
        return result_of(state, CaseFindings((), state.audit, rated=state.rated, errors=errors))
    verdicts = () if ended else _verdicts(state)
    enforced, answered = state.policy.controls == "enforce", state.answered_controls
    wrong = problem_of(answered, state.untested) if enforced else ""
    fix = ""  # what is said of every judge
    if wrong and state.untested and not problem_of(answered):
        fix = NO_CONTROL
    if not errors and not any(v.label for v in verdicts):
        errors = _no_label(state, verdicts)
    first_error: dict[int, JudgeError] = {}
    for (_, number), error in state.failed.items():
        first_error.setdefault(number, error)
    open_firsts = ((v.id, state.first_like[v.id]) for v in verdicts if v.label is None)
    findings = CaseFindings(
        verdicts,
        state.audit,
        ended,
        None,
        errors,
        {number: first_error[first] for number, first in open_firsts if first in first_error},
        (wrong, fix),
        not enforced or any(passed is not None for _, passed in answered),
        clip(state.explanation, MAX_EXPLANATION),
    )
    return result_of(state, findings)


def _no_label(state: State, verdicts: tuple[Verdict, ...]) -> tuple[JudgeError, ...]:
    """What stands where a label should, if that is why no statement has a verdict."""
    first = next(filter(label_problem, state.log.schema_errors), "")
    if verdicts and all(SET_ASIDE in v.flags for v in verdicts):
        first = f"each was {FLAG_WORDS[SET_ASIDE]}"
    if not first or all(v.unresolved != "invalid" for v in verdicts):
        return ()
    own_words = f"{FIXES['unreadable']} The option labels takes other words for labels."
    fix = own_words if label_problem(first) == "wrong" else ""
    problem = f"no statement got a valid verdict; {first}"
    return (JudgeError(problem, "unreadable", retryable=True, fix=fix),)


# ---------------------------------------------------------------- verdicts


def _verdicts(state: State) -> tuple[Verdict, ...]:
    """The verdict on each statement. A repeat has the verdict of the first one like it."""
    findings = {number: finding_of(state, number) for number in set(state.first_like.values())}
    shares: Mapping[int, float] = {}
    if state.likely is not None:
        from .likely_windows import shown_shares

        shares = shown_shares(state, state.likely)
    quotes = any(finding.quote for finding in findings.values())
    quotable = Quotable.of(state.context) if quotes else None
    seeing = Seeing(state.case)
    verdicts = []
    for statement in state.statements:
        first = state.first_like[statement.id]
        finding, start, end = findings[first], statement.start, statement.end
        evidence, flags = resolve(finding.evidence, finding.quote, state.context, quotable)
        more_flags, wrong, says = seeing.of(finding, statement.text, evidence)
        verdicts.append(
            Verdict(
                statement.id,
                statement.text,
                finding.label,
                finding.unresolved,
                evidence,
                finding.reason,
                None if start is None or end is None else (start, end),
                first if first != statement.id else None,
                (*finding.flags, *flags, *more_flags),
                shares.get(first, 1.0),
                wrong=wrong,
                says=says,
                confidence=None if finding.label is None else finding.confidence,
            )
        )
    return tuple(verdicts)


# ---------------------------------------------------------------- what code sees beside the judge

VERBATIM = 12
"""Characters of the shortest statement of which it says something that the context has it."""


class Seeing:
    """What code sees in the statements about a case. It changes no label and raises no score."""

    def __init__(self, case: Case) -> None:
        self._passages = [passage.text for passage in case.context]
        self._known, self._asked = Numbers(*self._passages), Numbers(case.question)

    @cached_property
    def _words(self) -> str:
        return f" {' '.join(map(plain_words, self._passages))} "

    def of(
        self, finding: Finding, statement: str, evidence: Sequence[Evidence]
    ) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        """Flags of a statement, its wrong words, and what the evidence says in their place.

        A supported statement may get a flag for a number that is nowhere. All others get the words
        that the evidence lacks, beside those that the judge marks, and a flag if the context has
        the statement word for word.
        """
        has_digits = _DIGIT.search(statement) is not None
        if finding.label is None or finding.label == "not_a_claim":
            return (), finding.wrong, ""
        texts = [item.text for item in evidence]
        if finding.label == "supported":
            absent: tuple[str, ...] = ()
            if has_digits:
                absent = absent_numbers(statement, self._known, self._asked, "\n".join(texts))
            return ((NUMBER_FLAG,), absent, "") if absent else ((), finding.wrong, "")
        flags = (MARKED,) if finding.wrong else ()
        words = plain_words(statement)
        if len(words) >= VERBATIM and f" {words} " in self._words:
            flags = (*flags, VERBATIM_FLAG)
        if statement == statement.casefold() and not (finding.reason or has_digits):
            return flags, finding.wrong, ""
        wrong, says = difference(statement, texts, self._known, finding.reason, self._asked)
        beside = (word for word in wrong if not any(word in words for words in finding.wrong))
        named = sorted(dict.fromkeys([*finding.wrong, *beside]), key=statement.find)
        return flags, tuple(named[:MOST_WRONG]), says
