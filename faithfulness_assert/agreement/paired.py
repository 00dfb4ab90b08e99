"""Two judges of the same answers: which one agrees better with people?

The measure is the balanced accuracy, in which a judge that flags nothing has one half, however rare
unfaithful answers are. Its difference is a weighted sum over the answers, each with what it counts
in its design. If neither judge is better, each answer may as well have its two verdicts exchanged:
the test flips signs, whole answers at a time, as McNemar's exact test does without weights.
Several tests together are corrected by Holm (1979).
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from ..batch.paired_tests import sign_flips
from .bootstrap import RESAMPLES, SEED, Cluster, Figure, Sample, intervals
from .figures import figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCALE = 1_000_000
FALSE_ALARMS = 0.05
"""The most of 100 % sets of comparisons that call any judge better where none is."""
KINDS = [(a, b, c) for a, b, c in product((False, True), repeat=3)]
"""Whether an item is unfaithful, and whether the first and the second judge flag it."""


class Both(NamedTuple):
    """A labelled answer: its stratum, and of its items whether each is one of ``KINDS``."""

    stratum: int
    items: Sequence[tuple[bool, bool, bool]]


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
    """Compares two judges. There must be items of both classes, and no stratum without an answer.

    Args:
        sizes: how many answers of the run each stratum has.
    """
    clusters = []
    for stratum, items in answers:
        counts = Counter(items)
        clusters.append(Cluster(stratum, tuple(counts[kind] for kind in KINDS)))
    sample = Sample(clusters, sizes, [list(range(len(KINDS)))] * len(sizes))
    found = intervals(sample, _differences, seed=seed, resamples=resamples)
    p = _chance(answers, sizes, sample.totals())
    return Paired(*names, found["balanced_accuracy"], found["agreement"], p, p)


def holm(tests: Sequence[Paired]) -> list[Paired]:
    """The tests with their p-values adjusted for each other, in the same order."""
    order = sorted(range(len(tests)), key=lambda place: tests[place].p)
    adjusted, least = dict[int, float](), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(tests) - rank) * tests[place].p))
        adjusted[place] = least
    return [test._replace(adjusted=adjusted[place]) for place, test in enumerate(tests)]


def _differences(totals: Sequence[float]) -> Mapping[str, float | None]:
    first, second = ([0.0] * 4, [0.0] * 4)
    for total, (unfaithful, one, two) in zip(totals, KINDS, strict=True):
        first[2 * unfaithful + one] += total
        second[2 * unfaithful + two] += total
    before, after = figures(first), figures(second)
    return {name: _less(after[name], before[name]) for name in ("balanced_accuracy", "agreement")}


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _chance(answers: Sequence[Both], sizes: Sequence[int], totals: Sequence[float]) -> float:
    """The two-sided p-value of the difference in balanced accuracy."""
    seen = Counter(answer.stratum for answer in answers)
    whole = {
        truth: sum(t for t, kind in zip(totals, KINDS, strict=True) if kind[0] is truth)
        for truth in (False, True)
    }
    sums = [
        sizes[stratum] / seen[stratum] * sum(_gain(item) / whole[item[0]] for item in items)
        for stratum, items in answers
    ]
    most = max(map(abs, sums), default=0.0) or 1.0
    up = Counter(round(SCALE * value / most) for value in sums if value)
    down = Counter({-size: count for size, count in up.items()})
    return min(1.0, 2 * min(sign_flips(up), sign_flips(down)))


def _gain(item: tuple[bool, bool, bool]) -> int:
    """1 if only the second judge is right, -1 if only the first one is."""
    unfaithful, one, two = item
    return (two is unfaithful) - (one is unfaithful)
