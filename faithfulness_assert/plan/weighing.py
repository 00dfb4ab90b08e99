"""What was found about a case, and what a policy makes of it: status, score, pass and reason.

What failed asks left open says nothing about the answer: a case is then a grader error, unless it
passes or fails whatever the open statements are. What the judge itself left out is not open: it
counts as unsupported.

``CaseFindings`` is plain data: it is there when all replies are. ``weigh`` asks nobody, so the same
case can be weighed by any policy that would have asked the same (see ``results.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..policy.policy import Policy
from ..policy.reasons import (
    FIXES,
    HEADS,
    NOT_GRADED,
    WHOLE,
    evidence_warnings,
    ratings_reason,
    reason_of,
)
from ..policy.scoring import (
    Score,
    calculation,
    on_unit_scale,
    overall,
    overall_calculation,
    passes,
    score,
)
from ..policy.values import SCORED
from ..records.errors import JudgeError
from ..records.model import EVIDENCE_FLAGS, CitationAudit, GraderError, Label, Verdict
from .outcomes import not_graded
from .state import NOTHING, Ended, Rated

LOWERED = "lowered"
"""The flag of a verdict whose label ``strict_evidence`` lowered."""
MORE_VOTES = "Ask more of them, an odd number, or look at this case yourself."
UNDEFINED: Mapping[str, Any] = {"pass_": False, "score": None, "defined": False}
"""What a result is unless its policy says otherwise."""


class WeighedCase(NamedTuple):
    """What a policy makes of a case: fields of its result, and entries of the metadata."""

    fields: dict[str, Any]
    metadata: Mapping[str, Any] = NOTHING


class CaseFindings(NamedTuple):
    """What is known of a case, whichever policy weighs it.

    Args:
        verdicts: with the labels that the judge gave.
        audit: of the citations.
        ended: why the case ended before it had verdicts.
        rated: the ratings of a rubric; None if there are none.
        errors: of asks that failed, in their order.
        left_open: the statements that failed asks left open, each with the first error that did.
        untrusted: why controls make the judge unreliable, and what to do about it.
        tested: whether the judge answered any control.
        explanation: the judge's own reason.
    """

    verdicts: tuple[Verdict, ...] = ()
    audit: CitationAudit | None = None
    ended: Ended | None = None
    rated: Rated | None = None
    errors: tuple[JudgeError, ...] = ()
    left_open: Mapping[int, JudgeError] = NOTHING
    untrusted: tuple[str, str] = ("", "")
    tested: bool = True
    explanation: str = ""


def weigh(policy: Policy, findings: CaseFindings) -> WeighedCase:
    """The result of a case under a policy."""
    strict = policy.strict_evidence and not policy.inverse  # it must never help
    verdicts = tuple(map(_lowered, findings.verdicts)) if strict else findings.verdicts
    counted = [v for v in verdicts if v.repeat_of is None]
    labels: list[str] = [v.label or "unresolved" for v in counted]
    counts = {name: labels.count(name) for name in (*SCORED, "not_a_claim", "unresolved")}
    common = {
        "threshold": policy.passes_at,
        "policy": policy.name,
        "verdicts": verdicts,
        "counts": counts if verdicts else {},
        "coverage": coverage_of(counted),
    }
    if findings.ended:  # without an ask, or the time was up before the first one
        failed = findings.ended.status == "judge_failed"
        fields, metadata = ended_as(
            policy, not_graded(findings.errors) if failed else findings.ended
        )
    elif policy.verify == "rubric":
        unrated = not_graded(findings.errors)
        fields, metadata = (
            _rated(policy, findings, findings.rated)
            if findings.rated
            else ended_as(policy, unrated)
        )
    elif stopped := _not_gradable(policy, findings, verdicts):
        fields, metadata = ended_as(policy, stopped)
    elif outcome := score(policy, verdicts, findings.audit):
        fields, metadata = _graded(policy, findings, verdicts, outcome)
    else:
        nothing = Ended("no_statements", "the judge finds no claim in the answer")
        fields, metadata = ended_as(policy, nothing)
    is_error = {"graderError": "error" in fields}
    return WeighedCase({**common, **fields}, {**is_error, **metadata})


def with_warnings(
    metadata: Mapping[str, Any], warnings: Iterable[str], verdicts: Sequence[Verdict]
) -> dict[str, Any]:
    """The metadata with these warnings, and behind them those about the evidence of verdicts."""
    all_warnings = list(dict.fromkeys([*warnings, *evidence_warnings(verdicts)]))
    return {**metadata, **({"warnings": all_warnings} if all_warnings else {})}


def _lowered(verdict: Verdict) -> Verdict:
    """The verdict, not supported unless it names evidence and all of it is in the context."""
    is_proven = verdict.evidence and not set(verdict.flags).intersection(EVIDENCE_FLAGS)
    if verdict.label != "supported" or is_proven:
        return verdict
    return replace(verdict, label="not_enough_info", flags=(*verdict.flags, LOWERED))


def coverage_of(counted: Sequence[Verdict]) -> float:
    """The share of these verdicts that are valid; 0 if there are none."""
    return sum(v.label is not None for v in counted) / len(counted) if counted else 0.0


# ---------------------------------------------------------------- graded


def _graded(
    policy: Policy, findings: CaseFindings, verdicts: Sequence[Verdict], outcome: Score
) -> WeighedCase:
    counted = [v for v in verdicts if v.repeat_of is None]
    passed = passes(policy, outcome.value, verdicts)
    parts = reason_of(policy, counted, outcome, passed=passed)
    reason = str(parts)
    if findings.left_open:
        decided = ", but the outcome does not depend on that"
        why = "; they count as unsupported" if policy.on_failed == "unsupported" else decided
        reason = f"{reason} {_described(findings, verdicts)}{why}."
    fields = {
        "pass_": passed,
        "score": outcome.value,
        "defined": True,
        "status": "graded",
        "reason": None if policy.explain == "none" else f"{reason} {findings.explanation}".rstrip(),
        "named_scores": {"faithfulness": outcome.value, "coverage": coverage_of(counted)},
    }
    metadata = {
        "calculation": calculation(policy, counted, outcome),
        **({} if policy.explain == "none" else {"reasonParts": parts.to_json()}),
        **_score_caps(outcome),
    }
    return WeighedCase(fields, metadata)


def _rated(policy: Policy, findings: CaseFindings, rated: Rated) -> WeighedCase:
    """Of a rubric policy: no verdicts, a score for each dimension."""
    ratings, _ = on_unit_scale(rated.ratings)
    outcome, dimensions = overall(policy, ratings, findings.audit)
    reason = ratings_reason(policy, dimensions, outcome, rated.suggestions)
    fields = {
        "pass_": passes(policy, outcome.value, ()),
        "score": outcome.value,
        "defined": True,
        "status": "graded",
        "reason": None if policy.explain == "none" else reason,
        "coverage": 1.0,
        "named_scores": {**dimensions, "overall": outcome.value},
    }
    metadata = {
        "calculation": overall_calculation(policy, ratings, outcome),
        "rawRatings": dict(rated.ratings),
        "suggestions": list(rated.suggestions),
        **_score_caps(outcome),
    }
    return WeighedCase(fields, metadata)


def _score_caps(outcome: Score) -> dict[str, Any]:
    """The score before the caps, and the caps that lowered it."""
    if not outcome.score_caps:
        return {}
    caps = [
        {"finding": cap.finding, "ceiling": cap.ceiling, "atLeast": cap.at_least}
        for cap in outcome.score_caps
    ]
    return {"rawScore": outcome.raw, "scoreCaps": caps}


# ---------------------------------------------------------------- not graded


def _not_gradable(
    policy: Policy, findings: CaseFindings, verdicts: Sequence[Verdict]
) -> Ended | None:
    """Why these verdicts cannot be scored; None if they can."""
    missing = sum(v.label is None for v in verdicts)
    set_aside = sum(v.label == "not_a_claim" for v in verdicts)
    nothing_counts = missing + set_aside == len(verdicts) and (missing or not verdicts)
    split = _split(verdicts)
    causes = tuple(findings.left_open.values()) or split or findings.errors
    if nothing_counts:
        return not_graded(causes)
    if findings.left_open and _depends_on_open(policy, findings, verdicts):
        return not_graded(causes, _described(findings, verdicts))
    wrong, fix = findings.untrusted
    if wrong and policy.controls == "enforce":
        return not_graded([JudgeError(wrong, "unreliable_judge", fix=fix)])
    if missing and policy.on_missing == "error":
        detail = f"{missing} of {len(verdicts)} statements got no valid verdict"
        return not_graded(causes, "" if causes == split else detail)
    return None


def _split(verdicts: Sequence[Verdict]) -> tuple[JudgeError, ...]:
    """That samples or judges disagreed, as an error that says who said what; () if none did."""
    split = [v for v in verdicts if v.unresolved == "split"]
    if not split:
        return ()
    problem = f"no majority on {len(split)} of {len(verdicts)} statements"
    example = f"of statement {split[0].id}, {split[0].reason}"
    return (JudgeError(f"{problem}; {example}", "unreadable", fix=MORE_VOTES, retryable=True),)


def _depends_on_open(policy: Policy, findings: CaseFindings, verdicts: Sequence[Verdict]) -> bool:
    """Whether the open statements decide if the case passes, and its policy cares.

    If controls are enforced and none was answered, the asks that contained them may be those that
    failed: nobody knows what the other verdicts are worth.
    """
    if policy.controls == "enforce" and not findings.tested:
        return True
    if policy.on_failed == "unsupported":
        return False

    def rank(label: Label) -> tuple[bool, float]:  # under ``inverse``, no label fails the case
        return policy.inverse or label not in policy.fail_on, policy.weights[label]

    def would_pass(label: Label, flags: tuple[str, ...] = ()) -> bool:
        supposed = [
            replace(v, label=label, flags=flags) if v.id in findings.left_open else v
            for v in verdicts
        ]
        outcome = score(policy, supposed, findings.audit)
        return outcome is not None and passes(policy, outcome.value, supposed)

    worst = would_pass(min(policy.judged, key=rank), policy.fail_on_flags)
    return would_pass(max(policy.judged, key=rank)) != worst


def _described(findings: CaseFindings, verdicts: Sequence[Verdict]) -> str:
    """How many statements were left open by errors of failed asks, and why, in words."""
    first = next(iter(findings.left_open.values()))
    count = f"{len(findings.left_open)} of {len(verdicts)} statements have no verdict"
    return f"{count} because an ask failed ({first.kind}: {first.message.rstrip('.')})"


# ---------------------------------------------------------------- without verdicts


def ended_as(policy: Policy, ended: Ended) -> WeighedCase:
    """The result of a plan that ended with this status."""
    reason = _reason(ended)
    case: Any = "blank" if ended.blank else ended.status
    ending = policy.endings.get(case, "error")
    fields: dict[str, Any] = {"status": ended.status, "reason": reason}
    if ending == "error":
        error = GraderError("input", reason) if ended.status in HEADS else _error(ended)
        fields["error"] = error
        shown = {"unreadableScore": policy.on_unreadable} if error.kind == "unreadable" else {}
        if ended.status not in HEADS:
            fields["reason"] = f"{NOT_GRADED}: {error.message}"
        return WeighedCase(fields, shown if policy.on_unreadable else NOTHING)
    if ending == "fail":
        return WeighedCase(fields)
    value = 1.0 if ending == "pass" else float(ending)
    passed = value > 0 and passes(policy, value, ())
    if policy.inverse:  # nothing to check does not show unfaithfulness either
        value, passed = min(value, 1.0 - value), False
    fields["reason"] = f"{reason} The policy {policy.name!r} scores that {value:g}."
    scores = {"faithfulness": value}
    return WeighedCase(
        {**fields, "pass_": passed, "score": value, "defined": True, "named_scores": scores}
    )


def _reason(ended: Ended) -> str:
    if ended.status in WHOLE and not ended.detail:
        return WHOLE[ended.status]
    return f"{HEADS.get(ended.status, NOT_GRADED)}: {_what_happened(ended)}"


def _what_happened(ended: Ended) -> str:
    """In a sentence."""
    cause = ended.error.message if ended.error else ""
    sentence = ended.detail or cause or "no statement got a valid verdict"
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def _error(ended: Ended) -> GraderError:
    sentence, cause = _what_happened(ended), ended.error
    if ended.status == "invalid_input":
        return GraderError("input", sentence)
    if cause is None:
        return GraderError("unreadable", f"{sentence} {FIXES['unreadable']}", retryable=True)
    return GraderError(cause.kind, f"{sentence} {cause.fix or FIXES[cause.kind]}", cause.retryable)
