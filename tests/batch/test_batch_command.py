"""``faithfulness-assert batch``: what it shows, and how it ends."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command import BAD as UNSUPPORTED
from command import COMMAND, GOOD, Done, here
from loopback import Loopback, refusal_to
from rows import results_of

CSV = "id,answer,context,team\na,The tower is tall.,The tower is tall.,red\nb,It snows.,The tower is tall.,blue\n"


def cases(tmp_path: Path, *given: Any, times: int = 1) -> str:
    path = tmp_path / "cases.jsonl"
    many = ({**case, "id": f"{number}-{case['id']}"} for number in range(times) for case in given)
    path.write_text("".join(f"{json.dumps(case)}\n" for case in many), encoding="utf-8")
    return str(path)


def batch(*arguments: object) -> Done:
    return here("batch", *arguments)


def test_an_output_never_takes_the_place_of_a_file_that_the_run_needs(tmp_path):
    path, directory = cases(tmp_path, GOOD), tmp_path / "run"
    directory.mkdir()
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    before = Path(path).read_bytes()
    for output in (path, link):
        done = batch(path, "--run", directory, "--output", output)
        assert "is a file that the run needs; choose another file" in " ".join(done.stderr.split())
    assert Path(path).read_bytes() == before
    assert batch(path, "--run", directory, "--output", directory / "a.jsonl").returncode == 0


def test_it_shows_the_columns_before_and_the_summary_after_and_goes_on(tmp_path):
    (tmp_path / "cases.csv").write_text(CSV)
    done = batch(
        tmp_path / "cases.csv", "--run", tmp_path / "run", "--output", tmp_path / "results.csv"
    )
    assert done.returncode == 1
    assert "carried along   team" in done.stderr
    assert done.stdout.startswith("2 cases: 1 passed, 1 failed, 0 not graded; mean score 0.50")
    assert (tmp_path / "results.csv").read_text().count("\n") == 3
    before = results_of(tmp_path / "run")
    again = batch(tmp_path / "cases.csv", "--run", tmp_path / "run")
    assert (again.returncode, again.stdout) == (1, done.stdout)
    assert results_of(tmp_path / "run") == before


def test_at_its_end_it_names_the_lowest_score_and_what_can_be_done_with_the_run(tmp_path):
    file, directory = cases(tmp_path, GOOD, UNSUPPORTED), tmp_path / "the run"
    said = batch(file, "--run", directory).stdout
    assert "\nlowest score: 0-bad: 0 of 1 statements supported" in said
    assert f"\n  faithfulness-assert report '{directory}' -o FILE.html\n" in said
    assert f"\n  faithfulness-assert export '{directory}' -o FILE.csv\n" in said
    quiet = batch(file, "--run", directory, "--quiet").stdout
    assert quiet == said.partition("lowest score")[0]


def test_a_run_that_stops_early_prints_the_command_that_goes_on_without_the_key(tmp_path):
    file = cases(tmp_path, GOOD, times=30)
    options = "--judge openai:m --max-errors 1 --concurrency 1 -o max_retries=0".split()
    with Loopback(refusal_to(401, "no such key")) as server:
        url = server.url.replace("//", "//user:password1@")
        options += ["-o", f"base_url={url}", "-o", "api_key=sk-0123456789"]
        done = batch(file, "--run", tmp_path / "run", *options)
    assert done.returncode == 3
    assert "stopped early: " in done.stderr
    assert "--max-errors is 1" in done.stderr
    lost = re.findall(r"(\d+) not graded", done.stdout)[0]
    assert f"--max-errors {2 * int(lost)} " in done.stderr  # or it would stop again at once
    assert f"To go on:\n  faithfulness-assert batch {file} --run {tmp_path / 'run'}" in done.stderr
    assert "password1" not in done.stderr + done.stdout
    assert "0123456789" not in done.stderr + done.stdout


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals of a POSIX system")
def test_a_terminal_shows_a_line_that_changes_and_ci_does_not(tmp_path):
    import pty

    file = cases(tmp_path, GOOD, times=20)
    shown = {}
    for name, ci in (("terminal", ""), ("ci", "true")):
        ours, its = pty.openpty()
        command = [*COMMAND, "batch", file, "--run", str(tmp_path / name)]
        environment = {**os.environ, "CI": ci, "TERM": "xterm", "COLUMNS": "120"}
        with subprocess.Popen(command, stderr=its, stdout=subprocess.DEVNULL, env=environment):
            os.close(its)
            shown[name] = _read_all(ours)
    assert "\r20 of 20 | " in shown["terminal"]
    assert " | 20 passed, 0 failed" in shown["terminal"]
    assert "20 of 20" not in shown["ci"]
    assert "\x1b" not in shown["ci"]


def _read_all(terminal: int) -> str:
    parts = []
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:  # Linux's way to say that the other end is closed
        pass
    os.close(terminal)
    return b"".join(parts).decode()
