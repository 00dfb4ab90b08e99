"""How often ``compare --recheck`` names the judge and the system, as neither, one or both changed.

    python benchmarks/recheck_attribution.py [--comparisons 400] [--cases 500]

Each case has some statements, and each a chance to be supported that is its own, as in
``compare_false_alarms.py``. Run A is the judge of then on the old answers, B today's judge on the
new ones, and the recheck today's judge on the old ones. A judge or a system that changed loses
points of the mean score in single statements.
"""

from __future__ import annotations

import argparse
import random

from compare_false_alarms import STATEMENTS, THRESHOLD, UNCERTAIN, supported

from faithfulness_assert.batch.rechecking import Graded, shift_of

LOSSES = {
    "nothing changed": (0.0, 0.0),
    "the judge loses 5 points": (0.05, 0.0),
    "the system loses 5 points": (0.0, 0.05),
    "both lose 5 points": (0.05, 0.05),
    "the judge loses 3 points": (0.03, 0.0),
    "the system loses 3 points": (0.0, 0.03),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--comparisons", type=int, default=400)
    parser.add_argument("--cases", type=int, default=500)
    given = parser.parse_args()
    chance = random.Random(3)
    print(f"{given.comparisons} comparisons of {given.cases} cases, all asked again")
    print(f"{'':16} {'':26} {'judge named':>12} {'system named':>13} {'either':>8}")
    for noise, uncertain in UNCERTAIN.items():
        for what, losses in LOSSES.items():
            found = [
                named(given.cases, uncertain, *losses, chance) for _ in range(given.comparisons)
            ]
            judge, system = (sum(side) / len(found) for side in zip(*found, strict=True))
            either = sum(map(any, found)) / len(found)
            print(f"{noise + ' judge':16} {what:26} {judge:12.1%} {system:13.1%} {either:8.1%}")


def named(
    cases: int, uncertain: float, judge: float, system: float, chance: random.Random
) -> tuple[bool, bool]:
    """Whether the judge was named, and whether the system was."""
    mean = uncertain * 0.5 + (1 - uncertain) * 0.9
    graded = [one_case(uncertain, judge / mean, system / mean, chance) for _ in range(cases)]
    of_judge = shift_of([(then, today) for then, today, _ in graded])
    of_system = shift_of([(today, new) for _, today, new in graded])
    return of_judge.is_found, of_system.is_found


def one_case(
    uncertain: float, judge: float, system: float, chance: random.Random
) -> tuple[Graded, Graded, Graded]:
    """A case as A had it, as today's judge sees it, and as B has it."""
    sure = [
        chance.random() if chance.random() < uncertain else float(chance.random() < 0.9)
        for _ in range(chance.randint(*STATEMENTS))
    ]
    counts = (
        supported(sure, loss, chance) for loss in (0.0, judge, 1 - (1 - judge) * (1 - system))
    )
    then, today, new = (
        Graded("", count / len(sure) >= THRESHOLD, count / len(sure), len(sure)) for count in counts
    )
    return then, today, new


if __name__ == "__main__":
    main()
