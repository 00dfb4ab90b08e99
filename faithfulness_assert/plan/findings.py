"""Findings, checked against what their ask showed and allowed, and merged over windows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..reading.reconcile import ASSERTS, INVALID, MISSING, Finding
from ..records.judge import Ask
from ..records.model import FINE_LABELS, Label
from ..text.talk import may_be_set_aside

# The finding of one window beats those of others in this order. A window that is silent about a
# statement takes nothing away from one that is not.
STRENGTH: tuple[Label, ...] = (
    "supported",
    "partially_supported",
    "contradicted",
    "not_enough_info",
    "not_a_claim",
)


SETTLED = FINE_LABELS
"""What more of the context is not needed for."""


def checked(
    finding: Finding,
    text: str,
    ask: Ask,
    shown: Collection[int],
    confidence: float | None = None,
    marked: Collection[str] = (),
) -> Finding:
    """The finding for a statement with this text, as far as its ask showed and allowed it.

    Evidence that the ask did not show is left out, and a flag says so. A label must be one that was
    asked for, and a plain assertion is never set aside.

    Args:
        shown: the numbers of the sentences that the ask showed.
        confidence: how sure the judge is of its label.
        marked: the words that it marks as unsupported, which speak against ``supported``.
    """
    if finding.evidence:
        evidence = tuple(number for number in finding.evidence if number in shown)
        if evidence != finding.evidence:
            finding = finding._replace(evidence=evidence, flags=("no_such_evidence",))
    label = finding.label
    if label is None:
        return finding
    if label == "not_a_claim" and not may_be_set_aside(
        text, (said for _, said in ask.payload.items), is_asked=bool(ask.payload.question)
    ):
        return ASSERTS
    if label not in ask.form.labels or (marked and label == "supported"):
        return INVALID
    wrong = tuple(words for words in marked if words and words in text)
    return finding._replace(confidence=confidence, wrong=wrong)


def shows_conflict(findings: Sequence[Finding]) -> bool:
    """Whether windows are in conflict, and both sides name evidence that can be shown together."""
    return all(any(finding.evidence for finding in side) for side in sides(findings))


def sides(findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings that contradict a statement, and those that neither do so nor leave it open."""
    against = [f for f in findings if f.label == "contradicted"]
    others = [f for f in findings if f.label not in ("contradicted", "not_enough_info", None)]
    return against, others


def merged(findings: Sequence[Finding]) -> Finding:
    """One finding from those of all windows: the strongest.

    A missing one counts only where no window supports the statement.
    """
    if len(findings) < 2:
        return findings[0] if findings else MISSING
    if split := next((f for f in findings if f.unresolved == "split"), None):
        return split
    contradicts_itself = any(f.unresolved in ("duplicate", "invalid") for f in findings)
    if contradicts_itself or all(sides(findings)):
        return Finding(unresolved="duplicate")
    unresolved = next((finding for finding in findings if finding.label is None), None)
    best = next((f for label in STRENGTH for f in findings if f.label == label), MISSING)
    if best.label != "supported" and unresolved is not None:
        return unresolved
    if best.label == "not_enough_info":  # what is nearest in each window is no evidence together
        return best
    evidence = (number for f in findings if f.label == best.label for number in f.evidence)
    return best._replace(evidence=tuple(dict.fromkeys(evidence)))
