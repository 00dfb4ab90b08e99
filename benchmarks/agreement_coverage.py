"""How often the interval of ``unfaithful_rate`` contains the true share, and how wide it is.

    pip install numpy
    python benchmarks/agreement_coverage.py [--labels 100 200 400] [--repeats 20000] [--seed 1]

The grid: runs of 500, 2,000 and 10,000 answers; 2 to 30 % of all answers unfaithful; judges whose
sensitivity + specificity - 1 is .2 to .95, with errors that are balanced, or mostly on one side.
Flagged answers are drawn for labelling at 2.25 times the rate of others, and at least 5.

Beside ours, with as many labels drawn from the whole run: Wilson's interval of the labels alone;
PPI++ (Angelopoulos, Duchi, Zrnic, 2023) with its power tuning; and Rogan and Gladen's estimate
(1978) with sensitivity and specificity from the labels, by the delta method.
"""

from __future__ import annotations

import argparse
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from faithfulness_assert.agreement.drawing import Stratum, rate_of
from faithfulness_assert.statistics import REACH

RUNS = (500, 2000, 10_000)
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3)
YOUDEN = (0.2, 0.4, 0.6, 0.8, 0.95)
ERRORS = ("balanced", "lenient", "strict")
METHODS = ("ours", "labels alone", "PPI++", "Rogan-Gladen")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 200, 400])
    parser.add_argument("--repeats", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = np.random.default_rng(given.seed)
    cells = {
        cell: measure(*cell, given.repeats, chance)
        for cell in product(RUNS, given.labels, SHARES, YOUDEN, ERRORS)
    }
    print(f"{len(cells)} cells, {given.repeats:,} runs in each")
    print(f"{'':14} {'least':>7} {'mean':>7} {'width beside labels alone':>27}")
    for place, name in enumerate(METHODS):
        held = [found[0][place] for found in cells.values()]
        width = np.mean([found[1][place] / found[1][1] for found in cells.values()])
        print(f"{name:14} {min(held):7.4f} {np.mean(held):7.4f} {width:27.3f}")
    print("\nour least cells: answers, labels, share, Youden, errors")
    for cell in sorted(cells, key=lambda cell: cells[cell][0][0])[:5]:
        print(f"{cells[cell][0][0]:.4f}  {cell}")


def measure(
    answers: int, labels: int, share: float, youden: float, errors: str, repeats: int, chance: Any
) -> tuple[list[float], list[float]]:
    """How often each method's interval holds, and its mean width."""
    sensitivity, specificity = rates_of(youden, errors)
    wrong = chance.binomial(answers, share, repeats)
    hits = chance.binomial(wrong, sensitivity)
    alarms = chance.binomial(answers - wrong, 1 - specificity)
    found = ours(hits, wrong - hits, alarms, answers, labels, chance)
    simple = draw(hits, wrong - hits, alarms, answers, labels, chance)
    flagged = (hits + alarms) / answers
    intervals = [found, wilson(simple, labels), ppi(simple, flagged, labels, answers)]
    intervals.append(rogan_gladen(simple, flagged, labels, answers))
    held = [float(np.mean((low <= share) & (share <= high))) for low, high in intervals]
    return held, [float(np.mean(high - low)) for low, high in intervals]


def rates_of(youden: float, errors: str) -> tuple[float, float]:
    """Sensitivity and specificity."""
    if errors == "balanced":
        return (1 + youden) / 2, (1 + youden) / 2
    few = 1 - (1 - youden) * 0.1
    return (youden + 1 - few, few) if errors == "lenient" else (few, youden + 1 - few)


def ours(hits: Any, misses: Any, alarms: Any, answers: int, labels: int, chance: Any) -> Any:
    flagged = hits + alarms
    others = answers - flagged
    wanted = np.clip(np.round(labels * 2.25 * flagged / (2.25 * flagged + others)), 5, labels)
    first = np.minimum(wanted.astype(int), flagged)
    second = np.minimum(labels - first, others)
    first = np.minimum(labels - second, flagged)
    x1 = chance.hypergeometric(hits, alarms, first)
    x0 = chance.hypergeometric(misses, others - misses, second)
    rows = np.stack([x1, first, x0, second, flagged], axis=1).tolist()
    found = np.array([counted(*row, answers) for row in rows])
    return found[:, 0], found[:, 1]


@cache
def counted(x1: int, n1: int, x0: int, n0: int, flagged: int, answers: int) -> tuple[float, float]:
    strata = Stratum(flagged / answers, x1, n1), Stratum(1 - flagged / answers, x0, n0)
    _, low, high = rate_of(*strata, answers=answers)
    return low, high


def draw(hits: Any, misses: Any, alarms: Any, answers: int, labels: int, chance: Any) -> Any:
    """Of labels drawn from the whole run: hits, misses, alarms, and the rest."""
    rest, left = np.full(len(hits), answers), np.full(len(hits), labels)
    found = []
    for kind in (hits, misses, alarms):
        rest = rest - kind
        found.append(chance.hypergeometric(kind, rest, left))
        left = left - found[-1]
    return np.stack([*found, left], axis=1)


def wilson(simple: Any, labels: int) -> Any:
    share = (simple[:, 0] + simple[:, 1]) / labels
    middle = (share + REACH**2 / 2 / labels) / (1 + REACH**2 / labels)
    reach = REACH * np.sqrt(share * (1 - share) / labels + REACH**2 / 4 / labels**2)
    return middle - reach / (1 + REACH**2 / labels), middle + reach / (1 + REACH**2 / labels)


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


if __name__ == "__main__":
    main()
