"""Compares promptfoo's ``context-faithfulness`` with ours: same promptfoo, judge and tests.

    python benchmarks/against_builtin.py [--latency 0 200 1000] [--tests 60] [--repeats 3] [--write]
    python benchmarks/against_builtin.py --correctness

Ours runs twice: as a ``python`` assertion, each a process, and as a ``javascript`` assertion. All
runs of one latency take turns; each figure is the smallest of the repeats. With the defaults this
takes about six minutes on two idle cores. Linux only.

The judge is a truthful server on this machine, asked as one elsewhere would be. It replies in the
format that each prompt asks for (explanations and a final line for the built-in, compact JSON for
ours), after ``latency`` for each call. Wall time is that of the whole ``promptfoo eval`` at
promptfoo's default concurrency. The judge counts the tokens (cl100k): of the messages, and of the
JSON Schemas that go with ours. Memory is the peak of the proportional set of the process tree, CPU
its user and system time.

``--correctness`` prints the replies and answers to which the built-in gives a wrong score; the
cases are in ``tests/e2e/wrong_scores.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
sys.path.append(str(Path(__file__).parent / "peers"))
import process_tree
from e2e.judge import reply
from e2e.promptfoo import Promptfoo, clean_environment, provide
from e2e.wrong_scores import table
from eval_tests import case
from loopback import Answer, Loopback, Request, completion
from pages import DOCS, put

import faithfulness_assert
from faithfulness_assert.asking.tokens import estimate_tokens, exact_counter

TEMPLATES = Path(faithfulness_assert.__file__).parent / "promptfoo" / "templates"
# Leads to this machine. Ours asks a server at 127.0.0.1 alone first, as people run slow ones there.
ADDRESS = "0.0.0.0"
BUILTIN = "built-in"
MODEL = "gpt-4o-mini"
THRESHOLD = 0.8

# ---------------------------------------------------------------- the tests


def config(assertion: dict[str, Any], tests: int) -> dict[str, Any]:
    """A promptfoo configuration in which every test has this assertion, ours as in our example."""
    hooks = [f"{assertion['value']}:afterAll"] if "value" in assertion else []
    return {
        "prompts": ["{{query}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": [assertion]},
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
            json.dumps(config(graders(server.url.replace("127.0.0.1", ADDRESS))[name], tests)),
            "utf-8",
        )
        options = "-c c.json -o out.json --no-cache --no-progress-bar --no-table".split()
        command = promptfoo.command("eval", *options)
        environment = {
            **clean_environment(folder),
            "OPENAI_API_KEY": "none-is-needed",
            "NO_PROXY": ADDRESS,
        }
        wall, cpu, memory = process_tree.cost(command, folder, environment)
        rows = json.loads((folder / "out.json").read_text("utf-8"))["results"]["results"]
        scores = {row["testCase"]["description"]: row["score"] for row in rows}
        return Cost(wall, cpu, memory, judge, scores)


# ---------------------------------------------------------------- the table

COLUMNS = {
    "wall time": "{:.1f} s",
    "CPU": "{:.1f} s",
    "peak memory": "{:,.0f} MB",
    "judge calls": "{:,.0f}",
    "prompt tokens": "{:,.0f}",
    "of schemas": "{:,.0f}",
    "completion tokens": "{:,.0f}",
}


def figures(cost: Cost) -> tuple[float, ...]:
    judge = cost.judge
    tokens = judge.prompt, judge.schema, judge.completion
    return cost.wall, cost.cpu, cost.memory, judge.calls, *tokens


def compare(promptfoo: Promptfoo, latency: int, tests: int, repeats: int) -> str:
    """The built-in, then for each of ours a row with its costs and a row with their ratios."""
    costs: dict[str, list[Cost]] = {name: [] for name in graders("")}
    for _ in range(repeats):
        for name, runs in costs.items():
            runs.append(measure(promptfoo, name, latency / 1000, tests))
            check_same_scores(costs[BUILTIN][0].scores, runs[-1].scores)
    rows = []
    for name, runs in costs.items():
        least = list(map(min, zip(*map(figures, runs), strict=True)))
        rows.append((name, list(map(str.format, COLUMNS.values(), least))))
        if name == BUILTIN:
            of_builtin = least
        else:
            pairs = zip(of_builtin, least, strict=True)
            rows.append(("ratio", [f"{b / a:.2f} x" if a else "–" for a, b in pairs]))
    return "\n".join(f"| {latency:,} ms | {name} | {' | '.join(row)} |" for name, row in rows)


def check_same_scores(builtin: dict[str, float], ours: dict[str, float]) -> None:
    """Ends the program if the graders disagree: their costs would not be comparable."""
    different = [name for name in builtin if abs(builtin[name] - ours[name]) > 1e-9]
    if different:
        first = different[0]
        scores = f"{builtin[first]} and {ours[first]}"
        sys.exit(f"the graders disagree on {len(different)} tests, first {first}: {scores}")


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
    lines = [
        f"{measured_on(promptfoo)}; the least of {arguments.repeats} repeats.\n",
        f"| judge | grader | {' | '.join(COLUMNS)} |\n|---|---|{'---|' * len(COLUMNS)}",
    ]
    print(*lines, sep="\n", flush=True)
    for latency in arguments.latency:
        lines.append(compare(promptfoo, latency, arguments.tests, arguments.repeats))
        print(lines[-1], flush=True)
    if arguments.write:
        put(DOCS / "benchmarks.md", "against_builtin.py", "\n".join(lines))


def measured_on(promptfoo: Promptfoo) -> str:
    """What may be said about this machine: no paths, no names."""
    cpuinfo = Path("/proc/cpuinfo").read_text("utf-8")
    model = re.search(r"^model name\s*: (.+)", cpuinfo, re.MULTILINE)
    package = json.loads((promptfoo.entry.parents[2] / "package.json").read_text("utf-8"))
    node = subprocess.run([promptfoo.node, "--version"], capture_output=True, text=True, check=True)
    return (
        f"Measured on {date.today()}: {model[1] if model else platform.machine()}, "
        f"{os.cpu_count()} cores, Linux, Python {platform.python_version()}, "
        f"Node {node.stdout.strip().removeprefix('v')}, promptfoo {package['version']}"
    )


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="promptfoo's context-faithfulness compared with our assertion"
    )
    latency_help = "milliseconds for each call of the judge"
    parser.add_argument("--latency", type=int, nargs="+", default=[0, 200, 1000], help=latency_help)
    parser.add_argument("--tests", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3, help="the smallest figure counts")
    parser.add_argument("--write", action="store_true", help="write the table into the docs")
    parser.add_argument("--correctness", action="store_true", help="print wrong scores instead")
    return parser.parse_args()


if __name__ == "__main__":
    main()
