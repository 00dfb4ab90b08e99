"""How often the interval of the share of unfaithful statements contains it, and how wide it is.

    pip install numpy
    python benchmarks/agreement_statements.py [--labels 100 200] [--repeats 4000] [--seed 1]

Runs of 2,000 answers with 1 to 12 statements; the statements of an answer are alike (intraclass
correlation .1 and .3); 1 to 25 % of them are unfaithful; the judge flags the answers that have one
with a sensitivity, and the others with 1 - specificity. Answers are drawn as `label` draws them.
Beside ours: as many answers drawn from the whole run, with the interval of a single stratum.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import Any

import numpy as np

from faithfulness_assert.agreement.drawing import split
from faithfulness_assert.agreement.statement_rates import Answers, _share, unfaithful_statement_rate

RUN = 2000
SHARES = (0.01, 0.03, 0.1, 0.25)
ALIKE = (0.1, 0.3)
JUDGES = ((0.6, 0.6), (0.8, 0.8), (0.97, 0.97), (0.5, 0.95))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--repeats", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = np.random.default_rng(given.seed)
    grid = list(product(given.labels, SHARES, ALIKE, JUDGES))
    found = {cell: measure(*cell, given.repeats, chance) for cell in grid}
    print(f"{len(found)} cells, {given.repeats:,} runs in each")
    held = [cell[0] for cell in found.values()]
    print(f"ours: holds in {min(held):.4f} at least, {np.mean(held):.4f} on average")
    print(f"width beside labels alone: {np.mean([cell[1] for cell in found.values()]):.3f}")
    print("\nour least cells: labels, share, correlation, judge")
    for cell in sorted(found, key=lambda cell: found[cell][0])[:5]:
        print(f"{found[cell][0]:.4f}  {cell}")


def measure(
    labels: int, share: float, alike: float, judge: tuple[float, float], repeats: int, chance: Any
) -> tuple[float, float]:
    """How often the interval holds, and its width by that of labels alone."""
    held, width, alone = 0, 0.0, 0.0
    for _ in range(repeats):
        sizes = 1 + chance.binomial(11, 0.4, RUN)
        rest = 1 / alike - 1
        wrong = chance.binomial(sizes, chance.beta(share * rest, (1 - share) * rest, RUN))
        flags = chance.random(RUN) < np.where(wrong > 0, judge[0], 1 - judge[1])
        parts, drawn = [], split(labels, int(flags.sum()), int((~flags).sum()))
        for kind, size in zip((True, False), drawn, strict=True):
            places = np.flatnonzero(flags == kind)
            some = pairs(wrong, sizes, chance.choice(places, size, replace=False))
            parts.append(Answers(len(places), int(sizes[places].sum()), some))
        found = unfaithful_statement_rate(*parts)
        held += found.low <= share <= found.high
        width += found.high - found.low
        simple = _share(pairs(wrong, sizes, chance.choice(RUN, labels, replace=False)))
        alone += simple.high - simple.low
    return held / repeats, width / alone


def pairs(wrong: Any, sizes: Any, places: Any) -> list[tuple[int, int]]:
    return list(zip(wrong[places].tolist(), sizes[places].tolist(), strict=True))


if __name__ == "__main__":
    main()
