"""The result of a plan: what its policy makes of what was found, and how that was found.

What was found is kept with the result, so that another policy can weigh it later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from traceback import extract_tb
from typing import Any

from ..asking.controls import problem_of, summary
from ..asking.schema import MAX_ERRORS, wrong_label
from ..policy.policy import Policy
from ..policy.reasons import evidence_warnings
from ..policy.scoring import on_unit_scale
from ..reading.rows import parse_label
from ..records.errors import JudgeError
from ..records.model import Verdict
from ..records.result import GradingResult
from ..records.usage import Usage
from ..text.strings import clip, lazy_pattern
from .state import Ended, Rated, State
from .weighing import LOWERED, UNDEFINED, CaseFindings, weigh, with_warnings

MAX_LABEL = 40
FINDINGS = "found"
"""The entry of a result's metadata for what its other fields do not say."""
DEFECT = "defect"
"""The entry for where an error of ours was raised."""
_PACKAGE = lazy_pattern(r"faithfulness_assert[\\/]")
OUTCOME = ("status", "pass_", "score", "threshold", "verdicts")
"""What must be the same if a result is weighed by its own policy again."""


def result_of(state: State, findings: CaseFindings) -> GradingResult:
    """The result of a plan that found this."""
    weighed_fields, weighed = weigh(state.policy, findings)
    metadata = {**weighed, **_metadata(state, findings), **as_entry(findings)}
    fields = {
        "skipped": state.skipped,
        "citations": state.audit,
        "tokens_used": state.log.usage,
        "metadata": with_warnings(metadata, _warnings(state, findings), weighed_fields["verdicts"]),
        "case_id": state.case.id,
    }
    return GradingResult(**{**UNDEFINED, **fields, **weighed_fields})


def _metadata(state: State, findings: CaseFindings) -> dict[str, Any]:
    """The metadata that every result may have, without entries that say nothing."""
    statuses = [error.http_status for error in state.log.errors if error.http_status]
    verdicts = findings.verdicts
    is_judged = any(v.label for v in verdicts)
    entries = {
        "language": state.language if state.language != "en" else None,
        "windows": len(state.windows) if len(state.windows) > 1 else None,
        "replies": dict(Counter(state.log.forms)),
        "schemaErrors": list(dict.fromkeys(state.log.schema_errors))[:MAX_ERRORS],
        "mismatchedCounts": [
            {"expected": expected, "actual": actual} for expected, actual in state.log.mismatches
        ],
        "truths": [{"passage": s.passage, "text": s.text} for s in state.context]
        if state.policy.verify == "truths" and verdicts
        else None,
        "repeats": sum(v.repeat_of is not None for v in verdicts),
        "inverse": state.policy.inverse,
        "httpStatus": statuses[0] if statuses else None,
        "controls": is_judged and state.answered_controls and summary(state.answered_controls),
        "untested": is_judged and state.untested,
    }
    return {name: value for name, value in entries.items() if value}


def _warnings(state: State, findings: CaseFindings) -> Iterator[str]:
    """What any policy warns of."""
    is_judged = any(v.label for v in findings.verdicts)
    if state.case.ignored:
        yield f"these fields of the record were ignored: {', '.join(state.case.ignored)}"
    yield from state.case.notes
    yield from state.log.warnings
    if is_judged or findings.rated:
        # Without any verdict, the first error is the reason of the result.
        yield from (f"an ask failed ({e.kind}): {e.message}" for e in state.log.errors)
    if is_judged:
        for word in filter(None, dict.fromkeys(map(wrong_label, state.log.schema_errors))):
            if parse_label(word, state.policy.labels) is None:
                unknown = f"the judge's label {clip(word, MAX_LABEL)!r} is none that is known"
                yield f"{unknown}; the option labels can say what it means"
    if findings.rated:
        yield from on_unit_scale(findings.rated.ratings)[1]
    if state.likely is not None:
        from .likely_windows import shown_in_part

        yield shown_in_part(state.likely, findings.verdicts)
    enforced = state.policy.controls == "enforce"
    untested = state.untested if enforced else 0  # else a run tells it once
    if is_judged and (problem := problem_of(state.answered_controls, untested)):
        yield problem


# ---------------------------------------------------------------- not graded


def invalid_input(problem: str, policy: Policy, case_id: str = "") -> GradingResult:
    """The result for data that is not a case."""
    findings = CaseFindings(ended=Ended("invalid_input", clip(problem, 1000)))
    fields, metadata = weigh(policy, findings)
    return GradingResult(**{**UNDEFINED, **fields}, metadata=metadata, case_id=case_id)


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


# ---------------------------------------------------------------- another policy


def weighed_again(result: GradingResult, old: Policy, new: Policy) -> GradingResult | None:
    """The result of the same case under another policy, which would have asked the same.

    None if its own policy ``old`` does not give the result that is there: then it was changed, or
    graded by a version that kept less, and nobody knows what another policy makes of it.
    """
    try:
        findings = findings_in(result)
        before = weigh(old, findings)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None  # such as a label that the policy does not know
    fields_before = {**UNDEFINED, **before.fields}
    if any(getattr(result, name) != fields_before[name] for name in OUTCOME):
        return None
    after = weigh(new, findings)
    fields: dict[str, Any] = {**UNDEFINED, "error": None, "named_scores": {}, **after.fields}
    of_old = set(evidence_warnings(result.verdicts))
    warnings = [text for text in result.warnings if text not in of_old]
    metadata = {
        name: value
        for name, value in result.metadata.items()
        if name not in before.metadata and name != "warnings"
    }
    if (note := metadata.get("judgeNote")) and fields["reason"]:
        fields["reason"] = f"{fields['reason']} [{note}]"
    metadata = with_warnings({**metadata, **after.metadata}, warnings, fields["verdicts"])
    return replace(result, **fields, metadata=metadata)


def as_entry(findings: CaseFindings) -> dict[str, Any]:
    """What of it the other fields of a result do not say, as JSON; {} for most cases."""
    errors = {_parts_of(error): None for error in (*findings.errors, *findings.left_open.values())}
    places = {parts: place for place, parts in enumerate(errors)}
    ended = findings.ended
    if ended and ended.status == "invalid_input":  # the result's error says all
        ended = None
    entries = {
        "ended": {name: value for name, value in ended._asdict().items() if value} if ended else {},
        "errors": [list(parts) for parts in errors],
        "open": {
            str(number): places[_parts_of(error)] for number, error in findings.left_open.items()
        },
        "untrusted": list(findings.untrusted) if findings.untrusted[0] else None,
        "tested": None if findings.tested else False,
    }
    filled = {name: value for name, value in entries.items() if value or value is False}
    return {FINDINGS: filled} if filled else {}


def _parts_of(error: JudgeError) -> tuple[str, str, str, bool]:
    return error.message, error.kind, error.fix, error.retryable


def findings_in(result: GradingResult) -> CaseFindings:
    """What was found about the case of a result.

    The judge's own reason is not among it: another score needs another one.
    """
    data = result.metadata.get(FINDINGS) or {}
    errors = tuple(
        JudgeError(message, kind, fix=fix, retryable=again)
        for message, kind, fix, again in data.get("errors", ())
    )
    raw = result.metadata.get("rawRatings")
    ended = Ended(**data["ended"]) if data.get("ended") else None
    if result.status == "invalid_input" and result.error:
        ended = Ended("invalid_input", result.error.message)
    return CaseFindings(
        tuple(map(_as_judged, result.verdicts)),
        result.citations,
        ended,
        None if raw is None else Rated(raw, tuple(result.metadata.get("suggestions", ()))),
        errors,
        {int(number): errors[place] for number, place in data.get("open", {}).items()},
        tuple(data.get("untrusted", ("", ""))),
        data.get("tested", True),
    )


def _as_judged(verdict: Verdict) -> Verdict:
    """The verdict with the label that the judge gave."""
    if LOWERED not in verdict.flags:
        return verdict
    flags = tuple(flag for flag in verdict.flags if flag != LOWERED)
    return replace(verdict, label="supported", flags=flags)
