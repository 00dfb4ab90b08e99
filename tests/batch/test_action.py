"""The GitHub Action: its steps run as they stand, and no input becomes a part of a script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT
from test_comparison import partly, run_of, scored, write

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
COMPARE, COMMENT, FAIL = ACTION["runs"]["steps"]
FAKE_GH = '#!/bin/sh\nprintf "%s\\n" "$@" > "$RUNNER_TEMP/gh"\ncat "$5" > "$RUNNER_TEMP/posted"\n'


def step(which: dict[str, Any], folder: Path, **environment: str) -> int:
    """Runs a step as the runner does; the exit code."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    commands = {
        "gh": FAKE_GH,
        "faithfulness-assert": f'#!/bin/sh\nexec "{sys.executable}" -m faithfulness_assert "$@"\n',
    }
    for name, script in commands.items():
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    given = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        **environment,
    }
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", which["run"]]
    return subprocess.run(shell, env=given, cwd=folder, capture_output=True, timeout=120).returncode


def test_the_action_is_short_and_composite() -> None:
    assert len((ROOT / "action.yml").read_text(encoding="utf-8").splitlines()) <= 64
    assert ACTION["runs"]["using"] == "composite"
    assert all(which["shell"] == "bash" for which in (COMPARE, COMMENT, FAIL))


def test_no_input_is_a_part_of_a_script() -> None:
    for which in ACTION["runs"]["steps"]:
        assert "${{" not in which["run"]
        for name in re.findall(r"\$([A-Z_]+)", which["run"]):
            own = name in which.get("env", {})
            assert own or name in ("RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")


def test_the_workflow_in_the_docs_uses_inputs_that_exist_and_may_comment() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    block = page.partition("```yaml\n")[2].partition("```")[0]
    job = yaml.safe_load(block)["jobs"]["faithfulness"]
    given = next(step["with"] for step in job["steps"] if "before" in step.get("with", {}))
    required = {name for name, about in ACTION["inputs"].items() if about.get("required")}
    assert required <= given.keys() <= ACTION["inputs"].keys()
    assert job["permissions"]["pull-requests"] == "write"


@pytest.mark.skipif(os.name == "nt", reason="the steps are for bash")
@pytest.mark.parametrize(("after", "worse"), [(0.0, "true"), (1.0, "false")])
def test_the_steps_compare_post_and_fail(tmp_path: Path, after: float, worse: str) -> None:
    before = write(tmp_path / "a $(touch hacked); b.jsonl", scored([1.0] * 9))
    write(tmp_path / "--b.jsonl", scored([after] * 9))
    given = {"BEFORE": before, "AFTER": "--b.jsonl", "MIN_GRADED": "95%"}
    assert step(COMPARE, tmp_path, **given) == 0
    assert (tmp_path / "output").read_text() == f"worse={worse}\ncomparable=true\n"
    head = (tmp_path / "summary").read_text().splitlines()[0]
    assert head.startswith("### Faithfulness: <code>&#45;&#45;b</code> is ")
    assert step(COMMENT, tmp_path, NUMBER="7", GH_TOKEN="t", GH_REPO="a/b") == 0
    assert (tmp_path / "gh").read_text().splitlines()[:3] == ["pr", "comment", "7"]
    assert (tmp_path / "posted").read_text() == (tmp_path / "summary").read_text()
    assert not (tmp_path / "hacked").exists()
    assert step(FAIL, tmp_path, COMPARABLE="true") == 1


@pytest.mark.skipif(os.name == "nt", reason="the steps are for bash")
def test_the_steps_fail_and_say_why_if_too_little_was_graded(tmp_path: Path) -> None:
    before = write(tmp_path / "june.jsonl", scored([1.0] * 60))
    after = write(tmp_path / "new.jsonl", run_of(partly(5, 55)))
    given = {"BEFORE": before, "AFTER": after}
    assert step(COMPARE, tmp_path, MIN_GRADED="95%", **given) == 0
    assert (tmp_path / "output").read_text() == "worse=false\ncomparable=false\n"
    assert "is not comparable with" in (tmp_path / "summary").read_text().splitlines()[0]
    assert step(FAIL, tmp_path, COMPARABLE="false") == 1
    for output, value in (("worse", "true"), ("comparable", "false")):
        assert f"steps.compare.outputs.{output} == '{value}'" in FAIL["if"]


@pytest.mark.skipif(os.name == "nt", reason="the steps are for bash")
def test_a_comparison_that_is_not_possible_fails_the_step(tmp_path: Path) -> None:
    given = {"BEFORE": "missing", "AFTER": "missing", "MIN_GRADED": "95%"}
    assert step(COMPARE, tmp_path, **given) == 2
    assert not (tmp_path / "output").exists()
