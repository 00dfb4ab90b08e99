"""Compares promptfoo's ``context-faithfulness`` with ours: same promptfoo, judge and tests.

    python benchmarks/against_builtin.py [--latency 0 200 1000] [--tests 60] [--repeats 3]
    python benchmarks/against_builtin.py --correctness

Ours runs twice, each time with the worker: as a ``python`` and as a ``javascript`` assertion. All
runs of one latency take turns; each figure is the smallest of the repeats. With the defaults this
takes about six minutes on two idle cores. Linux only.

The judge is a truthful loopback server. It replies in the format that each prompt asks for
(explanations and a final line for the built-in, compact JSON for ours), after ``latency`` for each
call. Wall time is that of the whole ``promptfoo eval`` at promptfoo's default concurrency. The
judge counts the tokens (cl100k, messages only; the tokens of our JSON Schema are shown separately).
Memory is the peak of the proportional set of the process tree, CPU its user and system time.

``--correctness`` prints the replies and answers to which the built-in gives a wrong score; the
cases are in ``tests/e2e/wrong_scores.py``.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import process_tree
from e2e.judge import reply
from e2e.promptfoo import Promptfoo, clean_environment, provide
from e2e.wrong_scores import table
from loopback import Answer, Loopback, Request, completion

import faithfulness_assert
from faithfulness_assert.asking.tokens import estimate_tokens, exact_counter

TEMPLATES = Path(faithfulness_assert.__file__).parent / "promptfoo" / "templates"
BUILTIN = "built-in"
HOOKS = ("beforeAll", "afterAll")
MODEL = "gpt-4o-mini"
THRESHOLD = 0.8

TOWNS = (
    "Arvika Belmora Cindral Dunvale Estrin Farrow Galdis Hethel "
    "Ivrea Jastow Kelmin Lorvik Mandal Norrin Ostrel Pavane"
).split()
FILLING = (
    "The surrounding district is known for its mixed forests and its long winters.",
    (
        "Visitors usually arrive by the regional railway, "
        "which stops at every village on the way to the coast."
    ),
    (
        "Local archives keep letters, maps and council minutes "
        "from the time when the first bridges were built."
    ),
    "In autumn the market moves from the square to the old customs house beside the harbour.",
    "A footpath follows the river past three mills, a chapel and the remains of a quarry.",
    "The school, the library and the baths share one building that was a weaving mill before.",
    "Boats were moored at the wooden pier until the ice took it away, and no one built it again.",
    "Every second summer a choir from the neighbouring valley sings in the ruins of the abbey.",
    "The oldest inn has seven rooms, a bakery and a garden with apple trees.",
)


# ---------------------------------------------------------------- the tests


def case(number: int) -> dict[str, Any]:
    """A made-up test: three passages of about 330 characters, and an answer of five sentences.

    The passages contain about 70 % of the sentences.
    """
    dice = random.Random(number)
    town = TOWNS[number % len(TOWNS)]
    founded, people, height, staff, far = (
        dice.randrange(*span) for span in ((1200, 1900), (3, 90), (20, 180), (12, 400), (5, 95))
    )

    def facts(year: int, thousands: int, metres: int, workers: int, km: int) -> list[str]:
        return [
            f"{town} was founded in {year} beside the river Osk.",
            f"The town of {town} has {thousands},000 inhabitants.",
            f"The clock tower in {town} is {metres} metres tall.",
            f"The boatyard employs {workers} people in {town}.",
            f"A ferry links {town} with an island {km} kilometres away.",
        ]

    true = facts(founded, people, height, staff, far)
    made_up = facts(founded + 111, people + 200, height + 77, staff + 500, far + 200)
    filling = dice.sample(FILLING, len(FILLING))
    passages = [
        *zip(true[0::2], [*true[1::2], ""], filling[0:3], filling[3:6], filling[6:9], strict=True)
    ]
    return {
        "description": f"test {number}",
        "vars": {
            "query": f"What should a visitor know about {town}?",
            "context": [" ".join(filter(None, passage)) for passage in passages],
        },
        "providerOutput": " ".join(
            dice.choices((right, wrong), (7, 3))[0]
            for right, wrong in zip(true, made_up, strict=True)
        ),
        "options": {"disableVarExpansion": True},
    }


def config(assertion: dict[str, Any], tests: int) -> dict[str, Any]:
    """A promptfoo configuration in which every test has this assertion, if ours with its worker."""
    # An extension named after a hook is called for that hook only, not around each test.
    hooks = [f"{assertion['value']}:{hook}" for hook in HOOKS] if "value" in assertion else []
    every = {"assert": [assertion]}
    return {
        "prompts": ["{{query}}"],
        "providers": ["echo"],
        "defaultTest": every,
        "tests": [*map(case, range(tests))],
        **({"extensions": hooks} if hooks else {}),
    }


def graders(url: str) -> dict[str, dict[str, Any]]:
    """The three assertions, written as in their documentation. The built-in is the first."""
    provider = {"id": f"openai:chat:{MODEL}", "config": {"apiBaseUrl": url}}
    ours = {"judge": f"openai:{MODEL}", "baseUrl": url, "threshold": THRESHOLD}
    return {
        BUILTIN: {
            "type": "context-faithfulness",
            "threshold": THRESHOLD,
            "provider": provider,
        },
        "ours, python": {
            "type": "python",
            "value": "file://faithfulness.py",
            "config": ours,
        },
        "ours, javascript": {
            "type": "javascript",
            "value": "file://faithfulness.cjs",
            "config": ours,
        },
    }


# ---------------------------------------------------------------- the judge


@dataclass
class Judge:
    """Replies truthfully after ``latency`` seconds, and counts calls and tokens."""

    latency: float
    prompt: int = 0
    completion: int = 0
    schema: int = 0
    calls: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Answer:
        start = time.perf_counter()
        text = "\n".join(message["content"] for message in request.body["messages"])
        text_of_reply = reply(request)
        prompt, completed = count(text), count(text_of_reply)
        with self.lock:
            self.calls += 1
            self.prompt += prompt
            self.completion += completed
            if "response_format" in request.body:
                self.schema += count(json.dumps(request.body["response_format"]))
        time.sleep(max(0.0, self.latency - (time.perf_counter() - start)))
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": completed,
            "total_tokens": prompt + completed,
        }
        return completion(text_of_reply, usage=usage)


count = exact_counter() or estimate_tokens


# ---------------------------------------------------------------- the measurement


@dataclass(frozen=True)
class Cost:
    """The cost of one ``promptfoo eval`` in seconds and megabytes, and its scores by test."""

    wall: float
    cpu: float
    memory: float
    judge: Judge
    scores: dict[str, float]


def measure(promptfoo: Promptfoo, name: str, latency: float, tests: int) -> Cost:
    """Runs the tests once under the assertion ``name``."""
    judge = Judge(latency)
    with tempfile.TemporaryDirectory() as scratch, Loopback(judge) as server:
        folder = Path(scratch)
        for template in ("faithfulness.py", "faithfulness.cjs"):
            shutil.copy(TEMPLATES / template, folder)
        (folder / "c.json").write_text(
            json.dumps(config(graders(server.url)[name], tests)), "utf-8"
        )
        options = "-c c.json -o out.json --no-cache --no-progress-bar --no-table".split()
        command = promptfoo.command("eval", *options)
        environment = {**clean_environment(folder), "OPENAI_API_KEY": "none-is-needed"}
        wall, cpu, memory = process_tree.cost(command, folder, environment)
        rows = json.loads((folder / "out.json").read_text("utf-8"))["results"]["results"]
        scores = {row["testCase"]["description"]: row["score"] for row in rows}
        return Cost(wall, cpu, memory, judge, scores)


# ---------------------------------------------------------------- the table

COLUMNS = ("wall time", "CPU", "peak memory", "judge calls", "prompt tokens", "completion tokens")
FORMATS = ("{:.1f} s", "{:.1f} s", "{:,.0f} MB", "{:,.0f}", "{:,.0f}", "{:,.0f}")
RATIO_FORMATS = ("{:.2f} x",) * len(COLUMNS)


def figures(cost: Cost) -> tuple[float, ...]:
    judge = cost.judge
    return cost.wall, cost.cpu, cost.memory, judge.calls, judge.prompt, judge.completion


def compare(promptfoo: Promptfoo, latency: int, tests: int, repeats: int) -> str:
    """The built-in, then for each of ours a row with its costs and a row with their ratios."""
    costs: dict[str, list[Cost]] = {name: [] for name in graders("")}
    for _ in range(repeats):
        for name, runs in costs.items():
            runs.append(measure(promptfoo, name, latency / 1000, tests))
            check_same_scores(costs[BUILTIN][0].scores, runs[-1].scores)
    least = {
        name: tuple(map(min, zip(*map(figures, runs), strict=True))) for name, runs in costs.items()
    }
    rows = []
    for name, values in least.items():
        rows.append((name, cells(FORMATS, values)))
        if name != BUILTIN:
            ratios = tuple(b / a for a, b in zip(least[BUILTIN], values, strict=True))
            rows.append(("ratio", cells(RATIO_FORMATS, ratios)))
    judge = costs["ours, python"][0].judge  # its asks have a schema
    schema = judge.schema / judge.calls
    print(f"schema: {schema:.0f} tokens per call, not counted above", file=sys.stderr)
    return "\n".join(f"| {latency:,} ms | {name} | {figure} |" for name, figure in rows)


def check_same_scores(builtin: dict[str, float], ours: dict[str, float]) -> None:
    """Ends the program if the graders disagree: their costs would not be comparable."""
    different = [name for name in builtin if abs(builtin[name] - ours[name]) > 1e-9]
    if different:
        first = different[0]
        scores = f"{builtin[first]} and {ours[first]}"
        sys.exit(f"the graders disagree on {len(different)} tests, first {first}: {scores}")


def cells(formats: tuple[str, ...], values: tuple[float, ...]) -> str:
    pairs = zip(formats, values, strict=True)
    return " | ".join(form.format(value) for form, value in pairs)


def main() -> None:
    """Prints a table."""
    arguments = parsed_arguments()
    promptfoo = provide()
    if arguments.correctness:
        print(table(promptfoo))
        return
    process_tree.adopt_orphans()
    # A first run, so that bytecode is written and files are in memory.
    for name in graders(""):
        measure(promptfoo, name, 0.0, 2)
    print(f"| judge | grader | {' | '.join(COLUMNS)} |\n|---|---|{'---|' * len(COLUMNS)}")
    for latency in arguments.latency:
        print(compare(promptfoo, latency, arguments.tests, arguments.repeats), flush=True)


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="promptfoo's context-faithfulness compared with our assertion"
    )
    latency_help = "milliseconds for each call of the judge"
    parser.add_argument("--latency", type=int, nargs="+", default=[0, 200, 1000], help=latency_help)
    parser.add_argument("--tests", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3, help="the smallest figure counts")
    parser.add_argument("--correctness", action="store_true", help="print wrong scores instead")
    return parser.parse_args()


if __name__ == "__main__":
    main()
