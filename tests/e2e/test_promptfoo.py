"""The example that ``init`` writes runs unchanged; a promptfoo that is killed leaves nothing. ``rows.yaml`` has the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from command import run as command
from loopback import Answer, Loopback, Request
from processes import eventually, graders

from .promptfoo import FAILED_TESTS, Promptfoo, clean_environment, init

pytestmark = pytest.mark.e2e


def test_the_template_passes_its_faithful_answer_and_fails_its_made_up_price(
    promptfoo: Promptfoo, tmp_path: Path
) -> None:
    """promptfoo's exit code, the reason and the terminal say which answer failed, and why."""
    init(tmp_path)
    run = promptfoo.eval(tmp_path / "promptfooconfig.yaml")
    faithful = run.results["A faithful answer passes"]
    made_up = run.results["A made-up price fails, on purpose"]
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
    said = "made up: “An adult ticket costs 18 euros.” (not enough info; not in the context: “18”)"
    assert said in run.console
    again = command("grade", str(tmp_path / "out.json"), "--threshold", "0.9", "--json")
    outcomes = {r["pass"]: r["score"] for r in map(json.loads, again.stdout.splitlines())}
    assert outcomes == {True: 1.0, False: pytest.approx(4 / 5)}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are found in /proc")
def test_a_promptfoo_that_is_killed_leaves_no_process(promptfoo: Promptfoo, tmp_path: Path) -> None:
    """promptfoo does not call ``afterAll`` then. Until then one process has all that is asked."""
    folder, reached = tmp_path / "eval", threading.Barrier(3)
    init(folder)
    api = {"judge": "openai:m", "baseUrl": "{{env.JUDGE_URL}}"}
    ours = {"type": "javascript", "value": "file://faithfulness.cjs", "config": api}
    tests = [{"vars": {"context": "It opens at ten.", "query": f"{n}?"}} for n in range(2)]
    config = {"prompts": ["{{query}}"], "providers": ["echo"], "defaultTest": {"assert": [ours]}}
    whole = {**config, "tests": tests, "extensions": ["file://faithfulness.cjs:afterAll"]}
    (folder / "eval.json").write_text(json.dumps(whole), "utf-8")

    def hang(_: Request) -> Answer:
        reached.wait(60)
        return Answer(delay=60)

    with Loopback(hang) as server:
        url = server.url.replace("127.0.0.1", "0.0.0.0")  # not known to be this machine's
        with subprocess.Popen(
            promptfoo.command("eval", "-c", "eval.json", "--no-cache"),
            cwd=folder,
            env={**clean_environment(folder), "JUDGE_URL": url, "TMPDIR": str(tmp_path)},
            stdout=subprocess.DEVNULL,
        ) as process:
            reached.wait(60)
            assert len(graders(tmp_path)) == 1
            os.kill(process.pid, signal.SIGKILL)
    assert eventually(lambda: not graders(tmp_path))
