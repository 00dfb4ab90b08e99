"""Shows how a score was calculated, as one line of arithmetic."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .fields import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records.model import Label, Verdict
    from .policy import Policy
    from .scoring import Score


def calculation(policy: Policy, counted: Sequence[Verdict], outcome: Score) -> str:
    """The score of verdicts: ``(2 × 1 + 1 × 0.5 - 1) / 4 = 0.375``.

    What a label with a negative weight takes off is one number.
    """
    counts = Counter(verdict.label for verdict in counted)
    terms = (_term(policy, label, counts[label]) for label in policy.judged if counts[label])
    total = "".join(terms).strip().removeprefix("+ ") or "0"
    return _finished(policy, f"({total}) / {outcome.counted} = {outcome.mean:.4g}", outcome)


def _term(policy: Policy, label: Label, count: int) -> str:
    weight = policy.weights[label]
    if weight > 0:
        return f" + {count} × {weight:g}"
    return f" - {count * -weight:g}" if weight else ""


def overall_calculation(policy: Policy, ratings: Mapping[str, float], outcome: Score) -> str:
    """The score of ratings: ``0.35 × 0.9 + 0.25 × 0.8 + ... = 0.845``.

    The ratings are those before the score caps.
    """
    shares = policy.dimensions.items()
    terms = " + ".join(f"{share:g} × {ratings[name]:g}" for name, share in shares)
    return _finished(policy, f"{terms} = {outcome.mean:.4g}", outcome)


def _finished(policy: Policy, line: str, outcome: Score) -> str:
    """The line, and how its result was changed."""
    if outcome.raw != outcome.mean:
        line += f", limited to {outcome.raw:g}"
    line += "".join(f"; {cap.finding} ≤ {cap.ceiling:g}" for cap in outcome.score_caps)
    if outcome.score_caps and not policy.inverse:
        line += f": {outcome.value:.4g}"
    if policy.all_or_nothing and 0 < outcome.raw < 1 - TOLERANCE:
        line += "; all or nothing: 0"
    return f"{line}; 1 - score = {outcome.value:.4g}" if policy.inverse else line
