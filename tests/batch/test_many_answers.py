"""What the pages say about large data sets works as written, also after a kill."""

import csv
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from e2e import judge as simulated
from loopback import Answer, Loopback, Request, completion
from processes import eventually
from rows import finished, results_of

ROWS = 30


def commands(page: str) -> list[str]:
    """The lines of a page that run ``faithfulness-assert batch``."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^\.venv/bin/(faithfulness-assert batch .*)$", text, re.MULTILINE)


def prepared(folder: Path, url: str) -> dict[str, str]:
    """A folder with ``answers.csv`` and a command ``faithfulness-assert``; the environment of a user."""
    with (folder / "answers.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "answer", "context", "team"])
        for number in range(1, ROWS + 1):
            text = f"Tower {number} is tall."
            table.writerow([f"a{number}", text, text if number % 3 else "It rains.", "red"])
    command = folder / "bin" / "faithfulness-assert"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m faithfulness_assert "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    key = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-simulated", "NO_PROXY": "127.0.0.1"}
    return {**os.environ, **key, "PATH": path}


def run(
    command: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.skipif(os.name != "posix", reason="commands of a POSIX shell")
def test_the_commands_grade_a_csv_and_go_on_after_a_kill(tmp_path):
    stuck, june = True, tmp_path / "june"

    def answer(request: Request) -> Answer:
        reply = completion(simulated.reply(request))
        return Answer(delay=600) if stuck and request.number > ROWS // 2 else reply

    with Loopback(answer) as server:
        environment = prepared(tmp_path, server.url)
        first, *others = [*commands("README.md"), *commands("docs/many-answers.md")]
        with subprocess.Popen(
            first, shell=True, cwd=tmp_path, env=environment, start_new_session=True
        ) as process:
            assert eventually(lambda: finished(june) >= 5)
            os.killpg(process.pid, signal.SIGKILL)
        before = results_of(june)
        stuck = False
        for command in (first, *others):
            done = run(command, tmp_path, environment)
            assert done.returncode == 1, done.stderr
            assert f"{ROWS} cases: 20 passed, 10 failed, 0 not graded" in done.stdout
    found = results_of(june)
    assert {row: found[row] for row in before} == before
    assert list(found) == list(range(1, ROWS + 1))
    assert {line["columns"]["team"] for line in found.values()} == {"red"}
    assert len((tmp_path / "june-results.csv").read_text().splitlines()) == ROWS + 1
    assert others
