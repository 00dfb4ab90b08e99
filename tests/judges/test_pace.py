"""A server on this machine gets as many asks at once as it can answer in time."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, refusal_to
from remote import bare_environment
from test_local_servers import CASE, SCORE, close, grader
from true_server import answered

from faithfulness_assert.judges.remote.pace import Pace, pace_of
from faithfulness_assert.records.ask import Ask, Payload, ReplyForm
from faithfulness_assert.records.errors import JudgeError


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


class Serial:
    """A server that answers one ask after the other, each in the same time."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.lock = seconds, threading.Lock()
        self.counting, self.now, self.most = threading.Lock(), 0, 0
        self.first_alone = True

    def __call__(self, request: Request) -> Answer:
        with self.counting:
            self.now += 1
            self.most = max(self.most, self.now)
        with self.lock:
            time.sleep(self.seconds)
        with self.counting:
            self.now -= 1
        return answered(request)


def test_a_server_that_answers_one_ask_after_the_other_is_not_drowned() -> None:
    server = Serial(0.4)
    with Loopback(server) as loopback:
        made = grader(loopback, max_statements=1, timeout=2.4, controls="off")
        result = made.grade(**CASE)
        close(made)
    assert result.status == "graded", result.reason
    assert result.score == pytest.approx(SCORE)
    assert len(loopback.requests) == 7
    assert server.most <= 3


def test_what_the_first_ask_learns_about_the_server_all_others_know() -> None:
    def answer(request: Request) -> Answer:
        if request.body["response_format"]["type"] == "json_schema":
            return refusal_to(500, "response_format: input should be 'json_object'")
        return answered(request)

    with Loopback(answer) as loopback:
        made = grader(loopback, max_statements=1, controls="off")
        assert made.grade(**CASE).status == "graded"
        close(made)
    assert len(loopback.requests) == 8


def test_a_server_that_answers_at_once_gets_all_asks_at_once_after_the_first() -> None:
    together = threading.Barrier(6)
    seen: list[Request] = []

    def answer(request: Request) -> Answer:
        seen.append(request)
        if len(seen) > 1:
            together.wait(30)
        return answered(request)

    with Loopback(answer) as loopback:
        made = grader(loopback, max_statements=1, controls="off")
        result = made.grade(**CASE)
        close(made)
    assert (result.status, result.score) == ("graded", pytest.approx(SCORE))


def test_judges_of_one_server_share_its_pace_and_servers_elsewhere_have_none() -> None:
    assert pace_of("http://127.0.0.1:8/v1") is pace_of("http://u:p@127.0.0.1:8/v2") is not None
    assert pace_of("http://localhost:8/v1") is not pace_of("http://localhost:9/v1")
    assert pace_of("http://[::1]:8/v1") is not None
    for elsewhere in ("https://api.openai.com/v1", "http://10.0.0.7/v1", "http://localhost.org"):
        assert pace_of(elsewhere) is None


def test_the_number_of_asks_follows_what_the_server_can_answer_in_time() -> None:
    pace = Pace()
    assert pace.has_room(1000, 30)
    pace.under_way = 1000
    assert not pace.has_room(1000, 30), "the first ask is sent alone"
    pace.learn(10 / 1000)  # ten seconds for an ask
    pace.under_way = 2000
    assert pace.has_room(1000, 30)
    assert not pace.has_room(1001, 30)
    for _ in range(9):
        pace.learn(10 / 3000)  # three asks in the time of one
    assert pace.has_room(6000, 30)
    pace.learn(60 / 8000, late=True)
    pace.learn(60 / 1000, late=True)
    assert not pace.has_room(1, 30)
    pace.under_way = 0
    assert pace.has_room(10**6, 30), "an ask is always sent if no other is under way"


def ask_of(characters: int) -> Ask:
    message = {"role": "user", "content": "x" * characters}
    return Ask((message,), ReplyForm("reason"), (), 100, Payload(()))


@given(
    sizes=st.lists(st.integers(1, 2000), min_size=1, max_size=12),
    cancelled=st.sets(st.integers(0, 11)),
    turns=st.integers(0, 3),
)
@settings(max_examples=60, deadline=None)
def test_asks_go_in_line_and_a_cancelled_one_holds_up_no_other(
    sizes: list[int], cancelled: set[int], turns: int
) -> None:
    pace, went = Pace(), []

    async def go(number: int, size: int) -> None:
        async with pace.turn(ask_of(size), timeout=60, deadline=None):
            went.append(number)
            await asyncio.sleep(0)

    async def all_of_them() -> None:
        tasks = [asyncio.ensure_future(go(n, size)) for n, size in enumerate(sizes)]
        for _ in range(turns):
            await asyncio.sleep(0)
        for number in cancelled & set(range(len(sizes))):
            tasks[number].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(all_of_them())
    assert went == sorted(went)
    assert set(went) >= set(range(len(sizes))) - cancelled
    assert pace.under_way == 0


def test_an_ask_that_waits_until_its_deadline_is_not_sent() -> None:
    pace = Pace()

    async def two() -> None:
        async with pace.turn(ask_of(5), 60, None):
            with pytest.raises(JudgeError, match="no time was left"):
                async with pace.turn(ask_of(5), 60, time.monotonic() + 0.01):
                    raise AssertionError("sent")
        async with pace.turn(ask_of(5), 60, time.monotonic() + 0.01):
            pass

    asyncio.run(two())
    assert pace.under_way == 0
