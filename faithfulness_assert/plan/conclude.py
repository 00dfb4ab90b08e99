"""The end of a plan: what is known becomes a ``GradingResult``. Every status, reason and count of a result is decided here."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..asking.controls import summary
from ..policy.calculation import calculation, overall_calculation
from ..policy.policy import SCORED, Policy
from ..policy.scoring import overall, passes, score
from ..reading.rating_values import on_unit_scale
from ..records.errors import JudgeError
from ..records.model import GraderError, Verdict
from ..records.result import GradingResult
from ..text.evidence import Quotable, resolve
from ..text.strings import clip
from .reasons import FIXES, REASONS, ratings_reason, reason_of
from .state import State, status_of
from .verdicts import finding, first_like

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..asking.controls import Control
    from ..policy.scoring import Score
    from ..reading.reconcile import Finding
    from ..records.model import ErrorKind, Label, Statement, Status

MAX_EXPLANATION = 600  # characters of the judge's own reason


def conclude(state: State) -> GradingResult:
    """The result of a plan that has ended."""
    if state.ending:
        return _ended(state, state.ending)
    if state.policy.verify == "rubric":
        return _rated(state) if state.ratings else _ended(state, status_of(state.errors))
    verdicts = _verdicts(state)
    if not any(v.label for v in verdicts):
        return _ended(state, status_of(state.errors), verdicts)
    if state.policy.controls == "enforce" and (
        wrong := [control for control, label in state.controls if not control.passed(label)]
    ):
        return _ended(
            replace(state, errors=(_unreliable(wrong), *state.errors)), "unreadable", verdicts
        )
    missing = sum(v.label is None for v in verdicts)
    if missing and state.policy.on_missing == "error":
        told = replace(
            state, problem=f"{missing} of {len(verdicts)} statements got no valid verdict"
        )
        return _ended(told, status_of(state.errors), verdicts)
    outcome = score(state.policy, verdicts, state.audit)
    if outcome is None:
        told = replace(state, problem="the judge finds no claim in the answer")
        return _ended(told, "no_statements", verdicts)
    return _graded(state, verdicts, outcome)


def _unreliable(wrong: Sequence[Control]) -> JudgeError:
    kinds = {
        True: "a sentence of the context that it did not call supported",
        False: "an altered sentence that it did not turn down",
    }
    told = " and ".join(kinds[true] for true in sorted({control.true for control in wrong}))
    return JudgeError(f"the judge failed a control: {told}", "unreliable_judge")


def invalid_input(problem: str, policy: Policy, case_id: str = "") -> GradingResult:
    """The result for data that is no case at all."""
    reason = f"{REASONS['invalid_input']}: {clip(problem, 1000).rstrip('.')}."
    error = GraderError("input", reason)
    return GradingResult(
        False,
        0.0,
        False,
        "invalid_input",
        reason,
        policy.passes_at,
        policy.name,
        error=error,
        metadata={"graderError": True},
        case_id=case_id,
    )


# ---------------------------------------------------------------- verdicts


def _verdicts(state: State) -> tuple[Verdict, ...]:
    firsts = first_like(state.statements) if state.policy.dedupe else {}
    found = [(s, finding(state, firsts.get(s.id, s.id))) for s in state.statements]
    quotable = Quotable.of(state.sentences) if any(finding.quote for _, finding in found) else None
    return tuple(
        _verdict(state, s, firsts.get(s.id, s.id), finding, quotable) for s, finding in found
    )


def _verdict(
    state: State, statement: Statement, first: int, found: Finding, quotable: Quotable | None
) -> Verdict:
    evidence, flags = resolve(found.evidence, found.quote, state.sentences, quotable)
    flags = (*found.flags, *flags)
    label: Label | None = found.label
    if state.policy.strict_evidence and label == "supported" and (flags or not evidence):
        label, flags = "not_enough_info", (*flags, "lowered")
    span = (
        None
        if statement.start is None or statement.end is None
        else (statement.start, statement.end)
    )
    return Verdict(
        statement.id,
        statement.text,
        label,
        found.unresolved,
        evidence,
        found.reason,
        span,
        first if first != statement.id else None,
        flags,
    )


# ---------------------------------------------------------------- results


def _graded(state: State, verdicts: Sequence[Verdict], outcome: Score) -> GradingResult:
    policy, counted = state.policy, _counted(state.policy, verdicts)
    passed = passes(policy, outcome.value, verdicts)
    coverage = sum(v.label is not None for v in counted) / len(counted)
    ours = reason_of(policy, counted, outcome, passed=passed)
    metadata = {
        "calculation": calculation(policy, counted, outcome),
        **_score_caps(outcome),
        **_truths(state),
    }
    return replace(
        _base(state, verdicts, metadata),
        pass_=passed,
        score=outcome.value,
        defined=True,
        status="graded",
        reason=None
        if policy.explain == "none"
        else f"{ours} {clip(state.explanation, MAX_EXPLANATION)}".rstrip(),
        coverage=coverage,
        named_scores={"faithfulness": outcome.value, "coverage": coverage},
    )


def _rated(state: State) -> GradingResult:
    """The result of a rubric policy: no verdicts, a figure for each dimension."""
    policy = state.policy
    ratings, changed = on_unit_scale(state.ratings)
    outcome, rated = overall(policy, ratings, state.audit)
    metadata = {
        "calculation": overall_calculation(policy, ratings, outcome),
        "rawRatings": dict(state.ratings),
        "suggestions": list(state.suggestions),
        **_score_caps(outcome),
    }
    return replace(
        _base(replace(state, warnings=(*state.warnings, *changed)), (), metadata),
        pass_=passes(policy, outcome.value, ()),
        score=outcome.value,
        defined=True,
        status="graded",
        reason=None
        if policy.explain == "none"
        else ratings_reason(policy, rated, outcome, state.suggestions),
        coverage=1.0,
        named_scores={**rated, "overall": outcome.value},
    )


def _score_caps(outcome: Score) -> dict[str, Any]:
    if not outcome.score_caps:
        return {}
    fired = [
        {"finding": c.finding, "ceiling": c.ceiling, "atLeast": c.at_least}
        for c in outcome.score_caps
    ]
    return {"rawScore": outcome.raw, "scoreCaps": fired}


def _truths(state: State) -> dict[str, Any]:
    """What the judge found in the context, where the verdicts are against that."""
    return (
        {"truths": [{"passage": s.passage, "text": s.text} for s in state.sentences]}
        if state.policy.verify == "truths"
        else {}
    )


def _base(
    state: State, verdicts: Sequence[Verdict] = (), extra: dict[str, Any] | None = None
) -> GradingResult:
    """What every result of a plan carries."""
    counted = _counted(state.policy, verdicts)
    counts: Counter[str] = Counter(v.label or "unresolved" for v in counted)
    return GradingResult(
        pass_=False,
        score=0.0,
        defined=False,
        status="unreadable",
        reason="",
        threshold=state.policy.passes_at,
        policy=state.policy.name,
        verdicts=tuple(verdicts),
        skipped=state.skipped,
        counts={name: counts[name] for name in (*SCORED, "not_a_claim", "unresolved")}
        if verdicts
        else {},
        citations=state.audit,
        tokens_used=state.usage,
        metadata=_metadata(state, verdicts, counted, extra or {}),
        case_id=state.case.id,
    )


def _metadata(
    state: State, verdicts: Sequence[Verdict], counted: Sequence[Verdict], extra: dict[str, Any]
) -> dict[str, Any]:
    told = [
        *state.warnings,
        *(
            f"an ask failed ({error.kind}): {error.message}"
            for error in state.errors
            if any(v.label for v in verdicts) or state.ratings
        ),
    ]
    failed = [
        control
        for control, label in state.controls
        if label is not None and not control.passed(label)
    ]
    told += [_unreliable(failed).message] if failed else []
    statuses = [error.http_status for error in state.errors if error.http_status]
    said = {
        "warnings": list(dict.fromkeys(told)),
        "windows": len(state.windows) if len(state.windows) > 1 else None,
        "replies": dict(Counter(state.forms)),
        "repeats": len(verdicts) - len(counted),
        "httpStatus": statuses[0] if statuses else None,
        "guidance": _fingerprint(state.policy),
        "controls": dict(summary(state.controls)) if state.controls else None,
    }
    return {"graderError": False, **{name: value for name, value in said.items() if value}, **extra}


def _fingerprint(policy: Policy) -> str | None:
    """Tells two runs with other guidance or examples apart."""
    if not policy.guidance and not policy.examples:
        return None
    return f"{crc32(repr((policy.guidance, policy.examples)).encode('utf-8', 'replace')):08x}"


def _counted(policy: Policy, verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [v for v in verdicts if not (policy.dedupe and v.repeat_of is not None)]


def _ended(state: State, status: Status, verdicts: Sequence[Verdict] = ()) -> GradingResult:
    """A result without a mean of verdicts: a grader error, or what the policy makes of nothing to check."""
    base = replace(_base(state, verdicts), status=status)
    endings = {
        "no_statements": state.policy.on_no_statements,
        "abstained": state.policy.on_abstained,
        "no_context": state.policy.on_no_context,
    }
    ending = endings.get(status, "error")
    reason = _problem(state, status)
    if ending == "error":
        error = _error(state, status, reason)
        shown = state.policy.on_unreadable if error.kind == "unreadable" else 0.0
        return replace(
            base,
            score=shown,
            error=error,
            reason=error.message,
            metadata={**base.metadata, "graderError": True},
        )
    if ending == "fail":
        return replace(base, reason=reason)
    value = 1.0 if ending == "pass" else float(ending)
    passed = ending == "pass" or (value > 0 and passes(state.policy, value, ()))
    if state.policy.inverse:  # what says nothing shows no unfaithfulness either
        value, passed = min(value, 1.0 - value), False
    told = f"{reason} The policy {state.policy.name!r} scores that {value:g}."
    return replace(
        base,
        pass_=passed,
        score=value,
        defined=True,
        reason=told,
        named_scores={"faithfulness": value},
    )


def _problem(state: State, status: Status) -> str:
    text = REASONS[status]
    detail = state.problem or (state.errors[0].message if state.errors else "")
    if text.endswith("."):
        return text
    return f"{text}: {detail or 'no statement got a valid verdict'}".rstrip(".") + "."


def _error(state: State, status: Status, reason: str) -> GraderError:
    if status in ("invalid_input", "no_statements", "abstained", "no_context"):
        return GraderError("input", reason)
    first: JudgeError | None = state.errors[0] if state.errors else None
    kind: ErrorKind = first.kind if first else "unreadable"
    fix = first.fix if first and first.fix else FIXES[kind]
    return GraderError(kind, f"{reason} {fix}", first.retryable if first else True)
