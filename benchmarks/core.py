"""CPU time of one grade without its judge, and of very large cases.

    python benchmarks/core.py

The judge replies at once from memory, so only our own work is timed: splitting, prompts, reading,
matching, scoring. The floor is what any grader needs: splitting the same texts with sentencex and
parsing the same reply with json.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable

import sentencex

from faithfulness_assert import Ask, Grader, Reply, Usage

PASSAGE = (
    "The Harbour Museum opens at nine and closes at six. "
    "Adults pay 14 euros and children under twelve enter free. "
    "The first hall shows maps and letters from the years when the harbour was built. "
    "The second hall is about ships and the people who sailed on them. "
    "Guided tours start every hour and take forty minutes. "
    "The garden behind the museum is open all year and costs nothing. "
    "A café on the upper floor serves soup, bread and cake until five. "
    "Dogs are welcome in the garden but not in the halls. "
    "The library can be visited on request."
)
ANSWER = (
    "The museum opens at nine. Adults pay 14 euros. Guided tours take forty minutes. "
    "The garden costs nothing. Dogs are not allowed in the halls."
)
REPLY = json.dumps(
    {"verdicts": [{"id": n, "evidence": [n, n + 1], "label": "supported"} for n in range(1, 6)]},
    separators=(",", ":"),
)
TARGET_MS = 2.0


class Instant:
    """Always gives the same reply. Only a reply from outside is checked against its schema."""

    keeps_deadline = True  # as our own judges; any other judge is asked in a thread of its own

    def __init__(self, *, outside: bool) -> None:
        self.outside = outside

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        return Reply(REPLY, usage=Usage(), validated=not self.outside)


def best_ms(work: Callable[[], object], times: int = 200) -> tuple[float, float]:
    """Best and median CPU time of ``work`` in milliseconds."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append((time.process_time() - start) * 1000)
    return min(spent), sorted(spent)[times // 2]


def floor() -> None:
    for text in (PASSAGE, PASSAGE, PASSAGE, ANSWER):
        sentencex.segment("en", text)
    json.loads(REPLY)


def main() -> None:
    time_one_grade()
    for statements in (500, 1000, 2000):
        time_large_case(statements)


def time_one_grade() -> None:
    context = [PASSAGE] * 3
    inside, outside = Grader(Instant(outside=False)), Grader(Instant(outside=True))
    assert inside.grade(ANSWER, context).score == outside.grade(ANSWER, context).score == 1.0
    for name, work in (
        ("floor", floor),
        ("our own reply", lambda: inside.grade(ANSWER, context)),
        ("a reply from outside", lambda: outside.grade(ANSWER, context)),
    ):
        best, median = best_ms(work)
        print(f"{name:22s} best {best:6.2f} ms  median {median:6.2f} ms")
    print(f"(5 statements, 3 passages of about 100 words; target for a grade <= {TARGET_MS} ms)")


def time_large_case(n: int) -> None:
    """Grades ``n`` statements against ten times as many sentences."""
    answer = " ".join(f"Item {i} costs {i + 5} euros." for i in range(n))
    items = (f"Item {i} costs {i + 5} euros and is kept in hall {i % 40}." for i in range(10 * n))
    context = " ".join(items)
    start = time.process_time()
    result = Grader().grade(answer, context)
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = f"{len(result.verdicts)} statements, context {len(context):,} characters"
    print(f"embedded: {size}: {spent:.2f} s, peak {peak:.0f} MB")


if __name__ == "__main__":
    main()
