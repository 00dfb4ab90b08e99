"""A judge whose server is down for a while: who waits, who does not, and what is counted."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from fakes import USAGE, failing

from faithfulness_assert import JudgeError, Reply, Usage
from faithfulness_assert.batch import patience
from faithfulness_assert.batch.patience import PatientJudge

DOWN = {"retryable": True, "usage": Usage(num_requests=2)}
NOT_SENT = {"retryable": True}


class Script:
    """Gives these outcomes in turn. ``turns`` counts how often it was asked whether it may be asked."""

    name = "script"

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)
        self.turns = 0

    async def _turn(self) -> None:
        self.turns += 1

    def turn(self, ask: object) -> Any:
        return self._turn()

    async def aask(self, ask: object, *, deadline: float | None = None) -> Reply:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return Reply("yes", usage=USAGE, cached=outcome == "stored")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_WAIT", 0.001)


def asked(judge: Script, times: int, **options: Any) -> list[Reply | JudgeError]:
    patient = PatientJudge(judge)

    async def one() -> Reply | JudgeError:
        try:
            return await patient.aask(None, **options)  # type: ignore[arg-type]
        except JudgeError as error:
            return error

    async def each() -> list[Reply | JudgeError]:
        return [await one() for _ in range(times)]

    return asyncio.run(each())


def test_an_ask_is_sent_again_until_the_server_answers_and_all_tries_are_counted() -> None:
    down = failing("server", **DOWN), failing("transport", **DOWN), failing("timeout", **NOT_SENT)
    judge = Script("yes", *down, "yes")
    _, reply = asked(judge, 2)
    assert isinstance(reply, Reply)
    assert reply.usage == USAGE + Usage(num_requests=4)
    assert judge.turns == 3  # the driver has waited for the first turn of each ask


@pytest.mark.parametrize("first", [(), ("stored",)])
def test_nobody_waits_for_a_server_that_never_answered(first: tuple[str, ...]) -> None:
    *_, error = asked(Script(*first, failing("transport", **DOWN), "yes"), len(first) + 1)
    assert isinstance(error, JudgeError)
    assert error.usage == Usage(num_requests=2)


@pytest.mark.parametrize(
    ("kind", "details"),
    [
        ("server", {"retryable": False, "usage": USAGE}),
        ("unreadable", {"retryable": True, "usage": USAGE}),
        ("timeout", {"retryable": True, "usage": USAGE}),
        ("auth", {"retryable": False}),
    ],
)
def test_what_is_no_outage_fails_at_once(kind: str, details: dict[str, Any]) -> None:
    _, error = asked(Script("yes", failing(kind, **details), "yes"), 2)
    assert isinstance(error, JudgeError)
    assert error.kind == kind


class InSteps(Script):
    """Its first ask is answered at once. "slow" is answered when "fails" has failed twice, and
    "sent later" at once. "fails" fails three times, then it is answered."""

    def __init__(self) -> None:
        super().__init__()
        self.failed = 0
        self.failed_twice = asyncio.Event()

    async def aask(self, ask: object, *, deadline: float | None = None) -> Reply:
        if ask == "fails" and self.failed < 3:
            self.failed += 1
            if self.failed == 2:
                self.failed_twice.set()
                await asyncio.sleep(0.01)  # "slow" is answered
            raise failing("server", **DOWN)
        if ask == "slow":
            await self.failed_twice.wait()
        return Reply("yes", usage=USAGE)


@pytest.mark.parametrize(("sent_later", "tries"), [(False, 3), (True, 2)])
def test_only_answers_to_what_was_sent_later_show_that_the_server_works(
    sent_later: bool, tries: int
) -> None:
    async def run() -> tuple[Any, int]:
        judge = InSteps()
        patient = PatientJudge(judge)
        await patient.aask("first")  # type: ignore[arg-type]
        slow = asyncio.ensure_future(patient.aask("slow"))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        fails = asyncio.ensure_future(patient.aask("fails"))  # type: ignore[arg-type]
        while not judge.failed:
            await asyncio.sleep(0)
        if sent_later:
            await patient.aask("sent later")  # type: ignore[arg-type]
        outcomes = await asyncio.gather(slow, fails, return_exceptions=True)
        return outcomes[1], judge.failed

    outcome, failed = asyncio.run(run())
    assert failed == tries
    assert isinstance(outcome, JudgeError if sent_later else Reply)


def test_the_last_error_comes_before_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_WAIT", 600.0)
    down = failing("server", **DOWN)
    _, error = asked(Script("yes", down, "yes"), 2, deadline=time.monotonic() + 100)
    assert error is down
