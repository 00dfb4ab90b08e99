"""Asks stay within the user's limits per minute, and slow down together when a server refuses them."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, refusal_to
from remote import bare_environment
from true_server import answered
from virtual_time import run_virtually

from faithfulness_assert import Ask, ConfigError, Grader, JudgeError, Reply, Usage
from faithfulness_assert.batch.limits import LimitedJudge, Quota, limited
from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.judges.remote.throttle import LEAST, Throttle
from faithfulness_assert.records.ask import Payload, ReplyForm

CASE = {"answer": "It rains in May.", "context": "It rains in May. Snow is rare."}
ASK = Ask(({"role": "user", "content": "Is it so?"},), ReplyForm("verdicts"), (1,), 99, Payload(()))


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


# ---------------------------------------------------------------- a quota per minute


def taken(per_minute: float, amounts: list[float], owed: float = 0) -> list[float]:
    """The instants at which these amounts were taken, one after the other, as fast as it goes."""

    async def take() -> list[float]:
        quota, instants = Quota(per_minute), []
        for amount in amounts:
            await quota.take(amount)
            quota.owe(owed)
            instants.append(asyncio.get_running_loop().time())
        return instants

    return run_virtually(take())


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3000), st.integers(1, 400))
def test_no_minute_has_more_requests_than_allowed_and_none_is_wasted(
    per_minute: int, requests: int
) -> None:
    instants = taken(per_minute, [1] * requests)
    busiest = max(
        place - bisect_left(instants, instant - 60 + 1e-6)
        for place, instant in enumerate(instants, 1)
    )
    assert busiest <= per_minute
    assert instants[-1] <= 61 / per_minute * requests


@settings(max_examples=60, deadline=None)
@given(st.integers(600, 100_000), st.lists(st.integers(1, 3000), min_size=1, max_size=60))
def test_no_minute_has_more_tokens_than_allowed_by_more_than_one_ask(
    per_minute: int, amounts: list[int]
) -> None:
    instants = taken(per_minute, [float(amount) for amount in amounts])
    for place, instant in enumerate(instants):
        first = bisect_left(instants, instant - 60 + 1e-6)
        assert sum(amounts[first : place + 1]) <= per_minute + max(amounts)
    assert instants[-1] <= 61 / per_minute * sum(amounts) + 1e-6


def test_what_an_ask_used_beyond_its_prompt_is_paid_for_by_the_asks_after_it() -> None:
    assert taken(610, [10.0] * 4, owed=90)[-1] == pytest.approx(300 / 10, abs=1.1)
    assert taken(610, [100.0] * 4, owed=-50)[-1] == pytest.approx((4 * 100 - 150) / 10, abs=1.1)


def test_what_is_given_back_is_kept_until_it_is_used() -> None:
    assert taken(610, [1.0] * 50, owed=-1000)[-1] < 0.01


# ---------------------------------------------------------------- a judge with limits


def test_a_judge_without_limits_is_the_judge_itself() -> None:
    judge = TruthfulJudge()
    assert limited(judge) is judge


@pytest.mark.parametrize("limit", [0, -1, "60", True, float("nan"), float("inf")])
def test_a_limit_that_is_no_number_over_0_is_the_callers_mistake(limit: Any) -> None:
    with pytest.raises(ConfigError, match="requests_per_minute: must be"):
        limited(TruthfulJudge(), requests_per_minute=limit)
    with pytest.raises(ConfigError, match="tokens_per_minute: must be"):
        limited(TruthfulJudge(), tokens_per_minute=limit)


@dataclass
class Clocked(TruthfulJudge):
    """Notes when it is asked."""

    times: list[float] = field(default_factory=list)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.times.append(time.monotonic())
        return super().ask(ask)


def test_asks_go_out_no_faster_than_allowed_however_they_are_driven() -> None:
    judge = Clocked()
    grader = Grader(limited(judge, requests_per_minute=600))  # one in 0.1 s
    assert grader.grade(**CASE).score == 1.0
    assert asyncio.run(grader.agrade(**CASE)).score == 1.0
    assert [r.score for r in grader.grade_many([CASE] * 12, concurrency=12)] == [1.0] * 12
    assert judge.times[-1] - judge.times[0] > 0.25  # the first second's share goes out at once


def test_the_wait_for_a_limit_does_not_count_against_the_deadline_of_a_grade() -> None:
    grader = Grader(limited(TruthfulJudge(), requests_per_minute=150), "ragas", deadline=1.0)
    results = list(grader.grade_many([CASE] * 3, concurrency=3))  # 6 asks take 1.4 s
    assert [result.status for result in results] == ["graded"] * 3


def test_a_limited_judge_passes_on_replies_errors_and_what_the_judge_says_of_itself() -> None:
    judge = ScriptedJudge([Reply("yes"), JudgeError("no", usage=Usage(num_requests=3))])
    around = limited(judge, requests_per_minute=1, tokens_per_minute=1e9)
    assert isinstance(around, LimitedJudge)
    assert around.info.name == "scripted"
    assert not hasattr(around, "aask")
    assert around.ask(ASK).text == "yes"
    with pytest.raises(JudgeError, match="no"):
        around.ask(ASK)


@pytest.mark.parametrize("outside", [False, True])
def test_a_stored_reply_does_not_wait_for_a_limit(tmp_path: Path, outside: bool) -> None:
    judge: Any = TruthfulJudge()
    judge.identity = {"judge": "truthful"}
    grader = Grader(judge if outside else limited(judge, requests_per_minute=1), cache=tmp_path)
    if outside:
        grader.judge = limited(grader.judge, requests_per_minute=1)
    results = list(grader.grade_many([CASE] * 20, concurrency=1))  # or 19 minutes
    assert [result.score for result in results] == [1.0] * 20
    assert len(judge.asked) == 1


def test_a_limit_also_holds_for_what_a_store_lacks(tmp_path: Path) -> None:
    judge: Any = Clocked()
    judge.identity = {"judge": "clocked"}
    grader = Grader(judge, cache=tmp_path)
    grader.judge = limited(grader.judge, requests_per_minute=240)
    cases = [{**CASE, "question": str(number)} for number in range(7)]
    assert [result.score for result in grader.grade_many(cases)] == [1.0] * 7
    assert judge.times[-1] - judge.times[0] > 0.5


# ---------------------------------------------------------------- a server that refuses


class Bucket:
    """A server that takes ``rate`` asks in a second, ``burst`` at once, and refuses all others."""

    def __init__(self, rate: float, burst: float, headers: dict[str, str]) -> None:
        self.rate, self.burst, self.headers = rate, burst, headers
        self.level, self.at, self.refused = 0.0, time.monotonic(), 0
        self.lock = threading.Lock()

    def __call__(self, request: Request) -> Answer:
        with self.lock:
            now = time.monotonic()
            self.level = max(self.level - (now - self.at) * self.rate, 0.0)
            self.at = now
            if self.level + 1 > self.burst:
                self.refused += 1
                return refusal_to(429, "slow down", self.headers)
            self.level += 1
        return answered(request)


@pytest.mark.parametrize("headers", [{"retry-after-ms": "50"}, {}])
def test_a_server_that_refuses_most_asks_of_a_batch_still_grades_all_of_them(
    headers: dict[str, str],
) -> None:
    server = Bucket(60, 5, headers)
    with Loopback(server) as loopback:
        judge = OpenAIJudge("m", base_url=loopback.url, max_retries=8)
        grader = Grader(judge, controls="off")
        # A server on this machine is asked carefully; this one is as fast as one far away.
        judge._endpoint = away(judge._endpoint)
        results = list(grader.grade_many([CASE] * 40, concurrency=30))
        judge.close()
    assert [result.status for result in results] == ["graded"] * 40
    assert 0 < server.refused < 60


def away(endpoint: Any) -> Any:
    return replace(endpoint, public_url="http://judge.test/v1")


def test_nothing_waits_before_a_server_refuses_an_ask() -> None:
    judge = OpenAIJudge("m", base_url="http://127.0.0.1:9/v1")
    assert judge.turn(ASK) is None


def test_after_a_burst_of_refusals_all_asks_wait_and_then_go_out_one_by_one() -> None:
    async def go() -> list[float]:
        throttle = Throttle()
        first = [throttle.sent() for _ in range(20)]
        for tried in first:
            throttle.refused(tried, 5.0)
        assert throttle.rate == pytest.approx(20 / 2)  # lowered once, not twenty times
        went: list[float] = []

        async def one() -> None:
            await throttle.wait()
            went.append(throttle.sent().at)

        await asyncio.gather(*(one() for _ in range(10)))
        return went

    went = run_virtually(go())
    assert went[0] == pytest.approx(5.0)
    gaps = [after - before for before, after in pairwise(went)]
    assert gaps == pytest.approx([1 / 10] * 9, rel=0.1)
    assert gaps == sorted(gaps, reverse=True)  # as long as the server takes them, they get faster


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.001, 0.01, 0.03]))
def test_refusals_here_and_there_make_no_other_ask_wait(seed: int, share: float) -> None:
    chance = random.Random(seed)

    async def go() -> None:
        throttle = Throttle()
        for _ in range(500):
            tried = throttle.sent()
            await asyncio.sleep(0.01)
            if chance.random() < share:
                throttle.refused(tried, 1.0)
            assert not throttle.holds

    run_virtually(go())


def test_a_limit_that_slower_asks_do_not_keep_either_is_none() -> None:
    async def go() -> None:
        throttle = Throttle()
        for number in range(10_000):
            await throttle.wait()
            tried = throttle.sent()
            if number < 5 or number % 8 == 0:  # a burst by chance, then one in eight at any rate
                throttle.refused(tried, 0.1)
            if number > 5 and not throttle.holds:
                return
        raise AssertionError("it still asks slowly")

    run_virtually(go())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.floats(0, 60)), min_size=1, max_size=20))
def test_a_rate_never_falls_below_the_least_and_grows_without_refusals(
    story: list[tuple[int, float]],
) -> None:
    async def go() -> None:
        throttle = Throttle()
        for tries, wait in story:
            for tried in [throttle.sent() for _ in range(tries + 1)]:
                throttle.refused(tried, wait)
                assert throttle.rate >= LEAST
            await throttle.wait()
        await asyncio.sleep(36_000)
        await throttle.wait()
        assert not throttle.holds

    run_virtually(go())


def test_without_a_time_in_the_refusal_the_pause_is_short() -> None:
    async def go() -> float:
        throttle = Throttle()
        for tried in [throttle.sent() for _ in range(5)]:
            throttle.refused(tried, None)
        await throttle.wait()
        return asyncio.get_running_loop().time()

    assert run_virtually(go()) == pytest.approx(0.5, rel=0.01)
