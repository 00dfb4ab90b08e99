"""The threat model says only what a test shows: each claim names one, also each promise of other pages."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from loopback import Loopback, good_reply

ROOT = Path(__file__).parents[1]
MODEL = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
CLAIMS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in MODEL.splitlines()
    if line.startswith("|") and not re.match(r"\|-|\| (?:who|page) \|", line)
]


def names_of_tests() -> set[str]:
    """The names of all test functions, as pytest collects them: in files and classes of tests."""
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def test_each_claim_names_its_tests_and_they_exist() -> None:
    assert len(CLAIMS) > 40
    assert {len(claim) for claim in CLAIMS} == {3, 4}
    there = names_of_tests()
    for *claim, tests in CLAIMS:
        named = re.findall(r"`(test_\w+)`", tests)
        assert named, f"no test shows: {claim}"
        assert ", ".join(f"`{name}`" for name in named) == tests, claim
        assert set(named) - there == set(), claim


def promises() -> list[str]:
    """How each promise of another page begins."""
    readme = (ROOT / "README.md").read_text("utf-8").split("## What it promises")[1]
    trust = (ROOT / "docs" / "trust.md").read_text("utf-8")
    laws = trust.split("## Two laws")[1].split("\n## ")[0]
    keys = trust.split("## Keys and foreign text")[1]
    rows = re.findall(r"^\| ([^|]+?) \| ", readme, re.MULTILINE)
    return [*rows[:8], *re.findall(r"^- (.+)", laws + keys, re.MULTILINE)]


@pytest.mark.parametrize("promise", promises())
def test_each_promise_of_another_page_is_one_of_the_claims(promise: str) -> None:
    assert any(promise.startswith(claim[1]) for claim in CLAIMS if len(claim) == 3)


def test_what_the_page_on_security_says_of_releases_is_quoted() -> None:
    page = " ".join((ROOT / "SECURITY.md").read_text("utf-8").split())
    quoted = [claim[1] for claim in CLAIMS if len(claim) == 3][-2:]
    assert [text for text in quoted if text not in page] == []


CONNECTS = """
import sys
reached = set()
def hook(event, given):
    if event == "socket.connect" and isinstance(given[1], tuple):
        reached.add(f"{given[1][0]}:{given[1][1]}")
    if event == "socket.getaddrinfo":
        reached.add(f"{given[0]}:{given[1]}")
sys.addaudithook(hook)
from faithfulness_assert import Grader, grade
from faithfulness_assert.report import write_report
assert grade("It is red. It is 5 m.", "It is red.").status == "graded"
before = set(reached)
result = Grader("openai:gpt-4o-mini", base_url=sys.argv[1], api_key="sk-1").grade("It is red.", "It is red.")
assert result.status == "graded", result
print(sorted(before), sorted(reached))
"""


def test_nothing_is_connected_to_but_the_judge_that_was_named() -> None:
    with Loopback(good_reply) as server:
        done = subprocess.run(
            [sys.executable, "-c", CONNECTS, server.url], capture_output=True, text=True, check=True
        )
    host = server.root.removeprefix("http://")
    assert done.stdout == f"[] ['{host}']\n"
