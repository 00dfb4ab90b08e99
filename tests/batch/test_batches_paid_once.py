"""A batch that was sent, but of which no note was taken, is found again; none is paid twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from batch_server import BatchServer, Faults
from command import COMMAND
from remote import bare_environment
from test_provider_batches import VIAS, begun, cases, collected, judge_of, online, results

from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.provider_batches import collect, sending, submit
from faithfulness_assert.batch.run_directory import RunDirectory
from faithfulness_assert.records.errors import JudgeError


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited, of which none passes."""
    bare_environment(monkeypatch)
    waited: list[float] = []
    monkeypatch.setattr(sending, "time", SimpleNamespace(sleep=waited.append, time=time.time))
    return waited


class Losing(BatchServer):
    """Does what is paid for, but its answer does not arrive, so often."""

    def __init__(self, lost: int, status: int = 502, *, takes: bool = True, **more: Any) -> None:
        super().__init__(**more)
        self.lost, self.status, self.takes = lost, status, takes

    def serve(self, method: str, url: str, content: bytes) -> tuple[int, bytes]:
        if method == "POST" and url.endswith("/batches") and self.lost:
            self.lost -= 1
            if self.takes:
                super().serve(method, url, content)
            return self.status, b'{"error": {"message": "it did not work"}}'
        return super().serve(method, url, content)


def begin(path: Path, via: str, server: BatchServer, count: int = 4) -> RunDirectory:
    """Begins a run that ends while its batch is sent."""
    directory = RunDirectory(path)
    with pytest.raises(JudgeError, match="it did not work"):
        submit(open_data_set(cases(count)), directory, via, **judge_of(via, server))
    return directory


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize("clock", [0.0, -3600.0, 7200.0, -86_400.0 * 400])
@pytest.mark.parametrize("lag", [0, 3])
def test_three_runs_of_equal_size_whose_batches_were_not_noted_pay_for_three(
    tmp_path: Path, via: str, clock: float, lag: int
) -> None:
    with Losing(3, clock=clock, lag=lag) as server:
        directories = [begin(tmp_path / f"run {n}", via, server) for n in range(3)]
        for directory in reversed(directories):
            collected(directory)
        assert len(server.batches) == 3
        assert set(server.answered.values()) == {1}
        right = online(4, via, server)
    for directory in directories:
        assert results(directory) == right
        tokens = sum(line.result.tokens_used.prompt for line in directory.lines())
        assert tokens * 3 == sum(
            line.result.tokens_used.prompt for d in directories for line in d.lines()
        )


@pytest.mark.parametrize("via", VIAS)
def test_a_batch_that_never_arrived_is_sent_after_it_was_looked_for_a_while(
    tmp_path: Path, via: str, pauses: list[float]
) -> None:
    with Losing(1, takes=False) as server:
        directory = begin(tmp_path / "run", via, server)
        assert not server.batches
        collected(directory)
        assert len(server.batches) == 1
        assert sum(pauses) >= 30
        assert results(directory) == online(4, via, server)


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize("status", [400, 401, 413, 429])
def test_a_batch_that_was_refused_is_not_looked_for(
    tmp_path: Path, via: str, status: int, pauses: list[float]
) -> None:
    with Losing(1, status, takes=False) as server:
        collected(begin(tmp_path / "run", via, server))
        assert len(server.batches) == 1
    assert not pauses


@pytest.mark.parametrize("via", VIAS)
def test_without_a_server_nothing_was_sent_so_nothing_is_looked_for(
    tmp_path: Path, via: str, pauses: list[float]
) -> None:
    directory = RunDirectory(tmp_path / "run")
    with BatchServer() as server:
        gone = judge_of(via, server)
    with pytest.raises(JudgeError, match="no connection"):
        submit(open_data_set(cases(2)), directory, via, **gone)
    with BatchServer() as server:
        collect(directory, base_url=judge_of(via, server)["base_url"], api_key="k")
        assert len(server.batches) == 1
    assert not pauses


def test_a_batch_of_another_run_is_never_adopted_however_alike_it_is(tmp_path: Path) -> None:
    """What this run sent never arrived. While the other one is under way, that cannot be known."""
    via = "anthropic-batch"
    with Losing(0, takes=False, looks=2) as server:
        other = RunDirectory(tmp_path / "other")
        submit(open_data_set(cases(4)), other, via, **judge_of(via, server))
        server.lost = 1
        directory = begin(tmp_path / "run", via, server)
        standing = collect(directory, api_key="key-0123456789abcdef")
        assert not standing.finished
        assert "one of batch_1 may be its batch" in standing.said[0]
        assert len(server.batches) == 1
        collected(directory)
        collected(other)
        assert len(server.batches) == 2
        assert set(server.answered.values()) == {1}
        assert results(directory) == results(other) == online(4, via, server)


def test_a_batch_that_was_refused_before_is_not_taken_for_the_one_after_it(tmp_path: Path) -> None:
    """It has the same run and file, and a listing that lags shows it alone."""
    via = "openai-batch"
    errors = [{"code": "token_limit_exceeded", "line": None, "message": "too much", "param": None}]
    with Losing(0, refuse=lambda _: errors, lag=0) as server:
        directory = begun(tmp_path, via, server, 4)
        assert len(server.batches) == 1
        errors.clear()
        server.lost, server.lag = 1, 2
        server.batches["batch_1"].lists = 99
        with pytest.raises(JudgeError, match="it did not work"):
            collect(directory, api_key="key-0123456789abcdef")
        collected(directory)
        assert len(server.batches) == 2
        assert results(directory) == online(4, via, server)


@pytest.mark.parametrize("via", VIAS)
def test_batches_are_found_in_rounds_that_lose_lines_too(tmp_path: Path, via: str) -> None:
    with Losing(9, faults=Faults(0.4), clock=-9000.0, lag=2) as server:
        directory = RunDirectory(tmp_path / "run")
        for _ in range(60):
            try:
                given = judge_of(via, server)
                if submit(open_data_set(cases(12)), directory, via, **given).finished:
                    break
            except JudgeError:
                continue
        server.lost = 0
        billed = server.billed["prompt_tokens"]
        assert set(server.answered.values()) == {1}
        assert results(directory) == online(12, via, server)
    used = [line.result.tokens_used.prompt for line in directory.lines()]
    assert sum(used) >= billed  # those of an answer under another id count where they came


class Killing(BatchServer):
    """Ends the process that has just sent a batch, so that it takes no note of it."""

    victim = 0

    def serve(self, method: str, url: str, content: bytes) -> tuple[int, bytes]:
        answer = super().serve(method, url, content)
        if method == "POST" and url.endswith("/batches") and self.victim:
            os.kill(self.victim, signal.SIGKILL)
            self.victim = 0
        return answer


@pytest.mark.skipif(os.name != "posix", reason="signals of a POSIX system")
@pytest.mark.parametrize("via", VIAS)
def test_processes_that_are_killed_after_they_sent_a_batch(tmp_path: Path, via: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(f"{json.dumps(case)}\n" for case in cases(3)))
    with Killing(lag=1, clock=-7200.0) as server:
        judge = judge_of(via, server)
        options = [f"{name}={judge[name]}" for name in ("base_url", "api_key")]
        given = ["--judge", judge["judge"], "--via", via, "-o", options[0], "-o", options[1]]
        runs = [tmp_path / f"run {number}" for number in range(3)]
        for run in runs:
            with subprocess.Popen([*COMMAND, "batch", file, "--run", run, *given]) as process:
                server.victim = process.pid
            assert process.returncode == -signal.SIGKILL
        for run in runs:
            collected(RunDirectory(run))
        assert len(server.batches) == 3
        assert set(server.answered.values()) == {1}
        right = online(3, via, server)
        assert [results(RunDirectory(run)) for run in runs] == [right] * 3
