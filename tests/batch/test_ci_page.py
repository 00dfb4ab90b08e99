"""The page on CI works as it is written: the steps of the workflow, the image's command and the hook are run."""

from __future__ import annotations

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
from test_docs import FENCE, openai_server  # noqa: F401

from faithfulness_assert.policy.files import read_data

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = [(fence[1], fence[2]) for fence in FENCE.finditer(PAGE)]
WORKFLOW, HOOKS = (yaml.safe_load(text) for language, text in BLOCKS if language == "yaml")
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["faithfulness"]["steps"]
(DOCKERFILE,) = (text for language, text in BLOCKS if language == "dockerfile")
CONSOLE = "".join(text for language, text in BLOCKS if language == "console")
GH = '#!/bin/sh\ncase "$2" in\n  list) echo 7 ;;\n  download) mkdir "$7" && cp kept/results.jsonl "$7" && echo "$@" > asked ;;\nesac\n'

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

    def run(script: str, code: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env={**os.environ, **own, **more},
            text=True, capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def test_the_workflow_keeps_a_baseline_and_compares_with_it(tmp_path: Path, shell: Shell) -> None:
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
    shell(shlex.join(["faithfulness-assert", "compare", given["before"], given["after"]]), 1)


def test_the_image_installs_extras_that_exist_and_does_not_run_as_root() -> None:
    given = dict(line.split(" ", 1) for line in DOCKERFILE.strip().splitlines())
    install, add_user = (line[4:] for line in DOCKERFILE.splitlines() if line.startswith("RUN "))
    assert given["USER"] in add_user
    assert given["USER"] != "root"
    project = read_data(str(ROOT / "pyproject.toml"), "project")["project"]
    name, _, extras = shlex.split(install)[-1].rstrip("]").partition("[")
    assert name == project["name"]
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    assert yaml.safe_load(given["ENTRYPOINT"]) == list(project["scripts"])
    assert given["FROM"].removeprefix("python:").removesuffix("-slim") in str(
        project["classifiers"]
    )


def test_the_command_of_the_image_runs_without_a_home_and_writes_nothing(
    tmp_path: Path, shell: Shell
) -> None:
    (line,) = (line for line in CONSOLE.splitlines() if line.startswith("docker run"))
    (tmp_path / "cases.json").write_text('[{"answer": "It is red.", "context": ["It is red."]}]')
    before = sorted(tmp_path.rglob("*"))
    shell(f"faithfulness-assert {line.partition(' faithfulness ')[2]}", HOME="/nonexistent")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_hook_accepts_what_was_stored_and_refuses_what_was_not(
    tmp_path: Path, shell: Shell
) -> None:
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
