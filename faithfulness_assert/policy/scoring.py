"""The only scorer: verdicts or ratings under a policy become a score in [0, 1], and pass or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .policy import TOLERANCE, Policy, ScoreCap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records.model import CitationAudit, Verdict

OVERALL_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Score:
    """A score and how it came about.

    Args:
        value: the score, in [0, 1].
        raw: the same before score_caps, ``all_or_nothing`` and ``inverse``, in [0, 1].
        mean: the mean weight, which need not be in [0, 1].
        counted: how many statements (or dimensions) it is over.
        score_caps: which score_caps lowered it.
    """

    value: float
    raw: float
    mean: float
    counted: int
    score_caps: tuple[ScoreCap, ...] = ()


def score(
    policy: Policy, verdicts: Sequence[Verdict], audit: CitationAudit | None = None
) -> Score | None:
    """The mean weight of the statements that count, capped into [0, 1]; None where none counts.

    Set aside are ``not_a_claim`` and, under ``dedupe``, exact repeats. An unresolved statement counts as if nothing backed it, and never
    for more than 0 (under ``inverse`` with the greatest weight): whichever way round, what is not known gains nothing.
    """
    lowest = min(0.0, policy.weights.get("not_enough_info", 0.0))
    unresolved = max(policy.weights.values()) if policy.inverse else lowest
    weights = [
        float(unresolved if v.label is None else policy.weights[v.label])
        for v in verdicts
        if v.label != "not_a_claim" and not (policy.dedupe and v.repeat_of is not None)
    ]
    if not weights:
        return None
    mean = math.fsum(weights) / len(weights)
    raw = _unit(mean)
    held, fired = _capped(policy, raw, audit)
    return Score(_final(policy, held), raw, mean, len(weights), fired)


def overall(
    policy: Policy, ratings: Mapping[str, float], audit: CitationAudit | None = None
) -> tuple[Score, dict[str, float]]:
    """The weighted sum of the ratings, to 3 places, and the ratings themselves after the score_caps, which hold faithfulness only.

    Args:
        ratings: a number in [0, 1] for each of the policy's dimensions.
    """
    held, fired = _capped(policy, ratings["faithfulness"], audit)
    rated = {**ratings, "faithfulness": held}
    raw, value = (
        round(_weighted(policy.dimensions, by), OVERALL_DIGITS) for by in (ratings, rated)
    )
    return Score(_final(policy, _unit(value)), _unit(raw), raw, len(rated), fired), rated


def _weighted(shares: Mapping[str, float], ratings: Mapping[str, float]) -> float:
    """The ratings by their shares, added up as a source writes it: a more exact sum would round many a tie the other way."""
    total = 0.0
    for name, share in shares.items():
        total += share * ratings[name]
    return total


def _capped(
    policy: Policy, value: float, audit: CitationAudit | None
) -> tuple[float, tuple[ScoreCap, ...]]:
    """The value under the lowest ceiling that applies, and the score_caps that are lower than the value."""
    fired = (
        tuple(c for c in policy.score_caps if c.ceiling < value and _applies(c, audit))
        if policy.citations == "enforce"
        else ()
    )
    return min([value, *(cap.ceiling for cap in fired)]), fired


def _final(policy: Policy, value: float) -> float:
    value = 0.0 if policy.all_or_nothing and value < 1.0 - TOLERANCE else value
    return 1.0 - value if policy.inverse else value


def _unit(value: float) -> float:
    # Weights are finite by construction; a NaN here must not become 1.0, which min and max would make of it.
    if not math.isfinite(value):
        raise ValueError("a score must be finite")
    return max(0.0, min(1.0, value))


def _applies(cap: ScoreCap, audit: CitationAudit | None) -> bool:
    if audit is None:
        return False
    found = {
        "invalid_citations": len(audit.invalid_citations),
        "hallucination": int(audit.hallucination_detected),
        "uncited": audit.uncited_claim_count,
    }
    return found[cap.finding] >= cap.at_least


def passes(policy: Policy, value: float, verdicts: Sequence[Verdict]) -> bool:
    """Whether a score passes: it reaches what the policy passes at (tolerance 1e-9), and no statement has a label of ``fail_on``.

    Under ``inverse`` whether the score that was turned round does not reach it, as promptfoo has it; labels fail nothing then.
    """
    if policy.inverse:
        return 1.0 - value < policy.passes_at - TOLERANCE
    return value >= policy.passes_at - TOLERANCE and not any(
        v.label in policy.fail_on for v in verdicts
    )
