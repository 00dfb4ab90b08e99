"""What every result of a plan carries, and the results without a mean of verdicts.

These are grader errors, and cases with nothing to check. What failed asks left open says nothing
about the answer: a case is then a grader error, unless it passes or fails whatever the open
statements are. What the judge itself left out is not open: it counts as unsupported.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..asking.controls import problem_of, summary
from ..asking.schema import MAX_ERRORS
from ..policy.reasons import FIXES, HEADS, NOT_GRADED, WHOLE, evidence_warnings
from ..policy.scoring import passes, score
from ..policy.values import SCORED
from ..records.model import GraderError
from ..records.result import GradingResult
from ..text.strings import clip
from .state import NOTHING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ..asking.controls import Answered
    from ..policy.policy import Policy
    from ..policy.values import Ending
    from ..records.errors import JudgeError
    from ..records.model import Label, Verdict
    from .state import Ended, State


def result_of(
    state: State,
    verdicts: Sequence[Verdict] = (),
    metadata: Mapping[str, Any] = NOTHING,
    **told: Any,
) -> GradingResult:
    """The result of a plan. ``told`` says how it ended: status, score, reason and the like."""
    counted = [v for v in verdicts if v.repeat_of is None]
    labels: Counter[str] = Counter(v.label or "unresolved" for v in counted)
    counts = {name: labels[name] for name in (*SCORED, "not_a_claim", "unresolved")}
    known = {
        "pass_": False,
        "score": None,
        "defined": False,
        "threshold": state.policy.passes_at,
        "policy": state.policy.name,
        "verdicts": tuple(verdicts),
        "skipped": state.skipped,
        "counts": counts if verdicts else {},
        "coverage": coverage_of(counted),
        "citations": state.audit,
        "tokens_used": state.log.usage,
        "metadata": {**_metadata(state, verdicts), **metadata},
        "case_id": state.case.id,
    }
    return GradingResult(**{**known, **told})


def coverage_of(counted: Sequence[Verdict]) -> float:
    """The share of these verdicts that are valid; 0 if there are none."""
    return sum(v.label is not None for v in counted) / len(counted) if counted else 0.0


def _metadata(state: State, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The metadata that every result may have, without entries that say nothing."""
    statuses = [error.http_status for error in state.log.errors if error.http_status]
    controls, usage = _controls(state, verdicts), state.log.usage
    # ``tokens_used`` of the result says more.
    tokens = {"prompt": usage.prompt, "completion": usage.completion, "total": usage.total}
    entries = {
        "warnings": list(dict.fromkeys(_warnings(state, verdicts))),
        "windows": len(state.windows) if len(state.windows) > 1 else None,
        "replies": dict(Counter(state.log.forms)),
        "schemaErrors": list(dict.fromkeys(state.log.schema_errors))[:MAX_ERRORS],
        "mismatchedCounts": [
            {"expected": expected, "actual": actual} for expected, actual in state.log.mismatches
        ],
        "truthsExtractionLimit": state.policy.truths_limit,
        "tokens": tokens if usage.total else None,
        "repeats": sum(v.repeat_of is not None for v in verdicts),
        "inverse": state.policy.inverse,
        "httpStatus": statuses[0] if statuses else None,
        "guidance": _fingerprint(state.policy),
        "controls": dict(summary(controls)) if controls else None,
    }
    return {"graderError": False, **{name: value for name, value in entries.items() if value}}


def _warnings(state: State, verdicts: Sequence[Verdict]) -> Iterator[str]:
    if state.case.ignored:
        yield f"these fields of the record were ignored: {', '.join(state.case.ignored)}"
    yield from state.case.notes
    yield from state.log.warnings
    if any(v.label for v in verdicts) or state.rated:
        # Without any verdict, the first error is the reason of the result.
        yield from (f"an ask failed ({e.kind}): {e.message}" for e in state.log.errors)
    if state.likely is not None:
        from .likely_windows import shown_in_part

        yield shown_in_part(state.likely, verdicts)
    yield from evidence_warnings(verdicts)
    untested = state.untested if any(v.label for v in verdicts) else 0
    if problem := problem_of(_controls(state, verdicts), untested):
        yield problem


def _controls(state: State, verdicts: Sequence[Verdict]) -> Answered:
    """The controls, if the judge said anything at all."""
    return state.answered_controls if any(v.label for v in verdicts) else ()


def _fingerprint(policy: Policy) -> str | None:
    """Distinguishes runs with different guidance or examples."""
    if not policy.guidance and not policy.examples:
        return None
    return f"{crc32(repr((policy.guidance, policy.examples)).encode('utf-8', 'replace')):08x}"


# ---------------------------------------------------------------- not graded


def invalid_input(problem: str, policy: Policy, case_id: str = "") -> GradingResult:
    """The result for data that is not a case."""
    message = _sentence(clip(problem, 1000))
    return GradingResult(
        pass_=False,
        score=None,
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
    policy, reason = state.policy, _reason(ended)
    ending = policy.on_blank if ended.blank else _endings(policy).get(ended.status, "error")
    told: dict[str, Any] = {"status": ended.status, "reason": reason}
    if ending == "error":
        error = GraderError("input", reason) if ended.status in HEADS else _error(ended)
        told["error"] = error
        shown = {"unreadableScore": policy.on_unreadable} if error.kind == "unreadable" else {}
        if ended.status not in HEADS:
            told["reason"] = f"{NOT_GRADED}: {error.message}"
        about = {"graderError": True, **(shown if policy.on_unreadable else {})}
        return result_of(state, verdicts, about, **told)
    if ending == "fail":
        return result_of(state, verdicts, **told)
    value = 1.0 if ending == "pass" else float(ending)
    passed = value > 0 and passes(policy, value, ())
    if policy.inverse:  # nothing to check does not show unfaithfulness either
        value, passed = min(value, 1.0 - value), False
    told["reason"] = f"{reason} The policy {policy.name!r} scores that {value:g}."
    scores = {"faithfulness": value}
    return result_of(
        state, verdicts, pass_=passed, score=value, defined=True, named_scores=scores, **told
    )


def _endings(policy: Policy) -> Mapping[str, Ending | float]:
    """What the policy makes of a status that is not a grader error."""
    return {
        "no_statements": policy.on_no_statements,
        "abstained": policy.on_abstained,
        "no_context": policy.on_no_context,
    }


def _reason(ended: Ended) -> str:
    if ended.status in WHOLE and not ended.detail:
        return WHOLE[ended.status]
    return f"{HEADS.get(ended.status, NOT_GRADED)}: {_what_happened(ended)}"


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


# ---------------------------------------------------------------- what failed asks left open


def left_open(state: State, verdicts: Sequence[Verdict]) -> dict[int, JudgeError]:
    """The statements that failed asks left open, each with the first error that did."""
    errors: dict[int, JudgeError] = {}
    for (_, number), error in state.failed.items():
        errors.setdefault(number, error)
    first_like = {v.id: state.first_like[v.id] for v in verdicts if v.label is None}
    return {number: errors[first] for number, first in first_like.items() if first in errors}


def depends_on_open(state: State, verdicts: Sequence[Verdict], numbers: Collection[int]) -> bool:
    """Whether these open statements decide if the case passes, and its policy cares.

    If controls are enforced and none was answered, the asks that contained them may be those that
    failed: nobody knows what the other verdicts are worth.
    """
    policy = state.policy
    if policy.controls == "enforce" and not any(label for _, label in state.answered_controls):
        return True
    if policy.on_failed == "unsupported":
        return False

    def rank(label: Label) -> tuple[bool, float]:  # under ``inverse``, no label fails the case
        return policy.inverse or label not in policy.fail_on, policy.weights[label]

    def would_pass(label: Label) -> bool:
        supposed = [replace(v, label=label) if v.id in numbers else v for v in verdicts]
        outcome = score(policy, supposed, state.audit)
        return outcome is not None and passes(policy, outcome.value, supposed)

    return would_pass(max(policy.judged, key=rank)) != would_pass(min(policy.judged, key=rank))


def described_open(errors: Collection[JudgeError], verdicts: Sequence[Verdict]) -> str:
    """How many statements were left open by these errors of failed asks, and why, in words."""
    first = next(iter(errors))
    count = f"{len(errors)} of {len(verdicts)} statements have no verdict"
    return f"{count} because an ask failed ({first.kind}: {first.message.rstrip('.')})"
