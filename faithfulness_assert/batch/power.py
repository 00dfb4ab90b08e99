"""How large a loss two runs of this size can show: how often ``compare`` would find it.

The noise is that of the two runs, as if nothing else had changed. What a loss looks like is not
known, so there are two cases: whole answers lose all, which is hard to tell from noise, or single
statements of many answers get lost. The figures are those of normal and Poisson distributions;
``benchmarks/compare_false_alarms.py`` holds them against comparisons that lose so much.
"""

from __future__ import annotations

from functools import cache
from math import exp, sqrt
from statistics import NormalDist
from typing import NamedTuple

from .paired_tests import FALSE_ALARMS, PairCounts, mcnemar

LOSSES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Of the mean score."""
SEEN = 0.5
"""The first loss that is told is found so often at best,"""
SURE = 0.9
"""and the second one at least so often."""
_LEVEL = FALSE_ALARMS / 2
_NORMAL = NormalDist().cdf
_REACH = NormalDist().inv_cdf(1 - _LEVEL)
_FEWEST = 8  # changes that can be enough
_MANY = 60  # changes, from which on counts have a normal distribution


class Power(NamedTuple):
    """The chance, from ``least`` to ``most``, that a loss of the mean score is found."""

    loss: float
    least: float
    most: float


def powers(counts: PairCounts, statements: float) -> list[Power]:
    """The loss that may just be found, and the one that is found for sure; fewer if there are none.

    Args:
        counts: of the cases that were graded in both runs.
        statements: how many a case has, on average.
    """
    found = [power for loss in LOSSES if (power := power_for(loss, counts, statements))]
    seen = next((power for power in found if power.most >= SEEN), None)
    sure = next((power for power in found if power.least >= SURE), None)
    return list(dict.fromkeys(power for power in (seen, sure) if power))


def power_for(loss: float, counts: PairCounts, statements: float) -> Power | None:
    """The chance that this loss is found; None if there is not so much to lose."""
    if not counts.scored or counts.mean <= loss:
        return None
    chances = _whole_answers(loss, counts), _single_statements(loss, counts, statements)
    return Power(loss, min(chances), max(chances))


def _whole_answers(loss: float, counts: PairCounts) -> float:
    """Some answers lose all."""
    share = loss / counts.mean
    changed = (counts.lost + counts.gained) / counts.cases
    failing = share * counts.passed / counts.cases
    by_passes = _of_passes(counts.cases, changed, failing)
    return max(by_passes, _of_scores(loss, counts, share, share * counts.mean_square))


def _single_statements(loss: float, counts: PairCounts, statements: float) -> float:
    """A statement is lost in as many answers as it takes."""
    share = min(1.0, loss * max(statements, 1.0))
    return _of_scores(loss, counts, share, loss * loss / share)


def _of_scores(loss: float, counts: PairCounts, share: float, square: float) -> float:
    """By the sign flips. ``share`` of the cases lose, which adds ``square`` to the mean square."""
    cases = counts.scored
    square += counts.noise
    spread = sqrt(max(cases * (square - loss * loss), 1e-12))
    reached = _NORMAL((cases * loss - _REACH * sqrt(cases * square)) / spread)
    changes = cases * (1 - (1 - share) * (1 - counts.moved / cases))
    return min(reached, _at_least(_FEWEST, changes))


def _of_passes(cases: int, changed: float, failing: float) -> float:
    """By McNemar's test: of all cases, these shares change anyway, and fail beside that."""
    losses, gains = cases * (changed / 2 + failing), cases * changed / 2
    if losses + gains < _MANY:
        return sum(
            _poisson(gained, gains) * _at_least(_enough(gained), losses)
            for gained in range(int(gains + 8 * sqrt(gains)) + 8)
        )
    spread = sqrt(cases * (changed + failing - failing**2))
    return _NORMAL((cases * failing - 1 - _REACH * sqrt(losses + gains)) / spread)


@cache
def _enough(gained: int) -> int:
    """How many losses are enough, beside so many gains."""
    lost = gained + _FEWEST
    while mcnemar(lost, gained) > _LEVEL:
        lost += 1
    return lost


def _at_least(least: int, mean: float) -> float:
    if mean > 2 * _MANY + 2 * least:
        return 1.0
    return max(0.0, 1.0 - sum(_poisson(count, mean) for count in range(least)))


def _poisson(count: int, mean: float) -> float:
    chance = exp(-mean)
    for step in range(1, count + 1):
        chance *= mean / step
    return chance
