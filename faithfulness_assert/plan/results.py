"""The result of a plan: what its policy makes of what was found, and how that was found."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..asking.controls import Answered, problem_of, summary
from ..asking.schema import MAX_ERRORS
from ..policy.scoring import on_unit_scale
from ..records.result import GradingResult
from ..text.strings import clip
from .endings import UNDEFINED
from .kept import kept
from .state import Ended, State
from .weighing import Found, weigh, with_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..policy.policy import Policy
    from ..records.model import Verdict


def result_of(state: State, found: Found) -> GradingResult:
    """The result of a plan that found this."""
    told, weighed = weigh(state.policy, found)
    metadata = {**weighed, **_metadata(state, found), **kept(found)}
    known = {
        "skipped": state.skipped,
        "citations": state.audit,
        "tokens_used": state.log.usage,
        "metadata": with_warnings(metadata, _warnings(state, found), told["verdicts"]),
        "case_id": state.case.id,
    }
    return GradingResult(**{**UNDEFINED, **known, **told})


def _metadata(state: State, found: Found) -> dict[str, Any]:
    """The metadata that every result may have, without entries that say nothing."""
    statuses = [error.http_status for error in state.log.errors if error.http_status]
    verdicts = found.verdicts
    controls, usage = _controls(state, verdicts), state.log.usage
    # ``tokens_used`` of the result says more.
    tokens = {"prompt": usage.prompt, "completion": usage.completion, "total": usage.total}
    entries = {
        "windows": len(state.windows) if len(state.windows) > 1 else None,
        "replies": dict(Counter(state.log.forms)),
        "schemaErrors": list(dict.fromkeys(state.log.schema_errors))[:MAX_ERRORS],
        "mismatchedCounts": [
            {"expected": expected, "actual": actual} for expected, actual in state.log.mismatches
        ],
        "truths": [{"passage": s.passage, "text": s.text} for s in state.context]
        if state.policy.verify == "truths" and verdicts
        else None,
        "truthsExtractionLimit": state.policy.truths_limit,
        "tokens": tokens if usage.total else None,
        "repeats": sum(v.repeat_of is not None for v in verdicts),
        "inverse": state.policy.inverse,
        "httpStatus": statuses[0] if statuses else None,
        "guidance": _fingerprint(state.policy),
        "controls": dict(summary(controls)) if controls else None,
    }
    return {name: value for name, value in entries.items() if value}


def _warnings(state: State, found: Found) -> Iterator[str]:
    """What any policy warns of."""
    verdicts = found.verdicts
    if state.case.ignored:
        yield f"these fields of the record were ignored: {', '.join(state.case.ignored)}"
    yield from state.case.notes
    yield from state.log.warnings
    if any(v.label for v in verdicts) or found.rated:
        # Without any verdict, the first error is the reason of the result.
        yield from (f"an ask failed ({e.kind}): {e.message}" for e in state.log.errors)
    if found.rated:
        yield from on_unit_scale(found.rated.ratings)[1]
    if state.likely is not None:
        from .likely_windows import shown_in_part

        yield shown_in_part(state.likely, verdicts)
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
    found = Found(ended=Ended("invalid_input", clip(problem, 1000)))
    told, metadata = weigh(policy, found)
    return GradingResult(**{**UNDEFINED, **told}, metadata=metadata, case_id=case_id)
