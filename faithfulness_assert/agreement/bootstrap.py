"""Intervals of figures by a bootstrap that is clustered by answer, within the strata of a design.

It is the Bayesian bootstrap (Rubin, 1981): in place of being drawn or not, each answer gets a
random weight, so that no class is ever empty. In each stratum answers with one item that nobody has
seen, of every kind that there may be, count as ``UNSEEN`` answers together: without them the
intervals of rare kinds are too narrow. Answers that count the same are drawn together, so that time
hardly grows with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

RESAMPLES = 2000
SEED = 20261125
TAIL = 0.025
UNSEEN = 2.0
"""As in Agresti and Coull's interval (1998) of a share, where it is two of each four added."""


LEAST_SCALE = 0.5


class Cluster(NamedTuple):
    """An answer: its stratum, and how many of its items are of each kind."""

    stratum: int
    counts: tuple[int, ...]


class Figure(NamedTuple):
    """A figure with its 95 % interval. ``value`` is None where the labels do not define it."""

    value: float | None
    low: float
    high: float


class Sample(NamedTuple):
    """Labelled answers, and what they stand for.

    Args:
        clusters: the answers.
        sizes: how many answers of the run each stratum has.
        possible: for each stratum the kinds that an item in it may be of, at least one.
    """

    clusters: Sequence[Cluster]
    sizes: Sequence[int]
    possible: Sequence[Sequence[int]]

    def totals(self) -> list[float]:
        """How many items of each kind the run has, estimated (Horvitz and Thompson, 1952)."""
        seen = Counter(cluster.stratum for cluster in self.clusters)
        totals = [0.0] * self._kinds()
        for stratum, counts in self.clusters:
            for kind, count in enumerate(counts):
                totals[kind] += self.sizes[stratum] / seen[stratum] * count
        return totals

    def resampled(self, chance: Random, resamples: int = RESAMPLES) -> Iterator[list[float]]:
        """Totals as they may be."""
        drawn = chance.gammavariate
        strata = [(size, self._weighted(place)) for place, size in enumerate(self.sizes) if size]
        for _ in range(resamples):
            totals = [0.0] * self._kinds()
            for size, rows in strata:
                weights = [drawn(weight, 1.0) for weight, _ in rows]
                scale = drawn(size, 1.0) / sum(weights)
                for weight, (_, counts) in zip(weights, rows, strict=True):
                    for kind, count in counts:
                        totals[kind] += scale * weight * count
            yield totals

    def _weighted(self, stratum: int) -> list[tuple[float, list[tuple[int, float]]]]:
        """How often each kind of answer was seen in a stratum, or is added; what it counts."""
        seen = Counter(counts for place, counts in self.clusters if place == stratum)
        size = seen.total()
        scale = max(
            LEAST_SCALE, 1 - (UNSEEN + 1) / max(size, 1)
        )  # so that variances are as of size
        rows = [
            (scale * times, [(kind, float(count)) for kind, count in enumerate(counts) if count])
            for counts, times in sorted(seen.items())
        ]
        kinds = self.possible[stratum]
        return [*rows, *((UNSEEN / len(kinds), [(kind, 1.0)]) for kind in kinds)]

    def _kinds(self) -> int:
        return len(self.clusters[0].counts)


def intervals(
    sample: Sample,
    figures: Callable[[Sequence[float]], Mapping[str, float | None]],
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> dict[str, Figure]:
    """Each figure with its interval. The same sample and seed give the same."""
    values = figures(sample.totals())
    found: dict[str, list[float]] = {name: [] for name in values}
    for totals in sample.resampled(Random(seed), resamples):  # noqa: S311 - no secret
        for name, value in figures(totals).items():
            if value is not None:
                found[name].append(value)
    return {name: figure_of(values[name], drawn) for name, drawn in found.items()}


def figure_of(value: float | None, drawn: Iterable[float]) -> Figure:
    """The figure with the interval that leaves out 2.5 % of what was drawn on each side."""
    ordered = sorted(drawn)
    if not ordered:
        return Figure(value, -1.0, 1.0)
    cut = round(len(ordered) * TAIL)
    low, high = ordered[cut], ordered[-cut - 1]
    return Figure(value, *((low, high) if value is None else (min(low, value), max(high, value))))
