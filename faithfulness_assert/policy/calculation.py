"""How a score came about, as one line of arithmetic."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .policy import TOLERANCE, Policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records.model import Verdict
    from .scoring import Score


def calculation(policy: Policy, counted: Sequence[Verdict], outcome: Score) -> str:
    """How the score came about, as a line: ``(2 × 1 + 1 × 0.5 - 1) / 4 = 0.375``. What is taken off stands as one number."""
    counts = Counter(v.label for v in counted)
    line = ""
    for label in policy.judged:
        weight = policy.weights[label]
        if counts[label] and weight:
            line += (
                f" + {counts[label]} × {weight:g}"
                if weight > 0
                else f" - {counts[label] * -weight:g}"
            )
    return _settled(
        policy,
        f"({line.strip().removeprefix('+ ') or '0'}) / {outcome.counted} = {outcome.mean:.4g}",
        outcome,
    )


def overall_calculation(policy: Policy, ratings: Mapping[str, float], outcome: Score) -> str:
    """The same for ratings: ``0.35 × 0.9 + 0.25 × 0.8 + ... = 0.845``, with the ratings as they were before the score_caps."""
    terms = " + ".join(
        f"{share:g} × {ratings[name]:g}" for name, share in policy.dimensions.items()
    )
    return _settled(policy, f"{terms} = {outcome.mean:.4g}", outcome)


def _settled(policy: Policy, line: str, outcome: Score) -> str:
    """The line, and what was done to its outcome."""
    if outcome.raw != outcome.mean:
        line += f", held at {outcome.raw:g}"
    line += "".join(f"; {c.finding} ≤ {c.ceiling:g}" for c in outcome.score_caps)
    if outcome.score_caps and not policy.inverse:
        line += f": {outcome.value:.4g}"
    if policy.all_or_nothing and 0 < outcome.raw < 1 - TOLERANCE:
        line += "; all or nothing: 0"
    return f"{line}; 1 - score = {outcome.value:.4g}" if policy.inverse else line
