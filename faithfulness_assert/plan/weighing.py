"""What was found about a case, and what a policy makes of it: status, score, pass and reason.

What failed asks left open says nothing about the answer: a case is then a grader error, unless it
passes or fails whatever the open statements are. What the judge itself left out is not open: it
counts as unsupported.

``CaseFindings`` is plain data: it is there when all replies are. ``weigh`` asks nobody, so the same
case can be weighed by any policy that would have asked the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from traceback import extract_tb
from typing import Any, NamedTuple

from ..policy.policy import Policy
from ..policy.scoring import (
    FIXES,
    HEADS,
    NOT_GRADED,
    TO_ACCEPT,
    WHOLE,
    evidence_warnings,
    on_unit_scale,
    overall,
    passes,
    ratings_reason,
    reason_of,
    score,
)
from ..policy.values import SCORED
from ..records.errors import JudgeError
from ..records.model import (
    EVIDENCE_FLAGS,
    SET_ASIDE,
    CitationAudit,
    GraderError,
    Label,
    Verdict,
)
from ..records.result import GradingResult
from ..records.usage import Usage
from ..records.views import FLAG_WORDS
from ..text.strings import clip, lazy_pattern
from .outcomes import not_graded
from .state import End, Ratings

LOWERED = "lowered"
"""The flag of a verdict whose label ``strict_evidence`` lowered."""
MORE_VOTES = "Ask more of them, an odd number, or look at this case yourself."
FINDINGS = "found"
"""The entry of a result's metadata for what its other fields do not say."""
DEFECT = "defect"
"""The entry for where an error of ours was raised."""
_PACKAGE = lazy_pattern(r"faithfulness_assert[\\/]")

ResultParts = tuple[dict[str, Any], dict[str, Any]]
"""What a policy makes of a case: fields of its result, and entries of the metadata."""


class CaseFindings(NamedTuple):
    """What is known of a case, whichever policy weighs it.

    Args:
        verdicts: with the labels that the judge gave.
        audit: of the citations.
        ended: why the case ended before it had verdicts.
        rated: the ratings of a rubric; None if there are none.
        cause: why statements are open, or why there are no verdicts, as far as asks failed.
        left_open: the statements that failed asks left open.
        untrusted: why controls make the judge unreliable, and what to do about it.
        explanation: the judge's own reason.
    """

    verdicts: tuple[Verdict, ...] = ()
    audit: CitationAudit | None = None
    end: End | None = None
    ratings: Ratings | None = None
    cause: JudgeError | None = None
    left_open: frozenset[int] = frozenset()
    untrusted: tuple[str, str] = ("", "")
    explanation: str = ""


def weigh(policy: Policy, findings: CaseFindings) -> ResultParts:
    """The result of a case under a policy."""
    verdicts, ended, rated = findings.verdicts, findings.end, findings.ratings
    if policy.strict_evidence and not policy.inverse:  # it must never help
        verdicts = tuple(map(_lower, verdicts))
    counted = [v for v in verdicts if v.repeat_of is None]
    labels: list[str] = [v.label or "unresolved" for v in counted]
    counts = {name: labels.count(name) for name in (*SCORED, "not_a_claim", "unresolved")}
    valid = len(counted) - counts["unresolved"]
    coverage = valid / len(counted) if counted else 0.0
    if ended and ended.status == "judge_failed":  # the time was up before the first ask
        ended = not_graded(findings.cause)
    elif policy.verify == "rubric" and not ended:
        ended = None if rated else not_graded(findings.cause)
    elif not ended:
        ended = _not_gradable(policy, findings, verdicts)
    weighed = None if ended else _with_score(policy, findings, verdicts, coverage)
    nothing = End("no_statements", "the judge finds no claim in the answer")
    fields, metadata = weighed or _without_score(policy, ended or nothing)
    unless_set = {
        "pass_": False,
        "score": None,
        "defined": False,
        "error": None,
        "named_scores": {},
        "threshold": policy.passes_at,
        "policy": policy.name,
        "verdicts": verdicts,
        "counts": counts if verdicts else {},
        "coverage": coverage,
    }
    fields = {**unless_set, **fields}
    return fields, {"graderError": fields["error"] is not None, **metadata}


def to_entry(findings: CaseFindings) -> dict[str, Any]:
    """What of it the other fields of a result do not say, as JSON; {} for most cases."""
    end, cause = findings.end, findings.cause
    if end and end.status == "invalid_input":  # the result's error says all
        end = None
    entries = {
        "ended": end and [end.status, end.detail, end.blank],
        "cause": cause and [cause.message, cause.kind, cause.fix, cause.retryable],
        "open": sorted(findings.left_open),
        "untrusted": list(findings.untrusted) if findings.untrusted[0] else None,
    }
    return {name: value for name, value in entries.items() if value}


def with_warnings(
    metadata: Mapping[str, Any], warnings: Iterable[str], verdicts: Sequence[Verdict]
) -> dict[str, Any]:
    """The metadata with these warnings, and behind them those about the evidence of verdicts."""
    all_warnings = list(dict.fromkeys([*warnings, *evidence_warnings(verdicts)]))
    return {**metadata, **({"warnings": all_warnings} if all_warnings else {})}


def _lower(verdict: Verdict) -> Verdict:
    """The verdict, not supported unless it names evidence and all of it is in the context."""
    is_proven = verdict.evidence and not set(verdict.flags).intersection(EVIDENCE_FLAGS)
    if verdict.label != "supported" or is_proven:
        return verdict
    return replace(verdict, label="not_enough_info", flags=(*verdict.flags, LOWERED))


# ---------------------------------------------------------------- graded


def _with_score(
    policy: Policy, findings: CaseFindings, verdicts: Sequence[Verdict], coverage: float
) -> ResultParts | None:
    """The result of verdicts, or of the ratings of a rubric; None if there is no claim to score."""
    more: dict[str, Any] = {}
    if rated := findings.ratings:
        ratings, _ = on_unit_scale(rated.ratings)
        outcome, named_scores = overall(policy, ratings, findings.audit)
        reason = ratings_reason(policy, named_scores, outcome, rated.suggestions)
        passed, coverage = passes(policy, outcome.value, ()), 1.0
        named_scores["overall"] = outcome.value
        more = {"rawRatings": dict(rated.ratings), "suggestions": list(rated.suggestions)}
    elif scored := score(policy, verdicts, findings.audit):
        outcome = scored
        named_scores = {"faithfulness": outcome.value, "coverage": coverage}
        passed = passes(policy, outcome.value, verdicts)
        counted = [v for v in verdicts if v.repeat_of is None]
        label_counts, ending, details = reason_of(policy, counted, outcome, passed=passed)
        reason = f"{label_counts}: {ending} {details}".rstrip()
        if findings.left_open:
            decided = ", but the outcome does not depend on that"
            why = "; they count as unsupported" if policy.on_failed == "unsupported" else decided
            reason = f"{reason} {_describe_open(findings, verdicts)}{why}."
        reason = f"{reason} {findings.explanation}".rstrip()
        if policy.explain != "none":
            # Without the statements, for views that show them.
            more = {"reasonParts": {"found": label_counts, "ending": ending}}
    else:
        return None
    fields: dict[str, Any] = {
        "pass_": passed,
        "score": outcome.value,
        "defined": True,
        "status": "graded",
        "reason": None if policy.explain == "none" else reason,
        "coverage": coverage,
        "named_scores": named_scores,
    }
    metadata: dict[str, Any] = {"calculation": outcome.calculation}
    if outcome.score_caps:
        metadata["rawScore"] = outcome.raw
        metadata["scoreCaps"] = [
            {"finding": cap.finding, "ceiling": cap.ceiling, "atLeast": cap.at_least}
            for cap in outcome.score_caps
        ]
    return fields, {**metadata, **more}


# ---------------------------------------------------------------- not graded


def _not_gradable(
    policy: Policy, findings: CaseFindings, verdicts: Sequence[Verdict]
) -> End | None:
    """Why these verdicts cannot be scored; None if they can."""
    missing, cause = sum(v.label is None for v in verdicts), findings.cause
    detail = f"{missing} of {len(verdicts)} statements got no valid verdict"
    # Samples or judges that disagreed.
    split = [v for v in verdicts if v.unresolved == "split"]
    if split and not findings.left_open:
        problem = f"no majority on {len(split)} of {len(verdicts)} statements"
        problem = f"{problem}; of statement {split[0].id}, {split[0].reason}"
        cause = JudgeError(problem, "unreadable", fix=MORE_VOTES, retryable=True)
        detail = ""
    if not verdicts or (missing and all(v.label in (None, "not_a_claim") for v in verdicts)):
        are_aside = verdicts and not cause and all(SET_ASIDE in v.flags for v in verdicts)
        return not_graded(cause, f"each was {FLAG_WORDS[SET_ASIDE]}" if are_aside else "")
    if findings.left_open and _depends_on_open(policy, findings, verdicts):
        return not_graded(cause, _describe_open(findings, verdicts))
    wrong, fix = findings.untrusted
    if wrong and policy.controls == "enforce":
        return not_graded(JudgeError(wrong, "unreliable_judge", fix=fix))
    return not_graded(cause, detail) if missing and policy.on_missing == "error" else None


def _depends_on_open(policy: Policy, findings: CaseFindings, verdicts: Sequence[Verdict]) -> bool:
    """Whether the open statements decide if the case passes, and its policy cares.

    If controls are enforced and not all are answered, the asks that contained them may be those
    that failed: nobody knows what the other verdicts are worth.
    """
    if policy.controls == "enforce" and findings.untrusted[0]:
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


def _describe_open(findings: CaseFindings, verdicts: Sequence[Verdict]) -> str:
    """How many statements were left open by errors of failed asks, and why, in words."""
    count, cause = len(findings.left_open), findings.cause
    why = f"{cause.kind}: {cause.message.rstrip('.')}" if cause else ""
    return f"{count} of {len(verdicts)} statements have no verdict because an ask failed ({why})"


# ---------------------------------------------------------------- without verdicts


def _without_score(policy: Policy, ended: End) -> ResultParts:
    """The result of a case that ended with this status."""
    cause = ended.error
    sentence = ended.detail or (cause.message if cause else "no statement got a valid verdict")
    sentence = sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
    fields: dict[str, Any] = {"status": ended.status}
    if ended.status not in HEADS:
        if ended.status == "invalid_input":
            error = GraderError("input", sentence)
        elif cause is None:
            error = GraderError("unreadable", f"{sentence} {FIXES['unreadable']}", retryable=True)
        else:
            fix = cause.fix or FIXES[cause.kind]
            error = GraderError(cause.kind, f"{sentence} {fix}", cause.retryable)
        fields |= {"error": error, "reason": f"{NOT_GRADED}: {error.message}"}
        scored = policy.on_unreadable if error.kind == "unreadable" else 0.0
        return fields, {"unreadableScore": scored} if scored else {}
    reason = "" if ended.detail else WHOLE.get(ended.status, "")
    fields["reason"] = reason = reason or f"{HEADS[ended.status]}: {sentence}"
    case: Any = "blank" if ended.blank else ended.status
    ending = policy.endings[case]
    if ending == "error":
        fields["error"] = GraderError("input", reason)
    elif ending == "fail" and ended.status == "abstained":
        fields["reason"] = f"{reason} {TO_ACCEPT}"
    elif ending != "fail":
        value = 1.0 if ending == "pass" else float(ending)
        passed = value > 0 and passes(policy, value, ())
        if policy.inverse:  # nothing to check does not show unfaithfulness either
            value, passed = min(value, 1.0 - value), False
        fields["reason"] = f"{reason} The policy {policy.name!r} scores that {value:g}."
        fields["named_scores"] = {"faithfulness": value}
        fields |= {"pass_": passed, "score": value, "defined": True}
    return fields, {}


# ---------------------------------------------------------------- without a plan


def invalid_input(problem: str, policy: Policy, case_id: str = "") -> GradingResult:
    """The result for data that is not a case."""
    findings = CaseFindings(end=End("invalid_input", clip(problem, 1000)))
    fields, metadata = weigh(policy, findings)
    return GradingResult(**fields, metadata=metadata, case_id=case_id)


def internal_error(
    error: BaseException, policy: Policy, case_id: str = "", usage: Usage | None = None
) -> GradingResult:
    """The result where a defect of ours ended the grade of a case.

    The metadata have the way to it in the code: no value of any variable, and not the error's own
    words, which may quote a text or a key.
    """
    own = [step for step in extract_tb(error.__traceback__) if _PACKAGE.search(step.filename)]
    places = [f"{_PACKAGE.split(step.filename)[-1]}:{step.lineno} in {step.name}" for step in own]
    where = f" at {places[-1]}" if places else ""
    name = type(error).__name__
    problem = f"internal error {name}{where}: it is a defect of ours, please report it"
    result = invalid_input(problem, policy, case_id)
    metadata = {**result.metadata, DEFECT: [name, *places]}
    return replace(result, tokens_used=usage or Usage(), metadata=metadata)


# ---------------------------------------------------------------- another policy, without an ask

OUTCOME = ("status", "pass_", "score", "threshold", "verdicts")
"""What must be the same if a result is weighed by its own policy again."""


def weigh_again(result: GradingResult, old: Policy, new: Policy) -> GradingResult | None:
    """The result of the same case under another policy, which would have asked the same.

    None if its own policy ``old`` does not give the result that is there: then it was changed, or
    graded by a version that kept less, and nobody knows what another policy makes of it.
    """
    try:
        findings = findings_in(result)
        before, own_metadata = weigh(old, findings)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None  # such as a label that the policy does not know
    if any(getattr(result, name) != before[name] for name in OUTCOME):
        return None
    fields, weighed = weigh(new, findings)
    of_old = set(evidence_warnings(result.verdicts))
    warnings = [text for text in result.warnings if text not in of_old]
    others = result.metadata.keys() - own_metadata.keys() - {"warnings"}
    metadata = {name: value for name, value in result.metadata.items() if name in others}
    if (note := metadata.get("judgeNote")) and fields["reason"]:
        fields["reason"] = f"{fields['reason']} [{note}]"
    metadata = with_warnings({**metadata, **weighed}, warnings, fields["verdicts"])
    return replace(result, **fields, metadata=metadata)


def findings_in(result: GradingResult) -> CaseFindings:
    """What was found about the case of a result.

    The judge's own reason is not among it: another score needs another one.
    """
    data = result.metadata.get(FINDINGS) or {}
    raw = result.metadata.get("rawRatings")
    ended = End(*data["ended"]) if "ended" in data else None
    if result.status == "invalid_input" and result.error:
        ended = End("invalid_input", result.error.message)
    cause = None
    if "cause" in data:
        message, kind, fix, again = data["cause"]
        cause = JudgeError(message, kind, fix=fix, retryable=again)
    return CaseFindings(
        tuple(map(_as_judged, result.verdicts)),
        result.citations,
        ended,
        None if raw is None else Ratings(raw, tuple(result.metadata.get("suggestions", ()))),
        cause,
        frozenset(data.get("open", ())),
        tuple(data.get("untrusted", ("", ""))),
    )


def _as_judged(verdict: Verdict) -> Verdict:
    """The verdict with the label that the judge gave."""
    if LOWERED not in verdict.flags:
        return verdict
    flags = tuple(flag for flag in verdict.flags if flag != LOWERED)
    return replace(verdict, label="supported", flags=flags)
