"""How often the intervals of agreement figures contain the true ones, from 100 labels.

    python benchmarks/agreement_figures.py [--labels 100] [--repeats 1000] [--seed 1]

Runs of 2,000 answers, 3 to 30 % of them unfaithful; three judges. Two kinds of sheets: drawn by
the verdicts of the judge itself, and drawn by those of another judge. The true figures are those of
all answers that could be: of many that are made the same way.
At the end: how often two judges that are equally good are called different.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from itertools import product

from faithfulness_assert.agreement.bootstrap import Cluster, Sample, intervals
from faithfulness_assert.agreement.drawing import split
from faithfulness_assert.agreement.figures import figures
from faithfulness_assert.agreement.paired import FALSE_ALARMS, Both, paired

RUN = 2000
SHARES = (0.03, 0.1, 0.3)
JUDGES = ((0.7, 0.95), (0.9, 0.9), (0.5, 0.8))
KINDS = ("its own sheet", "another judge's sheet")
SHOWN = ("agreement", "balanced_accuracy", "precision", "recall", "kappa", "ac1")
RESAMPLES = 400
OWN, BOTH = [[0, 2], [1, 3]], [[0, 1, 2, 3]] * 2
LONG = 200_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    print(f"{'':24}" + "".join(f"{name:>19}" for name in SHOWN))
    for kind in KINDS:
        every = defaultdict(list)
        for share, judge in product(SHARES, JUDGES):
            held = coverage(kind, share, judge, given.labels, given.repeats, chance)
            for name in SHOWN:
                every[name].append(held[name] / given.repeats)
        print(f"{kind:24}" + "".join(f"{range_of(every[name]):>19}" for name in SHOWN))
    print("\nequally good judges called different, of all comparisons:")
    for share, judge in product(SHARES, JUDGES):
        wrong = alarms(share, judge, given.labels, given.repeats, chance)
        print(f"  {share:4.0%} unfaithful, judges {judge}: {wrong / given.repeats:.1%}")


def range_of(held: list[float]) -> str:
    return f"{min(held):.3f} {sum(held) / len(held):.3f} {max(held):.3f}"


def coverage(
    kind: str,
    share: float,
    judge: tuple[float, float],
    labels: int,
    repeats: int,
    chance: random.Random,
) -> dict[str, int]:
    """For each figure, how often its interval contains the true one."""
    sums = [0] * 4
    for wrong, flag, _ in answers(LONG, share, judge, chance):
        sums[2 * wrong + flag] += 1
    true, held = figures(sums), dict.fromkeys(SHOWN, 0)
    for _ in range(repeats):
        run = answers(RUN, share, judge, chance)
        by = 2 if kind == "another judge's sheet" else 1
        sample = sampled(run, by, labels, OWN if kind == "its own sheet" else BOTH, chance)
        seed = chance.randrange(2**32)
        found = intervals(sample, figures, seed=seed, resamples=RESAMPLES)
        for name in SHOWN:
            held[name] += found[name].low <= true[name] <= found[name].high
    return held


def answers(size: int, share: float, judge: tuple[float, float], chance: random.Random) -> list:
    """For each answer whether it is unfaithful, the judge flags it, and another judge does."""
    made = []
    for _ in range(size):
        wrong = chance.random() < share
        flag, other = (chance.random() < (judge[0] if wrong else 1 - judge[1]) for _ in range(2))
        made.append((wrong, flag, other))
    return made


def drawn(run: list, by: int, labels: int, chance: random.Random) -> tuple[list, list[int]]:
    """Answers as `label` draws them by one of the judges, with their strata; and their sizes."""
    strata = [[answer for answer in run if answer[by] is kind] for kind in (False, True)]
    flagged, others = split(labels, len(strata[1]), len(strata[0]))
    some = [
        (place, answer)
        for place, size in ((0, others), (1, flagged))
        for answer in chance.sample(strata[place], size)
    ]
    return some, [len(stratum) for stratum in strata]


def sampled(
    run: list, by: int, labels: int, possible: list[list[int]], chance: random.Random
) -> Sample:
    some, sizes = drawn(run, by, labels, chance)
    clusters = [
        Cluster(place, tuple(int(kind == 2 * wrong + flag) for kind in range(4)))
        for place, (wrong, flag, _) in some
    ]
    return Sample(clusters, sizes, possible)


def alarms(
    share: float, judge: tuple[float, float], labels: int, repeats: int, chance: random.Random
) -> int:
    """How often one of two equally good judges is called better, by a sheet of the first one."""
    found = 0
    for _ in range(repeats):
        some, sizes = drawn(answers(RUN, share, judge, chance), 1, labels, chance)
        both = [Both(place, answer) for place, answer in some]
        if {answer.item[0] for answer in both} == {False, True}:
            found += paired(("A", "B"), both, sizes, resamples=RESAMPLES).p <= FALSE_ALARMS
    return found


if __name__ == "__main__":
    main()
