"""Several processes that grade: as one would, within its limits, and none is left behind."""

from __future__ import annotations

import json
import math
import multiprocessing
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_server import truthful
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request
from processes import eventually
from remote import bare_environment

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import RunDirectory, run
from faithfulness_assert.batch.engine import FEW, Engine
from faithfulness_assert.batch.row_grading import GraderSettings, Share
from faithfulness_assert.cli import batch_command, main

REMOTE = GraderSettings("openai:m", "default", None, {"api_key": "k"})


FIRST_PROCESS = """
import signal
from multiprocessing import get_context
from faithfulness_assert.batch.process_pool import _ctrl_c_later

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
from faithfulness_assert.batch.process_pool import _ctrl_c_later

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


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def cases(count: int) -> list[dict[str, Any]]:
    facts = [f"The tower {n} is tall." for n in range(count)]
    return [
        {"answer": fact, "context": fact if n % 3 else "It rains."} for n, fact in enumerate(facts)
    ]


class Judge:
    """A judge behind an API that notes how many asks it has at once."""

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = delay
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    def __call__(self, request: Request) -> Answer:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        threading.Event().wait(self.delay)
        status, body = truthful(request.path, request.body)
        with self.lock:
            self.now -= 1
        return Answer(body, status)


def graded(tmp_path: Path, name: str, source: Any, server: Loopback, **options: Any) -> list[Any]:
    run(
        source, tmp_path / name, judge="openai:m", base_url=server.url, api_key="k",
        progress=False, **options,
    )  # fmt: skip
    lines = [json.loads(line.to_json()) for line in RunDirectory(tmp_path / name).lines()]
    assert len({line["row"] for line in lines}) == len(lines)
    for line in lines:
        del line["latency_ms"]
    return sorted(lines, key=lambda line: line["row"])


def test_a_judge_behind_an_api_gives_the_same_results_in_several_processes_and_never_more_asks(
    tmp_path: Path,
) -> None:
    judge = Judge(delay=0.05)
    with Loopback(judge) as server:
        one = graded(tmp_path, "one", cases(60), server, concurrency=5, processes=1)
        alone, judge.most = judge.most, 0
        two = graded(tmp_path, "two", cases(60), server, concurrency=5, processes=2)
    assert one == two
    assert alone <= 5
    assert 3 < judge.most <= 5  # more than one of the two may have


def test_many_asks_at_once_are_shared_out_among_processes_if_one_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faithfulness_assert.batch.engine._cores", lambda: 2)
    seen = set()

    def answer(request: Request) -> Answer:
        seen.update(child.pid for child in multiprocessing.active_children())
        status, body = truthful(request.path, request.body)
        return Answer(body, status)

    with Loopback(answer) as server:
        lines = graded(tmp_path, "run", cases(FEW + 9), server, concurrency=64, processes="auto")
        assert len(lines) == FEW + 9
        assert len(seen) == 2
        assert not multiprocessing.active_children()
        seen.clear()
        graded(tmp_path, "few", cases(FEW - 1), server, concurrency=64, processes="auto")
        graded(tmp_path, "eight", cases(FEW), server, processes="auto")
        graded(tmp_path, "one", cases(FEW), server, concurrency=64)
    assert not seen


def test_results_are_there_before_the_rows_after_them_are_read(tmp_path: Path) -> None:
    results = tmp_path / "run" / "results.jsonl"

    def rows() -> Iterator[dict[str, Any]]:
        given = cases(40)
        yield from given[:30]
        assert eventually(lambda: results.read_bytes().count(b"\n") >= 1)
        yield from given[30:]

    with Loopback(Judge()) as server:
        assert len(graded(tmp_path, "run", rows(), server, concurrency=4, processes=2)) == 40


def test_a_process_that_dies_stops_the_run_and_what_is_finished_is_kept(tmp_path: Path) -> None:
    def answer(request: Request) -> Answer:
        if request.number == 30:
            multiprocessing.active_children()[0].kill()
        status, body = truthful(request.path, request.body)
        return Answer(body, status)

    with Loopback(answer) as server:
        with pytest.raises(ConfigError, match="processes: a process that grades has died"):
            graded(tmp_path, "run", cases(60), server, concurrency=4, processes=2)
        kept = len(list(RunDirectory(tmp_path / "run").lines()))
        assert 0 < kept < 60
        assert not multiprocessing.active_children()
        assert len(graded(tmp_path, "run", cases(60), server, concurrency=4, processes=2)) == 60
        assert len(server.requests) < 60 + 30


@given(asks=st.integers(1, 1000), processes=st.integers(1, 20), rate=st.floats(1, 1e6))
def test_the_shares_of_all_processes_are_the_limits_of_the_run(
    asks: int, processes: int, rate: float
) -> None:
    share = Share(asks, rate, rate)
    grader = REMOTE.grader()
    if processes > asks:
        with pytest.raises(ConfigError, match="cannot share a concurrency of"):
            Engine(REMOTE, grader, share, processes)
        return
    shares = Engine(REMOTE, grader, share, processes)._shares(processes)
    assert sum(each.concurrency or 0 for each in shares) == asks
    assert min(each.concurrency or 0 for each in shares) > 0
    assert sum(each.tokens_per_minute or 0 for each in shares) == pytest.approx(rate)
    assert Share(asks).of(processes) == Share(asks)


@given(wanted=st.integers(1, 20), rate=st.floats(1, 1e6))
def test_no_minute_has_more_requests_than_allowed_when_processes_share_them(
    wanted: int, rate: float
) -> None:
    share = Share(8, rate, None)
    processes = share.most_graders(wanted)
    each = share.of(processes).requests_per_minute or 0
    assert processes * math.ceil(each) <= rate  # a process sends one at once, then one at a time
    assert processes * each > rate - processes
    assert processes == min(wanted, int(rate))


def test_the_command_asks_a_judge_behind_an_api_from_several_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}

    def noted(*_: Any, **options: Any) -> None:
        given.update(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(batch_command, "run_batch", noted)
    (tmp_path / "cases.json").write_text(json.dumps(cases(1)))
    command = ["batch", str(tmp_path / "cases.json"), "--run", str(tmp_path / "run")]
    for more, expected in (([], "auto"), (["--processes", "3"], 3), (["--engine", "ray"], None)):
        monkeypatch.setattr("sys.argv", ["faithfulness-assert", *command, *more])
        with pytest.raises(SystemExit):
            main()
        assert given["processes"] == expected


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")
@pytest.mark.parametrize("code", [FIRST_PROCESS, TAKEN_BY_ANOTHER_THREAD])
def test_a_process_that_starts_is_not_reached_by_ctrl_c(tmp_path: Path, code: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(code)
    assert subprocess.run([sys.executable, script], timeout=60, check=False).returncode == 0


def test_a_judge_that_is_an_object_works_in_one_process(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="given by its name"):
        run(cases(1), tmp_path / "run", judge=REMOTE.grader().judge, processes=2)
