"""Is B worse than A, or do two runs of the same thing differ like this?

Both tests are exact if nothing changed: then each case may as well have its two results exchanged.
Nothing else is assumed, not even that scores have any distribution. Each answers one question:

- McNemar's exact test: do more cases pass in A alone than in B alone? A CI gate counts these.
- A sign-flip permutation test: is the mean score lower, of the cases with a score in both? It also
  sees losses that cross no threshold. It hardly sees a label that fails a case at any score, which
  the first test sees.

B is worse if either says so at half of ``FALSE_ALARMS``; so both together keep to it.
"""

from __future__ import annotations

import random
from collections import Counter
from math import comb, erfc, sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

FALSE_ALARMS = 0.01
"""The most of 100 % comparisons of a run with its repetition that call the repetition worse."""
SEED = 20261122
MOST_FLIPS = 9999
ENOUGH = 100
"""Flips that are as bad as what was seen: then the p-value is far from small, and known."""
LEAST_SHOWN = 0.0001
STEPS = 1000
"""Differences of scores are rounded to a part of this size."""


class Pair(NamedTuple):
    """What a case got in A (``before``) and in B (``after``). Without a score, it is None."""

    passed_before: bool
    passed_after: bool
    score_before: float | None
    score_after: float | None


class PairedTests(NamedTuple):
    """One-sided p-values from 0 to 1 for "B is worse": of the passes, and of the scores."""

    passes: float
    scores: float

    @property
    def worse(self) -> bool:
        """Whether B is worse, with at most ``FALSE_ALARMS`` false alarms."""
        return min(self) <= FALSE_ALARMS / 2


def paired_tests(pairs: Iterable[Pair]) -> PairedTests:
    """Both tests of these cases."""
    lost = gained = 0
    differences: Counter[int] = Counter()
    for pair in pairs:
        lost += pair.passed_before and not pair.passed_after
        gained += pair.passed_after and not pair.passed_before
        if pair.score_before is not None and pair.score_after is not None:
            differences[round((pair.score_after - pair.score_before) * STEPS)] += 1
    return PairedTests(mcnemar(lost, gained), _sign_flips(differences))


def p_value(p: float) -> str:
    """A p-value for people. A chance is never 0."""
    return f"p = {p:.4f}".rstrip("0").rstrip(".") if p >= LEAST_SHOWN else f"p < {LEAST_SHOWN:.4f}"


def mcnemar(lost: int, gained: int) -> float:
    """The chance that, of so many changes, at least ``lost`` are losses, if both are as likely."""
    changes = lost + gained
    if changes > 2000:  # where the normal distribution is as good, and sums stay short
        return erfc((lost - gained - 1) / sqrt(2 * changes)) / 2
    as_many: int = sum(comb(changes, losses) for losses in range(lost, changes + 1))
    ways: int = 2**changes
    return as_many / ways


def _sign_flips(differences: Counter[int]) -> float:
    """The share of sign flips whose sum is as low as that of the differences.

    Flips stop early where there are ``ENOUGH`` such sums (Besag and Clifford 1991).
    """
    seen = sum(size * count for size, count in differences.items())
    if seen >= 0:
        return 1.0
    sizes: Counter[int] = Counter()
    for size, count in sorted(differences.items()):  # so that their order does not matter
        sizes[abs(size)] += count
    most = sum(size * count for size, count in sizes.items())
    chance = random.Random(SEED)  # noqa: S311 - not used for security
    as_low = 0
    for flips in range(1, MOST_FLIPS + 1):
        lost = sum(size * chance.getrandbits(count).bit_count() for size, count in sizes.items())
        as_low += most - 2 * lost <= seen
        if as_low >= ENOUGH:
            return as_low / flips
    return (as_low + 1) / (MOST_FLIPS + 1)
