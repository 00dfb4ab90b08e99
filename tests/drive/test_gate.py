"""One gate for every ask to a server: when it may go, when it goes again, and what it learns.

The gate is driven as a grade drives it, mostly on a clock that jumps. ``Server`` is the other side.
"""

import asyncio
import math
import random
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, good_reply, refusal_to
from strategies import examples
from virtual_time import run_virtually

from faithfulness_assert import Ask, ConfigError, Grader, JudgeError, Reply, Usage
from faithfulness_assert.batch.rows import Row, gate_of, grade_rows
from faithfulness_assert.drive.asks import GivenUp, TimeLeft
from faithfulness_assert.drive.breaker import COOL_DOWN, FAILURES, NO_DEADLINE
from faithfulness_assert.drive.gate import SLOWEST, Gate, LocalServer, PerMinute
from faithfulness_assert.records.judge import Limits, Outcome, Payload, ReplyForm

CASE = {"answer": "It rains in May.", "context": "It rains in May. Snow is rare."}
SENT = Usage(num_requests=1)
HERE = "http://127.0.0.1:1/v1"
Send = Callable[[], Coroutine[Any, Any, Outcome]]


def ask_of(characters: int = 20) -> Ask:
    message = {"role": "user", "content": "x" * characters}
    return Ask((message,), ReplyForm("reason"), (), 100, Payload(()))


def error(kind: str, *, retryable: bool = True, **details: Any) -> JudgeError:
    return JudgeError("it failed", kind, retryable=retryable, **{"usage": SENT, **details})


def now() -> float:
    return asyncio.get_running_loop().time()


class Server:
    """Answers after ``seconds``, unless ``fails`` gives an error for a try; notes when each came."""

    def __init__(
        self, fails: Callable[[int], JudgeError | None] = lambda _: None, seconds: float = 0.1
    ) -> None:
        self.fails, self.seconds = fails, seconds
        self.came: list[float] = []

    async def __call__(self) -> Outcome:
        self.came.append(now())
        failure = self.fails(len(self.came))
        await asyncio.sleep(self.seconds)
        return failure or Reply("yes", Usage(10, 5, num_requests=1))


def down_from(start: float, end: float, kind: str = "server") -> Callable[[int], JudgeError | None]:
    return lambda _: error(kind) if start <= now() < end else None


def gate_to(url: str = "", *, retries: int = 0, timeout: float = 60.0, **more: Any) -> Gate:
    """A gate to a judge of which only this is known."""
    identity = {"base_url": url}
    judge = SimpleNamespace(max_retries=retries, timeout=timeout, identity=identity)
    return Gate(judge, **more)


def patient(*, retries: int = 2) -> Gate:
    return gate_to(retries=retries, patience=3600.0)


async def asked(gate: Gate, send: Send, deadline: float | None = None) -> Outcome:
    return await gate.ask(ask_of(), send, TimeLeft(deadline, now=now))


async def batch(gate: Gate, send: Send, asks: int, at_once: int = 8) -> list[Outcome]:
    """The outcomes of many asks, of which so many are under way at once."""
    left = iter(range(asks))

    async def place() -> list[Outcome]:
        return [await asked(gate, send, 300) for _ in left]

    places = await asyncio.gather(*(place() for _ in range(at_once)))
    return [outcome for place in places for outcome in place]


def failures(outcomes: list[Outcome]) -> list[JudgeError]:
    return [outcome for outcome in outcomes if isinstance(outcome, JudgeError)]


# ---------------------------------------------------------------- retries


def test_a_temporary_failure_is_tried_again_and_all_that_was_used_is_counted():
    lost = error("server", usage=Usage(10, 2, num_requests=1), retry_after=0.0)
    server = Server(lambda n: [lost, error("transport")][n - 1] if n < 3 else None)
    reply = run_virtually(asked(gate_to(retries=2), server))
    assert isinstance(reply, Reply)
    assert reply.usage == Usage(20, 7, num_requests=3)
    assert reply.requests == 3
    (late,) = failures(story(gate_to(retries=2), [0], Server(lambda _: error("timeout"))))
    assert late.usage == Usage(num_requests=3)


def test_a_judge_is_asked_again_after_the_pause_that_its_server_wants():
    def answer(request: Request) -> Answer:
        if request.number == 1:
            return refusal_to(429, "slow down", {"retry-after-ms": "300"})
        return good_reply(request)

    with Loopback(answer) as server:
        grader = Grader("openai:m", base_url=server.url, api_key="k", controls="off")
        begun = time.monotonic()
        result = grader.grade("The museum opens at nine. It closes.", "The museum opens at nine.")
        assert time.monotonic() - begun > 0.3
    assert result.tokens_used.num_requests == 2


@pytest.mark.parametrize("deadline", [0, 0.1])
def test_nothing_is_sent_or_waited_for_beyond_the_deadline(deadline):
    server = Server(lambda _: error("server", retry_after=5.0), seconds=0)
    outcome = run_virtually(asked(patient(), server, deadline))
    assert isinstance(outcome, JudgeError)
    assert (outcome.kind, len(server.came)) == (("server", 1) if deadline else ("timeout", 0))


# ---------------------------------------------------------------- the user's limits per minute


def gone(limits: PerMinute, sizes: list[int], owed: Usage | None = None) -> list[float]:
    """The instants at which asks of these sizes went, one after the other, as fast as it goes."""

    async def go() -> list[float]:
        instants = []
        for size in sizes:
            await limits.take(ask_of(4 * size))
            if owed:
                limits.spent(ask_of(4 * size), Reply("", owed))
            instants.append(now())
        return instants

    return run_virtually(go())


@examples(60)
@given(st.integers(1, 3000), st.integers(1, 400))
def test_no_minute_has_more_requests_than_allowed_and_none_is_wasted(per_minute, requests):
    instants = gone(PerMinute(requests=per_minute), [1] * requests)
    for place, instant in enumerate(instants):
        assert sum(instant - 60 + 1e-6 <= other for other in instants[: place + 1]) <= per_minute
    assert instants[-1] <= 61 / per_minute * requests


@examples(60)
@given(st.integers(600, 100_000), st.lists(st.integers(1, 3000), min_size=1, max_size=60))
def test_no_minute_has_more_tokens_than_allowed_by_more_than_one_ask(per_minute, sizes):
    limits = PerMinute(tokens=per_minute)
    instants = gone(limits, sizes)
    for place, instant in enumerate(instants):
        window = zip(instants[: place + 1], sizes, strict=False)
        assert sum(size for at, size in window if at >= instant - 60 + 1e-6) <= (
            per_minute + max(sizes)
        )
    assert instants[-1] <= 61 / per_minute * sum(sizes) + 1e-6


@pytest.mark.parametrize(("used", "seconds"), [(100, 30), (10, 3.4), (2, 0.7)])
def test_what_an_ask_used_beyond_its_prompt_is_paid_for_by_the_asks_after_it(used, seconds):
    limits = PerMinute(tokens=610)
    usage = Usage(used // 2, used - used // 2, num_requests=1)
    assert gone(limits, [10] * 4, usage)[-1] == pytest.approx(seconds, abs=1.1)


@pytest.mark.parametrize("limit", [0, -1, "60", True, float("nan"), float("inf")])
def test_a_limit_that_is_no_number_over_0_is_the_callers_mistake(limit):
    for limits, name in (((limit, None), "requests"), ((None, limit), "tokens")):
        with pytest.raises(ConfigError, match=f"{name}_per_minute: must be"):
            PerMinute(*limits)


@dataclass
class Clocked(TruthfulJudge):
    """Notes when it is asked."""

    times: list[float] = field(default_factory=list)
    identity: Any = field(default_factory=lambda: {"judge": "clocked"})

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.times.append(time.monotonic())
        return super().ask(ask)


def limited(
    grader: Grader, cases: list[dict[str, str]], requests: float, at_once: int
) -> list[str]:
    """The statuses of these cases as a run grades them that may send so many requests a minute."""
    gate = gate_of(grader, requests, None, NO_DEADLINE)
    rows = [Row(number, str(number), case) for number, case in enumerate(cases)]
    return [line.result.status for line in grade_rows(rows, grader, at_once, gate)]


def test_asks_go_out_no_faster_than_allowed_however_many_are_under_way():
    """Also by a judge that works in this process, with one ask at once."""
    for at_once in (1, 12):
        judge = Clocked()
        assert limited(Grader(judge), [CASE] * 14, 600, at_once=at_once) == ["graded"] * 14
        assert judge.times[-1] - judge.times[0] > 0.25  # the first second's share goes out at once


@pytest.mark.parametrize("statements", [None, 1])
def test_the_wait_for_a_limit_does_not_count_against_the_deadline_of_a_grade(statements):
    judge = TruthfulJudge(limits=Limits(statements=statements))
    grader = Grader(judge, "ragas", deadline=2.5)
    case = {"answer": "It rains. It snows.", "context": "It rains. It snows."}
    # 6 asks take 3 s, or 9 longer
    assert limited(grader, [case] * 3, 90, at_once=3) == ["graded"] * 3


@pytest.mark.parametrize(("questions", "asks"), [(1, 1), (7, 7)])
def test_a_limit_holds_only_for_what_a_store_of_replies_lacks(tmp_path, questions, asks):
    judge = Clocked()
    grader = Grader(judge, cache=tmp_path)
    cases = [{**CASE, "question": str(number % questions)} for number in range(63)]
    assert limited(grader, cases, 240, at_once=1) == ["graded"] * 63  # or a quarter of a minute
    assert len(judge.times) == asks
    assert asks == 1 or judge.times[-1] - judge.times[0] > 0.5


# ---------------------------------------------------------------- a server that refuses (429)


def refused(wait: float | None = None) -> JudgeError:
    return error("rate_limit", http_status=429, retry_after=wait)


class Bucket(Server):
    """A server that takes ``rate`` asks in a second, ``burst`` at once, and refuses all others.

    It also refuses a ``share`` of all asks by chance.
    """

    def __init__(self, rate: float, burst: float, share: float = 0.0) -> None:
        super().__init__(self._refusal, seconds=0.5)
        self.rate, self.burst, self.share = rate, burst, share
        self.chance = random.Random(1)
        self.level = self.at = 0.0
        self.refused = 0

    def _refusal(self, _: int) -> JudgeError | None:
        if self.chance.random() < self.share:
            return refused(1.0)
        self.level = max(self.level - (now() - self.at) * self.rate, 0.0)
        self.at = now()
        if self.level + 1 > self.burst:
            self.refused += 1
            return refused((self.level + 1 - self.burst) / self.rate)
        self.level += 1
        return None


def seconds_of(gate: Gate, server: Server, asks: int, at_once: int) -> float:
    async def go() -> float:
        assert not failures(await batch(gate, server, asks, at_once))
        return now()

    return run_virtually(go())


@pytest.mark.parametrize(
    ("rate", "burst", "share"), [(30, 5, 0.0), (30, 300, 0.03), (5, 5, 0.1), (30, 5, 0.1)]
)
def test_a_limit_that_only_the_server_knows_is_found_and_seldom_exceeded(rate, burst, share):
    """Also where it refuses some asks by chance, which is no limit."""
    server = Bucket(rate, burst, share)
    seconds = seconds_of(patient(), server, 6000, at_once=64)
    assert seconds < 1.12 * 6000 / rate
    assert server.refused < (0.08 + 1.1 * share) * 6000


def test_a_limit_of_tokens_is_kept_by_asks_that_differ_in_size():
    """Else the large ones would be refused again and again, and some until their deadline."""
    chance = random.Random(2)
    sizes = [int(100 * math.exp(chance.gauss(0, 1))) + 1 for _ in range(4000)]
    level = at = refusals = 0.0

    async def send(size: int) -> Outcome:
        nonlocal level, at, refusals
        level, at = max(level - (now() - at) * 5000, 0.0), now()
        if level + size > 10_000:
            refusals += 1
            wait = (level + size - 10_000) / 5000
            await asyncio.sleep(0.05)
            failure = refused(wait)
            failure.message = "too many tokens"
            return failure
        level += size
        await asyncio.sleep(0.5)
        return Reply("yes", Usage(size, 5, num_requests=1))

    async def go() -> float:
        gate, left = patient(), iter(sizes)

        async def place() -> list[Outcome]:
            given = ((size, TimeLeft(300, now=now)) for size in left)
            return [await gate.ask(ask_of(4 * n), partial(send, n), time) for n, time in given]

        outcomes = await asyncio.gather(*(place() for _ in range(64)))
        assert not any(failures(each) for each in outcomes)
        return now()

    assert run_virtually(go()) < 1.1 * sum(sizes) / 5000
    assert refusals < 0.1 * len(sizes)


@pytest.mark.parametrize("seconds", [0.02, 0.15, 0.5])
def test_few_asks_are_refused_before_a_limit_is_known(seconds):
    """However long the server takes to refuse them."""
    server = Bucket(5, 5)
    server.seconds = seconds
    assert seconds_of(patient(), server, 300, at_once=16) < 1.2 * 300 / 5
    assert server.refused < 0.5 * 300


def test_a_rest_before_refusals_makes_the_rate_no_lower():
    gate, server = patient(), Bucket(20, 20)

    async def go() -> float:
        for _ in range(10):  # as someone asks now and then
            await batch(gate, server, 1)
            await asyncio.sleep(60)
        began = now()
        assert not failures(await batch(gate, server, 600, at_once=64))
        return now() - began

    assert run_virtually(go()) < 1.5 * 600 / 20


@examples(8)
@given(st.integers(0, 2**32), st.sampled_from([0.001, 0.01, 0.03, 0.1, 0.2, 0.25]))
def test_refusals_by_chance_make_other_asks_wait_little(seed, share):
    chance = random.Random(seed)
    server = Server(lambda _: refused(1.0) if chance.random() < share else None, seconds=1.0)
    ideal = 2000 / 32 * (1 + 2 * share / (1 - share))
    assert seconds_of(patient(), server, 2000, at_once=32) < 2 * ideal


@pytest.mark.parametrize("wait", [5.0, None])
def test_a_time_in_which_all_is_refused_slows_a_run_hardly_longer_than_it_lasts(
    wait: float | None,
) -> None:
    server = Server(lambda _: refused(wait) if 30 <= now() < 60 else None, seconds=1.0)
    assert seconds_of(patient(), server, 3000, at_once=64) < 2 * (30 + 3000 / 64)


def test_a_server_that_always_refuses_is_asked_at_the_least_rate_until_the_deadline():
    server = Server(lambda number: refused(0.1) if number > 1 else None)
    outcomes = run_virtually(batch(patient(), server, 20, at_once=20))
    assert [outcome.kind for outcome in failures(outcomes)] == ["rate_limit"] * 19
    assert len([at for at in server.came if at > 60]) < 2 * 300 * SLOWEST


def test_a_run_whose_server_refuses_everybody_says_so_and_stops_when_its_patience_ends():
    gate, server = gate_to(retries=2, patience=240.0), Server(lambda _: refused(1.0))
    with pytest.raises(GivenUp, match=r"not answered for 4\.\d minutes: it failed"):
        story(gate, [0], server)
    assert 239 < server.came[-1] < 260
    assert gate.breaker.unanswered_since < 0.1  # from which on a run says what it waits for


# ---------------------------------------------------------------- a server that is down

DOWN = error("server", http_status=503, fix="Restart it.")


def story(gate: Gate, waits: list[float], server: Server) -> list[Outcome]:
    """One ask after the other, each after a wait."""

    async def go() -> list[Outcome]:
        outcomes = []
        for wait in waits:
            await asyncio.sleep(wait)
            outcomes.append(await asked(gate, server))
        return outcomes

    return run_virtually(go())


@given(waits=st.lists(st.floats(0, 3 * COOL_DOWN), max_size=60))
@examples(40)
def test_a_server_that_is_down_is_asked_a_few_times_and_then_once_per_cool_down(waits):
    server = Server(lambda _: DOWN)
    assert len(failures(story(gate_to(), waits, server))) == len(waits)
    assert len(server.came) <= FAILURES + sum(waits) / COOL_DOWN + 1
    assert len(server.came) >= min(FAILURES, len(waits))


def test_the_first_reply_to_a_probe_ends_the_outage_and_a_failed_probe_does_not():
    server = Server(lambda number: DOWN if number <= FAILURES + 1 else None)
    waits = [0.0] * FAILURES + [COOL_DOWN, 1.0, COOL_DOWN, 0, 0]
    outcomes = story(gate_to(), waits, server)
    assert [isinstance(outcome, Reply) for outcome in outcomes[-5:]] == [False, False, *[True] * 3]
    assert len(server.came) == FAILURES + 1 + 3


def test_a_probe_that_hangs_does_not_hold_up_the_next_one():
    async def go() -> Outcome:
        gate, server = gate_to(), Server(lambda _: DOWN)
        await batch(gate, server, FAILURES)
        await asyncio.sleep(COOL_DOWN)
        server.fails, server.seconds = lambda _: None, 10 * COOL_DOWN
        hangs = asyncio.ensure_future(asked(gate, server))
        await asyncio.sleep(COOL_DOWN + 1)
        server.seconds = 0.1
        outcome = await asked(gate, server)
        hangs.cancel()
        return outcome

    assert isinstance(run_virtually(go()), Reply)


@pytest.mark.parametrize(
    ("failure", "asks"),
    [
        (error("auth", retryable=False, http_status=401), FAILURES),
        (error("server", http_status=500), FAILURES),
        (error("timeout"), FAILURES),
        (error("rate_limit", http_status=429), FAILURES),
        (error("transport"), FAILURES),
        (error("transport", http_status=404), FAILURES),
        (error("rate_limit", retryable=False, http_status=429), FAILURES),  # no credit is left
        (error("transport", http_status=400), 20),
        (error("content_filter", retryable=False, http_status=400), 20),
        (error("timeout", usage=None), 20),  # it was not sent
    ],
    ids=str,
)
def test_only_failures_of_the_server_stop_the_asks_after_them(failure, asks):
    server = Server(lambda _: failure, seconds=0)
    story(gate_to(), [0] * 20, server)
    assert len(server.came) == asks


@pytest.mark.parametrize(
    ("answer", "tries", "kind"),
    [
        (refusal_to(500, "oops", {"retry-after-ms": "1"}), 3, "server"),
        (refusal_to(401, "no"), 1, "auth"),
        (refusal_to(429, "pay", code="insufficient_quota"), 1, "rate_limit"),
        (Answer(b"", end="reset", raw=b""), 3, "transport"),
    ],
    ids=["500", "401", "no money", "reset"],
)
def test_a_batch_sends_few_requests_to_a_server_that_is_down(answer, tries, kind):
    with Loopback(answer) as server:
        grader = Grader("openai:m", base_url=server.url, api_key="k", max_retries=2)
        results = list(grader.grade_many([CASE] * 60, concurrency=4))
    assert {result.error and result.error.kind for result in results} == {kind}
    assert len(server.requests) <= tries * (FAILURES + 3)
    assert sum(result.tokens_used.num_requests for result in results) == len(server.requests)
    assert "not asked: the last" in results[-1].reason


# ---------------------------------------------------------------- in a run, which is patient


@pytest.mark.parametrize("kind", ["server", "transport"])
@pytest.mark.parametrize("seconds", [3, 60, 240])
def test_an_outage_costs_no_case_and_hardly_more_time_than_it_lasts(seconds, kind):
    server = Server(down_from(10, 10 + seconds, kind), seconds=0.5)
    took = seconds_of(patient(), server, 1000, at_once=16)
    assert took < 1.2 * (1000 / 16 * 0.5 + seconds)
    assert sum(10 <= at < 10 + seconds for at in server.came) < 16 + 2 * 16 + seconds


def test_an_outage_of_which_a_judge_does_not_say_what_was_sent_costs_no_case():
    down = error("server", usage=None)
    server = Server(lambda _: down if 10 <= now() < 70 else None, seconds=0.5)
    assert seconds_of(patient(), server, 1000, at_once=16) < 1.2 * (1000 / 16 * 0.5 + 60)


@pytest.mark.parametrize("kind", ["server", "transport"])
def test_nobody_waits_for_a_server_that_never_answered(kind):
    server = Server(lambda _: error(kind))
    with pytest.raises(GivenUp, match="waiting for the judge does not help"):
        story(patient(retries=0), [0] * 9, server)
    assert len(server.came) == FAILURES


def test_who_gives_up_a_server_that_never_answered_says_what_to_look_at():
    with pytest.raises(GivenUp, match="See that the judge's server runs, and that base_url"):
        story(patient(retries=0), [0] * 9, Server(lambda _: error("transport")))


def test_a_server_that_loads_its_model_is_waited_for_though_it_never_answered():
    loading = error("server", http_status=503)
    server = Server(lambda _: loading if now() < 60 else None, seconds=0.5)
    assert 60 < seconds_of(patient(), server, 100, at_once=16) < 75


def test_the_last_error_comes_before_the_deadline():
    async def go() -> float:
        gate, server = patient(), Server(down_from(5, math.inf))
        await asked(gate, server)
        await asyncio.sleep(5)
        outcome = await asked(gate, server, 100)
        assert isinstance(outcome, JudgeError)
        assert outcome.kind == "server"
        assert outcome.usage == Usage(num_requests=len(server.came) - 1)
        return now() - 5.1

    assert 90 < run_virtually(go()) < 100.2


# ---------------------------------------------------------------- a server on this machine


class Serial(Server):
    """A server that answers one ask after the other; notes how many it had at once."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds=seconds)
        self.line = asyncio.Lock()
        self.inside = self.most = 0

    async def __call__(self) -> Outcome:
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            async with self.line:
                return await super().__call__()
        finally:
            self.inside -= 1


@pytest.mark.parametrize("seconds", [0.1, 4.0, 9.0])
def test_a_server_that_answers_one_ask_after_the_other_is_not_drowned(seconds):
    server = Serial(seconds)
    gate = gate_to(HERE, timeout=20.0)
    assert not failures(run_virtually(batch(gate, server, 40, at_once=20)))
    assert server.most <= max(1, 10 / seconds + 1)


def test_asks_that_differ_in_size_do_not_drown_it_either():
    """A place for each of the usual ones would be too many for the large ones."""
    chance, gate, line = random.Random(1), gate_to(HERE, retries=2), asyncio.Lock()
    sizes = [int(3000 * math.exp(chance.gauss(0, 1))) for _ in range(200)]

    async def send(size: int) -> Outcome:
        async def answered() -> Outcome:
            async with line:
                await asyncio.sleep(size / 1000)
            return Reply("yes", SENT)

        try:
            return await asyncio.wait_for(answered(), 60)
        except (asyncio.TimeoutError, TimeoutError):
            return error("timeout")

    async def go() -> list[Outcome]:
        given = ((size, TimeLeft(300, now=now)) for size in sizes)
        asks = (gate.ask(ask_of(size), partial(send, size), left) for size, left in given)
        return await asyncio.gather(*asks)

    assert not failures(run_virtually(go()))


def test_a_server_that_answers_several_in_the_time_of_one_gets_more_after_the_first():
    server = Server(seconds=4.0)
    gate = gate_to(HERE, timeout=20.0)
    assert seconds_of(gate, server, 200, at_once=20) < 2 * 200 / 20 * 4
    assert sum(at < 4 for at in server.came) == 1


@given(
    sizes=st.lists(st.integers(1, 2000), min_size=1, max_size=12),
    cancelled=st.sets(st.integers(0, 11)),
    turns=st.integers(0, 3),
)
@examples(60)
def test_asks_go_in_line_and_a_cancelled_one_holds_up_no_other(sizes, cancelled, turns):
    went, servers = [], []

    async def go(number: int, size: int) -> None:
        async with servers[0].taken(ask_of(size), timeout=60, left=TimeLeft()):
            went.append(number)
            await asyncio.sleep(0)

    async def all_of_them() -> None:
        servers.append(LocalServer())
        tasks = [asyncio.ensure_future(go(n, size)) for n, size in enumerate(sizes)]
        for _ in range(turns):
            await asyncio.sleep(0)
        for number in cancelled & set(range(len(sizes))):
            tasks[number].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(all_of_them())
    assert went == sorted(went)
    assert set(went) >= set(range(len(sizes))) - cancelled
    assert servers[0].under_way == 0


def test_the_wait_in_line_for_a_server_on_this_machine_costs_a_grade_no_time():
    server = Serial(4.0)
    gate = gate_to(HERE)

    async def go() -> list[Outcome]:
        return await asyncio.gather(*(asked(gate, server, deadline=5) for _ in range(30)))

    assert not failures(run_virtually(go()))
    assert len(server.came) == 30


def test_a_grade_that_waits_for_its_own_asks_loses_time():
    """Else its deadline would never come: each of its asks has the server for a while."""
    server = Serial(4.0)
    gate = gate_to(HERE, timeout=4.0)

    async def go() -> tuple[list[Outcome], float]:
        left = TimeLeft(10, now=now)
        outcomes = await asyncio.gather(*(gate.ask(ask_of(), server, left) for _ in range(9)))
        return outcomes, left()

    outcomes, left = run_virtually(go())
    assert len(failures(outcomes)) == 9 - len(server.came)
    assert len(server.came) < 5
    assert left <= 0


def test_a_server_on_this_machine_that_never_answers_is_given_up():
    """Those in line have their deadline still, but are not asked when the first ones failed."""
    server = Server(lambda _: error("timeout"), seconds=20.0)
    gate = gate_to(HERE, timeout=20.0)

    async def go() -> list[Outcome]:
        return await asyncio.gather(*(asked(gate, server, deadline=30) for _ in range(40)))

    assert len(failures(run_virtually(go()))) == 40
    assert len(server.came) <= 10


# ---------------------------------------------------------------- any judge


def test_a_judge_of_the_users_own_keeps_limits_and_waits_for_an_outage_in_a_run():
    judge = ScriptedJudge(
        ["unreadable", JudgeError("down", "server", retryable=True), "unreadable"]
    )
    grader = Grader(judge, reasks=0)
    assert limited(grader, [CASE] * 2, 60_000, at_once=1) == ["unreadable"] * 2
    assert len(judge.asked) == 3
