"""Each row of ``rows.yaml`` is one test of a real promptfoo: our assertion in many kinds of promptfoo configs.

Every row runs twice: with ``faithfulness.py``, where each assertion is a process, and with ``faithfulness.cjs``.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from loopback import Answer, Loopback, Request, completion, refusal_to

from .judge import reply
from .promptfoo import Promptfoo

pytestmark = pytest.mark.e2e

HERE = Path(__file__).parent
USAGE = {
    "prompt_tokens": 120,
    "completion_tokens": 30,
    "total_tokens": 150,
    "prompt_tokens_details": {"cached_tokens": 20},
}
KEY = "sk-rows-0123456789abcdef0123456789abcdef"
GROUPS: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "rows.yaml").read_text("utf-8"))[
    "groups"
]
TYPES = ("python", "javascript")
ROWS = [
    pytest.param(kind, name, row, id=f"{kind}, {name}: {row['description']}")
    for kind in TYPES
    for name, group in GROUPS.items()
    for row in group["rows"]
]
# What promptfoo itself says in a reason is different for a ``javascript`` assertion.
IN_JAVASCRIPT = {
    "NotPythonError: ": "Custom function threw error: ",
    "less than threshold": "< threshold",
}

Result = dict[str, Any]


def judge(request: Request) -> Answer:
    """Answers as the model that the request names. ``locked`` repeats the key in its error, as real servers do."""
    model = request.body["model"]
    if model == "locked":
        return refusal_to(
            401,
            f"Incorrect API key provided: {request.headers['authorization']}.",
            code="invalid_api_key",
        )
    if model == "refuses":
        return completion(None, refusal="I'm sorry, I can't help with that.", usage=USAGE)
    return completion(reply(request), usage=USAGE)


@dataclass
class Groups:
    """Runs a group when its first row is needed, and keeps the results."""

    promptfoo: Promptfoo
    folder: Path
    done: dict[tuple[str, str], list[Result]] = field(default_factory=dict)
    output: str = ""  # everything that promptfoo has printed and written

    def results(self, kind: str, group: str, description: str) -> list[Result]:
        """The results of a row."""
        if (kind, group) not in self.done:
            self.done[kind, group] = self._run(kind, group)
        return [
            result
            for result in self.done[kind, group]
            if result["testCase"]["description"] == description
        ]

    def _run(self, kind: str, name: str) -> list[Result]:
        folder, group = self.folder / kind / name, GROUPS[name]
        subprocess.run(
            [sys.executable, "-m", "faithfulness_assert", "init", str(folder)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        for helper in ("provider.py", "scoring.py"):
            shutil.copy(HERE / helper, folder)
        tests = [
            {key: value for key, value in row.items() if key != "expect"} for row in group["rows"]
        ]
        config = folder / "rows.json"
        whole = {**group["config"], "tests": tests}
        if kind == "javascript":
            whole = {**in_javascript(whole), "extensions": ["file://faithfulness.cjs:afterAll"]}
        config.write_text(json.dumps(whole), "utf-8")
        with Loopback(judge) as server:
            for _ in range(group.get("runs", 1)):
                run = self.promptfoo.eval(
                    config,
                    *group.get("options", ()),
                    cache=group.get("cache", False),
                    JUDGE_URL=server.url,
                    OPENAI_API_KEY=KEY,
                )
                self.output += run.console + run.text
        rows: list[Result] = run.output["results"]["results"]
        return rows


def in_javascript(config: Any) -> Any:
    """The config with ``faithfulness.cjs`` in place of ``faithfulness.py``."""
    if isinstance(config, list):
        return [in_javascript(item) for item in config]
    if not isinstance(config, Mapping):
        return config
    changed = {key: in_javascript(value) for key, value in config.items()}
    if config.get("value") == "file://faithfulness.py":
        changed["value"] = "file://faithfulness.cjs"
        changed["type"] = config["type"].replace("python", "javascript")
    return changed


@pytest.fixture(scope="module")
def groups(promptfoo: Promptfoo, tmp_path_factory: pytest.TempPathFactory) -> Groups:
    return Groups(promptfoo, tmp_path_factory.mktemp("rows"))


def components(result: Result) -> list[Result]:
    found: list[Result] = result["gradingResult"]["componentResults"]
    return found


def parts(result: Result) -> list[Result]:
    """The results of our assertions, which have a config."""
    return [part for part in components(result) if "config" in part.get("assertion", {})]


def rows_of_statements(result: Result) -> int:
    """How many statements are components: python components without a config."""
    shown = [part["assertion"] for part in components(result) if "assertion" in part]
    return sum(assertion["type"] == "python" and "config" not in assertion for assertion in shown)


def statements(result: Result) -> int:
    """How many statements are listed in the grader output of our assertions."""
    told = [part.get("metadata", {}).get("graderOutputs", {}) for part in parts(result)]
    return sum(len(one["statements"].split("\n")) for one in told if one)


def same(found: Any, wanted: Any) -> bool:
    """Whether a value is as wanted: numbers nearly, a text in part, a mapping in the named keys."""
    if isinstance(wanted, Mapping):
        return all(same(found.get(name), value) for name, value in wanted.items())
    if isinstance(wanted, str):
        return wanted in (found or "")
    return bool(found == pytest.approx(wanted))


# What a row may expect of a result, and of one of its parts.
OF_RESULT: dict[str, Callable[[Result], Any]] = {
    "success": lambda result: result["success"],
    "score": lambda result: result["score"],
    "reason": lambda result: result["gradingResult"]["reason"],
    "named": lambda result: result["namedScores"],
    "tokens": lambda result: result["gradingResult"]["tokensUsed"]["total"],
    "calls": lambda result: result["gradingResult"]["tokensUsed"]["numRequests"],
    "statements": statements,
    "components": rows_of_statements,
}
OF_PART: dict[str, Callable[[Result], Any]] = {
    "pass": lambda part: part["pass"],
    "score": lambda part: part["score"],
    "reason": lambda part: part["reason"],
    "status": lambda part: part["metadata"]["status"],
    "error": lambda part: part["metadata"]["error"]["kind"],
}


@pytest.mark.parametrize(("kind", "group", "row"), ROWS)
def test_a_row_has_the_expected_result(
    groups: Groups, kind: str, group: str, row: dict[str, Any]
) -> None:
    """Success, score, reason, parts and named scores are as the row says, in each of its results."""
    expected = dict(row["expect"])
    if kind == "javascript" and "reason" in expected:
        for said, instead in IN_JAVASCRIPT.items():
            expected["reason"] = expected["reason"].replace(said, instead)
    results = groups.results(kind, group, row["description"])
    assert len(results) == expected.pop("results", 1)
    wanted_parts = expected.pop("parts", [])
    for result in results:
        assert "gradingResult" in result, result.get("error")
        for name, wanted in expected.items():
            assert same(OF_RESULT[name](result), wanted), (name, OF_RESULT[name](result))
        if wanted_parts:
            assert len(parts(result)) == len(wanted_parts)
        for part, wanted_part in zip(parts(result), wanted_parts, strict=False):
            for name, wanted in wanted_part.items():
                assert same(OF_PART[name](part), wanted), (name, OF_PART[name](part))


def test_no_reason_shows_a_traceback_and_nothing_shows_the_key(groups: Groups) -> None:
    """A grader error under ``not-python`` raises, and promptfoo shows the exception.

    For a Python assertion it adds the stack of its own code, which no script can prevent.
    """
    for kind, group, row in (param.values for param in ROWS):
        traces = r"Traceback|^ +at " if kind == "javascript" else "Traceback"
        for result in groups.results(kind, group, row["description"]):
            reason = result["gradingResult"]["reason"]
            assert not re.search(traces, reason, re.MULTILINE), row["description"]
    assert KEY not in groups.output
