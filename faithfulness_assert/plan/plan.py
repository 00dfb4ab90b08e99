"""The procedure, once: a generator that yields asks, is sent their outcomes, and returns the result. No I/O, no clock.

    split -> claims, truths (by policy) -> verdicts -> re-ask what is unresolved -> widen where windows disagree -> explain -> conclude
    or, where the policy is rubric: ratings -> conclude

``grade_plan`` is the only generator; a stage is two pure functions, ``jobs`` (what to ask) and ``absorb`` (what was learnt).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..asking.tokens import CountTokens, estimate_tokens
from ..plan import claims, truths, verdicts
from ..plan import explanation as explain
from ..plan import ratings as rubric
from ..reading.refusal import accompanies_decline, declines
from ..records.ask import Ask, Outcome
from ..records.judge import Limits
from ..text.evidence import number_sentences
from ..text.statements import split
from ..text.strings import is_blank
from .conclude import conclude
from .state import Job, Stage, State, fit, no_jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..policy.policy import Policy
    from ..records.case import Case
    from ..records.model import Statement
    from ..records.result import GradingResult

Plan = Generator[tuple[Ask, ...], tuple[Outcome, ...], "GradingResult"]


def grade_plan(
    case: Case,
    policy: Policy,
    *,
    language: str = "en",
    count: CountTokens = estimate_tokens,
    limits: Limits | None = None,
) -> Plan:
    """The plan to grade one case. Drive it with ``next`` and ``send``; it returns a complete ``GradingResult``.

    Args:
        case: what is graded.
        policy: how.
        language: of the answer and the context, for the sentence splitter (ISO 639-1).
        count: counts the tokens of a text.
        limits: what one ask may hold.
    """
    state = _begin(_audited(State(case, policy, count, limits or Limits(), language)))
    for stage in _stages(policy):
        if state.ending is None:
            jobs = stage.jobs(state)
            outcomes = (yield tuple(job.ask for job in jobs)) if jobs else ()
            state = stage.absorb(state, jobs, outcomes)
    return conclude(state)


def _stages(policy: Policy) -> tuple[Stage, ...]:
    tries = 1 + policy.reasks
    fitting = Stage(no_jobs, fit)
    if policy.verify == "rubric":
        return (
            fitting,
            Stage(no_jobs, rubric.fits),
            *(Stage(rubric.jobs, rubric.absorb),) * tries,
        )
    prepared = (
        *(
            (_preparing(policy),) * tries
            if policy.split == "claims" or policy.verify == "truths"
            else ()
        ),
        *((Stage(no_jobs, claims.settle),) if policy.split == "claims" else ()),
        *((Stage(no_jobs, truths.settle),) if policy.verify == "truths" else ()),
    )
    return (
        fitting,
        *((*prepared, fitting) if prepared else ()),
        Stage(verdicts.jobs, verdicts.absorb),
        *(Stage(verdicts.reask_jobs, verdicts.absorb),) * policy.reasks,
        Stage(verdicts.widen_jobs, verdicts.absorb),
        *((Stage(explain.jobs, explain.absorb),) if policy.explain == "judge" else ()),
    )


def _preparing(policy: Policy) -> Stage:
    """Claims and truths do not wait for each other."""
    if policy.verify != "truths":
        return Stage(claims.jobs, claims.absorb)
    if policy.split != "claims":
        return Stage(truths.jobs, truths.absorb)
    return Stage(lambda state: (*claims.jobs(state), *truths.jobs(state)), _absorb_both)


def _absorb_both(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    for absorb, wanted in ((claims.absorb, False), (truths.absorb, True)):
        pairs = [
            (job, outcome)
            for job, outcome in zip(jobs, outcomes, strict=True)
            if (job.ask.kind == "truths") == wanted
        ]
        state = absorb(
            state, tuple(job for job, _ in pairs), tuple(outcome for _, outcome in pairs)
        )
    return state


def _audited(state: State) -> State:
    """The state with the citation audit: the one that was given, else the one that the policy wants."""
    if state.case.citation_audit is not None or state.policy.citations == "off":
        return replace(state, audit=state.case.citation_audit)
    from ..text.citations import (
        audit_citations,  # its patterns need not be compiled for a policy without an audit
    )

    ids = [passage.id for passage in state.case.context]
    return replace(state, audit=audit_citations(state.case.answer, ids, language=state.language))


def _begin(state: State) -> State:
    """What can be said without a judge: the statements, or that there is nothing to ask."""
    if is_blank(state.case.answer):
        return replace(state, ending="no_statements", problem="the answer is blank")
    if all(is_blank(passage.text) for passage in state.case.context):
        return replace(state, ending="no_context")
    found = split(state.case.answer, state.language)
    state = replace(
        state, answer=found.statements, statements=found.statements, skipped=found.skipped
    )
    if not found.statements:
        return replace(
            state, ending="no_statements", problem="the answer says nothing that can be checked"
        )
    # What was skipped is not graded, but an answer that holds more than a decline does not only decline.
    if not any(
        span.reason in ("heading", "code", "table header") for span in found.skipped
    ) and _only_declines(found.statements):
        return replace(state, ending="abstained")
    return replace(state, sentences=number_sentences(state.case, state.language))


def _only_declines(statements: Sequence[Statement]) -> bool:
    """Whether some statements decline, and all others only go with that: regret, an offer, a question back."""
    declined = False
    for statement in statements:
        if declines(statement.text):
            declined = True
        elif not accompanies_decline(statement.text):
            return False
    return declined
