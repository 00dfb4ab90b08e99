"""How well two agree who label the same things, with intervals; and which of two does better.

A figure that the counts do not define, such as the recall where nothing is unfaithful, is None.
Intervals are from a bootstrap that is clustered by answer, within the strata of a design. It is the
Bayesian bootstrap (Rubin, 1981): in place of being drawn or not, each answer gets a random weight,
so that no class is ever empty. In each stratum answers with one item that nobody has seen, of every
kind that there may be, count as ``UNSEEN`` answers together: without them the intervals of rare
kinds are too narrow. Answers that count the same are drawn together, so that time hardly grows with
them.

Two judges are compared by balanced accuracy, in which a judge that flags nothing has one half,
however rare unfaithful answers are. The difference is drawn by the same bootstrap, whole answers
within the strata, so that the p-value and the interval say the same. (Sign flips, McNemar's test
with weights, call equal judges different too often: the few answers that weigh much stand for what
only one of both can get wrong.) Several tests together are corrected by Holm (1979).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import NamedTuple

from ..statistics import TAIL

Matrix = list[list[float]]
CHANCE = 1e-12
"""A chance of agreement so near to 1 leaves nothing to be corrected."""


def figures(counts: Sequence[float]) -> Mapping[str, float | None]:
    """The figures of a judge beside people, each in [0, 1], but kappa and ac1 in [-1, 1].

    ``counts``: of what is faithful and passes, faithful and flagged, unfaithful and passes,
    unfaithful and flagged. Precision and recall are those on what is unfaithful.
    """
    good, alarms, misses, hits = counts
    matrix = [[good, alarms], [misses, hits]]
    recall, specificity = ratio(hits, misses + hits), ratio(good, good + alarms)
    defined = recall is not None and specificity is not None
    return {
        "agreement": agreement(matrix),
        "balanced_accuracy": (recall + specificity) / 2 if defined else None,  # type: ignore[operator]
        "precision": ratio(hits, alarms + hits),
        "recall": recall,
        "specificity": specificity,
        "kappa": kappa(matrix),
        "ac1": ac1(matrix),
        "base_rate": ratio(misses + hits, sum(counts)),
    }


def ratio(part: float, whole: float) -> float | None:
    """A share; None of nothing."""
    return part / whole if whole > 0 else None


def agreement(matrix: Matrix) -> float | None:
    """The share on which both say the same."""
    return ratio(sum(row[place] for place, row in enumerate(matrix)), sum(map(sum, matrix)))


def kappa(matrix: Matrix) -> float | None:
    """Cohen's kappa (1960): agreement beyond the chance that the shares of both give."""
    total = sum(map(sum, matrix))
    if total <= 0:
        return None
    rows, columns = _margins(matrix)
    chance = sum(a * b for a, b in zip(rows, columns, strict=True)) / total**2
    return _beyond(agreement(matrix), chance)


def ac1(matrix: Matrix) -> float | None:
    """Gwet's AC1 (2008): as kappa, with a chance that does not grow where one label is rare."""
    total = sum(map(sum, matrix))
    if total <= 0 or len(matrix) < 2:
        return None
    rows, columns = _margins(matrix)
    shares = [(a + b) / 2 / total for a, b in zip(rows, columns, strict=True)]
    return _beyond(agreement(matrix), sum(p * (1 - p) for p in shares) / (len(matrix) - 1))


def _margins(matrix: Matrix) -> tuple[list[float], list[float]]:
    return [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]


def _beyond(seen: float | None, chance: float) -> float | None:
    return None if seen is None or 1 - chance < CHANCE else (seen - chance) / (1 - chance)


# ---------------------------------------------------------------- intervals


RESAMPLES = 2000
SEED = 20261125
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
        # so that variances are as of size
        scale = max(LEAST_SCALE, 1 - (UNSEEN + 1) / max(size, 1))
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


# ---------------------------------------------------------------- two judges side by side


FALSE_ALARMS = 0.05
"""The most of 100 % sets of comparisons that call any judge better where none is."""
KINDS = [(a, b, c) for a, b, c in product((False, True), repeat=3)]
"""Whether an answer is unfaithful, and whether the first and the second judge flag it."""


class Both(NamedTuple):
    """A labelled answer: its stratum, and which of ``KINDS`` it is."""

    stratum: int
    item: tuple[bool, bool, bool]


class Paired(NamedTuple):
    """Two judges side by side.

    Args:
        first, second: their names.
        balanced_accuracy, agreement: those of the second less those of the first.
        p: the chance of such a difference in balanced accuracy, or a larger one, between equals.
        adjusted: the same for all comparisons together.
    """

    first: str
    second: str
    balanced_accuracy: Figure
    agreement: Figure
    p: float
    adjusted: float

    @property
    def better(self) -> str:
        """The name of the one that agrees better; "" if that is not known."""
        if self.adjusted > FALSE_ALARMS or not self.balanced_accuracy.value:
            return ""
        return self.second if self.balanced_accuracy.value > 0 else self.first


def paired(
    names: tuple[str, str],
    answers: Sequence[Both],
    sizes: Sequence[int],
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Paired:
    """Compares two judges. There must be answers of both classes, and no stratum without an answer.

    Args:
        sizes: how many answers of the run each stratum has.
    """
    clusters = [
        Cluster(stratum, tuple(int(item == kind) for kind in KINDS)) for stratum, item in answers
    ]
    sample = Sample(clusters, sizes, _possible(answers, sizes))
    values = _differences(sample.totals())
    told = [_differences(totals) for totals in sample.resampled(Random(seed), resamples)]  # noqa: S311 - no secret
    accuracies = [one for one, _ in told]
    below = sum(one < 0 for one in accuracies) + sum(one == 0 for one in accuracies) / 2
    p = min(1.0, 2 * (min(below, resamples - below) + 1) / (resamples + 1))
    same = all(one == two for _, (_, one, two) in answers)
    balanced = figure_of(values[0], accuracies)
    agreement = figure_of(values[1], [two for _, two in told])
    return Paired(*names, balanced, agreement, 1.0 if same else p, 1.0 if same else p)


def _possible(answers: Sequence[Both], sizes: Sequence[int]) -> list[list[int]]:
    """The kinds in each stratum. A judge by whose verdict the strata are says the same in each."""
    own = [
        all(answer.item[judge] is bool(answer.stratum) for answer in answers) for judge in (1, 2)
    ]
    return [
        [
            place
            for place, (_, *flags) in enumerate(KINDS)
            if all(flag is bool(stratum) for flag, is_own in zip(flags, own, strict=True) if is_own)
        ]
        for stratum in range(len(sizes))
    ]


def _differences(totals: Sequence[float]) -> tuple[float, float]:
    """In balanced accuracy, and in agreement."""
    first, second = ([0.0] * 4, [0.0] * 4)
    for total, (unfaithful, one, two) in zip(totals, KINDS, strict=False):
        first[2 * unfaithful + one] += total
        second[2 * unfaithful + two] += total
    before, after = figures(first), figures(second)
    return _less(after, before, "balanced_accuracy"), _less(after, before, "agreement")


def _less(one: Mapping[str, float | None], other: Mapping[str, float | None], name: str) -> float:
    return (one[name] or 0.0) - (other[name] or 0.0)
