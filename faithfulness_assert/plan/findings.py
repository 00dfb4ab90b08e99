"""Checks of a finding against what its ask showed and allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..reading.reconcile import Finding
from ..text.names import has_number_or_name

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..records.model import Label


def shown_only(finding: Finding, shown: Collection[int]) -> Finding:
    """The finding without references to context sentences that the judge was not shown; it is flagged where it has some."""
    stray = any(number not in shown for number in finding.evidence)
    kept = tuple(number for number in finding.evidence if number in shown)
    return (
        replace(finding, evidence=kept, flags=(*finding.flags, "no_such_evidence"))
        if stray
        else finding
    )


def allowed(text: str, finding: Finding, labels: Collection[Label]) -> Finding:
    """The finding, unless its label is none of those that were asked for, or sets aside a statement with a number or a name."""
    barred = finding.label is not None and finding.label not in labels
    barred = barred or (finding.label == "not_a_claim" and has_number_or_name(text))
    return Finding(unresolved="invalid") if barred else finding
