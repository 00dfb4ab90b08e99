"""How often the intervals of ``agreement`` contain the truth, and how wide they are. Simulated.

    pip install numpy
    python benchmarks/agreement.py [--repeats 200] [--seed 1]        (minutes)

The share of unfaithful answers: runs of 300 to 20,000 answers, 30 to 500 labels, .5 to 50 % of all
answers unfaithful, judges from inverted to nearly perfect. Flagged answers are drawn as ``label``
does, at the rate of the others, or as many as others. Beside ours, with as many labels drawn from
the whole run: Wilson's interval of the labels alone; PPI++ (Angelopoulos, Duchi, Zrnic, 2023) with
its power tuning; and Rogan and Gladen's estimate (1978) with sensitivity and specificity from the
labels, by the delta method. Then the figures of a judge, those of a second one that knows nothing
of the first, and how often one of two that are as good is called better: from 1 % on, by ``label``.

The least of many cells is low by chance: the ten lowest are measured again, with 20 times as many
runs, and the least of these is shown.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from faithfulness_assert.agreement.drawing import split
from faithfulness_assert.agreement.figures import (
    Sample,
    figures,
    judge_figures,
    paired,
    share_of_unfaithful,
)
from faithfulness_assert.statistics import REACH, wilson

RUNS, LABELS, SHARES = (300, 1000, 20_000), (30, 60, 100, 200, 500), (0.005, 0.02, 0.1, 0.5)
JUDGES = {  # sensitivity and specificity; figures of a judge are those of the last four
    "inverted": (0.2, 0.2),
    "flags all": (1, 0),
    "flags nothing": (0, 1),
    "guesses": (0.5, 0.5),
    "lenient": (0.3, 0.98),
    "poor": (0.7, 0.7),
    "good": (0.9, 0.95),
    "better": (0.9, 0.98),
    "best": (0.98, 0.99),
}
ALLOCATIONS = ("label", "plain", "equal")
LOWEST, MORE = 10, 20
METHODS = ("ours", "labels alone", "PPI++", "Rogan-Gladen")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = np.random.default_rng(given.seed)
    cells = {
        cell: rate_cell(*cell, given.repeats, chance)
        for cell in product(RUNS, LABELS, SHARES, JUDGES, ALLOCATIONS)
        if cell[0] >= cell[1]
    }
    print(f"The share, in {len(cells):,} cells\n\n| | least | mean | width beside labels alone |")
    print("|---|---|---|---|")
    for place, method in enumerate(METHODS):
        mean = np.mean([held[place] for held, _ in cells.values()])
        width = np.mean([widths[place] / widths[1] for _, widths in cells.values()])
        lowest = sorted(cells, key=lambda cell: cells[cell][0][place])[:LOWEST]
        again = {c: rate_cell(*c, MORE * given.repeats, chance)[0][place] for c in lowest}
        least = min(again, key=lambda cell: again[cell])
        print(f"| {method} | {again[least]:.3f} {least} | {mean:.3f} | {width:.2f} |", flush=True)
    few = [widths[0] / widths[1] for cell, (_, widths) in cells.items() if cell[1] < 100]
    print(f"\nWidth of ours below 100 labels: {np.mean(few):.2f}\n\n| figure | least | mean |")
    print("|---|---|---|")
    grid = list(product((500, 2000), (100, 200, 400), (0.01, 0.02, 0.1, 0.3), list(JUDGES)[5:]))
    held = {cell: figure_cell(*cell, given.repeats, chance) for cell in grid}
    for name in held[grid[-1]]:
        found = {cell: shares[name] for cell, shares in held.items() if name in shares}
        least = min(found, key=lambda cell: found[cell])
        again = figure_cell(*least, MORE * given.repeats // 2, chance)[name]
        print(f"| {name} | {again:.3f} {least} | {np.mean(list(found.values())):.3f} |", flush=True)


def run_of(answers: int, share: float, judge: str, chance: Any, repeats: int) -> Any:
    """Hits, misses and false alarms of a judge in so many runs."""
    sensitivity, specificity = JUDGES[judge]
    wrong = chance.binomial(answers, share, repeats)
    hits = chance.binomial(wrong, sensitivity)
    return hits, wrong - hits, chance.binomial(answers - wrong, 1 - specificity)


# ---------------------------------------------------------------- the share


def rate_cell(
    answers: int, labels: int, share: float, judge: str, how: str, repeats: int, chance: Any
) -> tuple[list[float], list[float]]:
    """How often each method's interval holds, and its mean width."""
    hits, misses, alarms = run_of(answers, share, judge, chance, repeats)
    simple = draw(hits, misses, alarms, answers, labels, chance)
    flagged, found = hits + alarms, []
    for hit, missed, n1, n0, drawn in zip(
        *(hits, misses, flagged, answers - flagged, simple), strict=True
    ):
        if how == "plain":
            one = drawn[0], drawn[0] + drawn[2], drawn[1], drawn[1] + drawn[3]
        else:
            first, second = (split if how == "label" else halves)(labels, n1, n0)
            x1 = chance.hypergeometric(hit, n1 - hit, first)
            one = x1, first, chance.hypergeometric(missed, n0 - missed, second), second
        if (one[1] or not n1) and (one[3] or not n0):
            found.append(counted(*map(int, (*one, n1, n0))))
    share_flagged = flagged / answers
    intervals = [np.array(found).T, np.array([wilson(int(d[0] + d[1]), labels) for d in simple]).T]
    intervals += [ppi(simple, share_flagged, labels, answers)]
    intervals += [rogan_gladen(simple, share_flagged, labels, answers)]
    held = [float(np.mean((low <= share) & (share <= high))) for low, high in intervals]
    return held, [float(np.mean(high - low)) for low, high in intervals]


def halves(labels: int, flagged: int, others: int) -> tuple[int, int]:
    first = min(flagged, max(labels // 2, labels - others))
    return first, min(others, labels - first)


@cache
def counted(x1: int, n1: int, x0: int, n0: int, flagged: int, others: int) -> tuple[float, float]:
    items = {(True, True): x1, (True, False): n1 - x1, (False, True): x0, (False, False): n0 - x0}
    sizes = {(False,): others, (True,): flagged}
    _, low, high = share_of_unfaithful(Sample(Counter(items), sizes))
    return low or 0.0, high or 0.0


def draw(hits: Any, misses: Any, alarms: Any, answers: int, labels: int, chance: Any) -> Any:
    """Of labels drawn from the whole run: hits, misses, alarms, and the rest."""
    rest, left = np.full(len(hits), answers), np.full(len(hits), labels)
    found = []
    for kind in (hits, misses, alarms):
        rest = rest - kind
        found.append(chance.hypergeometric(kind, rest, left))
        left = left - found[-1]
    return np.stack([*found, left], axis=1)


def ppi(simple: Any, flagged: Any, labels: int, answers: int) -> Any:
    hits, misses, alarms, _ = simple.T
    truth, said = (hits + misses) / labels, (hits + alarms) / labels
    covariance = hits / labels - truth * said
    spread = np.maximum(flagged * (1 - flagged), 1e-12)
    tuned = np.clip(covariance / (spread * (1 + labels / answers)), 0, 1)
    value = truth + tuned * (flagged - said)
    residual = truth * (1 - truth) - 2 * tuned * covariance + tuned**2 * said * (1 - said)
    reach = REACH * np.sqrt(np.maximum(residual, 0) / labels + tuned**2 * spread / answers)
    return value - reach, value + reach


def rogan_gladen(simple: Any, flagged: Any, labels: int, answers: int) -> Any:
    hits, misses, alarms, rest = simple.T
    bad, good = np.maximum(hits + misses, 1), np.maximum(alarms + rest, 1)
    sensitivity, specificity = hits / bad, rest / good
    youden = sensitivity + specificity - 1
    safe = np.where(np.abs(youden) < 0.01, 0.01, youden)
    value = np.clip((flagged + specificity - 1) / safe, 0, 1)
    variance = flagged * (1 - flagged) / answers
    variance = variance + value**2 * sensitivity * (1 - sensitivity) / bad
    variance = variance + (1 - value) ** 2 * specificity * (1 - specificity) / good
    reach = REACH * np.sqrt(variance) / np.abs(safe)
    return np.maximum(value - reach, 0), np.minimum(value + reach, 1)


# ---------------------------------------------------------------- figures of a judge


def figure_cell(
    answers: int, labels: int, share: float, judge: str, repeats: int, chance: Any
) -> dict[str, float]:
    """How often the interval of each figure holds where there is one; and false alarms."""
    sensitivity, specificity = JUDGES[judge]
    rates = (share * sensitivity, share * (1 - sensitivity), (1 - share) * (1 - specificity))
    truth = figures([1 - share - rates[2], rates[2], rates[1], rates[0]])
    held: dict[str, list[bool]] = defaultdict(list)
    for hits, misses, alarms in zip(*run_of(answers, share, judge, chance, repeats), strict=True):
        passes = [(False, True)] * misses + [(False, False)] * (answers - hits - misses - alarms)
        strata = passes, [(True, True)] * hits + [(True, False)] * alarms
        sizes = {(False,): len(strata[0]), (True,): len(strata[1])}
        drawn = zip(strata, split(labels, *list(sizes.values())[::-1])[::-1], strict=True)
        own = [part[i] for part, n in drawn for i in chance.permutation(len(part))[:n]]
        if {item[-1] for item in own} != {False, True}:
            continue
        second = chance.random(len(own)) < [sensitivity if w else 1 - specificity for _, w in own]
        three = Counter((*item[:1], bool(s), item[1]) for item, s in zip(own, second, strict=True))
        told = {
            "": judge_figures(Sample(Counter(own), sizes), 0),
            " (second judge)": judge_figures(Sample(three, sizes), 1),
        }
        for who, found in told.items():
            for name, (_, low, high) in found.items():
                if low is not None and high is not None:
                    held[name + who].append(low <= (truth[name] or 0) <= high)
        held["equal judges are not called"].append(
            paired(("A", "B"), Sample(three, sizes), (0, 1)).p > 0.05
        )
    return {
        name: float(np.mean(found)) for name, found in held.items() if len(found) >= repeats / 5
    }


if __name__ == "__main__":
    main()
