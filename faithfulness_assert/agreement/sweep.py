"""What a judge would be with another threshold, and which one agrees best with people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from .bootstrap import SEED, Cluster, Figure, Sample, figure_of
from .figures import ratio

MOST_THRESHOLDS = 100
RESAMPLES = 1000
SAME = 1e-9


class Scored(NamedTuple):
    """A labelled answer: its stratum, whether it is unfaithful, and its score.

    ``score`` is None where the answer fails at any threshold.
    """

    stratum: int
    unfaithful: bool
    score: float | None


class Point(NamedTuple):
    """A threshold, and what the judge is there: each in [0, 1]."""

    threshold: float
    recall: float
    specificity: float

    @property
    def balanced_accuracy(self) -> float:
        """The mean of both."""
        return (self.recall + self.specificity) / 2


class Sweep(NamedTuple):
    """All thresholds that differ.

    Args:
        points: from the lowest threshold, which flags the fewest.
        now: the threshold of the run, and the balanced accuracy there.
        best: the threshold with the greatest balanced accuracy; of several, the nearest to now. Its
            interval has the thresholds that may be the best.
        gain: the balanced accuracy that it adds. It was chosen by the same labels: it flatters.
    """

    points: Sequence[Point]
    now: Point
    best: Figure
    gain: Figure


def sweep(answers: Sequence[Scored], sizes: Sequence[int], now: float, seed: int = SEED) -> Sweep:
    """The sweep of labelled answers of both classes. ``sizes``: of the strata, in the run."""
    levels = _levels([answer.score for answer in answers if answer.score is not None], now)
    width = len(levels) + 1
    clusters = [_cluster(answer, levels, width) for answer in answers]
    seen = [
        sorted({c.counts.index(1) % width for c in clusters if c.stratum == s}) or [0]
        for s in range(len(sizes))
    ]
    possible = [[*places, *(place + width for place in places)] for places in seen]
    sample = Sample(clusters, sizes, possible)
    points = _points(sample.totals(), levels)
    here = min(range(len(levels)), key=lambda place: abs(levels[place] - now))
    best = _best(points, here)
    tops, gains = [], []
    for totals in sample.resampled(Random(seed), RESAMPLES):  # noqa: S311 - no secret
        drawn = _points(totals, levels)
        top = _best(drawn, here)
        tops.append(levels[top])
        gains.append(drawn[best].balanced_accuracy - drawn[here].balanced_accuracy)
    gain = points[best].balanced_accuracy - points[here].balanced_accuracy
    return Sweep(points, points[here], figure_of(levels[best], tops), figure_of(gain, gains))


def _levels(scores: list[float], now: float) -> list[float]:
    """The thresholds that differ: the scores, rounded if there are many, and that of the run."""
    digits = 6 if len(set(scores)) < MOST_THRESHOLDS else 2
    return sorted({round(score, digits) for score in [*scores, now]})


def _cluster(answer: Scored, levels: Sequence[float], width: int) -> Cluster:
    """Place 0 is for answers that fail at any threshold, the next ones for the levels."""
    place = 0
    if answer.score is not None:
        place = 1 + sum(level <= answer.score + SAME for level in levels) - 1
    counts = [0] * (2 * width)
    counts[place + width * answer.unfaithful] = 1
    return Cluster(answer.stratum, tuple(counts))


def _points(totals: Sequence[float], levels: Sequence[float]) -> list[Point]:
    width = len(levels) + 1
    good, bad = totals[:width], totals[width:]
    flagged_good, flagged_bad = list(accumulate(good)), list(accumulate(bad))
    return [
        Point(
            level,
            ratio(flagged_bad[place], flagged_bad[-1]) or 0.0,
            1 - (ratio(flagged_good[place], flagged_good[-1]) or 0.0),
        )
        for place, level in enumerate(levels)
    ]


def _best(points: Sequence[Point], here: int) -> int:
    def key(place: int) -> tuple[float, int]:
        return round(points[place].balanced_accuracy, 9), -abs(place - here)

    return max(range(len(points)), key=key)
