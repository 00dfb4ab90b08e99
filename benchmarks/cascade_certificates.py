"""How often a certificate of a cascade promises too much, and how many calls it saves.

    python benchmarks/cascade_certificates.py [--runs 2000]

The first judge is more or less certain of each case, and agrees with the second one with a chance
that depends on that. A certificate promises too much if, over all cases that its limits accept,
the judges agree less often than it says: at most 5 % of the runs may end so. The worst judge is one
that agrees just less often than promised, however certain it is.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping, Sequence

from faithfulness_assert.batch.cascade_rules import Counted, Judged, best_rule
from faithfulness_assert.batch.certifying import AGREE
from faithfulness_assert.judges.certificate import OUTCOMES

STEPS = 40
Chance = Callable[[str, float], float]
JUDGES: Mapping[str, Chance] = {
    "always just below": lambda outcome, sure: AGREE - 0.0005,
    "always .90": lambda outcome, sure: 0.9,
    "always .98": lambda outcome, sure: 0.98,
    "certain is right": lambda outcome, sure: 0.7 + 0.3 * min(1.0, 1.25 * sure),
    "right when it passes": lambda outcome, sure: 0.985 if outcome == OUTCOMES[0] else 0.75,
    "certain and wrong": lambda outcome, sure: 0.99 - 0.2 * sure,
}
CASES = (150, 300, 1000, 5000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    chance = random.Random(7)
    print(f"{runs} runs; promised: {AGREE:.0%} agreement")
    print(f"{'first judge':22} {'cases':>6} {'certified':>10} {'too much':>9} {'calls saved':>12}")
    for name, agrees in JUDGES.items():
        for cases in CASES:
            found = [certified(agrees, cases, chance) for _ in range(max(runs * 300 // cases, 50))]
            held = [limits for limits in found if limits is not None]
            wrong = sum(true_agreement(agrees, limits) < AGREE for limits in held)
            saved = sum(map(accepted_share, held)) / max(len(held), 1)
            told = f"{len(held) / len(found):10.1%} {wrong / len(found):9.1%} {saved:12.0%}"
            print(f"{name:22} {cases:6,} {told}")


def certified(agrees: Chance, cases: int, chance: random.Random) -> Mapping[str, float] | None:
    """The limits of the certificate from one run of so many cases; None if there is none."""
    halves = (Counted(drawn(agrees, cases // 2, chance)) for _ in range(2))
    _, rule = best_rule(*halves, agree=AGREE)
    return rule and rule.limits


def drawn(agrees: Chance, cases: int, chance: random.Random) -> Sequence[Judged]:
    found = []
    for _ in range(cases):
        outcome, sure = chance.choice(OUTCOMES), chance.randrange(STEPS + 1) / STEPS
        found.append(Judged(outcome, sure, chance.random() < agrees(outcome, sure)))
    return found


def accepted(limits: Mapping[str, float]) -> list[tuple[str, float]]:
    """All kinds of cases, which are equally frequent, that these limits accept."""
    kinds = ((outcome, step / STEPS) for outcome in OUTCOMES for step in range(STEPS + 1))
    return [(outcome, sure) for outcome, sure in kinds if sure >= limits.get(outcome, 2.0)]


def accepted_share(limits: Mapping[str, float]) -> float:
    return len(accepted(limits)) / len(OUTCOMES) / (STEPS + 1)


def true_agreement(agrees: Chance, limits: Mapping[str, float]) -> float:
    kinds = accepted(limits)
    return sum(agrees(outcome, sure) for outcome, sure in kinds) / len(kinds)


if __name__ == "__main__":
    main()
