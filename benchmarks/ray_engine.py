"""How long a run on Ray takes beside one on this machine, with the embedded judge.

    python benchmarks/ray_engine.py [--cases 10000] [--rounds 3]        (needs the extra ray)

Both engines use all cores. The time is that from the first result to the last, so that start-up is
apart; it is given too. The engines take turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.processes import LocalEngine
from faithfulness_assert.batch.ray import RayEngine
from faithfulness_assert.batch.row_grading import GraderSettings, Share

SETTINGS = GraderSettings("embedded", "default", None, {})


def records(cases: int) -> Iterator[dict[str, Any]]:
    """Cases with three statements and three passages, none like another."""
    for n in range(cases):
        facts = [f"The shop {n} is open daily.", f"It sells {n} cakes.", f"Its owner is {n + 20}."]
        yield {"id": str(n), "answer": " ".join(facts), "context": [*facts[:2], "Cakes are good."]}


def measured(graded: Callable[[Any], Iterator[Any]], cases: int) -> tuple[float, float]:
    """Seconds until the first result, and from it to the last."""
    began = time.perf_counter()
    results = graded(open_data_set(records(cases)).rows())
    next(results)
    first = time.perf_counter()
    assert sum(1 for _ in results) == cases - 1
    return first - began, time.perf_counter() - first


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    grader = SETTINGS.grader()
    engines = {
        "local": LocalEngine(SETTINGS, grader, Share(), processes=2).graded,
        "ray": RayEngine(SETTINGS, grader, Share(), actors=2).graded,
    }
    best = dict.fromkeys(engines, float("inf"))
    for _ in range(given.rounds):
        for name, graded in engines.items():
            start, rest = measured(graded, given.cases)
            best[name] = min(best[name], rest)
            print(
                f"{name:6s} start {start:5.1f} s, {given.cases:,} cases {rest:6.1f} s", flush=True
            )
    print(f"ray / local, the least of each: {best['ray'] / best['local']:.2f}")


if __name__ == "__main__":
    main()
