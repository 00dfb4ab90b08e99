"""Intervals and tests, once for all rooms: binomial limits, means, and two runs of the same cases.

Is B worse than A, or do two runs of the same thing differ like this? Both tests are exact if
nothing changed: then each case may as well have its two results exchanged. Nothing else is assumed,
not even that scores have any distribution. Each answers one question:

- McNemar's exact test: do more cases pass in A alone than in B alone? A CI gate counts these.
- A sign-flip permutation test: is the mean score lower, of the cases with a score in both? It also
  sees losses that cross no threshold. It hardly sees a label that fails a case at any score, which
  the first test sees.

B is worse if either says so at half of ``FALSE_ALARMS``; so both together keep to it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import ceil, exp, fsum, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import NamedTuple

LEVEL = 0.95
"""Of 100 such intervals, about 95 contain what they are about."""
TAIL = 0.025
"""What an interval leaves out on each side."""
REACH = 1.959963984540054
"""Standard deviations of a normal distribution, for ``LEVEL``."""
NEGLIGIBLE = 1e-17
"""A term of a sum, beside the sum."""
HALVINGS = 50
"""Of [0, 1], to the last digits of a float."""


# ---------------------------------------------------------------- a share


def at_most(count: int, of: int, share: float) -> float:
    """The chance of so many or fewer, if each comes with a chance of ``share``, over 0 and under 1.

    The terms on the side away from the most likely one are added, until they no longer matter.
    """
    if not 0 <= count < of:
        return float(count >= of)
    below, odds = count < of * share, share / (1 - share)
    n = count if below else count + 1
    ways = lgamma(of + 1) - lgamma(n + 1) - lgamma(of - n + 1)
    term = exp(ways + n * log(share) + (of - n) * log1p(-share))
    total = 0.0
    while term > NEGLIGIBLE * total:
        total += term
        term *= n / (of - n + 1) / odds if below else (of - n) / (n + 1) * odds
        n += -1 if below else 1
    return total if below else 1 - total


@cache
def exact_interval(count: int, of: int) -> tuple[float, float]:
    """The exact interval of a share (Clopper and Pearson, 1934); [0, 1] of nothing."""
    if not of:
        return 0.0, 1.0
    return lower_limit(count, of), 1 - lower_limit(of - count, of)


def lower_limit(count: int, of: int, tail: float = TAIL) -> float:
    """The share under which so many or more are just as unlikely as the tail; 0 of nothing."""
    low, high = 0.0, count / max(of, 1)
    for _ in range(HALVINGS if count else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if at_least(count, of, middle) < tail else (low, middle)
    return low


def at_least(count: int, of: int, share: float) -> float:
    """The chance of so many or more."""
    return 1 - at_most(count - 1, of, share)


def wilson(count: int, of: int) -> tuple[float, float]:
    """The interval of a share by Wilson (1927), narrower than the exact one; [0, 1] of nothing."""
    if not of:
        return 0.0, 1.0
    share, spread = count / of, REACH**2 / of
    middle = (share + spread / 2) / (1 + spread)
    reach = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return max(0.0, middle - reach), min(1.0, middle + reach)


# ---------------------------------------------------------------- figures of several shares


class Figure(NamedTuple):
    """A figure with its 95 % interval.

    ``value`` is None where the labels do not define it, and the limits are where they are too few.
    """

    value: float | None
    low: float | None
    high: float | None


Values = Mapping[str, float | None]


def exact_share(part: int, whole: int) -> Figure:
    """A share with its exact interval. ``whole``: over 0."""
    return Figure(part / whole, *exact_interval(part, whole))


def figures_of(
    function: Callable[[Sequence[float]], Values], shares: Sequence[Figure]
) -> dict[str, Figure]:
    """What a function makes of independent shares, each figure with its interval.

    Each share is moved to either end of its interval, with the others as they are. How far that
    moves a figure is squared, and the squares are added ("method of variance estimates recovery":
    Zou and Donner, 2008). There is no chance in it: the same shares give the same.
    """
    values = [share.value or 0.0 for share in shares]
    figures = function(values)
    squares = {name: [0.0, 0.0] for name in figures}
    for place, (value, low, high) in enumerate(shares):
        ends = {low, high} - {value, None}
        moved = [function([*values[:place], end or 0.0, *values[place + 1 :]]) for end in ends]
        for name, figure in figures.items():
            there = [one[name] for one in moved]
            steps = [0.0, *(n - figure for n in there if n is not None and figure is not None)]
            squares[name][0] += min(steps) ** 2
            squares[name][1] += max(steps) ** 2
    return {
        name: Figure(value, None, None)
        if value is None
        else Figure(value, value - sqrt(squares[name][0]), value + sqrt(squares[name][1]))
        for name, value in figures.items()
    }


def none_seen(strata: Iterable[tuple[float, int]]) -> float:
    """The exact upper limit of a share of which no label in any stratum is.

    It is the largest share under which none at all is as likely as the tail. In one stratum, that
    is the limit of Clopper and Pearson.

    Args:
        strata: of each its part of the whole, and how many labels it has, over 0.
    """
    parts = [(weight, labels) for weight, labels in strata if weight > 0]
    while True:  # as Lagrange has it; a stratum with so many labels that its share is 0 drops out
        logs = fsum(labels * log(labels / weight) for weight, labels in parts)
        scale = exp((log(TAIL) - logs) / sum(labels for _, labels in parts))
        left = [part for part in parts if scale * part[1] < part[0]]
        if len(left) == len(parts):
            return fsum(weight - scale * labels for weight, labels in parts)
        parts = left


# ---------------------------------------------------------------- a mean


def mean_interval(mean: float, variance: float, count: int) -> tuple[float, float]:
    """Where the mean of scores from 0 to 1 lies, with the certainty ``LEVEL``.

    By the normal distribution, which the means of so many scores approach.
    """
    reach = REACH * sqrt(variance / count)
    return max(0.0, mean - reach), min(1.0, mean + reach)


# ---------------------------------------------------------------- several tests


def holm(ps: Sequence[float]) -> list[float]:
    """The p-values of several tests adjusted for each other (Holm 1979), in the same order."""
    adjusted, least = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, ps[place] * (len(ps) - rank)))
        adjusted[place] = least
    return adjusted


LEAST_SHOWN = 0.0001


def p_value(p: float) -> str:
    """A p-value for people. A chance is never 0."""
    return f"p = {p:.4f}".rstrip("0").rstrip(".") if p >= LEAST_SHOWN else f"p < {LEAST_SHOWN:.4f}"


# ---------------------------------------------------------------- two runs of the same cases

FALSE_ALARMS = 0.01
"""The most of 100 % comparisons of a run with its repetition that call the repetition worse."""
SEED = 20261122
MOST_FLIPS = 9999
ENOUGH = 100
"""Flips that are as bad as what was seen: then the p-value is far from small, and known."""
SURE = 0.9
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


class PairCounts:
    """What the tests, and their power, need of any number of cases.

    Attributes:
        cases, passed: how many cases there are, and how many of them passed in A.
        lost, gained: how many pass in A alone, and in B alone.
        differences: of the scores, in ``STEPS``, of the cases that have one in both.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.cases = self.passed = self.lost = self.gained = 0
        self.differences: Counter[int] = Counter()
        self._sum = 0.0
        for pair in pairs:
            self.cases += 1
            self.passed += pair.passed_before
            self.lost += pair.passed_before and not pair.passed_after
            self.gained += pair.passed_after and not pair.passed_before
            if pair.score_before is not None and pair.score_after is not None:
                self.differences[round((pair.score_after - pair.score_before) * STEPS)] += 1
                self._sum += pair.score_before

    @property
    def scored(self) -> int:
        """How many cases have a score in both."""
        return self.differences.total()

    @property
    def mean(self) -> float:
        """The mean of their scores in A."""
        return self._sum / self.scored

    @property
    def change(self) -> float:
        """How much the mean is higher in B; 0 where no case has a score in both."""
        total = sum(size * count for size, count in self.differences.items())
        return total / STEPS / max(self.scored, 1)

    @property
    def noise(self) -> float:
        """The variance of the differences: what does not move all scores."""
        sizes = [(size / STEPS, count) for size, count in self.differences.items()]
        mean = sum(size * count for size, count in sizes) / self.scored
        return sum(size * size * count for size, count in sizes) / self.scored - mean * mean

    def sure_loss(self) -> float | None:
        """The fall of the mean that the test of the scores would find in ``SURE`` of runs.

        As noisy as these cases are, and also where whole answers lose all, which is hardest to tell
        from noise. By the normal distribution. None if the mean is no larger.
        """
        if not self.scored:
            return None
        normal = NormalDist()
        reach = normal.inv_cdf(SURE) - normal.inv_cdf(FALSE_ALARMS / 2)
        least = reach**2 / self.scored
        loss = (least + sqrt(least**2 + 4 * least * self.noise)) / 2
        return ceil(100 * loss) / 100 if loss < self.mean else None

    def tests(self, *, back: bool = False) -> PairedTests:
        """Both tests of these cases: whether B is worse. ``back``: whether A is."""
        if not back:
            return PairedTests(mcnemar(self.lost, self.gained), sign_flips(self.differences))
        turned = Counter({-size: count for size, count in self.differences.items()})
        return PairedTests(mcnemar(self.gained, self.lost), sign_flips(turned))


def mcnemar(lost: int, gained: int) -> float:
    """The chance that, of so many changes, at least ``lost`` are losses, if both are as likely."""
    return at_most(gained, lost + gained, 0.5)


def sign_flips(differences: Counter[int]) -> float:
    """The share of sign flips whose sum is as low as that of the differences.

    Flips are drawn, until ``ENOUGH`` have such a sum (Besag and Clifford 1991).
    """
    seen = sum(size * count for size, count in differences.items())
    if seen >= 0:
        return 1.0
    sizes: Counter[int] = Counter()
    for size, count in sorted(differences.items()):  # so that their order does not matter
        sizes[abs(size)] += count
    sizes.pop(0, None)
    most = sum(size * count for size, count in sizes.items())
    chance = random.Random(SEED)  # noqa: S311 - not used for security
    as_low = 0
    for flips in range(1, MOST_FLIPS + 1):
        lost = sum(size * chance.getrandbits(count).bit_count() for size, count in sizes.items())
        as_low += most - 2 * lost <= seen
        if as_low >= ENOUGH:
            return as_low / flips
    return (as_low + 1) / (MOST_FLIPS + 1)
