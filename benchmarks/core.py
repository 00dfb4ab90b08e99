"""CPU of the core: a grade without its judge, and the largest case that is graded.

    python benchmarks/core.py

The judge replies at once from memory, so that what is timed is ours: splitting, rendering, reading, reconciling, scoring. The floor is
what any grader needs: splitting the same texts by sentencex and parsing the same reply by json.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable

import sentencex

from faithfulness_assert import Ask, Grader, Reply, Usage

PASSAGE = (
    "The Harbour Museum opens at nine and closes at six. Adults pay 14 euros and children under twelve enter free. The first hall shows "
    "maps and letters from the years when the harbour was built. The second hall is about ships and the people who sailed on them. "
    "Guided tours start every hour and take forty minutes. The garden behind the museum is open all year and costs nothing. "
    "A café on the upper floor serves soup, bread and cake until five. Dogs are welcome in the garden but not in the halls. "
    "The library can be visited on request."
)
ANSWER = (
    "The museum opens at nine. Adults pay 14 euros. Guided tours take forty minutes. The garden costs nothing. "
    "Dogs are not allowed in the halls."
)
REPLY = json.dumps(
    {"verdicts": [{"id": n, "evidence": [n, n + 1], "label": "supported"} for n in range(1, 6)]},
    separators=(",", ":"),
)
TARGET_MS = 2.0


class Instant:
    """Says what it is asked to say; ``validated`` leaves out the schema check, which only replies from outside need."""

    keeps_deadline = (
        True  # as the judges here do; one that does not is asked in a thread of its own
    )

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
    for n in (500, 1000, 2000):
        answer = " ".join(f"Item {i} costs {i + 5} euros." for i in range(n))
        text = " ".join(
            f"Item {i} costs {i + 5} euros and is kept in hall {i % 40}." for i in range(10 * n)
        )
        start = time.process_time()
        result = Grader().grade(answer, text)
        spent, peak = (
            time.process_time() - start,
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        )
        print(
            f"embedded: {len(result.verdicts)} statements, context {len(text):,} characters: {spent:.2f} s, peak {peak:.0f} MB"
        )


if __name__ == "__main__":
    main()
