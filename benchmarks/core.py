"""CPU time of one grade without its judge, and of very large cases.

    python benchmarks/core.py                   this checkout
    python benchmarks/core.py --beside FOLDER   another checkout too: small grades only, in turns

The judge replies at once from memory, so only our own work is timed: splitting, prompts, reading,
matching, scoring. No two grades have the same text, so nothing that is remembered from one helps
the next. The floor is what any grader needs: splitting the same texts with sentencex and parsing
the same reply with json.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import sentencex

from faithfulness_assert import Ask, Grader, Reply, Usage
from faithfulness_assert.records.judge import Limits

PASSAGES = (
    (
        "The {0} Museum opens at nine and closes at six. "
        "Adults pay {1} euros and children under twelve enter free. "
        "The first hall shows maps and letters from the years when the harbour was built. "
        "The second hall is about ships and the people who sailed on them. "
        "Guided tours start every hour and take {2} minutes. "
        "The garden behind the museum is open all year and costs nothing. "
    ),
    (
        "A café on the upper floor of the {0} Museum serves soup, bread and cake until five. "
        "Dogs are welcome in the garden but not in the halls. "
        "The library of {0} was founded in {3} and can be visited on request. "
        "It has {2} thousand books, of which {1} hundred are about the sea. "
        "The building was designed by Ada {0}, who also drew the plans of the station. "
    ),
    (
        "The tower of {0} is {2} metres tall and was finished in {3}. "
        "A ferry links {0} with an island {1} kilometres away. "
        "It leaves three times a day and the crossing takes about {2} minutes. "
        "Visitors usually arrive by the regional railway, which runs along the river. "
        "The council of {0} meets on the first Monday of the month. "
    ),
)
ANSWER = (
    "The {0} Museum opens at nine. Adults pay {1} euros. Guided tours take {2} minutes. "
    "The garden costs nothing. Dogs are not allowed in the halls of {0}."
)
NAMES = (
    "Arvika Brekton Calder Dunmore Elstow Farleigh Gosport Halvor Innis Jarrow Kelso Lindau Mersea "
    "Norden Ostrava Penrith Quimper Rothes Selby Tarnow Ulster Vaduz Wexford Xanten Yarmouth"
).split()
REPLY = json.dumps(
    {"verdicts": [{"id": n, "evidence": [n, n + 1], "label": "supported"} for n in range(1, 8)]},
    separators=(",", ":"),
)
ROUNDS = 10
TURNS = 7
TARGET_MS = 2.5
ROWS = {
    "floor": "sentencex and json alone",
    "own": "a reply of our own judge",
    "outside": "a reply from outside",
    "remote": "a judge behind an API",
}


class Instant:
    """Replies at once: everything that it is asked about is supported, but no false control."""

    keeps_deadline = True  # as our own judges; any other judge is asked in a thread of its own
    answer = ""

    def __init__(self, kind: str) -> None:
        self.is_ours = kind == "own"  # our own reply is not checked against its schema
        self.remote = kind == "remote"  # such a judge is asked about two controls too
        self.limits = Limits(prompt_tokens=100_000 if self.remote else None)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        known = "\n".join([self.answer, *(text for _, text in ask.payload.sentences)])
        verdicts = [
            {"id": n, "evidence": [n, n + 1], "label": LABELS[text in known]}
            for n, text in ask.payload.items
        ]
        text = json.dumps({"verdicts": verdicts}, separators=(",", ":"))
        return Reply(text, usage=Usage(700, 150, num_requests=1), validated=self.is_ours)


LABELS = {True: "supported", False: "not_enough_info"}


def main() -> None:
    if sys.argv[1:2] == ["--once"]:
        print(json.dumps(time_small_grades()))
        return
    beside = {"there": sys.argv[2]} if sys.argv[1:2] == ["--beside"] else {}
    time_in_turns({**beside, "here": str(Path(__file__).parents[1])})
    if not beside:
        for statements in (500, 1000, 2000):
            time_large_case(statements)
        time_list(10_000)


# ---------------------------------------------------------------- small grades


def time_in_turns(folders: dict[str, str]) -> None:
    """Prints the best and the median time of each row, for each checkout."""
    runs: dict[str, list[dict[str, float]]] = {place: [] for place in folders}
    for _ in range(TURNS):
        for place, folder in folders.items():
            runs[place].append(run_once(folder))
    for row, meaning in ROWS.items():
        for place in folders:
            spent = [run[row] for run in runs[place]]
            best, middle = min(spent), median(spent)
            print(f"{meaning:25s} {place:5s} best {best:5.2f} ms  median {middle:5.2f} ms")
    print(f"(5 statements, 3 passages of about 70 words; target for a grade <= {TARGET_MS} ms)")


def run_once(folder: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--once"]
    environment = {**os.environ, "PYTHONPATH": folder}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    spent: dict[str, float] = json.loads(done.stdout)
    return spent


def time_small_grades() -> dict[str, float]:
    """The CPU time of one grade in milliseconds, for each row: that of the best round."""
    return {row: min(time_round(row, number) for number in range(ROUNDS)) for row in ROWS}


def time_round(row: str, number: int) -> float:
    cases = list(round_of_cases(number))
    work = floor if row == "floor" else grader(row)
    start = time.process_time()
    for answer, passages in cases:
        work(answer, passages)
    return (time.process_time() - start) * 1000 / len(cases)


def round_of_cases(number: int) -> Iterator[tuple[str, list[str]]]:
    for i, name in enumerate(NAMES):
        values = (name, 20 + number, 50 + i, 1500 + len(NAMES) * number + i)
        yield ANSWER.format(*values), [passage.format(*values) for passage in PASSAGES]


def floor(answer: str, passages: list[str]) -> None:
    for text in (*passages, answer):
        sentencex.segment("en", text)
    json.loads(REPLY)


def grader(row: str) -> Callable[[str, list[str]], None]:
    judge = Instant(row)
    one = Grader(judge)

    def work(answer: str, passages: list[str]) -> None:
        judge.answer = answer
        result = one.grade(answer, passages)
        assert result.score == 1.0
        assert not result.metadata.get("warnings")

    return work


# ---------------------------------------------------------------- large cases


def time_large_case(n: int) -> None:
    """Grades ``n`` statements against ten times as many sentences."""
    answer = " ".join(f"Item {i} costs {i + 5} euros." for i in range(n))
    items = (f"Item {i} costs {i + 5} euros and is kept in hall {i % 40}." for i in range(10 * n))
    time_embedded(answer, " ".join(items))


def time_list(n: int) -> None:
    """Grades a list of ``n`` items against a short context."""
    answer = "\n".join(f"- The device number {i} weighs {i} kg." for i in range(n))
    time_embedded(answer, "The office opens at 9. The device number 7 weighs 7 kg.")


def time_embedded(answer: str, context: str) -> None:
    start = time.process_time()
    result = Grader().grade(answer, context)
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = f"{len(result.verdicts)} statements, context {len(context):,} characters"
    print(f"embedded: {size}: {spent:.2f} s, peak {peak:.0f} MB")


if __name__ == "__main__":
    main()
