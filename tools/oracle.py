"""Grades by a judge that goes wrong, held against an independent reference: a long run.

    python tools/oracle.py [GRADES] [SEED]

Prints how many grades of each policy and each fault there were, how they ended, and for each class
of violations (a law, and the faults of the judge) how many and the smallest case.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from fuzz.oracle import run_and_check, violations
from fuzz.random_scenarios import reproduction, scenario_of
from fuzz.scenario import Scenario


class Tally:
    """What a run found."""

    def __init__(self) -> None:
        self.policies: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.violated: Counter[str] = Counter()
        self.classes: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.smallest: dict[tuple[str, tuple[str, ...]], Scenario] = {}

    def add(self, scenario: Scenario) -> None:
        """Grades a scenario and counts what comes of it."""
        status, problems = run_and_check(scenario)
        self.policies[scenario.policy] += 1
        self.faults.update(set(scenario.faults) or {"none"})
        self.statuses[status] += 1
        for law in sorted({problem.partition(":")[0] for problem in problems}):
            self.violated[law] += 1
            self._classify(scenario, law)

    def _classify(self, scenario: Scenario, law: str) -> None:
        name = (law, scenario.faults)
        self.classes[name] += 1
        if name not in self.smallest or _size(scenario) < _size(self.smallest[name]):
            self.smallest[name] = scenario

    def lines(self) -> Iterator[str]:
        """The report."""
        for title, counter in (
            ("policies", self.policies),
            ("faults", self.faults),
            ("statuses", self.statuses),
            ("violations", self.violated),
        ):
            yield f"{title}: {', '.join(f'{name} {n}' for name, n in counter.most_common())}"
        for (law, faults), times in self.classes.most_common():
            yield f"\n== {law}: {' + '.join(faults) or 'no fault'} ({times})"
            small = self.smallest[law, faults]
            yield from (f"   {p}" for p in violations(small) if p.startswith(law))
            yield f"   {reproduction(small)}"


def _size(scenario: Scenario) -> tuple[int, int]:
    return len(scenario.sentences), len(scenario.options)


def main(grades: int, seed: int) -> int:
    """Runs, prints, and returns how many grades broke a law."""
    tally, begun = Tally(), time.monotonic()
    for number in range(grades):
        tally.add(scenario_of(random.Random(f"{seed}/{number}")))
    print(f"{grades} grades from seed {seed} in {time.monotonic() - begun:.0f} s")
    print("\n".join(tally.lines()))
    return sum(tally.violated.values())


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:3]]
    sys.exit(1 if main(*(given + [2000, 1][len(given) :])) else 0)
