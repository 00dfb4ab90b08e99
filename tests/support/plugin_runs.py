"""Runs pytest with the plugin in it, on files that a test writes."""

import re
from importlib.metadata import entry_points
from typing import Any

import pytest

# pytester unloads what a run has loaded. This stays loaded, which saves half the time.
from faithfulness_assert import grade
from faithfulness_assert.judges import openai as openai_judge
from faithfulness_assert.pytest_plugin import fixture

HOOKS = "faithfulness_assert.pytest_plugin.hooks"
INSTALLED = any(point.value == HOOKS for point in entry_points(group="pytest11"))
"""Whether pytest finds the plugin itself. In a checkout that is not installed, it is named."""
STRICT = ("--strict-markers", "--strict-config", "-W", "error", "-p", "no:cacheprovider")
PLUGIN = STRICT if INSTALLED else ("-p", HOOKS, *STRICT)

CONTEXT = ["The museum opens at 9 and closes at 18.", "Adults pay 12 euros."]
TRUE, FALSE = "Adults pay 12 euros.", "The museum opens at 9. The lion sleeps."

JUDGES = '''
import itertools, json
import pytest
from faithfulness_assert import JudgeError, Reply, Usage

CONTEXT = ["The museum opens at 9 and closes at 18.", "Adults pay 12 euros."]
TRUE, FALSE = "Adults pay 12 euros.", "The museum opens at 9. The lion sleeps."
USAGE = Usage(prompt=80, completion=20, num_requests=1)

class Scripted:
    """Its replies repeat: s supports everything, n nothing, e is an error, k a wrong key."""

    name = "flaky"

    def __init__(self, script):
        self.script = itertools.cycle(script)
        self.asked = 0

    def ask(self, ask, /, *, deadline=None):
        self.asked += 1
        step = next(self.script)
        if step == "e":
            raise JudgeError("the server is down", "server")
        if step == "k":
            raise JudgeError("Incorrect API key", "auth")
        label = {"s": "supported", "n": "not_enough_info"}[step]
        rows = [{"id": n, "evidence": [1], "label": label} for n, _ in ask.payload.items]
        return Reply(json.dumps({"verdicts": rows}), usage=USAGE)
'''


LOADED = (fixture, openai_judge, grade("It is.", "It is.").model_dump_json())


class Runs:
    """Runs pytest on test code, which may use what ``JUDGES`` defines."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makepyfile(judges=JUDGES)
        pytester.makeini("[pytest]\npythonpath = .")

    def ini(self, *lines: str) -> None:
        self.pytester.makeini("\n".join(["[pytest]", "pythonpath = .", *lines]))

    def write(self, code: str, name: str = "test_it") -> None:
        head = "import pytest\nfrom judges import CONTEXT, FALSE, TRUE, Scripted\n"
        self.pytester.makepyfile(**{name: f"{head}{code}"})

    def run(self, *arguments: str) -> pytest.RunResult:
        """A run in this process, which is fast."""
        return self.pytester.runpytest_inprocess(*PLUGIN, *arguments)

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        """A run in a process of its own, as pytest-xdist needs it."""
        return self.pytester.runpytest_subprocess(*PLUGIN, *arguments)


def output(result: pytest.RunResult) -> str:
    return result.stdout.str() + result.stderr.str()


def summary(result: pytest.RunResult) -> list[str]:
    """The lines of the plugin's own section; none if it is not there."""
    lines: list[Any] = result.outlines
    heads = [place for place, line in enumerate(lines) if line.strip("= ") == "faithfulness"]
    if not heads:
        return []
    rest = lines[heads[0] + 1 :]
    ends = [place for place, line in enumerate(rest) if re.match("=|.* in [0-9.]+s", line)]
    return rest[: ends[0]] if ends else rest
