"""What was found about a case, kept with its result, so that another policy can weigh it later."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..policy.reasons import evidence_warnings
from ..records.errors import JudgeError
from .endings import UNDEFINED
from .state import Ended, Rated
from .weighing import LOWERED, Found, weigh, with_warnings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..policy.policy import Policy
    from ..records.model import Verdict
    from ..records.result import GradingResult

FOUND = "found"
"""The entry of a result's metadata for what its other fields do not say."""
OUTCOME = ("status", "pass_", "score", "threshold", "verdicts")
"""What must be the same if a result is weighed by its own policy again."""


def weighed_again(result: GradingResult, old: Policy, new: Policy) -> GradingResult | None:
    """The result of the same case under another policy, which would have asked the same.

    None if its own policy ``old`` does not give the result that is there: then it was changed, or
    graded by a version that kept less, and nobody knows what another policy makes of it.
    """
    try:
        found = found_in(result)
        before = weigh(old, found)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None  # such as a label that the policy does not know
    said = {**UNDEFINED, **before.told}
    if any(getattr(result, name) != said[name] for name in OUTCOME):
        return None
    after = weigh(new, found)
    told: dict[str, Any] = {**UNDEFINED, "error": None, "named_scores": {}, **after.told}
    of_old = set(evidence_warnings(result.verdicts))
    warnings = [text for text in result.warnings if text not in of_old]
    metadata = {
        name: value
        for name, value in result.metadata.items()
        if name not in before.metadata and name != "warnings"
    }
    if (note := metadata.get("judgeNote")) and told["reason"]:
        told["reason"] = f"{told['reason']} [{note}]"
    metadata = with_warnings({**metadata, **after.metadata}, warnings, told["verdicts"])
    return replace(result, **told, metadata=metadata)


def kept(found: Found) -> dict[str, Any]:
    """What of it the other fields of a result do not say, as JSON; {} for most cases."""
    errors = {_told(error): None for error in (*found.errors, *found.left_open.values())}
    places = {told: place for place, told in enumerate(errors)}
    entries = {
        "ended": _ended_as_json(found.ended),
        "errors": [list(told) for told in errors],
        "open": {str(number): places[_told(error)] for number, error in found.left_open.items()},
        "untrusted": list(found.untrusted) if found.untrusted[0] else None,
        "tested": None if found.tested else False,
    }
    kept = {name: value for name, value in entries.items() if value or value is False}
    return {FOUND: kept} if kept else {}


def _ended_as_json(ended: Ended | None) -> dict[str, Any]:
    """{} also where the result's error says all."""
    if ended is None or ended.status == "invalid_input":
        return {}
    return {name: value for name, value in ended._asdict().items() if value}


def _ended_in(result: GradingResult, data: Mapping[str, Any]) -> Ended | None:
    if result.status == "invalid_input" and result.error:
        return Ended("invalid_input", result.error.message)
    return Ended(**data["ended"]) if data.get("ended") else None


def _told(error: JudgeError) -> tuple[str, str, str, bool]:
    return error.message, error.kind, error.fix, error.retryable


def found_in(result: GradingResult) -> Found:
    """What was found about the case of a result.

    The judge's own reason is not among it: another score needs another one.
    """
    data = result.metadata.get(FOUND) or {}
    errors = tuple(
        JudgeError(message, kind, fix=fix, retryable=again)
        for message, kind, fix, again in data.get("errors", ())
    )
    raw = result.metadata.get("rawRatings")
    return Found(
        tuple(map(_as_judged, result.verdicts)),
        result.citations,
        _ended_in(result, data),
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
