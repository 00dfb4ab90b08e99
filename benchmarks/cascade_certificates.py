"""How often a certificate of a cascade promises too much, and how many calls it saves.

    python benchmarks/cascade_certificates.py [--runs 2000] [--each 1]

The first judge is more or less certain of each case, and agrees with the second one with a chance
that depends on that. A certificate promises too much if, over all cases that its limits accept,
the judges agree less often than it says: at most 5 % of the runs may end so. The worst judge is one
that agrees just less often than promised, however certain it is. With ``--each 10``, ten answers
over one context have the same luck, and the test takes them for ten trials.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping

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
    parser.add_argument("--each", type=int, default=1, help="answers over each context")
    runs, each = vars(parser.parse_args()).values()
    chance = random.Random(7)
    print(f"{runs} runs; promised: {AGREE:.0%} agreement")
    print(f"{'first judge':22} {'cases':>6} {'certified':>10} {'too much':>9} {'calls saved':>12}")
    for name, agrees in JUDGES.items():
        for cases in CASES:
            found = [
                certified(agrees, cases, chance, each) for _ in range(max(runs * 300 // cases, 50))
            ]
            held = [limits for limits in found if limits is not None]
            wrong = sum(true_agreement(agrees, limits) < AGREE for limits in held)
            saved = sum(map(accepted_share, held)) / max(len(held), 1)
            told = f"{len(held) / len(found):10.1%} {wrong / len(found):9.1%} {saved:12.0%}"
            print(f"{name:22} {cases:6,} {told}")


def certified(
    agrees: Chance, cases: int, chance: random.Random, each: int = 1
) -> Mapping[str, float] | None:
    """The limits of the certificate from one run of so many cases; None if there is none."""
    known = drawn(agrees, cases, chance, each)
    halves = (Counted(half) for half in (known[: cases // 2], known[cases // 2 :]))
    _, rule = best_rule(*halves, agree=AGREE)
    return rule and rule.limits


def drawn(agrees: Chance, cases: int, chance: random.Random, each: int) -> list[Judged]:
    found, luck = list[Judged](), list[float]()
    for n in range(cases):
        outcome, sure = chance.choice(OUTCOMES), chance.randrange(STEPS + 1) / STEPS
        if n < cases / each:
            luck.append(chance.random())
        found.append(Judged(outcome, sure, luck[n % len(luck)] < agrees(outcome, sure)))
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
