"""Two judges of the same answers: which one agrees better with people?

The measure is the balanced accuracy, in which a judge that flags nothing has one half, however rare
unfaithful answers are. The difference is drawn by the same bootstrap as all intervals, whole
answers within the strata of their design, so that the p-value and the interval say the same. (Sign
flips, McNemar's test with weights, call equal judges different too often: the few answers that
weigh much stand for what only one of both can get wrong.) Several tests together are corrected by
Holm (1979).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from random import Random
from typing import NamedTuple

from ..batch.paired_tests import holm
from .bootstrap import RESAMPLES, SEED, Cluster, Figure, Sample, figure_of
from .figures import figures

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


def adjusted(tests: Sequence[Paired]) -> list[Paired]:
    """The tests with their p-values adjusted for each other."""
    told = holm([test.p for test in tests])
    return [test._replace(adjusted=p) for test, p in zip(tests, told, strict=True)]


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
