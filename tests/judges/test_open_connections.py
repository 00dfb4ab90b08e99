"""No connection stays open, whenever an ask is cancelled, and however busy the machine is."""

import asyncio
import gc
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import Answer, Loopback, Request, good_reply
from remote import ASK

from faithfulness_assert import JudgeError, Usage
from faithfulness_assert.judges import background
from faithfulness_assert.judges.openai import OpenAIJudge

PATIENCE = 60.0  # seconds after which a test that hangs fails
FEW, MANY = 10, 200  # callbacks of the loop in one ask: more than this, fewer than that


# ---------------------------------------------------------------- at any step of an ask


@pytest.fixture
def left_open() -> Iterator[list[str]]:
    """What the garbage collector finds open, from the end of the test on."""
    found: list[str] = []
    gc.collect()
    gc.freeze()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield found
        gc.collect()
    gc.unfreeze()
    found += [str(one.message) for one in seen]
    assert not found


def outcome_at(step: int, judge: OpenAIJudge, patch: pytest.MonkeyPatch) -> Any:
    """The outcome of an ask that is cancelled before the callback number ``step``; None if it has ended before."""
    count = 0
    run = asyncio.Handle._run

    async def ask() -> Any:
        asking = asyncio.ensure_future(judge._send(ASK, None))

        def counted(handle: asyncio.Handle) -> None:
            nonlocal count
            if handle._loop is loop and not asking.done():
                count += 1
                if count == step:
                    asking.cancel()
            run(handle)

        with patch.context() as patched:
            patched.setattr(asyncio.Handle, "_run", counted)
            (outcome,) = await asyncio.gather(asking, return_exceptions=True)
        for line in list(background.process.lines):
            line.close()
        await asyncio.sleep(0)
        return outcome if count >= step else None

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(ask())
    finally:
        loop.close()


def test_at_any_step_of_an_ask_its_connection_closes_with_it(monkeypatch, left_open):
    background.process.started()  # which makes what limits all connections
    with Loopback(good_reply) as server:
        outcomes = []
        for step in range(1, MANY):
            judge = OpenAIJudge("m", base_url=server.url, api_key="k")
            if (outcome := outcome_at(step, judge, monkeypatch)) is None:
                break
            outcomes.append(outcome)
    assert FEW <= len(outcomes) < MANY - 1
    assert isinstance(outcomes[0], asyncio.CancelledError)


def test_an_ask_whose_connection_its_server_closes_says_so_and_is_sent_again_as_a_retry():
    """As servers do after a while with one that was idle."""
    closed = Answer(b"", end="close", raw=b"")

    def answer(request: Request) -> Answer:
        return closed if request.number == 2 else good_reply(request)

    with Loopback(answer) as server:
        judge = OpenAIJudge("m", base_url=server.url, api_key="k")
        assert judge.ask(ASK).requests == 1
        with pytest.raises(JudgeError, match="judge: the server closed the connection") as error:
            judge.ask(ASK)
        assert error.value.retryable
        assert error.value.usage == Usage(num_requests=1)
        assert judge.ask(ASK).requests == 1


# ---------------------------------------------------------------- a program that grades again and again

PROGRAM = """
import asyncio, contextlib, gc, os, sys, threading, time
from faithfulness_assert import Grader, agrade
from faithfulness_assert.judges import background

async def plain(**case):
    assert (await agrade(**case)).status == "graded"

async def together(**case):
    results = await asyncio.gather(*(agrade(**case) for _ in range(4)))
    assert {result.status for result in results} == {"graded"}

async def cancelled(**case):
    grading = asyncio.ensure_future(agrade(**case))
    await asyncio.sleep(0.02)
    grading.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await grading

async def failing(**case):
    async def fails():
        await asyncio.sleep(0.02)
        raise ZeroDivisionError
    with contextlib.suppress(ZeroDivisionError):
        await asyncio.gather(agrade(**case), fails())

def opened():
    return sum("socket" in os.readlink(f.path) for f in os.scandir("/proc/self/fd") if os.path.islink(f.path))

def busy():
    while not over.is_set():
        sum(range(5_000))

over, case = threading.Event(), dict(answer="It rains.", context="It rains.", judge="openai:m")
urls = sys.argv[1:]
background.process.started()  # has sockets of its own
before = opened()
for load in (0, 2):
    for _ in range(load):
        threading.Thread(target=busy, daemon=True).start()
    for run in (plain, together, cancelled, failing):
        for number in range(3):
            asyncio.run(run(base_url=urls[number % len(urls)], **case))
over.set()
gc.collect()
end = time.monotonic() + 60
while opened() > before and time.monotonic() < end:
    time.sleep(0.05)
print(before, opened())
"""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files as Linux does")
def test_many_runs_of_agrade_leave_no_connection_open_and_no_warning():
    def hangs_up(request: Request) -> Answer:
        return Answer(good_reply(request).body, end="close", delay=0.01)

    with Loopback(good_reply) as keeps, Loopback(hangs_up) as late:
        command = [sys.executable, "-W", "error", "-c", PROGRAM, keeps.url, late.url]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=5 * PATIENCE)
    assert ended.stderr == ""
    before, after = map(int, ended.stdout.split())
    assert after <= before
