"""The page on CI works as it is written: the steps of the workflow, the image's command and the hook are run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT
from loopback import Loopback
from remote import bare_environment
from test_docs import FENCE
from true_server import answered

from faithfulness_assert.policy.files import read_data

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = [(fence[1], fence[2]) for fence in FENCE.finditer(PAGE)]
WORKFLOW, HOOKS = (yaml.safe_load(text) for language, text in BLOCKS if language == "yaml")
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["faithfulness"]["steps"]
(DOCKERFILE,) = (text for language, text in BLOCKS if language == "dockerfile")
CONSOLE = "".join(text for language, text in BLOCKS if language == "console")
GH = '#!/bin/sh\ncase "$2" in\n  list) echo 7 ;;\n  download) mkdir "$7" && cp kept/results.jsonl "$7" && echo "$@" > asked ;;\nesac\n'

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands are for a shell")


class Shell:
    """Runs commands as a runner does, in a folder, with a judge that is there."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        tools = folder / "tools"
        tools.mkdir()
        program = f'#!/bin/sh\nexec "{sys.executable}" -m faithfulness_assert "$@"\n'
        for name, text in {"faithfulness-assert": program, "gh": GH, "pip": "#!/bin/sh\n"}.items():
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "sk-imitated",
            "GITHUB_WORKFLOW": "w",
        }

    def __call__(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=self.folder, env={**self.environment, **environment}, text=True, capture_output=True, timeout=120,
        )  # fmt: skip


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    bare_environment(monkeypatch)
    with Loopback(answered) as server:
        yield Shell(tmp_path, server.url)


def steps_of(event: str) -> Iterator[dict[str, Any]]:
    """The steps that run for an event."""
    others = {"push": "pull_request", "pull_request": "push"}
    return (step for step in STEPS if f"== '{others[event]}'" not in step.get("if", ""))


def answers(folder: Path, right: int) -> None:
    rows = [
        f"c{n},Room {n} is {'red' if n < right else 'blue'}.,Room {n} is red.\n" for n in range(20)
    ]
    (folder / "answers.csv").write_text("id,answer,context\n" + "".join(rows))


def test_the_workflow_keeps_a_baseline_and_compares_with_it(tmp_path: Path, shell: Shell) -> None:
    answers(tmp_path, right=20)
    for step in steps_of("push"):
        if script := step.get("run"):
            done = shell(script)
            assert done.returncode == 0, done.stderr
        elif "upload-artifact" in step["uses"]:
            (tmp_path / "kept").mkdir()
            shutil.move(tmp_path / step["with"]["path"], tmp_path / "kept")
    shutil.rmtree(tmp_path / "new")
    answers(tmp_path, right=2)
    for step in steps_of("pull_request"):
        if script := step.get("run"):
            done = shell(script)
            assert done.returncode == 0, done.stderr
    given = STEPS[-1]["with"]
    assert "-name faithfulness-baseline " in (tmp_path / "asked").read_text()
    done = shell(shlex.join(["faithfulness-assert", "compare", given["before"], given["after"]]))
    assert done.returncode == 1, done.stdout


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
    arguments = line.partition(" faithfulness ")[2]
    (tmp_path / "cases.json").write_text('[{"answer": "It is red.", "context": ["It is red."]}]')
    before = sorted(tmp_path.rglob("*"))
    done = shell(f"faithfulness-assert {arguments}", HOME="/nonexistent")
    assert done.returncode == 0, done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_the_hook_accepts_what_was_recorded_and_refuses_what_was_not(
    tmp_path: Path, shell: Shell
) -> None:
    (hook,) = HOOKS["repos"][0]["hooks"]
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"answer": "It is red.", "context": "It is red. It is tall."}\n')
    record, add = CONSOLE.splitlines()[-2:]
    assert shell(record).returncode == 0
    assert shlex.split(add) == ["git", "add", "golden.jsonl", "golden-replies"]
    for kept in (golden, *tmp_path.glob("golden-replies/*")):
        assert re.search(hook["files"], str(kept.relative_to(tmp_path)))
        kept.chmod(0o644)  # as git checks it out
    nobody = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": ""}
    assert shell(hook["entry"], **nobody).returncode == 0
    golden.write_text('{"answer": "It is blue.", "context": "It is red. It is tall."}\n')
    refused = shell(hook["entry"], **nobody)
    assert refused.returncode == 3
    assert "no stored reply" in " ".join(refused.stdout.split())
    assert shell(record).returncode == 1  # not faithful, and now recorded
    assert shell(hook["entry"], **nobody).returncode == 1
