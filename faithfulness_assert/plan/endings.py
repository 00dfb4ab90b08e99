"""Results without a mean of verdicts: grader errors, and cases with nothing to check."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..policy.reasons import FIXES, NOT_GRADED, REASONS
from ..policy.scoring import passes
from ..records.model import GraderError
from ..records.result import GradingResult
from ..text.strings import clip
from .metadata import base_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..policy.policy import Policy
    from ..policy.values import Ending
    from ..records.model import Verdict
    from .state import Ended, State


def invalid_input(problem: str, policy: Policy, case_id: str = "") -> GradingResult:
    """The result for data that is not a case."""
    message = _sentence(clip(problem, 1000))
    return GradingResult(
        pass_=False,
        score=0.0,
        defined=False,
        status="invalid_input",
        reason=f"{NOT_GRADED}: {message}",
        threshold=policy.passes_at,
        policy=policy.name,
        error=GraderError("input", message),
        metadata={"graderError": True},
        case_id=case_id,
    )


def ended_result(state: State, ended: Ended, verdicts: Sequence[Verdict] = ()) -> GradingResult:
    """The result of a plan that ended with this status."""
    result = replace(base_result(state, verdicts), status=ended.status)
    reason = _reason(ended)
    ending = _ending(state.policy, ended)
    if ending == "error":
        return _grader_error(state, result, ended)
    if ending == "fail":
        return replace(result, reason=reason)
    return _scored(state.policy, result, reason, 1.0 if ending == "pass" else float(ending))


def _ending(policy: Policy, ended: Ended) -> Ending | float:
    """What the policy makes of a status."""
    if ended.blank:
        return policy.on_blank
    endings = {
        "no_statements": policy.on_no_statements,
        "abstained": policy.on_abstained,
        "no_context": policy.on_no_context,
    }
    return endings.get(ended.status, "error")


def _grader_error(state: State, result: GradingResult, ended: Ended) -> GradingResult:
    if REASONS[ended.status] == NOT_GRADED:
        error = _error(ended)
        reason = f"{NOT_GRADED}: {error.message}"
    else:
        reason = _reason(ended)
        error = GraderError("input", reason)
    shown = state.policy.on_unreadable if error.kind == "unreadable" else 0.0
    metadata = {**result.metadata, "graderError": True}
    return replace(result, score=shown, error=error, reason=reason, metadata=metadata)


def _scored(policy: Policy, result: GradingResult, reason: str, value: float) -> GradingResult:
    """A result with the score that the policy gives to what cannot be checked."""
    passed = value > 0 and passes(policy, value, ())
    if policy.inverse:  # nothing to check does not show unfaithfulness either
        value, passed = min(value, 1.0 - value), False
    return replace(
        result,
        pass_=passed,
        score=value,
        defined=True,
        reason=f"{reason} The policy {policy.name!r} scores that {value:g}.",
        named_scores={"faithfulness": value},
    )


def _reason(ended: Ended) -> str:
    text = REASONS[ended.status]
    if not text.endswith("."):
        return f"{text}: {_what_happened(ended)}"
    return f"No context: {_sentence(ended.detail)}" if ended.detail else text


def _what_happened(ended: Ended) -> str:
    cause = ended.error.message if ended.error else ""
    return _sentence(ended.detail or cause or "no statement got a valid verdict")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _error(ended: Ended) -> GraderError:
    said, cause = _what_happened(ended), ended.error
    if ended.status == "invalid_input":
        return GraderError("input", said)
    if cause is None:
        return GraderError("unreadable", f"{said} {FIXES['unreadable']}", retryable=True)
    return GraderError(cause.kind, f"{said} {cause.fix or FIXES[cause.kind]}", cause.retryable)
