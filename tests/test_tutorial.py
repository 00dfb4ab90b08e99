"""The tutorial works as it is written: each command that it shows is run, and prints what the page shows."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from test_docs import FENCE, OUTPUT, openai_server  # noqa: F401

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
FILES = {"json": "cases.json", "python {.pytest}": "test_answers.py"}
EXITS = {"grade": 1, "pytest": 1, "demo": 0}


@pytest.mark.usefixtures("openai_server")
def test_each_command_of_the_tutorial_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    ran, shown = [], 0
    for fence in FENCE.finditer(PAGE):
        if fence[1] in FILES:
            (tmp_path / FILES[fence[1]]).write_text(fence[2], encoding="utf-8")
        for line in fence[2].splitlines() if fence[1] == "console" else ():
            if not line.startswith(("faithfulness-assert ", "pytest ")):
                continue
            program, *arguments = shlex.split(line)
            done = subprocess.run(
                [sys.executable, "-m", program.replace("-", "_"), *arguments],
                capture_output=True, text=True, cwd=tmp_path, check=False,
            )  # fmt: skip
            ran.append(arguments[0] if program != "pytest" else program)
            assert done.returncode == EXITS[ran[-1]], done.stdout + done.stderr
            assert "Traceback" not in done.stderr, done.stderr
            if output := OUTPUT.match(PAGE, fence.end()):
                assert done.stdout == output[1]
                shown += 1
    assert (ran, shown) == (["demo", "grade", "grade", "pytest"], 1)
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert "Adults pay 12 euros." in done.stdout
