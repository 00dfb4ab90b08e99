"""Another policy for a case that is graded already, without an ask.

What was found about a case is kept with its result, so that another policy can weigh it later.
"""

from __future__ import annotations

from dataclasses import replace

from ..policy.policy import Policy
from ..policy.scoring import evidence_warnings
from ..records.errors import JudgeError
from ..records.model import Verdict
from ..records.result import GradingResult
from .state import End, Ratings
from .weighing import FINDINGS, LOWERED, CaseFindings, weigh, with_warnings

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
