"""Ctrl-C and SIGTERM: what is under way gets a few seconds, is kept where it arrives, and the run goes on."""

import itertools
import json
import os
import re
import signal
import subprocess
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command import here
from loopback import Answer, Loopback, Request
from processes import HEARS_CTRL_C, eventually
from rows import finished, results_of
from true_server import answered

from faithfulness_assert import Reply
from faithfulness_assert.batch import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of a POSIX system")
ROWS, AT_ONCE = 24, 3


class Slow:
    """Answers the first requests at once. Those after them wait until they are ``released``."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self.released = threading.Event()
        self.came: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Answer:
        tower = re.findall(r"The tower \d+ ", json.dumps(request.body))[0]
        with self._lock:
            self.came[tower] += 1
            waits = sum(self.came.values()) > self.at_once
        if waits:
            self.released.wait(60)
        return answered(request)


def cases(folder: Path, count: int = ROWS) -> str:
    path = folder / "cases.jsonl"
    texts = (f"The tower {n} is tall." for n in range(1, count + 1))
    path.write_text("".join(json.dumps({"answer": t, "context": t}) + "\n" for t in texts))
    return str(path)


def command(server: Loopback, folder: Path, *more: str) -> list[str]:
    options = [f"base_url={server.url}", "api_key=k", "controls=off"]
    given = [word for option in options for word in ("-o", option)]
    run = ["--run", str(folder / "run"), "--judge", "openai:m", "--concurrency", str(AT_ONCE)]
    return [*HEARS_CTRL_C, "batch", cases(folder), *run, *given, *more]


def started(words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def undisturbed(folder: Path) -> dict[int, dict[str, Any]]:
    with Loopback(answered) as server:
        given: dict[str, Any] = {"base_url": server.url, "api_key": "k", "controls": "off"}
        run(cases(folder), folder / "undisturbed", judge="openai:m", progress=False, **given)
    return results_of(folder / "undisturbed")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_is_kept_where_it_arrives(tmp_path, number):
    world = Slow(6)
    with Loopback(world) as server:
        # Time enough on any machine: it ends as soon as all is there.
        process = started(command(server, tmp_path, "--grace", "60"))
        assert eventually(lambda: sum(world.came.values()) == 6 + AT_ONCE)
        process.send_signal(number)
        assert "what is under way gets 60 s" in _read_until(process, "60 s")
        world.released.set()
        _, said = process.communicate(timeout=60)
        assert process.returncode == 128 + number
        asked = sum(world.came.values())
        assert asked - 6 - AT_ONCE in (0, 1)  # one more may have waited for its turn
        came = f"interrupted: {signal.Signals(number).name} came. {asked} of {ROWS} cases: "
        assert came in said
        assert f"\nspent: {asked} requests, " in said
        assert "To go on:\n  faithfulness-assert batch " in said
        assert len(results_of(tmp_path / "run")) == asked, "a reply was paid and lost"
        assert here(*command(server, tmp_path)[len(HEARS_CTRL_C) :]).returncode == 0
    assert results_of(tmp_path / "run") == undisturbed(tmp_path)
    assert set(world.came.values()) == {1}, "paid twice"


@pytest.mark.parametrize("grace", ["0", "0.3"])
def test_when_the_grace_has_ended_only_what_is_under_way_is_lost(tmp_path, grace):
    world = Slow(6)
    with Loopback(world) as server:
        process = started(command(server, tmp_path, "--grace", grace))
        assert eventually(lambda: sum(world.came.values()) == 6 + AT_ONCE)
        assert eventually(lambda: finished(tmp_path / "run") == 6)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 128 + signal.SIGTERM
        assert "did not arrive in time" in said
        assert "Traceback" not in said
        world.released.set()
        assert here(*command(server, tmp_path)[len(HEARS_CTRL_C) :]).returncode == 0
    assert results_of(tmp_path / "run") == undisturbed(tmp_path)
    assert sum(count - 1 for count in world.came.values()) == AT_ONCE


def test_a_second_signal_ends_the_grace(tmp_path):
    world = Slow(6)
    with Loopback(world) as server:
        process = started(command(server, tmp_path, "--grace", "600"))
        assert eventually(lambda: sum(world.came.values()) > 6)
        process.send_signal(signal.SIGTERM)
        _read_until(process, "600 s")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 128 + signal.SIGTERM, said


def test_a_signal_that_does_not_end_the_wait_of_the_main_thread_is_heard(tmp_path):
    ended, asks = threading.Event(), itertools.count()

    class Kills:
        """Has the system give the signal to its own thread, so that the main one goes on waiting."""

        def ask(self, *_: object, **__: object) -> Reply:
            if not next(asks):
                signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
                os.kill(os.getpid(), signal.SIGTERM)
            ended.wait(60)
            return Reply(text="")

    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    try:
        outcome = run(cases(tmp_path), tmp_path / "run", judge=Kills(), grace=0)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        ended.set()
    assert outcome.signal == signal.SIGTERM


def test_an_interrupt_that_a_library_wraps_in_its_own_error_is_still_one(tmp_path, monkeypatch):
    def signalled(*_: object) -> None:
        # pydantic's error of an error in a serializer names no cause
        with suppress(KeyboardInterrupt):
            _send_two_signals()
        raise ValueError("Error calling function: KeyboardInterrupt") from None

    monkeypatch.setattr("faithfulness_assert.batch.store.Store.add", signalled)
    outcome = run(cases(tmp_path), tmp_path / "run", grace=600)
    assert outcome.signal == signal.SIGTERM
    assert "did not arrive in time" in outcome.stopped


def _send_two_signals() -> None:
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)


def _read_until(process: subprocess.Popen[str], word: str) -> str:
    said = ""
    while word not in said and (line := process.stderr.readline()):
        said += line
    return said
