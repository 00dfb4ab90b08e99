"""The only scorer: verdicts or ratings become a score in [0, 1], and one line of arithmetic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..records.model import CitationAudit, Verdict
from .policy import Policy
from .values import TOLERANCE, ScoreCap

OVERALL_DIGITS = 3


class Score(NamedTuple):
    """A score and how it was calculated.

    Args:
        value: the score, in [0, 1].
        raw: the score before score caps, ``all_or_nothing`` and ``inverse``, in [0, 1].
        mean: the mean weight. It may be outside [0, 1].
        counted: the number of statements (or dimensions) in the mean.
        score_caps: the caps that lowered the score.
    """

    value: float
    raw: float
    mean: float
    counted: int
    score_caps: tuple[ScoreCap, ...] = ()


def score(
    policy: Policy, verdicts: Sequence[Verdict], audit: CitationAudit | None = None
) -> Score | None:
    """The mean weight of the statements that count, limited to [0, 1]; None if none counts.

    ``not_a_claim`` does not count, nor do exact repeats under ``dedupe``. An unresolved statement
    counts as if nothing supported it, and never for more than 0 (under ``inverse`` for the greatest
    weight): what is not known never helps to pass.
    """
    distinct = [v for v in verdicts if v.repeat_of is None or not policy.dedupe]
    counted = [v for v in distinct if v.label != "not_a_claim"]
    if not counted:
        return None
    unresolved = min(0.0, policy.weights.get("not_enough_info", 0.0))
    if policy.inverse:
        unresolved = max(policy.weights.values())
    weights = [unresolved if v.label is None else policy.weights[v.label] for v in counted]
    mean = math.fsum(weights) / len(weights)
    raw = _unit(mean)
    capped, applied = _capped(policy, raw, audit)
    return Score(_final(policy, capped), raw, mean, len(weights), applied)


def overall(
    policy: Policy, ratings: Mapping[str, float], audit: CitationAudit | None = None
) -> tuple[Score, dict[str, float]]:
    """The weighted sum of the ratings, to 3 places, and the ratings after the score caps.

    The caps apply to faithfulness only.

    Args:
        ratings: a number in [0, 1] for each of the policy's dimensions.
    """
    capped, applied = _capped(policy, ratings["faithfulness"], audit)
    rated = {**ratings, "faithfulness": capped}
    raw = round(_weighted(policy.dimensions, ratings), OVERALL_DIGITS)
    value = round(_weighted(policy.dimensions, rated), OVERALL_DIGITS)
    return Score(_final(policy, _unit(value)), _unit(raw), raw, len(rated), applied), rated


def _weighted(shares: Mapping[str, float], ratings: Mapping[str, float]) -> float:
    """The sum of shares times ratings, in plain order as MASIS adds it.

    A more exact sum would round some ties the other way.
    """
    total = 0.0
    for name, share in shares.items():
        total += share * ratings[name]
    return total


def _capped(
    policy: Policy, value: float, audit: CitationAudit | None
) -> tuple[float, tuple[ScoreCap, ...]]:
    """The value under the lowest ceiling that applies, and the caps that lowered it."""
    if policy.citations != "enforce" or audit is None:
        return value, ()
    applied = tuple(c for c in policy.score_caps if c.ceiling < value and _applies(c, audit))
    return min([value, *(cap.ceiling for cap in applied)]), applied


def _final(policy: Policy, value: float) -> float:
    value = 0.0 if policy.all_or_nothing and value < 1.0 - TOLERANCE else value
    return 1.0 - value if policy.inverse else value


def _unit(value: float) -> float:
    # Weights are finite by construction. min and max would turn a NaN into 1.0.
    if not math.isfinite(value):
        raise ValueError("a score must be finite")
    return max(0.0, min(1.0, value))


def _applies(cap: ScoreCap, audit: CitationAudit) -> bool:
    findings = {
        "invalid_citations": len(audit.invalid_citations),
        "hallucination": int(audit.hallucination_detected),
        "uncited": audit.uncited_claim_count,
    }
    return findings[cap.finding] >= cap.at_least


def passes(policy: Policy, value: float, verdicts: Sequence[Verdict]) -> bool:
    """Whether a score passes.

    It must reach ``policy.passes_at`` (tolerance 1e-9), and no statement may have a label of
    ``fail_on``, where an unresolved statement counts as ``not_enough_info``, nor a flag of
    ``fail_on_flags``. Under ``inverse``, the score before the inversion must not reach it, as in
    promptfoo; labels then fail nothing.
    """
    if policy.inverse:
        return 1.0 - value < policy.passes_at - TOLERANCE
    labels = {verdict.label or "not_enough_info" for verdict in verdicts}
    flags = {flag for verdict in verdicts for flag in verdict.flags}
    is_free = labels.isdisjoint(policy.fail_on) and flags.isdisjoint(policy.fail_on_flags)
    return value >= policy.passes_at - TOLERANCE and is_free


def on_unit_scale(ratings: Mapping[str, float]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratings in [0, 1], and a warning for each that was changed.

    Each rating above 1 is out of 100, as in MASIS. One that is then still out of range is set to
    the nearer end of [0, 1].
    """
    scaled = {name: value / 100 if value > 1 else value for name, value in ratings.items()}
    used = {name: min(max(value, 0.0), 1.0) for name, value in scaled.items()}
    warnings = []
    for name, given in ratings.items():
        if used[name] != given:
            why = (
                "; ratings above 1 are out of 100, so" if given > 1 else ", which is out of range;"
            )
            warnings.append(f"the judge rated {name} {given:g}{why} {used[name]:g} was used")
    return used, tuple(warnings)


# ---------------------------------------------------------------- the calculation, as one line


def calculation(policy: Policy, counted: Sequence[Verdict], outcome: Score) -> str:
    """The score of verdicts: ``(2 × 1 + 1 × 0.5 - 1) / 4 = 0.375``.

    What a label with a negative weight takes off is one number.
    """
    counts = Counter(verdict.label for verdict in counted)
    total = ""
    for label in policy.judged:
        weight, count = policy.weights[label], counts[label]
        if weight > 0 and count:
            total += f" + {count} × {weight:g}"
        elif weight < 0 and count:
            total += f" - {count * -weight:g}"
    total = total.strip().removeprefix("+ ") or "0"
    return _finished(policy, f"({total}) / {outcome.counted} = {outcome.mean:.4g}", outcome)


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
