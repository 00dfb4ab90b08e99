"""The tutorial works as it is written: each command that it shows is run, and prints what the page shows."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from e2e import judge as simulated
from loopback import Loopback, completion
from remote import bare_environment
from test_docs import FENCE, OUTPUT

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
FILES = {"json": "cases.json", "python {.pytest}": "test_answers.py"}
EXITS = {"grade": 1, "pytest": 1, "demo": 0}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the files that the page says to write."""
    bare_environment(monkeypatch)
    for fence in FENCE.finditer(PAGE):
        if fence[1] in FILES:
            (tmp_path / FILES[fence[1]]).write_text(fence[2], encoding="utf-8")
    return tmp_path


def test_each_command_of_the_tutorial_prints_what_the_page_shows(folder: Path) -> None:
    usage = {"prompt_tokens": 700, "completion_tokens": 100}
    ran, shown = [], 0
    with Loopback(lambda request: completion(simulated.reply(request), usage=usage)) as server:
        keys = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-simulated"}
        environment = {**os.environ, **keys, "COLUMNS": "80", "PYTHONPATH": str(ROOT)}
        for fence in FENCE.finditer(PAGE):
            commands = [
                shlex.split(line)
                for line in fence[2].splitlines()
                if line.startswith(("faithfulness-assert ", "pytest ")) and fence[1] == "console"
            ]
            for program, *arguments in commands:
                module = program.replace("-", "_")
                done = subprocess.run(
                    [sys.executable, "-m", module, *arguments],
                    capture_output=True, text=True, cwd=folder, env=environment, check=False,
                )  # fmt: skip
                ran.append(arguments[0] if program != "pytest" else program)
                assert done.returncode == EXITS[ran[-1]], done.stdout + done.stderr
                assert "Traceback" not in done.stderr, done.stderr
                if output := OUTPUT.match(PAGE, fence.end()):
                    assert done.stdout == output[1]
                    shown += 1
    assert ran == ["demo", "grade", "grade", "pytest"]
    assert shown == 1
    assert (folder / "report.html").stat().st_size > 10_000
    assert "Adults pay 12 euros." in done.stdout
