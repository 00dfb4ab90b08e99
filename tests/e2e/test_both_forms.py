"""``faithfulness.py`` and ``faithfulness.cjs`` in a real promptfoo: the same results; the second in one process, which ends with the eval."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from loopback import Answer, Loopback, Request, no_schema
from processes import eventually, graders

from .promptfoo import Promptfoo, Run, clean_environment

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are found in /proc"),
]

TRUE = "The museum opens at ten. A ticket costs 9 euros."
FALSE = "The museum opens at ten. A ticket costs 35 euros."
TESTS = 6
PYTHON, JAVASCRIPT = ("python", "faithfulness.py"), ("javascript", "faithfulness.cjs")


def case(number: int, form: tuple[str, str]) -> dict[str, Any]:
    """One test with two assertions: the embedded judge, and one behind an API, with the same controls in every process."""
    ours = {"type": form[0], "value": f"file://{form[1]}"}
    api = {"judge": "openai:m", "baseUrl": "{{env.JUDGE_URL}}", "seed": 7}
    return {
        "description": f"test {number}",
        "vars": {"context": TRUE, "query": f"Question {number}?"},
        "providerOutput": TRUE if number % 2 else FALSE,
        "assert": [{**ours, "config": {"judge": "embedded"}}, {**ours, "config": api}],
    }


def write(folder: Path, form: tuple[str, str]) -> Path:
    """The configuration of an eval, in a folder of its own."""
    init = [sys.executable, "-m", "faithfulness_assert", "init", str(folder)]
    subprocess.run(init, check=True, stdout=subprocess.DEVNULL)
    tests = [case(number, form) for number in range(TESTS)]
    extensions = [f"file://{form[1]}:afterAll"]
    config = {"prompts": ["{{query}}"], "providers": ["echo"], "tests": tests}
    (folder / "eval.json").write_text(json.dumps({**config, "extensions": extensions}), "utf-8")
    return folder / "eval.json"


def graded(run: Run, url: str) -> list[Any]:
    """All results, without the judge's port, the form of the assertion and the tokens spent to learn about the judge."""
    rows = [
        (name, row["success"], row["score"], row["namedScores"], row["gradingResult"])
        for name, row in sorted(run.results.items())
    ]
    text = json.dumps(rows).replace(url, "URL")
    for javascript, python in zip(JAVASCRIPT, PYTHON, strict=True):
        text = text.replace(f'{javascript}"', f'{python}"')
    return json.loads(text, object_hook=lambda found: {**found, "tokensUsed": None})


def test_both_give_the_same_results_and_one_process_learns_about_the_judge_once(
    promptfoo: Promptfoo, tmp_path: Path
) -> None:
    """Both say at the end what was made up."""
    runs, asked, seen = [], [], set()

    def judge(request: Request) -> Answer:
        seen.update(graders(tmp_path))
        return no_schema(request)

    for form in (PYTHON, JAVASCRIPT):
        with Loopback(judge) as server:
            options = {"JUDGE_URL": server.url, "TMPDIR": str(tmp_path), "CI": "true"}
            run = promptfoo.eval(write(tmp_path / form[0], form), "-j", "1", **options)
        assert "test 0: made up: “A ticket costs 35 euros.” (" in run.console
        assert "test 1: made up" not in run.console
        runs.append(graded(run, server.url))
        asked.append(len(server.requests))
        assert len(seen) == (form == JAVASCRIPT)
    assert runs[0] == runs[1]
    lessons = asked[0] // TESTS - 1  # refused requests of each process
    assert lessons > 0
    assert asked[1] == TESTS + lessons
    assert eventually(lambda: not graders(tmp_path))


def test_a_promptfoo_that_is_killed_leaves_no_process(promptfoo: Promptfoo, tmp_path: Path) -> None:
    """promptfoo does not call ``afterAll`` then."""
    config = write(tmp_path / "eval", JAVASCRIPT)
    hangs = threading.Event()

    def hang(_: Request) -> Answer:
        hangs.set()
        return Answer(delay=60)

    with Loopback(hang) as server:
        environment = {"JUDGE_URL": server.url, "TMPDIR": str(tmp_path)}
        with subprocess.Popen(
            promptfoo.command("eval", "-c", config.name, "--no-cache"),
            cwd=config.parent,
            env={**clean_environment(config.parent), **environment},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            assert hangs.wait(60)
            assert len(graders(tmp_path)) == 1
            os.kill(process.pid, signal.SIGKILL)
    assert eventually(lambda: not graders(tmp_path))
