"""How well two agree who label the same things, which of two does better, and how sure that is.

A figure that the counts do not define, such as the recall where nothing is unfaithful, is None.
Labelled answers are in strata whose sizes in the run are known; within these, one judge after the
other says something of them, and at last people. So all that the labels say are shares: of a
stratum, of what a judge flags there, of what of that is unfaithful. Each has its exact interval,
and ``statistics.figures_of`` makes those of the figures from these.

Two judges are compared by balanced accuracy, in which a judge that flags nothing has one half,
however rare unfaithful answers are. The p-value is that which the interval of the difference has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import erfc, fsum, sqrt
from typing import NamedTuple

from ..statistics import REACH, Figure, Values, exact_share, figures_of, none_seen, wilson

Matrix = Sequence[Sequence[float]]
CHANCE = 1e-12
"""A chance of agreement so near to 1 leaves nothing to be corrected."""
BEYOND_CHANCE = ("kappa", "ac1")
"""The figures that may be below 0."""
LEAST_OF_A_CLASS = 3
"""Labels. From fewer, an interval of recall, specificity or balanced accuracy would not hold."""
LEAST_CHANCE = 0.001
"""Of a comparison. An interval says nothing of smaller ones."""


def figures(counts: Sequence[float]) -> Values:
    """The figures of a judge beside people, each in [0, 1], but kappa and ac1 in [-1, 1].

    ``counts``: of what is faithful and passes, faithful and flagged, unfaithful and passes,
    unfaithful and flagged. Precision and recall are those on what is unfaithful.
    """
    good, alarms, misses, hits = counts
    matrix = [[good, alarms], [misses, hits]]
    recall, specificity = ratio(hits, misses + hits), ratio(good, good + alarms)
    both = None if recall is None or specificity is None else (recall + specificity) / 2
    return {
        "agreement": agreement(matrix),
        "balanced_accuracy": both,
        "precision": ratio(hits, alarms + hits),
        "recall": recall,
        "specificity": specificity,
        "kappa": kappa(matrix),
        "ac1": ac1(matrix),
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
    chance = sum(a * b for a, b in zip(*_margins(matrix), strict=True)) / total**2
    return _beyond(agreement(matrix), chance)


def ac1(matrix: Matrix) -> float | None:
    """Gwet's AC1 (2008): as kappa, with a chance that does not grow where one label is rare."""
    total = sum(map(sum, matrix))
    if total <= 0 or len(matrix) < 2:
        return None
    shares = [(a + b) / 2 / total for a, b in zip(*_margins(matrix), strict=True)]
    return _beyond(agreement(matrix), sum(p * (1 - p) for p in shares) / (len(matrix) - 1))


def _margins(matrix: Matrix) -> tuple[list[float], list[float]]:
    return [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]


def _beyond(seen: float | None, chance: float) -> float | None:
    return None if seen is None or 1 - chance < CHANCE else (seen - chance) / (1 - chance)


# ---------------------------------------------------------------- labelled answers

Item = tuple[bool, ...]
"""What is said of an answer: whether the judge of the run flags it, then what else tells strata
apart, or what other judges say, and at last whether people call it unfaithful."""


class Sample(NamedTuple):
    """Labelled answers, and what they stand for.

    Args:
        items: how many labelled answers there are of each kind.
        sizes: how many answers of the run there are in each stratum, by what the items in it begin
            with. A stratum that has answers has labelled ones, too.
    """

    items: Counter[Item]
    sizes: Mapping[Item, int]

    def estimates(self, function: Callable[[Mapping[Item, float]], Values]) -> dict[str, Figure]:
        """What a function makes of the parts of the run that are of each kind of item."""
        shares = self._shares()
        last = len(next(iter(self.items)))

        def values(of_shares: Sequence[float]) -> Values:
            by_node = dict(zip(shares, of_shares, strict=True))
            parts: dict[Item, float] = {(): 1.0}
            for _ in range(last):
                parts = {
                    (*node, label): part * (by_node[node] if label else 1 - by_node[node])
                    for node, part in parts.items()
                    if node in by_node
                    for label in (False, True)
                }
            return function(parts)

        return figures_of(values, list(shares.values()))

    def _shares(self) -> dict[Item, Figure]:
        """Of the items that begin in the same way, how many go on with a yes."""
        shares: dict[Item, Figure] = {}
        known = len(next(iter(self.sizes)))
        unseen = Figure(how_many(self.items, last=True) / self.items.total(), 0.0, 1.0)
        for length in range(len(next(iter(self.items)))):
            for node in product((False, True), repeat=length):
                whole, yes = (
                    how_many(self.sizes if length < known else self.items, start)
                    for start in (node, (*node, True))
                )
                if length < known and whole:
                    run = wilson(yes, whole) if 0 < yes < whole else (None, None)
                    shares[node] = Figure(yes / whole, *run)
                elif how_many(self.sizes, node[:known]):
                    shares[node] = exact_share(yes, whole) if whole else unseen
        return shares


def how_many(items: Mapping[Item, int], start: Item = (), *, last: bool | None = None) -> int:
    """How many items begin like this, and end so if ``last`` is given."""
    return sum(
        n for item, n in items.items() if item[: len(start)] == start and last in (None, item[-1])
    )


def share_of_unfaithful(sample: Sample) -> Figure:
    """The share of unfaithful answers in a run. Where labels are all alike, its limit is exact."""
    parts = sample.estimates(
        lambda parts: {"": fsum(part for item, part in parts.items() if item[-1])}
    )
    total, labels = sum(sample.sizes.values()), sample.items.total()
    limit = none_seen(
        (size / total, how_many(sample.items, stratum))
        for stratum, size in sample.sizes.items()
        if size
    )
    seen = how_many(sample.items, last=True)
    if not seen:
        return Figure(0.0, 0.0, limit)
    if seen == labels:
        return Figure(1.0, 1 - limit, 1.0)
    return _within(parts[""], 0.0)


def cells(parts: Mapping[Item, float], judge: int) -> list[float]:
    """The parts by what people and a judge say, in the order of ``figures``.

    ``judge``: its place in an item; 0 for the one by whose verdicts the strata are.
    """
    counts = [0.0] * 4
    for item, part in parts.items():
        counts[2 * item[-1] + item[judge]] += part
    return counts


def judge_figures(sample: Sample, judge: int) -> dict[str, Figure]:
    """All figures of a judge; see ``cells``."""
    estimates = sample.estimates(lambda parts: figures(cells(parts, judge)))
    few = {
        "recall": how_many(sample.items, last=True) < LEAST_OF_A_CLASS,
        "specificity": how_many(sample.items, last=False) < LEAST_OF_A_CLASS,
    }
    few["balanced_accuracy"] = any(few.values())
    return {
        name: Figure(figure.value, None, None)
        if few.get(name)
        else _within(figure, -1.0 if name in BEYOND_CHANCE else 0.0)
        for name, figure in estimates.items()
    }


def _within(figure: Figure, least: float) -> Figure:
    value, low, high = figure
    if low is None or high is None:
        return figure
    return Figure(value, max(least, low), min(1.0, high))


# ---------------------------------------------------------------- two judges side by side


FALSE_ALARMS = 0.05
"""The most of 100 % sets of comparisons that call any judge better where none is."""


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


def paired(names: tuple[str, str], sample: Sample, judges: tuple[int, int]) -> Paired:
    """Compares two judges on answers of both classes. ``judges``: their places in an item."""

    def differences(parts: Mapping[Item, float]) -> Values:
        before, after = (figures(cells(parts, judge)) for judge in judges)
        return {
            name: (after[name] or 0.0) - (before[name] or 0.0)
            for name in ("balanced_accuracy", "agreement")
        }

    estimates = {name: _within(one, -1.0) for name, one in sample.estimates(differences).items()}
    value, low, high = (number or 0.0 for number in estimates["balanced_accuracy"])
    reach = value - low if value > 0 else high - value
    p = 1.0 - bool(value)
    if value and reach:  # as the interval has it, two-sided
        p = max(LEAST_CHANCE, erfc(REACH * abs(value) / reach / sqrt(2)))
    return Paired(*names, estimates["balanced_accuracy"], estimates["agreement"], p, p)
