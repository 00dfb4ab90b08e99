"""What every result of a plan carries: texts, counts, costs, warnings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..asking.controls import problem_of, summary
from ..asking.schema import MAX_ERRORS
from ..policy.reasons import evidence_warnings
from ..policy.values import SCORED
from ..records.result import GradingResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..asking.controls import Answered
    from ..policy.policy import Policy
    from ..records.model import Verdict
    from ..records.usage import Usage
    from .state import State


def base_result(
    state: State, verdicts: Sequence[Verdict] = (), extra: dict[str, Any] | None = None
) -> GradingResult:
    """A result without score, status and reason."""
    counted = counted_verdicts(state.policy, verdicts)
    labels: Counter[str] = Counter(v.label or "unresolved" for v in counted)
    counts = {name: labels[name] for name in (*SCORED, "not_a_claim", "unresolved")}
    repeats = len(verdicts) - len(counted)
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
        counts=counts if verdicts else {},
        coverage=coverage_of(counted),
        citations=state.audit,
        tokens_used=state.log.usage,
        metadata={**_metadata(state, verdicts, repeats), **(extra or {})},
        case_id=state.case.id,
    )


def counted_verdicts(policy: Policy, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts without those of repeats, where repeats count once."""
    return [v for v in verdicts if not (policy.dedupe and v.repeat_of is not None)]


def coverage_of(counted: Sequence[Verdict]) -> float:
    """The share of these verdicts that are valid; 0 if there are none."""
    return sum(v.label is not None for v in counted) / len(counted) if counted else 0.0


def _metadata(state: State, verdicts: Sequence[Verdict], repeats: int) -> dict[str, Any]:
    """The metadata that every result may have, without entries that say nothing."""
    statuses = [error.http_status for error in state.log.errors if error.http_status]
    controls = _controls(state, verdicts)
    entries = {
        "warnings": list(dict.fromkeys(_warnings(state, verdicts))),
        "windows": len(state.windows) if len(state.windows) > 1 else None,
        "replies": dict(Counter(state.log.forms)),
        "schemaErrors": list(dict.fromkeys(state.log.schema_errors))[:MAX_ERRORS],
        "mismatchedCounts": [
            {"expected": expected, "actual": actual} for expected, actual in state.log.mismatches
        ],
        "truthsExtractionLimit": state.policy.truths_limit,
        "tokens": _tokens(state.log.usage),
        "repeats": repeats,
        "inverse": state.policy.inverse,
        "httpStatus": statuses[0] if statuses else None,
        "guidance": _fingerprint(state.policy),
        "controls": dict(summary(controls)) if controls else None,
    }
    return {"graderError": False, **{name: value for name, value in entries.items() if value}}


def _tokens(usage: Usage) -> dict[str, int] | None:
    """The tokens of all asks; ``tokens_used`` of the result says more."""
    if not usage.total:
        return None
    return {"prompt": usage.prompt, "completion": usage.completion, "total": usage.total}


def _warnings(state: State, verdicts: Sequence[Verdict]) -> Iterator[str]:
    if state.case.ignored:
        yield f"these fields of the record were ignored: {', '.join(state.case.ignored)}"
    yield from state.case.notes
    yield from state.log.warnings
    if any(v.label for v in verdicts) or state.rated:
        # Without any verdict, the first error is the reason of the result.
        yield from (f"an ask failed ({e.kind}): {e.message}" for e in state.log.errors)
    if state.likely is not None:
        from .likely import shown_in_part

        yield shown_in_part(state, verdicts)
    yield from evidence_warnings(verdicts)
    if problem := problem_of(_controls(state, verdicts)):
        yield problem


def _controls(state: State, verdicts: Sequence[Verdict]) -> Answered:
    """The controls, if the judge said anything at all."""
    return state.verdicts.answered_controls if any(v.label for v in verdicts) else ()


def _fingerprint(policy: Policy) -> str | None:
    """Distinguishes runs with different guidance or examples."""
    if not policy.guidance and not policy.examples:
        return None
    return f"{crc32(repr((policy.guidance, policy.examples)).encode('utf-8', 'replace')):08x}"
