"""What a policy makes of a case that ended without verdicts, and how that is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..policy.reasons import FIXES, HEADS, NOT_GRADED, WHOLE
from ..policy.scoring import passes
from ..records.model import GraderError
from .state import NOTHING, Ended

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..policy.policy import Policy

UNDEFINED: Mapping[str, Any] = {"pass_": False, "score": None, "defined": False}
"""What a result is unless its policy says otherwise."""


class Weighed(NamedTuple):
    """What a policy makes of a case: fields of its result, and entries of the metadata."""

    told: dict[str, Any]
    metadata: Mapping[str, Any] = NOTHING


def ended_as(policy: Policy, ended: Ended) -> Weighed:
    """The result of a plan that ended with this status."""
    reason = _reason(ended)
    case: Any = "blank" if ended.blank else ended.status
    ending = policy.endings.get(case, "error")
    told: dict[str, Any] = {"status": ended.status, "reason": reason}
    if ending == "error":
        error = GraderError("input", reason) if ended.status in HEADS else _error(ended)
        told["error"] = error
        shown = {"unreadableScore": policy.on_unreadable} if error.kind == "unreadable" else {}
        if ended.status not in HEADS:
            told["reason"] = f"{NOT_GRADED}: {error.message}"
        return Weighed(told, shown if policy.on_unreadable else NOTHING)
    if ending == "fail":
        return Weighed(told)
    value = 1.0 if ending == "pass" else float(ending)
    passed = value > 0 and passes(policy, value, ())
    if policy.inverse:  # nothing to check does not show unfaithfulness either
        value, passed = min(value, 1.0 - value), False
    told["reason"] = f"{reason} The policy {policy.name!r} scores that {value:g}."
    scores = {"faithfulness": value}
    return Weighed(
        {**told, "pass_": passed, "score": value, "defined": True, "named_scores": scores}
    )


def _reason(ended: Ended) -> str:
    if ended.status in WHOLE and not ended.detail:
        return WHOLE[ended.status]
    return f"{HEADS.get(ended.status, NOT_GRADED)}: {_what_happened(ended)}"


def _what_happened(ended: Ended) -> str:
    """In a sentence."""
    cause = ended.error.message if ended.error else ""
    said = ended.detail or cause or "no statement got a valid verdict"
    return said if said.endswith((".", "?", "!")) else f"{said}."


def _error(ended: Ended) -> GraderError:
    said, cause = _what_happened(ended), ended.error
    if ended.status == "invalid_input":
        return GraderError("input", said)
    if cause is None:
        return GraderError("unreadable", f"{said} {FIXES['unreadable']}", retryable=True)
    return GraderError(cause.kind, f"{said} {cause.fix or FIXES[cause.kind]}", cause.retryable)
