"""How often ``compare`` calls a run worse: than its repetition, and than itself with real losses.

    python benchmarks/compare_false_alarms.py [--comparisons 2000]

Each case has some statements, and each statement a chance to be supported that is its own. A run
draws each statement anew, as a judge that is not certain does. The repetition draws from the same
chances; a worse run finds some of the supported statements unsupported, in a 20th as many
comparisons.
"""

from __future__ import annotations

import argparse
import random

from faithfulness_assert.batch.paired_tests import Pair, paired_tests

THRESHOLD = 0.8
CASES = (20, 100, 500)
UNCERTAIN = {"steady": 0.02, "usual": 0.1, "unsteady": 0.5}
"""The share of statements about which the judge is not certain."""
LOSSES = (0.02, 0.05, 0.1)
"""The share of supported statements that a worse run loses."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--comparisons", type=int, default=2000)
    comparisons = parser.parse_args().comparisons
    chance = random.Random(1)
    titles = ["false alarms", *(f"loses {loss:.0%}" for loss in LOSSES)]
    print(f"called worse, of {comparisons} comparisons: {'':4}", *(f"{t:>13}" for t in titles))
    alarms = 0
    for name, uncertain in UNCERTAIN.items():
        for cases in CASES:
            shares = [share(comparisons, cases, uncertain, 0, chance)]
            few = max(comparisons // 20, 1)
            shares += [share(few, cases, uncertain, loss, chance) for loss in LOSSES]
            alarms += round(shares[0] * comparisons)
            print(f"{name + ' judge,':16} {cases:4} cases {'':15}", *(f"{s:13.2%}" for s in shares))
    total = comparisons * len(UNCERTAIN) * len(CASES)
    print(f"false alarms, all together: {alarms} of {total:,} ({alarms / total:.2%})")


def share(
    comparisons: int, cases: int, uncertain: float, loss: float, chance: random.Random
) -> float:
    """The share of comparisons in which the second run is called worse."""
    return sum(is_worse(cases, uncertain, loss, chance) for _ in range(comparisons)) / comparisons


def is_worse(cases: int, uncertain: float, loss: float, chance: random.Random) -> bool:
    pairs = []
    for _ in range(cases):
        sure = [
            chance.random() if chance.random() < uncertain else float(chance.random() < 0.9)
            for _ in range(chance.randint(3, 9))
        ]
        before, after = score(sure, 0, chance), score(sure, loss, chance)
        pairs.append(Pair(before >= THRESHOLD, after >= THRESHOLD, before, after))
    return paired_tests(pairs).worse


def score(sure: list[float], loss: float, chance: random.Random) -> float:
    supported = (chance.random() < p and chance.random() >= loss for p in sure)
    return sum(supported) / len(sure)


if __name__ == "__main__":
    main()
