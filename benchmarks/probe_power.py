"""How surely ``probe`` finds a blind spot, and how often it sees one that is not there. Simulated.

A judge is wrong about each statement of a kind with the same chance. ``fooled``: it is on one kind,
and errs on 2 % of the others. ``any``: it is wrong on 10 % of all kinds, which is just tolerated.

Run: ``python benchmarks/probe_power.py [RUNS]`` (default: 20,000; a minute).
"""

from __future__ import annotations

import sys
from functools import cache
from random import Random

from faithfulness_assert.probe.asking import PER_KIND
from faithfulness_assert.probe.card import TOLERATED, KindCard
from faithfulness_assert.probe.scenes import KINDS

RUNS = 20_000
SEED = 20261124


@cache
def is_blind(wrong: int, asked: int) -> bool:
    """Whether a card calls this a blind spot."""
    return KindCard(asked, wrong).is_blind


def errors(chance: Random, asked: int, share: float) -> int:
    """How many of so many statements a judge gets wrong."""
    return sum(chance.random() < share for _ in range(asked))


def found(runs: int, asked: int, share: float) -> float:
    """How often a kind on which the judge is wrong that often is called blind."""
    chance = Random(f"{SEED} {asked} {share}")
    return sum(is_blind(errors(chance, asked, share), asked) for _ in range(runs)) / runs


def any_false(runs: int, asked: int) -> float:
    """How often a judge that is wrong on 10 % of all kinds is called blind to any."""
    chance = Random(f"{SEED} any {asked}")
    return (
        sum(
            any(is_blind(errors(chance, asked, TOLERATED), asked) for _ in KINDS)
            for _ in range(runs)
        )
        / runs
    )


def main() -> None:
    """Prints the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    shares = (0.2, 0.3, 0.4, 0.5, 0.7)
    print(
        "| statements of a kind | " + " | ".join(f"{s:.0%}" for s in shares) + " | any, falsely |"
    )
    print("|" + "---|" * (len(shares) + 2))
    for asked in (PER_KIND, 66, 100):
        cells = [f"{found(runs, asked, share):.1%}" for share in shares]
        print(f"| {asked} | {' | '.join(cells)} | {any_false(runs // 4, asked):.1%} |", flush=True)


if __name__ == "__main__":
    main()
