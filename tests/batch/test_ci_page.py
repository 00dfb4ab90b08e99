"""The page on CI and the GitHub Action work as they are written: steps, the image's command and the hook are run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT
from test_comparison import partly, run_of, scored, write
from test_docs import FENCE, openai_server  # noqa: F401

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = [(fence[1], fence[2]) for fence in FENCE.finditer(PAGE)]
WORKFLOW, HOOKS = (yaml.safe_load(text) for language, text in BLOCKS if language == "yaml")
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["faithfulness"]["steps"]
(DOCKERFILE,) = (text for language, text in BLOCKS if language == "dockerfile")
CONSOLE = "".join(text for language, text in BLOCKS if language == "console")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
COMPARE, COMMENT, FAIL = ACTION["runs"]["steps"]
GH = """#!/bin/sh
case "$2" in
  list) echo 7 ;;
  download) mkdir "$7" && cp kept/results.jsonl "$7" && echo "$@" > asked ;;
  comment) printf "%s\\n" "$@" > gh && cat "$5" > posted ;;
  repos/*/issues/7/comments) cat comments 2>/dev/null || true ;;
  repos/*/issues/comments/*) echo "$2" > edited && cat "${6#body=@}" > posted ;;
esac
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands are for a shell")


Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, openai_server: None) -> Shell:  # noqa: F811
    """Runs commands in ``tmp_path`` as a runner does."""
    (tools := tmp_path / "tools").mkdir()
    program = f'#!/bin/sh\nexec "{sys.executable}" -m faithfulness_assert "$@"\n'
    for name, text in {"faithfulness-assert": program, "gh": GH, "pip": "#!/bin/sh\n"}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "PYTHONPATH": str(ROOT), "GITHUB_WORKFLOW": "w"}
    own |= {"RUNNER_TEMP": ".", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}

    def run(script: str, code: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env={**os.environ, **own, **more},
            text=True, capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def test_the_workflow_keeps_a_baseline_and_compares_with_it(tmp_path, shell):
    for event, other, right in (("push", "pull_request", 20), ("pull_request", "push", 2)):
        rows = (
            f"c{n},Room {n} is {'red' if n < right else 'blue'}.,Room {n} is red.\n"
            for n in range(20)
        )
        (tmp_path / "answers.csv").write_text("id,answer,context\n" + "".join(rows))
        for step in STEPS:
            if f"== '{other}'" in step.get("if", ""):
                continue
            if script := step.get("run"):
                shell(script)
            elif "upload-artifact" in step["uses"]:
                (tmp_path / "kept").mkdir()
                shutil.move(tmp_path / step["with"]["path"], tmp_path / "kept")
        if event == "push":
            shutil.rmtree(tmp_path / "new")
    assert "-name faithfulness-baseline " in (tmp_path / "asked").read_text()
    given = STEPS[-1]["with"]
    assert given["before"] == "${{ steps.baseline.outputs.path }}"
    before = (tmp_path / "output").read_text().removeprefix("path=").rstrip()
    shell(shlex.join(["faithfulness-assert", "compare", before, given["after"]]), 1)


def test_the_hook_accepts_what_was_stored_and_refuses_what_was_not(tmp_path, shell):
    (hook,) = HOOKS["repos"][0]["hooks"]
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"answer": "It is red.", "context": "It is red. It is tall."}\n')
    store, add = CONSOLE.splitlines()[-2:]
    shell(store)
    assert shlex.split(add) == ["git", "add", "golden.jsonl", "golden-replies"]
    for kept in (golden, *tmp_path.glob("golden-replies/*")):
        assert re.search(hook["files"], str(kept.relative_to(tmp_path)))
        kept.chmod(0o644)  # as git checks it out
    nobody = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": ""}
    shell(hook["entry"], **nobody)
    golden.write_text('{"answer": "It is blue.", "context": "It is red. It is tall."}\n')
    assert "no stored reply" in " ".join(shell(hook["entry"], 3, **nobody).stdout.split())
    shell(store, 1)  # not faithful, and now stored
    shell(hook["entry"], 1, **nobody)


def test_no_input_is_a_part_of_a_script_and_the_page_gives_inputs_that_exist():
    assert len((ROOT / "action.yml").read_text(encoding="utf-8").splitlines()) <= 75
    assert ACTION["runs"]["using"] == "composite"
    for which in ACTION["runs"]["steps"]:
        assert which["shell"] == "bash"
        assert "${{" not in which["run"]
        for name in re.findall(r"\$([A-Z_]+)", which["run"]):
            own = name in which.get("env", {})
            assert own or name in ("RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
    required = {name for name, about in ACTION["inputs"].items() if about.get("required")}
    assert required <= STEPS[-1]["with"].keys() <= ACTION["inputs"].keys()


@pytest.mark.parametrize(("after", "worse"), [(0.0, "true"), (1.0, "false")])
def test_the_steps_compare_post_and_fail(tmp_path, shell, after, worse):
    before = write(tmp_path / "a $(touch hacked); b.jsonl", scored([1.0] * 9))
    write(tmp_path / "--b.jsonl", scored([after] * 9))
    shell(COMPARE["run"], BEFORE=before, AFTER="--b.jsonl", MIN_GRADED="95%")
    assert (tmp_path / "output").read_text() == f"worse={worse}\ncomparable=true\n"
    head = (tmp_path / "summary").read_text().splitlines()[0]
    assert head.startswith("### Faithfulness: <code>&#45;&#45;b</code> is ")
    shell(COMMENT["run"], NUMBER="7", GH_TOKEN="t", GH_REPO="a/b")
    assert (tmp_path / "gh").read_text().splitlines()[:3] == ["pr", "comment", "7"]
    assert (tmp_path / "posted").read_text() == (tmp_path / "summary").read_text()
    (tmp_path / "comments").write_text("11\n12\n")  # of an earlier push
    shell(COMMENT["run"], NUMBER="7", GH_TOKEN="t", GH_REPO="a/b")
    assert (tmp_path / "edited").read_text() == "repos/{owner}/{repo}/issues/comments/12\n"
    assert not (tmp_path / "hacked").exists()
    shell(FAIL["run"], 1, COMPARABLE="true")


def test_the_steps_fail_and_say_why_if_too_little_was_graded_or_there_is_nothing(tmp_path, shell):
    after = write(tmp_path / "new.jsonl", scored([1.0]))
    shell(COMPARE["run"], 2, BEFORE="misspelt.jsonl", AFTER=after, MIN_GRADED="95%")
    assert "\n    faithfulness-assert: misspelt.jsonl: " in (tmp_path / "summary").read_text()
    assert not (tmp_path / "output").exists()
    shell(COMPARE["run"], BEFORE="", AFTER=after, MIN_GRADED="95%")
    assert (tmp_path / "output").read_text() == "worse=false\ncomparable=false\n"
    assert "inputs.before && " in FAIL["if"]
    assert "there is no baseline yet" in (tmp_path / "summary").read_text()
    for name in ("output", "summary"):
        (tmp_path / name).unlink()
    before = write(tmp_path / "june.jsonl", scored([1.0] * 60))
    after = write(tmp_path / "new.jsonl", run_of(partly(5, 55)))
    shell(COMPARE["run"], BEFORE=before, AFTER=after, MIN_GRADED="95%")
    assert (tmp_path / "output").read_text() == "worse=false\ncomparable=false\n"
    assert "is not comparable with" in (tmp_path / "summary").read_text().splitlines()[0]
    shell(FAIL["run"], 1, COMPARABLE="false")
    for output, value in (("worse", "true"), ("comparable", "false")):
        assert f"steps.compare.outputs.{output} == '{value}'" in FAIL["if"]
