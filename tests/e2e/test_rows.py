"""Each row of ``rows.yaml`` is one test of a real promptfoo: our assertion in many kinds of promptfoo configs.

A row is there twice: with ``faithfulness.py``, where each assertion is a process, and with ``faithfulness.cjs``;
or only in the `forms` of its group.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from loopback import Answer, Loopback, Request, completion, refusal_to

from .judge import reply
from .promptfoo import Promptfoo, init

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
# What promptfoo itself says in a reason is different for a ``javascript`` assertion.
IN_JAVASCRIPT = {
    "NotPythonError: ": "Custom function threw error: ",
    "less than threshold": "< threshold",
}
AFTER = {"extensions": ["file://faithfulness.cjs:afterAll"]}

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


FORMS: dict[str, Callable[[Any], Any]] = {"python": lambda row: row, "javascript": in_javascript}
ROWS = [
    pytest.param(f"{kind}, {name}: {row['description']}", row["expect"], id=f"{kind}, {name}: {row['description']}")
    for name, group in GROUPS.items()
    for row in group["rows"]
    for kind in group.get("forms", FORMS)
]  # fmt: skip


def rows_of(name: str, kind: str) -> list[dict[str, Any]]:
    """The tests of a group in one form, as promptfoo takes them."""
    group = GROUPS[name]
    if kind not in group.get("forms", FORMS):
        return []
    every = group.get("every", {}).get("vars", {})
    found = []
    for row in group["rows"]:
        given = {"asked": every.get("query"), **every, **row.get("vars", {})}
        test = {**row, "vars": given, "description": f"{kind}, {name}: {row['description']}"}
        test.pop("expect")
        found.append(FORMS[kind](test))
    return found


@dataclass
class Seen:
    """What promptfoo has printed and written; its results by the description of their test; the models that were asked."""

    output: str = ""
    results: dict[str, list[Result]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def seen(promptfoo: Promptfoo, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Three runs: all groups in both forms; then ``around``, once in each form."""
    folder = tmp_path_factory.mktemp("rows") / "example"
    init(folder)
    for helper in ("provider.py", "scoring.py"):
        shutil.copy(HERE / helper, folder)
    alone = [name for name, group in GROUPS.items() if "config" not in group]
    whole = {"prompts": ["{{asked}}"], "providers": ["file://provider.py"], **AFTER}
    whole["tests"] = [test for name in alone for kind in FORMS for test in rows_of(name, kind)]
    around = GROUPS["around"]["config"]
    runs = [whole, *({**change(around), **AFTER, "tests": rows_of("around", kind)} for kind, change in FORMS.items())]  # fmt: skip
    seen = Seen()
    with Loopback(judge) as server:
        for config in runs:
            written = folder / "rows.json"
            written.write_text(json.dumps(config), "utf-8")
            options = {"JUDGE_URL": server.url, "OPENAI_API_KEY": KEY}
            run = promptfoo.eval(written, "-j", "8", **options)
            seen.output += run.console + run.text
            for result in run.output["results"]["results"]:
                seen.results.setdefault(result["testCase"]["description"], []).append(result)
        seen.asked = [request.body["model"] for request in server.requests]
    return seen


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


@pytest.mark.parametrize(("description", "expect"), ROWS)
def test_a_row_has_the_expected_result(seen, description, expect):
    """Success, score, reason, parts and named scores are as the row says, in each of its results."""
    expected = dict(expect)
    if description.startswith("javascript") and "reason" in expected:
        for said, instead in IN_JAVASCRIPT.items():
            expected["reason"] = expected["reason"].replace(said, instead)
    results = seen.results[description]
    assert len(results) == expected.pop("results", 4 if ", around: " in description else 1)
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


def test_a_rejected_key_is_not_tried_again(seen):
    """Each assertion asks once."""
    every = json.dumps([test for name in GROUPS for kind in FORMS for test in rows_of(name, kind)])
    assert seen.asked.count("locked") == every.count("openai:locked")


def test_no_reason_shows_a_traceback_and_nothing_shows_the_key(seen):
    """A grader error under ``not-python`` raises, and promptfoo shows the exception.

    For a Python assertion it adds the stack of its own code, which no script can prevent.
    """
    for description, results in seen.results.items():
        traces = r"Traceback|^ +at " if description.startswith("javascript") else "Traceback"
        for result in results:
            reason = result["gradingResult"]["reason"]
            assert not re.search(traces, reason, re.MULTILINE), description
    assert KEY not in seen.output
    made_up = r"corners: a made-up price and \d+ more: made up: “A ticket costs 35 euros\.”"
    assert re.search(made_up, seen.output)
