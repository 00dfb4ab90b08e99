"""Tests of the circuit breaker: few requests to a server that is down, and a prompt restart."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, completion, refusal_to

from faithfulness_assert import Grader
from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.judges.remote.circuit_breaker import COOL_DOWN, FAILURES, CircuitBreaker
from faithfulness_assert.records.ask import Reply
from faithfulness_assert.records.errors import JudgeError
from faithfulness_assert.records.usage import Usage

SENT = Usage(num_requests=1)
DOWN = JudgeError(
    "the server is down", "server", retryable=True, usage=SENT, http_status=503, fix="Restart it."
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Server:
    """Fails with ``error``, or replies if there is none; counts how often it was asked."""

    def __init__(self, error: JudgeError | None = DOWN) -> None:
        self.error, self.asked, self.lock = error, 0, threading.Lock()

    def __call__(self) -> Reply:
        with self.lock:
            self.asked += 1
        if self.error:
            raise self.error
        return Reply("fine")


def outcome(circuit: CircuitBreaker, server: Server) -> Reply | JudgeError:
    try:
        with circuit.asking():
            return server()
    except JudgeError as error:
        return error


@given(waits=st.lists(st.floats(0, 3 * COOL_DOWN), max_size=60))
def test_a_server_that_is_down_is_asked_until_the_circuit_opens_then_once_per_cool_down(
    waits: list[float],
) -> None:
    clock, server = Clock(), Server()
    circuit = CircuitBreaker(clock=clock)
    for wait in waits:
        clock.now += wait
        outcome(circuit, server)
    assert server.asked <= FAILURES + clock.now / COOL_DOWN


@given(failures=st.integers(1, 8), asks=st.integers(1, 100), cool_down=st.floats(0.5, 100))
def test_during_a_cool_down_nothing_reaches_the_server(
    failures: int, asks: int, cool_down: float
) -> None:
    server, circuit = Server(), CircuitBreaker(failures, cool_down, Clock())
    for _ in range(asks):
        outcome(circuit, server)
    assert server.asked == min(asks, failures)


@given(cases=st.integers(0, 60), back_at=st.floats(0, 300))
def test_the_first_probe_after_the_server_is_back_closes_the_circuit(
    cases: int, back_at: float
) -> None:
    clock, server = Clock(), Server()
    circuit = CircuitBreaker(clock=clock)
    for _ in range(FAILURES + cases):
        outcome(circuit, server)
    clock.now, server.error = back_at, None
    outcomes = [outcome(circuit, server) for _ in range(10)]
    assert all(isinstance(end, Reply) == (back_at >= COOL_DOWN) for end in outcomes)
    clock.now = back_at + COOL_DOWN
    assert all(isinstance(outcome(circuit, server), Reply) for _ in range(10))


def test_the_error_of_an_open_circuit_has_the_kind_and_reason_of_the_last_error() -> None:
    clock, server = Clock(), Server()
    circuit = CircuitBreaker(clock=clock)
    for _ in range(FAILURES):
        outcome(circuit, server)
    clock.now = 10
    error = outcome(circuit, server)
    assert isinstance(error, JudgeError)
    assert (error.kind, error.retryable, error.usage, error.http_status, error.fix) == (
        "server",
        True,
        None,
        503,
        "Restart it.",
    )
    assert "5 asks failed" in error.message
    assert "20 s" in error.message
    assert "the server is down" in error.message


def test_a_failed_probe_starts_the_next_cool_down() -> None:
    clock, server = Clock(), Server()
    circuit = CircuitBreaker(clock=clock)
    for instant in (
        *[0.0] * FAILURES,
        COOL_DOWN,
        COOL_DOWN + 1,
        2 * COOL_DOWN - 1,
        2 * COOL_DOWN,
        2 * COOL_DOWN,
    ):
        clock.now = instant
        outcome(circuit, server)
    assert server.asked == FAILURES + 2


def test_a_hanging_probe_does_not_block_the_next_one() -> None:
    clock, server = Clock(), Server()
    circuit = CircuitBreaker(clock=clock)
    for _ in range(FAILURES):
        outcome(circuit, server)
    clock.now, server.error = COOL_DOWN, None
    inside: list[Reply | JudgeError] = []

    with circuit.asking():
        inside.append(outcome(circuit, server))
        clock.now += COOL_DOWN
        inside.append(outcome(circuit, server))
    assert isinstance(inside[0], JudgeError)
    assert isinstance(inside[1], Reply)


@pytest.mark.parametrize(
    "error",
    [
        JudgeError("no", "auth", usage=SENT, http_status=401),
        JudgeError("no", "server", usage=SENT, http_status=500),
        JudgeError("no", "timeout", usage=SENT),
        JudgeError("no", "transport", usage=SENT),
        JudgeError("no", "transport", usage=SENT, http_status=404),
        JudgeError("no money", "rate_limit", usage=SENT, http_status=429),
    ],
    ids=lambda error: f"{error.kind} {error.http_status}",
)
def test_failures_of_the_server_open_the_circuit(error: JudgeError) -> None:
    server, circuit = Server(error), CircuitBreaker(clock=Clock())
    for _ in range(20):
        outcome(circuit, server)
    assert server.asked == FAILURES


@pytest.mark.parametrize(
    "error",
    [
        JudgeError("too long", "transport", usage=SENT, http_status=400),
        JudgeError("too long", "transport", usage=SENT, http_status=413),
        JudgeError("filtered", "content_filter", usage=SENT, http_status=400),
        JudgeError("slower", "rate_limit", retryable=True, usage=SENT, http_status=429),
        JudgeError("no time was left", "timeout", retryable=True),
    ],
    ids=lambda error: error.message,
)
def test_failures_of_one_ask_and_short_rate_limits_do_not_open_the_circuit(
    error: JudgeError,
) -> None:
    server, circuit = Server(error), CircuitBreaker(clock=Clock())
    for _ in range(20):
        outcome(circuit, server)
    assert server.asked == 20


def test_only_failures_in_a_row_count() -> None:
    server, circuit = Server(), CircuitBreaker(clock=Clock())
    for place in range(100):
        server.error = None if place % FAILURES == 0 else DOWN
        outcome(circuit, server)
    assert server.asked == 100


def test_threads_share_the_circuit_and_only_one_of_them_probes() -> None:
    clock, server = Clock(), Server()
    circuit = CircuitBreaker(clock=clock)

    def ask(_: int) -> Reply | JudgeError:
        return outcome(circuit, server)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(200)))
        assert FAILURES <= server.asked < FAILURES + 8
        asked, clock.now = server.asked, COOL_DOWN
        list(pool.map(ask, range(200)))
    assert server.asked == asked + 1


CASE = {"answer": "The museum opens at nine.", "context": "The museum opens at nine on weekdays."}
TEXT = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'


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
def test_a_batch_sends_few_requests_to_a_server_that_is_down(
    answer: Answer, tries: int, kind: str
) -> None:
    concurrency = 4
    with Loopback(answer) as server:
        grader = Grader("openai:m", base_url=server.url, api_key="k", max_retries=2)
        results = list(grader.grade_many([CASE] * 60, concurrency=concurrency))
    assert len(results) == 60
    assert all(
        result.error is not None and result.error.kind == kind and not result.defined
        for result in results
    )
    assert len(server.requests) <= tries * (FAILURES + concurrency - 1)
    assert sum(result.tokens_used.num_requests for result in results) == len(server.requests)
    assert "not asked: the last" in results[-1].reason


def test_a_batch_continues_when_the_server_is_back() -> None:
    clock, state = Clock(), {"answer": refusal_to(503, "loading")}
    with Loopback(lambda _: state["answer"]) as server:
        judge = OpenAIJudge("m", base_url=server.url, api_key="k", max_retries=0)
        judge._circuit = CircuitBreaker(clock=clock)
        grader = Grader(judge)
        assert not any(result.defined for result in grader.grade_many([CASE] * 20))
        state["answer"] = completion(TEXT)
        assert not any(result.defined for result in grader.grade_many([CASE] * 20))
        clock.now = COOL_DOWN
        assert grader.grade(**CASE).pass_
        assert all(result.pass_ for result in grader.grade_many([CASE] * 20))
        judge.close()
