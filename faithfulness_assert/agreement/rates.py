"""The share of unfaithful answers in a run, from the labels that people gave to some of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from ..batch.summary import REACH
from ..records.errors import ConfigError

MIN_LABELS = 30
"""Labelled answers. From fewer, no interval holds what it promises."""
MANY_LABELS = 100
"""From here on half an answer, not a whole one, is added on each side of a stratum."""
TAIL = 0.025


class Rate(NamedTuple):
    """A share with its 95 % interval, each in [0, 1]."""

    value: float
    low: float
    high: float


class Stratum(NamedTuple):
    """The answers on which the judge says the same: its share of the run, and what people say."""

    weight: float
    unfaithful: int
    labelled: int


def unfaithful_rate(
    unfaithful: Sequence[bool],
    flagged: Sequence[bool],
    *,
    n_flagged: int,
    n_unflagged: int,
) -> Rate:
    """The share of unfaithful answers among all answers like those of a run.

    The answers are in two strata: those that the judge flagged, and the others. Labels must be
    those of answers drawn at random within each; how many of each does not matter.

    The share of a stratum is (x + k) / (n + 2k) for x unfaithful ones of n (Agresti and Coull,
    1998; k = 1, and ½ from ``MANY_LABELS`` labels on), and the strata are weighted by their shares
    of the run (Cochran, Sampling Techniques, 1977, 5.3 and 12.2 for the variance of the weights).
    Where no unflagged answer is unfaithful, the upper limit is at least what none of n allows
    (Clopper and Pearson, 1934). ``benchmarks/agreement_coverage.py`` measures how often it holds.

    Args:
        unfaithful: for each labelled answer, whether people call it unfaithful.
        flagged: for each labelled answer, whether the judge flagged it (it does not pass).
        n_flagged, n_unflagged: how many answers of the run the judge flagged, and how many not.

    Raises:
        ConfigError: the lengths differ, there are fewer than ``MIN_LABELS`` labels, the run has
            fewer answers than labels, or a part of the run has no label.
    """
    if len(unfaithful) != len(flagged):
        lengths = f"{len(unfaithful)} and {len(flagged)}"
        raise ConfigError(f"unfaithful, flagged: must have the same length, got {lengths}")
    if len(unfaithful) < MIN_LABELS:
        problem = f"{len(unfaithful)} labelled answers are too few for an interval that holds"
        raise ConfigError(f"unfaithful: {problem}; label at least {MIN_LABELS}")
    sizes = {True: n_flagged, False: n_unflagged}
    pairs = list(zip(map(bool, unfaithful), map(bool, flagged), strict=True))
    strata = []
    for kind, name in ((True, "n_flagged"), (False, "n_unflagged")):
        labels = [wrong for wrong, is_flagged in pairs if is_flagged is kind]
        if len(labels) > sizes[kind]:
            raise ConfigError(f"{name}: {len(labels)} such answers are labelled, got {sizes[kind]}")
        if sizes[kind] and not labels:
            raise ConfigError(f"{name}: none of these {sizes[kind]} answers is labelled")
        strata.append(Stratum(sizes[kind] / sum(sizes.values()), sum(labels), len(labels)))
    return rate_of(*strata, answers=n_flagged + n_unflagged)


def rate_of(flagged: Stratum, others: Stratum, *, answers: int) -> Rate:
    """The same from counts. ``answers``: how many the run has."""
    added = 0.5 if flagged.labelled + others.labelled >= MANY_LABELS else 1.0
    shares, variance = [], 0.0
    for stratum in (flagged, others):
        size = stratum.labelled + 2 * added
        share = (stratum.unfaithful + added) / size
        shares.append(share)
        variance += stratum.weight**2 * share * (1 - share) / size
    high_share, low_share = shares
    variance += flagged.weight * others.weight / answers * (high_share - low_share) ** 2
    value = flagged.weight * high_share + others.weight * low_share
    high = value + REACH * sqrt(variance)
    if others.labelled and not others.unfaithful:
        none = 1 - TAIL ** (1 / others.labelled)
        high = max(high, others.weight * none + flagged.weight * high_share)
    return Rate(value, max(0.0, value - REACH * sqrt(variance)), min(1.0, high))
