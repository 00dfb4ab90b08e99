"""The worker in a real promptfoo: every assertion finds it, it ends with the eval, and results stay the same."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from loopback import Answer, Loopback, Request, no_schema
from processes import eventually, workers

from .promptfoo import Promptfoo, Run, clean_environment

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="workers are watched through /proc"),
]

TRUE = "The museum opens at ten. A ticket costs 9 euros."
FALSE = "The museum opens at ten. A ticket costs 35 euros."
TESTS = 6


PYTHON, JAVASCRIPT = ("python", "faithfulness.py"), ("javascript", "faithfulness.cjs")


def case(number: int, form: tuple[str, str]) -> dict[str, Any]:
    """One test with two assertions: the embedded judge, and one behind an API."""
    ours = {"type": form[0], "value": f"file://{form[1]}"}
    api = {
        "judge": "openai:m",
        "baseUrl": "{{env.JUDGE_URL}}",
        "seed": 7,
    }  # the same controls in every process
    return {
        "description": f"test {number}",
        "vars": {"context": TRUE, "query": f"Question {number}?"},
        "providerOutput": TRUE if number % 2 else FALSE,
        "assert": [{**ours, "config": {"judge": "embedded"}}, {**ours, "config": api}],
    }


@contextmanager
def watching(folder: str) -> Iterator[set[int]]:
    """The ids of all workers that appear in ``folder``, checked ten times a second."""
    seen: set[int] = set()
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.1):
            seen.update(workers(folder))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


@pytest.fixture
def place() -> Iterator[str]:
    """A folder for the sockets, with a short path."""
    with tempfile.TemporaryDirectory(prefix="fa-", dir="/tmp") as name:
        yield name


def write(folder: Path, *extensions: str, form: tuple[str, str] = PYTHON) -> Path:
    """An eval with these extensions; returns its configuration."""
    folder.mkdir(exist_ok=True)
    init = [sys.executable, "-m", "faithfulness_assert", "init", "--force", str(folder)]
    subprocess.run(init, check=True, stdout=subprocess.DEVNULL)
    config = folder / "eval.json"
    tests = [case(number, form) for number in range(TESTS)]
    about = (
        {"extensions": [f"file://{form[1]}:{name}" for name in extensions]} if extensions else {}
    )
    config.write_text(
        json.dumps({"prompts": ["{{query}}"], "providers": ["echo"], "tests": tests, **about}),
        "utf-8",
    )
    return config


def graded(run: Run, url: str) -> list[Any]:
    """All results, without the judge's port, the form of the assertion and the tokens spent to learn about the judge."""
    rows = [
        (name, row["success"], row["score"], row["namedScores"], row["gradingResult"])
        for name, row in sorted(run.results.items())
    ]
    text = json.dumps(rows).replace(url, "URL")
    for javascript, python in zip(JAVASCRIPT, PYTHON, strict=True):
        text = text.replace(f'{javascript}"', f'{python}"')
    return json.loads(
        text,
        object_hook=lambda found: {**found, "tokensUsed": None},
    )


@pytest.fixture(scope="module")
def without(
    promptfoo: Promptfoo, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Any], int]:
    """The results of an eval without a worker, and the number of requests to the judge."""
    with Loopback(no_schema) as server:
        run = promptfoo.eval(write(tmp_path_factory.mktemp("without")), JUDGE_URL=server.url)
    return graded(run, server.url), len(server.requests)


@pytest.mark.parametrize(
    ("form", "extensions"),
    [
        (PYTHON, ("worker",)),
        (PYTHON, ("beforeAll", "afterAll")),
        (JAVASCRIPT, ("beforeAll",)),
        (JAVASCRIPT, ("beforeAll", "afterAll")),
    ],
)
def test_a_worker_gives_the_same_results_and_learns_about_the_judge_once(
    form: tuple[str, str],
    extensions: tuple[str, ...],
    promptfoo: Promptfoo,
    without: tuple[list[Any], int],
    tmp_path: Path,
    place: str,
) -> None:
    """One worker serves every assertion of the eval, and ends with promptfoo."""
    with Loopback(no_schema) as server, watching(place) as seen:
        run = promptfoo.eval(
            write(tmp_path, *extensions, form=form), "-j", "1", JUDGE_URL=server.url, TMPDIR=place
        )
    assert eventually(lambda: not workers(place))
    assert len(seen) == 1
    results, asked = without
    assert graded(run, server.url) == results
    lessons = asked // TESTS - 1  # rejected requests of each grade without a worker
    assert lessons > 0
    assert len(server.requests) == TESTS + lessons


def test_a_javascript_assertion_without_a_worker_gives_the_same_results(
    promptfoo: Promptfoo, without: tuple[list[Any], int], tmp_path: Path, place: str
) -> None:
    """Each grades in a new process, and none is left."""
    with Loopback(no_schema) as server:
        config = write(tmp_path, form=JAVASCRIPT)
        run = promptfoo.eval(config, JUDGE_URL=server.url, TMPDIR=place)
    assert not workers(place)
    assert (graded(run, server.url), len(server.requests)) == without


@pytest.mark.parametrize("form", [PYTHON, JAVASCRIPT])
def test_the_terminal_says_at_the_end_what_was_made_up(
    form: tuple[str, str], promptfoo: Promptfoo, tmp_path: Path, place: str
) -> None:
    with Loopback(no_schema) as server:
        config = write(tmp_path, "beforeAll", "afterAll", form=form)
        run = promptfoo.eval(config, JUDGE_URL=server.url, TMPDIR=place, CI="true")
    assert "test 0: made up: “A ticket costs 35 euros.” (" in run.console
    assert "test 1: made up" not in run.console


def test_a_python_behind_a_launcher_finds_its_worker_too(
    promptfoo: Promptfoo, tmp_path: Path, place: str
) -> None:
    """Each Python is then a child of the launcher, not of promptfoo."""
    launcher = tmp_path / "python"
    launcher.write_text(f'#!/bin/sh\n{sys.executable} "$@"\nexit $?\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    with Loopback(no_schema) as server, watching(place) as seen:
        config = write(tmp_path / "eval", "beforeAll")
        run = promptfoo.eval(
            config, "-j", "1", JUDGE_URL=server.url, TMPDIR=place, PROMPTFOO_PYTHON=str(launcher)
        )
    assert eventually(lambda: not workers(place))
    assert len(seen) == 1
    assert [row["success"] for _, row in sorted(run.results.items())] == [False, True] * (
        TESTS // 2
    )
    assert len(server.requests) < 2 * TESTS


@pytest.mark.parametrize("form", [PYTHON, JAVASCRIPT])
def test_a_promptfoo_that_is_killed_leaves_no_worker(
    form: tuple[str, str], promptfoo: Promptfoo, tmp_path: Path, place: str
) -> None:
    """promptfoo does not call ``afterAll`` then."""
    config = write(tmp_path, "beforeAll", "afterAll", form=form)
    hangs = threading.Event()

    def hang(_: Request) -> Answer:
        hangs.set()
        return Answer(delay=60)

    with Loopback(hang) as server:
        environment = {**clean_environment(tmp_path), "JUDGE_URL": server.url, "TMPDIR": place}
        command = promptfoo.command("eval", "-c", config.name, "--no-cache")
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            assert hangs.wait(60)
            assert len(workers(place)) == 1
            os.killpg(process.pid, signal.SIGKILL)
    assert eventually(lambda: not workers(place))
