"""The example that ``init`` writes runs unchanged, and an inline value does the same. ``rows.yaml`` has the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import run as command
from loopback import Answer, Loopback, Request, completion, refusal_to

from .judge import reply
from .promptfoo import FAILED_TESTS, Promptfoo
from .wrong_scores import INLINE

pytestmark = pytest.mark.e2e

CONTEXT = "The museum opens at ten. It is shut on Mondays. A ticket costs 9 euros."
FALSE = "The museum opens at ten. It is shut on Mondays. A ticket costs 35 euros."


def init(folder: Path) -> None:
    """Writes the example with the command."""
    subprocess.run(
        [sys.executable, "-m", "faithfulness_assert", "init", str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def judge(request: Request) -> Answer:
    """Truthful; the model named ``locked`` rejects the key."""
    if request.body["model"] == "locked":
        return refusal_to(401, "Incorrect API key provided.", code="invalid_api_key")
    return completion(reply(request))


def test_the_template_passes_its_faithful_answer_and_fails_its_made_up_price(
    promptfoo: Promptfoo, tmp_path: Path
) -> None:
    """promptfoo's exit code and the reason say which answer failed, and why."""
    init(tmp_path)
    run = promptfoo.eval(tmp_path / "promptfooconfig.yaml")
    faithful, made_up = (
        run.results["A faithful answer passes"],
        run.results["A made-up price fails, on purpose"],
    )
    assert run.exit_code == FAILED_TESTS
    assert faithful["success"], faithful["gradingResult"]["reason"]
    assert faithful["score"] == 1
    assert not made_up["success"]
    assert made_up["score"] == pytest.approx(4 / 5)
    assert "An adult ticket costs 18 euros." in made_up["gradingResult"]["reason"]
    totals = run.output["results"]["prompts"][0]["metrics"]
    counted = [
        totals[f"{kind}{what}Count"] for kind in ("test", "assert") for what in ("Pass", "Fail")
    ]
    assert counted == [1, 1, 1, 1], "promptfoo counts what is not an assertion"
    assert (
        "made up: “An adult ticket costs 18 euros.” (not enough info; not in the context: “18”)"
        in run.console
    )
    again = command("grade", str(tmp_path / "out.json"), "--threshold", "0.9", "--json")
    outcomes = {r["pass"]: r["score"] for r in map(json.loads, again.stdout.splitlines())}
    assert outcomes == {True: 1.0, False: pytest.approx(4 / 5)}


def test_file_and_inline_value_give_the_same_and_each_assertion_asks_once(
    promptfoo: Promptfoo, tmp_path: Path
) -> None:
    """An inline value gives the same result as a file; a rejected key is not tried again."""
    init(tmp_path)

    def check(model: str, value: str) -> dict[str, Any]:
        return {
            "type": "python",
            "value": value,
            "config": {"judge": f"openai:{model}", "baseUrl": "{{env.JUDGE_URL}}", "seed": 7},
        }

    asserts = [
        check("truthful", "file://faithfulness.py"),
        check("truthful", INLINE),
        check("locked", INLINE),
    ]
    test = {
        "description": "three",
        "vars": {"answer": FALSE, "context": CONTEXT},
        "assert": asserts,
    }
    (tmp_path / "three.json").write_text(
        json.dumps({"prompts": ["{{answer}}"], "providers": ["echo"], "tests": [test]}), "utf-8"
    )
    with Loopback(judge) as server:
        run = promptfoo.eval(
            tmp_path / "three.json", JUDGE_URL=server.url, OPENAI_API_KEY="none-is-needed"
        )
    parts = run.results["three"]["gradingResult"]["componentResults"]
    file, inline, locked = (
        {**part, "assertion": None, "metadata": None}
        for part in parts
        if "config" in part["assertion"]
    )
    assert file == inline
    assert file["score"] == pytest.approx(2 / 3)
    assert locked["reason"].startswith("Not graded: ")
    assert sorted(request.body["model"] for request in server.requests) == [
        "locked",
        "truthful",
        "truthful",
    ]
    assert run.output["results"]["stats"]["errors"] == 0
