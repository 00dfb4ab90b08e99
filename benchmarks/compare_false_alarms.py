"""How often ``compare`` calls a run worse: than its repetition, and than itself with real losses.

    python benchmarks/compare_false_alarms.py [--comparisons 2000]

Each case has some statements, and each statement a chance to be supported that is its own. A run
draws each statement anew, as a judge that is not certain does. The repetition draws from the same
chances. A worse run loses points of the mean score, in a 20th as many comparisons: whole answers,
or single statements. Beside how often that is found stands what ``compare`` says of it before, the
mean over the comparisons without a loss.

At last the answers stay, and the judge drifts by a point: how often it calls them worse, and how
often ``compare`` warns then. Without a drift, such warnings are false.
"""

from __future__ import annotations

import argparse
import random
from statistics import fmean
from typing import NamedTuple

from faithfulness_assert.batch.judge_drift import SharedTexts
from faithfulness_assert.batch.paired_tests import FALSE_ALARMS, Pair, PairCounts
from faithfulness_assert.batch.power import power_for

THRESHOLD = 0.8
CASES = (20, 100, 300, 500)
UNCERTAIN = {"steady": 0.02, "usual": 0.1, "unsteady": 0.5}
"""The share of statements about which the judge is not certain."""
LOSSES = (0.03, 0.05, 0.1)
"""Of the mean score."""
DRIFT = 0.01
STATEMENTS = (3, 9)


class Drawn(NamedTuple):
    """A comparison: what its tests need, and the labels of the same answers."""

    counts: PairCounts
    shared: SharedTexts


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--comparisons", type=int, default=2000)
    comparisons = parser.parse_args().comparisons
    chance = random.Random(1)
    few = max(comparisons // 20, 1)
    print(f"called worse, of {comparisons} comparisons and of {few} with a loss; found (foretold)")
    titles = [f"{100 * loss:g} points: answers, statements" for loss in LOSSES]
    print(f"{'':29} {'false alarms':>13}", *(f"{title:>32}" for title in titles))
    alarms = warned = 0
    for name, uncertain in UNCERTAIN.items():
        for cases in CASES:
            same = [drawn(cases, uncertain, chance) for _ in range(comparisons)]
            worse = sum(found.counts.tests().worse for found in same)
            alarms += worse
            warned += sum(warns(found) for found in same)
            cells = [loses(cases, uncertain, loss, few, same[:few], chance) for loss in LOSSES]
            first = f"{name + ' judge,':16} {cases:4} cases"
            print(f"{first:29} {worse / comparisons:13.2%}", *(f"{cell:>32}" for cell in cells))
    total = comparisons * len(UNCERTAIN) * len(CASES)
    print(f"false alarms, all together: {alarms} of {total:,} ({alarms / total:.2%})")
    print(f"false warnings of a drift: {warned} of {total:,} ({warned / total:.2%})")
    for cases in CASES:
        found = [drawn(cases, 0.1, chance, statements=DRIFT) for _ in range(few * 5)]
        wrong = [one for one in found if one.counts.tests().worse]
        told = sum(map(warns, wrong))
        print(
            f"judge drifts by {100 * DRIFT:g} point, {cases:4} cases: "
            f"{len(wrong) / len(found):.1%} called worse; of these {told} of {len(wrong)} warned"
        )


def loses(
    cases: int, uncertain: float, loss: float, few: int, same: list[Drawn], chance: random.Random
) -> str:
    """How often a loss is found, in whole answers and in single statements, beside its power."""
    least, most = [], []
    for one in same:
        if power := power_for(loss, one.counts, sum(STATEMENTS) / 2):
            least.append(power.least)
            most.append(power.most)
    by = (
        fmean(
            drawn(cases, uncertain, chance, **{kind: loss}).counts.tests().worse  # type: ignore[arg-type]
            for _ in range(few)
        )
        for kind in ("answers", "statements")
    )
    said = zip(by, (fmean(least), fmean(most)), strict=True)
    return "  ".join(f"{found:4.0%} ({told:4.0%})" for found, told in said)


def drawn(
    cases: int,
    uncertain: float,
    chance: random.Random,
    *,
    answers: float = 0,
    statements: float = 0,
) -> Drawn:
    """A comparison in which B loses so much of the mean score."""
    mean = uncertain * 0.5 + (1 - uncertain) * 0.9
    shared, pairs = SharedTexts(), []
    for _ in range(cases):
        sure = [
            chance.random() if chance.random() < uncertain else float(chance.random() < 0.9)
            for _ in range(chance.randint(*STATEMENTS))
        ]
        before = supported(sure, 0, chance)
        after = supported(sure, statements / mean, chance)
        if chance.random() < answers / mean:
            after = 0
        shared.add((before, len(sure)), (after, len(sure)))
        scores = before / len(sure), after / len(sure)
        pairs.append(Pair(scores[0] >= THRESHOLD, scores[1] >= THRESHOLD, *scores))
    return Drawn(PairCounts(pairs), shared)


def supported(sure: list[float], loss: float, chance: random.Random) -> int:
    return sum(chance.random() < p and chance.random() >= loss for p in sure)


def warns(found: Drawn) -> bool:
    return found.shared.chance <= FALSE_ALARMS


if __name__ == "__main__":
    main()
