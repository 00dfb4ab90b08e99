"""CPU time of one grade without its judge.

    python benchmarks/core.py

The judge replies at once from memory, so only our own work is timed: splitting, prompts, reading,
matching, scoring. No two grades have the same text, so nothing that is remembered from one helps
the next. The floor is what any grader needs: splitting the same texts with sentencex and parsing
the same reply with json. ``cost.py`` has exact counts of what a grade does.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from statistics import median

import sentencex
from peers.items import Item, items

from faithfulness_assert import Ask, Grader, Reply, Usage
from faithfulness_assert.records.judge import Limits

REPLY = json.dumps(
    {"verdicts": [{"id": n, "evidence": [n, n + 1], "label": "supported"} for n in range(1, 8)]}
)
ROUNDS, CASES = 30, 25
ROWS = {
    "floor": "sentencex and json alone",
    "own": "a reply of our own judge",
    "outside": "a reply from outside",
    "remote": "a judge behind an API",
}


class Instant:
    """Replies at once: what the context has word for word is supported."""

    keeps_deadline = True  # as our own judges; any other judge is asked in a thread of its own

    def __init__(self, kind: str) -> None:
        self.is_ours = kind == "own"  # our own reply is not checked against its schema
        self.remote = kind == "remote"  # such a judge is asked about two controls too
        self.limits = Limits(prompt_tokens=100_000 if self.remote else None)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        known = "\n".join(text for _, text in ask.payload.sentences)
        verdicts = [
            {"id": n, "evidence": [n, n + 1], "label": LABELS[text in known]}
            for n, text in ask.payload.items
        ]
        text = json.dumps({"verdicts": verdicts}, separators=(",", ":"))
        return Reply(text, usage=Usage(700, 150, num_requests=1), validated=self.is_ours)


LABELS = {True: "supported", False: "not_enough_info"}


def main() -> None:
    for row, meaning in ROWS.items():
        work = floor if row == "floor" else grader(row)
        spent = [time_round(work, number) for number in range(ROUNDS)]
        print(f"{meaning:25s} best {min(spent):5.2f} ms  median {median(spent):5.2f} ms")
    print("(5 statements, 3 passages of about 100 words)")


def time_round(work: Callable[[Item], None], number: int) -> float:
    """The CPU time of a grade in milliseconds."""
    cases = items(CASES, number * CASES)
    start = time.process_time()
    for case in cases:
        work(case)
    return (time.process_time() - start) * 1000 / len(cases)


def floor(case: Item) -> None:
    for text in (*case.contexts, case.answer):
        sentencex.segment("en", text)
    json.loads(REPLY)


def grader(row: str) -> Callable[[Item], None]:
    one = Grader(Instant(row))

    def work(case: Item) -> None:
        result = one.grade(case.answer, list(case.contexts))
        assert result.score == case.score, result.reason
        assert not result.metadata.get("warnings")

    return work


if __name__ == "__main__":
    main()
