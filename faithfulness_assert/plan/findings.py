"""Findings, checked against what their ask showed and allowed, and merged over windows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..reading.reconcile import MISSING, Finding
from ..text.numbers_and_names import has_number_or_name

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..records.ask import Ask
    from ..records.model import Label

# The finding of one window beats those of others in this order. A window that is silent about a
# statement takes nothing away from one that is not.
STRENGTH: tuple[Label, ...] = (
    "supported",
    "partially_supported",
    "contradicted",
    "not_enough_info",
    "not_a_claim",
)


def checked(finding: Finding, text: str, ask: Ask) -> Finding:
    """The finding for a statement with this text, as far as its ask showed and allowed it."""
    shown = {number for number, _ in ask.payload.sentences}
    return allowed(text, shown_only(finding, shown), ask.form.labels)


def shown_only(finding: Finding, shown: Collection[int]) -> Finding:
    """The finding without evidence that the judge was not shown; a flag says so."""
    kept = tuple(number for number in finding.evidence if number in shown)
    if len(kept) == len(finding.evidence):
        return finding
    return replace(finding, evidence=kept, flags=(*finding.flags, "no_such_evidence"))


def allowed(text: str, finding: Finding, labels: Collection[Label]) -> Finding:
    """The finding, or an invalid one if its label is not possible for this text.

    A label must be one that was asked for, and nothing with a number or a name is set aside.
    """
    if finding.label is None:
        return finding
    possible = finding.label in labels
    if finding.label == "not_a_claim":
        possible = possible and not has_number_or_name(text)
    return finding if possible else Finding(unresolved="invalid")


def in_conflict(findings: Sequence[Finding]) -> bool:
    """Whether one window supports what another contradicts."""
    labels = {finding.label for finding in findings}
    return {"supported", "contradicted"} <= labels


def merged(findings: Sequence[Finding]) -> Finding:
    """One finding from those of all windows: the strongest.

    An unresolved one counts only where no window supports the statement.
    """
    if len(findings) < 2:
        return findings[0] if findings else MISSING
    if in_conflict(findings):
        return Finding(unresolved="duplicate")
    unresolved = next((finding for finding in findings if finding.label is None), None)
    best = next((f for label in STRENGTH for f in findings if f.label == label), MISSING)
    if best.label != "supported" and unresolved is not None:
        return unresolved
    evidence = (number for f in findings if f.label == best.label for number in f.evidence)
    return replace(best, evidence=tuple(dict.fromkeys(evidence)))
