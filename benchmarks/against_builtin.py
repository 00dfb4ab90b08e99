"""promptfoo's ``context-faithfulness`` against our assertion: one promptfoo, one judge, the same 60 tests.

    python benchmarks/against_builtin.py [--latency 0 200 1000] [--tests 60] [--worker]
    python benchmarks/against_builtin.py --correctness

The judge is a loopback server that knows the truth, replies to each grader as its prompt asks (the built-in's with explanations and a final
line, ours with compact JSON), and takes ``latency`` for each call. Wall time is that of the whole ``promptfoo eval`` at promptfoo's own
concurrency. Tokens are counted by the judge (cl100k, messages only; the JSON Schema that we send along is told apart). Memory is the
proportional set of the whole process tree at its peak, CPU its user and system time. Linux only.

``--correctness`` prints the replies and answers on which the built-in's score is wrong; the cases are in ``tests/e2e/wrong_scores.py``.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(
    0, str(Path(__file__).parents[1] / "tests")
)  # they know how to be a judge, and how to install and run promptfoo
from e2e.judge import reply
from e2e.promptfoo import Promptfoo, clean_environment, provide
from e2e.wrong_scores import table
from loopback import Answer, Loopback, Request, completion

import faithfulness_assert
from faithfulness_assert.asking.tokens import estimate_tokens, exact_counter

TEMPLATES = Path(faithfulness_assert.__file__).parent / "promptfoo" / "templates"
MODEL = "gpt-4o-mini"
THRESHOLD = 0.8
PR_SET_CHILD_SUBREAPER = (
    36  # of Linux's prctl: what outlives promptfoo becomes our child, and is measured too
)

TOWNS = "Arvika Belmora Cindral Dunvale Estrin Farrow Galdis Hethel Ivrea Jastow Kelmin Lorvik Mandal Norrin Ostrel Pavane".split()
FILLING = (
    "The surrounding district is known for its mixed forests and its long winters.",
    "Visitors usually arrive by the regional railway, which stops at every village on the way to the coast.",
    "Local archives keep letters, maps and council minutes from the time when the first bridges were built.",
    "In autumn the market moves from the square to the old customs house beside the harbour.",
    "A footpath follows the river past three mills, a chapel and the remains of a quarry.",
    "The school, the library and the baths share one building that was a weaving mill before.",
    "Boats were moored at the wooden pier until the ice took it away, and no one built it again.",
    "Every second summer a choir from the neighbouring valley sings in the ruins of the abbey.",
    "The oldest inn has seven rooms, a bakery and a garden with apple trees.",
)


# ---------------------------------------------------------------- the tests


def case(number: int) -> dict[str, Any]:
    """A made-up test: three passages of some 330 characters, an answer of five sentences of which about 70 % stand in them."""
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


def config(assertion: dict[str, Any], tests: int, *, worker: bool) -> dict[str, Any]:
    """A promptfoo configuration in which every test has this one assertion."""
    hooks = (
        "beforeAll",
        "afterAll",
    )  # named after its hook, an extension is called for that hook alone, not around each test
    extensions = (
        {"extensions": [f"file://faithfulness.py:{hook}" for hook in hooks]} if worker else {}
    )
    every = {"assert": [assertion]}
    return {
        "prompts": ["{{query}}"],
        "providers": ["echo"],
        "defaultTest": every,
        "tests": [*map(case, range(tests))],
        **extensions,
    }


def graders(url: str) -> dict[str, dict[str, Any]]:
    """The two assertions, each as its documentation has it."""
    provider = {"id": f"openai:chat:{MODEL}", "config": {"apiBaseUrl": url}}
    ours = {"judge": f"openai:{MODEL}", "baseUrl": url, "threshold": THRESHOLD}
    return {
        "context-faithfulness": {
            "type": "context-faithfulness",
            "threshold": THRESHOLD,
            "provider": provider,
        },
        "faithfulness_assert": {
            "type": "python",
            "value": "file://faithfulness.py",
            "config": ours,
        },
    }


# ---------------------------------------------------------------- the judge


@dataclass
class Judge:
    """Takes its time for the truth, and counts."""

    latency: float
    prompt: int = 0
    completion: int = 0
    schema: int = 0
    calls: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Answer:
        start = time.perf_counter()
        text = "\n".join(message["content"] for message in request.body["messages"])
        said = reply(request)
        prompt, completed = count(text), count(said)
        with self.lock:
            self.calls += 1
            self.prompt += prompt
            self.completion += completed
            self.schema += (
                count(json.dumps(request.body["response_format"]))
                if "response_format" in request.body
                else 0
            )
        time.sleep(max(0.0, self.latency - (time.perf_counter() - start)))
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": completed,
            "total_tokens": prompt + completed,
        }
        return completion(said, usage=usage)


count = exact_counter() or estimate_tokens


# ---------------------------------------------------------------- the measurement


@dataclass(frozen=True)
class Cost:
    """What one ``promptfoo eval`` cost: seconds, megabytes, calls and tokens. ``scores`` are by test."""

    wall: float
    cpu: float
    memory: float
    judge: Judge
    scores: dict[str, float]


def measure(promptfoo: Promptfoo, name: str, latency: float, tests: int, *, worker: bool) -> Cost:
    """Runs the tests once under the assertion ``name``."""
    judge = Judge(latency)
    with tempfile.TemporaryDirectory() as scratch, Loopback(judge) as server:
        folder = Path(scratch)
        shutil.copy(TEMPLATES / "faithfulness.py", folder)
        (folder / "c.json").write_text(
            json.dumps(config(graders(server.url)[name], tests, worker=worker)), "utf-8"
        )
        command = promptfoo.command(
            "eval",
            "-c",
            "c.json",
            "-o",
            "out.json",
            "--no-cache",
            "--no-progress-bar",
            "--no-table",
        )
        environment = {**clean_environment(folder), "OPENAI_API_KEY": "none-is-needed"}
        wall, cpu, memory = tree_cost(command, folder, environment)
        rows = json.loads((folder / "out.json").read_text("utf-8"))["results"]["results"]
        return Cost(
            wall, cpu, memory, judge, {row["testCase"]["description"]: row["score"] for row in rows}
        )


def tree_cost(
    command: list[str], folder: Path, environment: dict[str, str]
) -> tuple[float, float, float]:
    """Wall seconds until ``command`` ends; CPU seconds and peak megabytes of it and all its descendants."""
    before, start = cpu_of_children(), time.perf_counter()
    peak = 0.0
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        while process.poll() is None:
            peak = max(peak, sum(map(tree_memory, children(os.getpid()))))
            time.sleep(0.1)
    wall = time.perf_counter() - start
    reap(time.monotonic() + 30)
    return wall, cpu_of_children() - before, peak


def reap(until: float) -> None:
    """Waits for what outlived its parent: only then is its CPU time in ours."""
    with suppress(ChildProcessError):  # there is none left
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
    if children(os.getpid()):
        sys.exit("a process that promptfoo left behind is still running")


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tree_memory(pid: int) -> float:
    return memory(pid) + sum(map(tree_memory, children(pid)))


def children(pid: int) -> list[int]:
    try:
        return [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []  # it has just ended


def memory(pid: int) -> float:
    """The proportional set of one process in megabytes: what it shares is divided among those that share it."""
    try:
        found = re.search(
            r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE
        )
    except OSError:
        found = None
    return int(found[1]) / 1024 if found else 0.0


# ---------------------------------------------------------------- the table

COLUMNS = ("wall time", "judge calls", "prompt tokens", "completion tokens", "peak memory", "CPU")


def figures(cost: Cost) -> tuple[float, ...]:
    return (
        cost.wall,
        cost.judge.calls,
        cost.judge.prompt,
        cost.judge.completion,
        cost.memory,
        cost.cpu,
    )


def compare(promptfoo: Promptfoo, latency: int, tests: int, *, worker: bool) -> str:
    """Three rows: the built-in, ours, and how they relate."""
    costs = [
        measure(
            promptfoo, name, latency / 1000, tests, worker=worker and name == "faithfulness_assert"
        )
        for name in graders("")
    ]
    builtin, ours = costs
    apart = [
        name for name in builtin.scores if abs(builtin.scores[name] - ours.scores[name]) > 1e-9
    ]
    if apart:
        sys.exit(
            f"the graders disagree on {len(apart)} tests, first {apart[0]}: {builtin.scores[apart[0]]} and {ours.scores[apart[0]]}"
        )
    shown = [("{:.1f} s", "{:,.0f}", "{:,.0f}", "{:,.0f}", "{:,.0f} MB", "{:.1f} s")] * 2 + [
        ("{:.2f} x",) * 6
    ]
    rows = [
        figures(builtin),
        figures(ours),
        tuple(b / a for a, b in zip(figures(builtin), figures(ours), strict=True)),
    ]
    names = ("built-in", "ours, worker" if worker else "ours", "ratio")
    lines = [
        " | ".join(form.format(value) for form, value in zip(forms, row, strict=True))
        for forms, row in zip(shown, rows, strict=True)
    ]
    print(
        f"schema: {ours.judge.schema / ours.judge.calls:.0f} tokens a call, not counted above",
        file=sys.stderr,
    )
    return "\n".join(
        f"| {latency:,} ms | {name} | {line} |" for name, line in zip(names, lines, strict=True)
    )


def main() -> None:
    """Prints the table that was asked for."""
    parser = argparse.ArgumentParser(
        description="promptfoo's context-faithfulness against our assertion"
    )
    parser.add_argument(
        "--latency",
        type=int,
        nargs="+",
        default=[0, 200, 1000],
        help="milliseconds for each call of the judge",
    )
    parser.add_argument("--tests", type=int, default=60)
    parser.add_argument("--worker", action="store_true", help="ours with the warm worker")
    parser.add_argument(
        "--correctness", action="store_true", help="print the scores that are wrong instead"
    )
    wanted = parser.parse_args()
    promptfoo = provide()
    if wanted.correctness:
        print(table(promptfoo))
        return
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    measure(
        promptfoo, "faithfulness_assert", 0.0, 2, worker=wanted.worker
    )  # bytecode is written, files are in memory
    print(f"| judge | grader | {' | '.join(COLUMNS)} |\n|---|---|{'---|' * len(COLUMNS)}")
    for latency in wanted.latency:
        print(compare(promptfoo, latency, wanted.tests, worker=wanted.worker), flush=True)


if __name__ == "__main__":
    main()
