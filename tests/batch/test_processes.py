"""Several processes that grade: as one would, and a process that dies costs no row."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import eventually

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import RunDirectory, processes, run
from faithfulness_assert.batch.processes import FEW, grade_in_processes
from faithfulness_assert.batch.row_grading import GraderSettings
from faithfulness_assert.batch.rows import Row

FIRST_PROCESS = """
import signal
from multiprocessing import get_context
from faithfulness_assert.batch.processes import _ctrl_c_later

def holds_it_back():
    raise SystemExit(signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, []))

if __name__ == "__main__":
    process = get_context("spawn").Process(target=holds_it_back)
    with _ctrl_c_later():
        process.start()
    process.join()
    raise SystemExit(process.exitcode)
"""

TAKEN_BY_ANOTHER_THREAD = """
import signal, socket, threading
from faithfulness_assert.batch.processes import _ctrl_c_later

other = threading.Thread(target=threading.Event().wait, daemon=True)
other.start()
here, there = socket.socketpair()
there.setblocking(False)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.set_wakeup_fd(there.fileno())
held = False
try:
    with _ctrl_c_later():
        signal.pthread_kill(other.ident, signal.SIGINT)
        here.recv(1)
        held = True
except KeyboardInterrupt:
    raise SystemExit(not held) from None
raise SystemExit("it never came")
"""


def cases(count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        fact = f"The tower {n} is tall."
        yield {"answer": fact, "context": fact if n % 3 else "It rains."}


def graded(directory: Path, source: Any, **options: Any) -> list[tuple[Any, ...]]:
    """The results of a run as far as they do not depend on time, in the order of the rows."""
    run(source, directory, progress=False, **options)
    lines = sorted(RunDirectory(directory).lines(), key=lambda line: line.row)
    assert [line.row for line in lines] == list(range(1, len(lines) + 1))
    assert not multiprocessing.active_children()
    return [(*line[:4], line.result.score, line.result.verdicts) for line in lines]


def test_several_processes_grade_as_one_does_and_a_result_is_there_before_later_rows_are_read(
    tmp_path: Path,
) -> None:
    results = tmp_path / "two" / "results.jsonl"

    def rows() -> Iterator[dict[str, Any]]:
        yield {"answer": "No context."}
        for place, case in enumerate(cases(200)):
            if place == 150:
                assert eventually(lambda: results.read_bytes().count(b"\n") >= 1)
            yield case

    two = graded(tmp_path / "two", rows(), processes=2)
    assert len(two) == 201
    assert graded(tmp_path / "one", rows(), processes=1) == two
    assert graded(tmp_path / "threads", rows(), concurrency=4) == two


def test_there_are_as_many_processes_as_cores_if_the_rows_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_cores", lambda: 2)
    most: list[int] = []

    def rows(count: int) -> Iterator[dict[str, Any]]:
        for case in cases(count):
            most.append(len(multiprocessing.active_children()))
            yield case

    graded(tmp_path / "few", rows(FEW - 1))
    assert max(most) == 0
    graded(tmp_path / "many", rows(FEW + 60), processes="auto")
    assert max(most) == 2


def test_a_process_that_dies_is_replaced_and_its_rows_are_graded_all_the_same(
    tmp_path: Path,
) -> None:
    killed: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        for place, case in enumerate(cases(400)):
            if place in (200, 300):
                child = multiprocessing.active_children()[place == 200]
                child.kill()
                killed.append(child.pid or 0)
            yield case

    alone = graded(tmp_path / "one", cases(400), processes=1)
    assert graded(tmp_path / "two", rows(), processes=2) == alone
    assert len(set(killed)) == 2


class Deadly:
    """Ends each process that it comes to, as one does that has no memory left."""

    def __reduce__(self) -> Any:
        return os._exit, (1,)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_row_at_which_a_process_dies_twice_has_an_error_that_says_so(processes: int) -> None:
    settings = GraderSettings("embedded", "default", None, {})
    deadly = (3, 50, 60)
    rows = [
        Row(n, f"c{n}", case, {"x": Deadly()} if n in deadly else {})
        for n, case in enumerate(cases(60), 1)
    ]
    lines = [line for _, line in grade_in_processes(rows, settings, settings.grader(), processes)]
    assert sorted(line.row for line in lines) == list(range(1, 61))
    failed = {line.row: line.result for line in lines if line.result.status != "graded"}
    assert sorted(failed) == list(deadly)
    for result in failed.values():
        assert (result.status, result.defined, result.pass_) == ("judge_failed", False, False)
        assert result.error is not None
        assert "died twice" in result.error.message == result.reason


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")
@pytest.mark.parametrize("code", [FIRST_PROCESS, TAKEN_BY_ANOTHER_THREAD])
def test_a_process_that_starts_is_not_reached_by_ctrl_c(tmp_path: Path, code: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(code)
    assert subprocess.run([sys.executable, script], timeout=60, check=False).returncode == 0


def test_what_one_process_alone_can_do_several_refuse(tmp_path: Path) -> None:
    embedded = GraderSettings("embedded", "default", None, {}).grader().judge
    for options, problem in (
        ({"judge": embedded}, "only a judge that is given by its name"),
        ({"judge": "openai:m", "api_key": "k"}, "one is enough for a judge that does not compute"),
        ({"requests_per_minute": 60}, "only one can keep limits per minute"),
    ):
        with pytest.raises(ConfigError, match=f"processes: {problem}"):
            run(cases(1), tmp_path / "run", processes=2, **options)
