"""The end of a plan: what is known becomes a ``GradingResult``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..asking.controls import problem_of
from ..policy.reasons import ratings_reason, reason_of
from ..policy.scoring import (
    calculation,
    on_unit_scale,
    overall,
    overall_calculation,
    passes,
    score,
)
from ..records.errors import JudgeError
from ..records.model import Verdict
from ..text.evidence import Quotable, resolve
from ..text.strings import clip
from .outcomes import not_graded
from .results import (
    coverage_of,
    depends_on_open,
    described_open,
    ended_result,
    left_open,
    result_of,
)
from .state import Ended, Log, noted
from .verdicts import finding_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..policy.scoring import Score
    from ..reading.reconcile import Finding
    from ..records.model import Statement
    from ..records.result import GradingResult
    from .state import Rated, State

MAX_EXPLANATION = 600
"""Characters of the judge's own reason."""

NO_CONTROL = (
    "Give a context with a few full sentences, in asks with room for two more statements, "
    "or use controls='report'."
)


def conclude(state: State) -> GradingResult:
    """The result of a plan that is over."""
    if state.ended:
        return ended_result(state, state.ended)
    if state.policy.verify == "rubric":
        unrated = not_graded(state.log.errors)
        return _rated(state, state.rated) if state.rated else ended_result(state, unrated)
    verdicts = _verdicts(state)
    if stopped := _not_gradable(state, verdicts):
        return ended_result(state, stopped, verdicts)
    outcome = score(state.policy, verdicts, state.audit)
    if outcome is None:
        nothing = Ended("no_statements", "the judge finds no claim in the answer")
        return ended_result(state, nothing, verdicts)
    return _graded(state, verdicts, outcome)


def _not_gradable(state: State, verdicts: Sequence[Verdict]) -> Ended | None:
    """Why these verdicts cannot be scored; None if they can."""
    missing = sum(v.label is None for v in verdicts)
    set_aside = sum(v.label == "not_a_claim" for v in verdicts)
    nothing_counts = missing + set_aside == len(verdicts) and (missing or not verdicts)
    failed = left_open(state, verdicts)
    causes = list(failed.values()) or state.log.errors
    if nothing_counts:
        return not_graded(causes)
    if failed and depends_on_open(state, verdicts, failed):
        return not_graded(causes, described_open(failed.values(), verdicts))
    wrong = problem_of(state.answered_controls, state.untested)
    if wrong and state.policy.controls == "enforce":
        return not_graded([JudgeError(wrong, "unreliable_judge", fix=_fix(state))])
    if missing and state.policy.on_missing == "error":
        detail = f"{missing} of {len(verdicts)} statements got no valid verdict"
        return not_graded(causes, detail)
    return None


def _fix(state: State) -> str:
    """What to do about controls that were not passed; "" for what is said of every judge."""
    return NO_CONTROL if state.untested and not problem_of(state.answered_controls) else ""


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
    return tuple(
        _verdict(state, statement, first, findings[first], quotable, shares.get(first, 1.0))
        for statement, first in zip(state.statements, firsts, strict=True)
    )


def _verdict(
    state: State,
    statement: Statement,
    first: int,
    finding: Finding,
    quotable: Quotable | None,
    shown: float,
) -> Verdict:
    evidence, flags = resolve(finding.evidence, finding.quote, state.context, quotable)
    label, flags = finding.label, (*finding.flags, *flags)
    unproven = bool(flags) or not evidence
    strict = state.policy.strict_evidence and not state.policy.inverse  # it must never help
    if strict and label == "supported" and unproven:
        label, flags = "not_enough_info", (*flags, "lowered")
    start, end = statement.start, statement.end
    return Verdict(
        statement.id,
        statement.text,
        label,
        finding.unresolved,
        evidence,
        finding.reason,
        None if start is None or end is None else (start, end),
        first if first != statement.id else None,
        flags,
        shown,
    )


# ---------------------------------------------------------------- results


def _graded(state: State, verdicts: Sequence[Verdict], outcome: Score) -> GradingResult:
    policy, counted = state.policy, [v for v in verdicts if v.repeat_of is None]
    passed = passes(policy, outcome.value, verdicts)
    coverage = coverage_of(counted)
    parts = reason_of(policy, counted, outcome, passed=passed)
    reason = str(parts)
    if failed := left_open(state, verdicts):
        decided = ", but the outcome does not depend on that"
        why = "; they count as unsupported" if policy.on_failed == "unsupported" else decided
        reason = f"{reason} {described_open(failed.values(), verdicts)}{why}."
    explanation = clip(state.explanation, MAX_EXPLANATION)
    metadata: dict[str, Any] = {
        "calculation": calculation(policy, counted, outcome),
        **({} if policy.explain == "none" else {"reasonParts": parts.to_json()}),
        **_score_caps(outcome),
    }
    if policy.verify == "truths":
        metadata["truths"] = [{"passage": s.passage, "text": s.text} for s in state.context]
    return result_of(
        state,
        verdicts,
        metadata,
        pass_=passed,
        score=outcome.value,
        defined=True,
        status="graded",
        reason=None if policy.explain == "none" else f"{reason} {explanation}".rstrip(),
        named_scores={"faithfulness": outcome.value, "coverage": coverage},
    )


def _rated(state: State, rated: Rated) -> GradingResult:
    """The result of a rubric policy: no verdicts, a score for each dimension."""
    policy = state.policy
    ratings, warnings = on_unit_scale(rated.ratings)
    outcome, dimensions = overall(policy, ratings, state.audit)
    reason = ratings_reason(policy, dimensions, outcome, rated.suggestions)
    metadata = {
        "calculation": overall_calculation(policy, ratings, outcome),
        "rawRatings": dict(rated.ratings),
        "suggestions": list(rated.suggestions),
        **_score_caps(outcome),
    }
    return result_of(
        noted(state, Log(warnings=warnings)),
        (),
        metadata,
        pass_=passes(policy, outcome.value, ()),
        score=outcome.value,
        defined=True,
        status="graded",
        reason=None if policy.explain == "none" else reason,
        coverage=1.0,
        named_scores={**dimensions, "overall": outcome.value},
    )


def _score_caps(outcome: Score) -> dict[str, Any]:
    """The score before the caps, and the caps that lowered it."""
    if not outcome.score_caps:
        return {}
    caps = [
        {"finding": cap.finding, "ceiling": cap.ceiling, "atLeast": cap.at_least}
        for cap in outcome.score_caps
    ]
    return {"rawScore": outcome.raw, "scoreCaps": caps}
