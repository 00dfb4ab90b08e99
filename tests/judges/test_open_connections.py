"""No connection stays open, whenever an ask is cancelled, and however busy the machine is."""

import subprocess
import sys
from pathlib import Path

import pytest
from loopback import Answer, Loopback, Request, good_reply
from remote import ASK

from faithfulness_assert import Grader, JudgeError, Usage

PATIENCE = 60.0  # seconds after which a test that hangs fails


def test_an_ask_whose_connection_its_server_closes_says_so_and_is_sent_again_as_a_retry():
    """As servers do after a while with one that was idle."""
    closed = Answer(b"", end="close", raw=b"")

    def answer(request: Request) -> Answer:
        return closed if request.number == 2 else good_reply(request)

    with Loopback(answer) as server:
        judge = Grader("openai:m", base_url=server.url, api_key="k").judge
        assert judge.ask(ASK).requests == 1
        with pytest.raises(JudgeError, match="judge: the server closed the connection") as error:
            judge.ask(ASK)
        assert error.value.retryable
        assert error.value.usage == Usage(num_requests=1)
        assert judge.ask(ASK).requests == 1


PROGRAM = '''
import asyncio, contextlib, gc, os, sys, threading, time
from faithfulness_assert import Grader, agrade
from faithfulness_assert.judges import background

async def plain(**case):
    assert (await agrade(**case)).status == "graded"

async def together(**case):
    results = await asyncio.gather(*(agrade(**case) for _ in range(4)))
    assert {result.status for result in results} == {"graded"}

async def cancelled(**case):
    """At many of its steps."""
    for milliseconds in range(0, 25, 2):
        grading = asyncio.ensure_future(agrade(**case))
        await asyncio.sleep(milliseconds / 1000)
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
    count = 0
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # closed since
            count += "socket" in os.readlink(f"/proc/self/fd/{name}")
    return count

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
'''


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
