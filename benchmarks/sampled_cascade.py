"""How many calls of the second judge a cascade saves, with and without samples of the first one.

    python benchmarks/sampled_cascade.py [--runs 400]

Both judges are simulated. The second one is right. The first one agrees with it on most statements
in almost each reply, on some now and then, and is surely wrong about a few. At temperature 0 it
says what it says most often; each further sample is drawn. A result without samples is as certain
as its score is far from the threshold, one with samples as the least share of samples that agree.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from faithfulness_assert import Policy
from faithfulness_assert.batch.cascade_rules import Counted, Judged, best_rule
from faithfulness_assert.batch.certifying import AGREE
from faithfulness_assert.judges.certificate import OUTCOMES

POLICY = Policy()
STATEMENTS = range(1, 6)
SUPPORTED = 0.8
HARD, SURELY_WRONG = 0.1, 0.005
SAMPLES = (1, 3, 5, 9)
CASES = (300, 1000, 3000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    print(f"{runs} runs; promised: {AGREE:.0%} agreement")
    print(f"{'cases':>6} {'samples':>8} {'both agree':>11} {'certified':>10} {'calls saved':>12}")
    for cases in CASES:
        for samples in SAMPLES:
            chance = random.Random(7)
            found = [certified(samples, cases, chance) for _ in range(max(runs * 300 // cases, 40))]
            alike = sum(agree for agree, _ in found) / len(found)
            saved = [share for _, share in found if share]
            told = f"{alike:11.1%} {len(saved) / len(found):10.1%}"
            mean = f"{sum(saved) / len(saved):12.0%}" if saved else f"{'-':>12}"
            print(f"{cases:6,} {samples:8} {told} {mean}")


def certified(samples: int, cases: int, chance: random.Random) -> tuple[float, float]:
    """In which share of cases both judges agree, and how many a certificate accepts; 0 for none."""
    halves = [[judged(samples, chance) for _ in range(cases // 2)] for _ in range(2)]
    alike = sum(case.agrees for half in halves for case in half) / sum(map(len, halves))
    _, rule = best_rule(*map(Counted, halves), agree=AGREE)
    return alike, rule.accepted / len(halves[1]) if rule else 0.0


def judged(samples: int, chance: random.Random) -> Judged:
    """What both judges say of a case."""
    truth = [chance.random() < SUPPORTED for _ in range(chance.choice(STATEMENTS))]
    votes = [vote(samples, chance) for _ in truth]
    said = [true == (right * 2 > samples) for true, right in zip(truth, votes, strict=True)]
    passes = share(said) >= POLICY.passes_at
    distance = abs(share(said) - POLICY.passes_at)
    spread = min(max(right, samples - right) / samples for right in votes)
    same = said == truth
    return Judged(OUTCOMES[not passes], distance if samples == 1 else spread, same)


def vote(samples: int, chance: random.Random) -> int:
    """How many samples of the first judge are right about a statement."""
    kind = chance.random()
    right = 0.995
    if kind < SURELY_WRONG:
        right = 0.01
    elif kind < SURELY_WRONG + HARD:
        right = chance.uniform(0.2, 1.0)
    return (right > 0.5) + sum(chance.random() < right for _ in range(samples - 1))


def share(said: Sequence[bool]) -> float:
    return sum(said) / len(said)


if __name__ == "__main__":
    main()
