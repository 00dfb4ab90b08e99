"""Runs one plan to its end, in this thread or on an event loop."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..plan.plan import Plan
from ..records.judge import Ask, Judge, JudgeInfo, Outcome, judge_info
from ..records.result import GradingResult
from ..records.usage import Usage
from .asks import GivenUp, TimeLeft, late, log, outcome_of

if TYPE_CHECKING:
    import asyncio

    from .gate import Gate

ASKS_AT_ONCE = 8
GRACE_SECONDS = 3.0
"""How long after its deadline a grade may end: a server may flood the event loop."""


class Slots:
    """How many asks may be under way at once, and what came of those that went out.

    To be used on one event loop.

    Args:
        asks_at_once: it.
        stopping: says why no further grade may begin to ask; "" while any may.
    """

    def __init__(self, asks_at_once: int, stopping: Callable[[], str] = str) -> None:
        import asyncio

        self.stopping = stopping
        self.free = asyncio.Semaphore(asks_at_once)
        self.under_way = self.ended = 0
        self.spent = Usage()


def run(
    plan: Plan,
    judge: Judge,
    left: TimeLeft | None = None,
    gate: Gate | None = None,
    info: JudgeInfo | None = None,
) -> GradingResult:
    """Runs a plan to its end in this thread. Asks that belong together are sent at once.

    ``info``: what the judge is, where it is known.
    """
    grade = _Grade(judge, left, gate, info)
    try:
        asks, result = grade.step(plan)
        while result is None:
            asks, result = grade.step(plan, _ask_all(grade, asks))
        return grade.finish(result)
    finally:
        plan.close()


async def arun(
    plan: Plan,
    judge: Judge,
    left: TimeLeft | None = None,
    gate: Gate | None = None,
    info: JudgeInfo | None = None,
    *,
    slots: Slots | None = None,
    brief: bool = False,
) -> GradingResult:
    """The same as ``run``, on the running event loop.

    A judge without ``aask`` is asked in threads. If this is cancelled, so are its asks.

    Args:
        plan, judge, left, info: see ``run``.
        gate: the one to the judge's server; None if asks never wait.
        slots: limits the asks that are under way; shared by the grades of a batch. If they are
            ``stopping``, a grade that has asked nothing yet raises ``GivenUp``.
        brief: the plan's own work may run on the loop. Otherwise it runs in a thread, because a
            long text would block the loop.
    """
    from ..judges import background  # it needs asyncio

    async def next_step(*given: Any) -> tuple[tuple[Ask, ...], GradingResult | None]:
        return grade.step(*given) if brief else await background.in_thread(grade.step, *given)

    grade = _Grade(judge, left, gate, info, slots, any_judge=slots is None)
    try:
        asks, result = await next_step(plan)
        while result is None:
            asks, result = await next_step(plan, await _aask_all(grade, asks))
        return grade.finish(result)
    finally:
        with suppress(ValueError):  # cancelled while the plan runs in its thread: it ends there
            plan.close()


def step(
    plan: Plan, outcomes: tuple[Outcome, ...] | None = None
) -> tuple[tuple[Ask, ...], GradingResult | None]:
    """The plan's next asks, or its result."""
    try:
        return (next(plan) if outcomes is None else plan.send(outcomes)), None
    except StopIteration as stop:
        return (), stop.value


def replay(plan: Plan, known: Callable[[Ask], Outcome | None]) -> GradingResult | None:
    """The result of a plan; None if an ask has no outcome yet.

    A plan cannot be stored, but it is deterministic: after the same outcomes it asks the same.

    Args:
        plan: the plan, at its start.
        known: returns the outcome of an ask, or None. It is called for each ask of the plan in its
            order, also for those beside an ask without an outcome, but for none after them.
    """
    try:
        asks, result = step(plan)
        while result is None:
            outcomes = [known(ask) for ask in asks]
            told = tuple(outcome for outcome in outcomes if outcome is not None)
            if len(told) < len(outcomes):
                return None
            asks, result = step(plan, told)
        return result
    finally:
        plan.close()


# ---------------------------------------------------------------- one grade


class _Grade:
    """One grade under way.

    ``any_judge``: every judge's ``aask`` may be awaited. Otherwise only one for any event loop may.
    """

    def __init__(
        self,
        judge: Judge,
        left: TimeLeft | None,
        gate: Gate | None = None,
        info: JudgeInfo | None = None,
        slots: Slots | None = None,
        *,
        any_judge: bool = False,
    ) -> None:
        info = info or judge_info(judge)
        self.judge, self.keeps_deadline, self.slots = judge, info.keeps_deadline, slots
        self.gate = gate
        self.aask = getattr(judge, "aask", None) if any_judge or info.any_loop else None
        self.stored = getattr(judge, "stored", None)
        self.started = time.monotonic()
        self.left = left or TimeLeft()
        self.begun = False
        self.told: dict[int, Outcome] = {}
        """What is known of the asks under way, by their ``id()``, should the loop be stalled."""

    def step(
        self, plan: Plan, outcomes: tuple[Outcome, ...] | None = None
    ) -> tuple[tuple[Ask, ...], GradingResult | None]:
        """The plan's next asks, or its result. The time that it takes is the grade's."""
        self.told = {}
        with self.left.working():
            return step(plan, outcomes)

    def deadline(self) -> float | None:
        """The instant at which an ask that goes out now must have ended."""
        seconds = min(self.left(), math.inf if self.left.timeout is None else self.left.timeout)
        return None if seconds == math.inf else time.monotonic() + seconds

    def finish(self, result: GradingResult) -> GradingResult:
        """Logs the result and adds the time that the grade took."""
        for counts in result.metadata.get("mismatchedCounts", ()):
            log.warning("verdicts in a reply: expected %(expected)d, got %(actual)d", counts)
        score = "undefined" if result.score is None else f"{result.score:.3f}"
        statements, unresolved = sum(result.counts.values()), result.counts.get("unresolved", 0)
        log.info(
            "%s: score %s, %d statements, %d unresolved",
            *(result.status, score, statements, unresolved),
        )
        return replace(result, latency_ms=(time.monotonic() - self.started) * 1000)


# ---------------------------------------------------------------- asks


def _ask_all(grade: _Grade, asks: tuple[Ask, ...]) -> tuple[Outcome, ...]:
    if len(asks) == 1 and grade.gate is None and grade.keeps_deadline:
        return (_ask(grade, asks[0]),)
    from ..judges import background

    try:
        return background.wait(_aask_all(grade, asks), lambda: grade.left() + GRACE_SECONDS)
    except background.TooLate:
        return tuple(grade.told.get(id(ask)) or late() for ask in asks)


def _ask(grade: _Grade, ask: Ask) -> Outcome:
    """The outcome of an ask to a judge that keeps deadlines and has no gate, such as the embedded.

    It needs no event loop, which takes longer to load than such a judge to answer.
    """
    grade.left.start()
    came: object
    try:
        came = late() if grade.left() <= 0 else grade.judge.ask(ask, deadline=grade.deadline())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a judge may be anybody's code
        came = error
    return outcome_of(ask, came)


async def _aask_all(grade: _Grade, asks: tuple[Ask, ...]) -> tuple[Outcome, ...]:
    import asyncio

    slots = grade.slots or Slots(ASKS_AT_ONCE)
    if len(asks) == 1:
        return (await _aask(grade, asks[0], slots),)
    return tuple(await asyncio.gather(*(_aask(grade, ask, slots) for ask in asks)))


async def _aask(grade: _Grade, ask: Ask, slots: Slots) -> Outcome:
    from ..judges import background

    wanted = time.monotonic()
    async with slots.free:
        if not grade.begun and (why := slots.stopping()):
            raise GivenUp(why)
        grade.begun = True
        grade.left.start()
        if grade.left() <= 0:
            outcome = outcome_of(ask, late(time.monotonic() - wanted))
        elif grade.gate is None:
            outcome = await _send(grade, ask, slots)
        elif grade.stored and (reply := await background.in_thread(grade.stored, ask)):
            outcome = outcome_of(ask, reply)  # what is stored needs no gate
        else:
            sending = grade.gate.ask(ask, lambda: _send(grade, ask, slots), grade.left)
            outcome = await background.on_loop(sending)
        grade.told[id(ask)] = outcome
        slots.ended += 1
        slots.spent += outcome.usage or Usage()
        return outcome


async def _send(grade: _Grade, ask: Ask, slots: Slots) -> Outcome:
    slots.under_way += 1
    before = grade.told.get(id(ask))
    spent = (before and before.usage) or Usage()
    grade.told[id(ask)] = late(usage=spent + Usage(num_requests=1))
    came: object
    try:
        came = await _awaited_in_time(grade, ask, grade.deadline())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a judge may be anybody's code
        came = error
    slots.under_way -= 1  # not if it is cancelled: the provider may charge for it
    return outcome_of(ask, came)


async def _awaited_in_time(grade: _Grade, ask: Ask, deadline: float | None) -> object:
    """The judge's reply. A judge that may miss the deadline is abandoned when the time is up."""
    import asyncio

    from ..judges import background

    if grade.aask is not None and (deadline is None or grade.keeps_deadline):
        return await grade.aask(ask, deadline=deadline)
    asking: asyncio.Future[object]
    if grade.aask is None:
        asking = background.in_thread(grade.judge.ask, ask, deadline=deadline)
    else:
        asking = asyncio.ensure_future(_kept(grade.aask(ask, deadline=deadline)))
    # Nobody waits for an abandoned ask, so nobody else retrieves its error.
    asking.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    try:
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        await asyncio.wait([asking], timeout=left)
        return asking.result() if asking.done() else late()
    except asyncio.CancelledError:
        if asking.cancelled():
            raise RuntimeError("the judge was cancelled") from None
        raise
    finally:
        asking.cancel()


async def _kept(asking: Awaitable[object]) -> object:
    """What comes of an ask that is a task of its own: if that exits, so would its event loop."""
    try:
        return await asking
    except SystemExit as error:
        return error
