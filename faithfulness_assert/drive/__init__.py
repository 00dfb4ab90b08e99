"""Ways to run a plan: in this thread, on an event loop, or many at once (``many``).

Only this folder knows the time. Plans only receive outcomes: see ``ask_outcomes``.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..records.judge import Judge, judge_info
from ..records.usage import Usage
from .ask_outcomes import as_outcome, failed, late, log

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable

    from ..plan.plan import Plan
    from ..records.ask import Ask, Outcome
    from ..records.result import GradingResult

ASKS_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Clock:
    """The most seconds that a whole grade, and one ask of it, may take; None for no limit."""

    deadline: float | None = None
    timeout: float | None = None


class Slots:
    """How many asks may be under way at once, and what came of those that went out.

    To be used on one event loop.
    """

    def __init__(self, asks_at_once: int) -> None:
        import asyncio

        self.free = asyncio.Semaphore(asks_at_once)
        self.sent = self.ended = 0
        self.spent = Usage()

    def note(self, outcome: Outcome) -> None:
        """Adds an ask that has ended."""
        self.ended += 1
        self.spent += outcome.usage or Usage()


def run(plan: Plan, judge: Judge, clock: Clock | None = None) -> GradingResult:
    """Runs a plan to its end in this thread. Asks that belong together are sent at once."""
    grade = _Grade(judge, clock)
    try:
        asks, result = _step(plan)
        while result is None:
            asks, result = _step(plan, _ask_all(grade, asks))
        return grade.finish(result)
    finally:
        plan.close()


async def arun(
    plan: Plan,
    judge: Judge,
    clock: Clock | None = None,
    *,
    slots: Slots | None = None,
    brief: bool = False,
) -> GradingResult:
    """The same as ``run``, on the running event loop.

    A judge without ``aask`` is asked in threads. If this is cancelled, so are its asks.

    Args:
        plan, judge, clock: see ``run``.
        slots: limits the asks that are under way; shared by the grades of a batch.
        brief: the plan's own work may run on the loop. Otherwise it runs in a thread, because a
            long text would block the loop.
    """
    grade = _Grade(judge, clock, slots, any_judge=slots is None)
    step = _now if brief else _in_thread
    try:
        asks, result = await step(plan)
        while result is None:
            asks, result = await step(plan, await _aask_all(grade, asks))
        return grade.finish(result)
    finally:
        with suppress(ValueError):  # cancelled while the plan runs in its thread: it ends there
            plan.close()


def _step(
    plan: Plan, outcomes: tuple[Outcome, ...] | None = None
) -> tuple[tuple[Ask, ...], GradingResult | None]:
    """The plan's next asks, or its result."""
    try:
        return (next(plan) if outcomes is None else plan.send(outcomes)), None
    except StopIteration as stop:
        return (), stop.value


async def _now(*arguments: Any) -> tuple[tuple[Ask, ...], GradingResult | None]:
    return _step(*arguments)


async def _in_thread(*arguments: Any) -> tuple[tuple[Ask, ...], GradingResult | None]:
    from ..judges import background

    return await background.in_thread(_step, *arguments)


# ---------------------------------------------------------------- one grade


class _Grade:
    """One grade under way: its judge, and its limits as instants of ``time.monotonic()``.

    ``any_judge``: every judge's ``aask`` may be awaited. Otherwise only one for any event loop may.
    """

    def __init__(
        self,
        judge: Judge,
        clock: Clock | None,
        slots: Slots | None = None,
        *,
        any_judge: bool = False,
    ) -> None:
        clock, info = clock or Clock(), judge_info(judge)
        self.judge, self.keeps_deadline, self.slots = judge, info.keeps_deadline, slots
        self.aask = getattr(judge, "aask", None) if any_judge or info.any_loop else None
        self.started = time.monotonic()
        self.timeout = clock.timeout
        self._end = None if clock.deadline is None else self.started + clock.deadline
        self._not_counted = -math.inf  # until this instant, all waiting was made up for
        self._has_asked = False

    def turn(self, ask: Ask) -> Awaitable[None] | None:
        """What to await before an ask is sent, because of the judge's rate limit."""
        turn = getattr(self.judge, "turn", None)
        return turn and turn(ask)

    def send(self, wanted: float, began: float) -> None:
        """Notes that an ask goes out now.

        Time that the first one waited for other grades does not count, nor time that any one waited
        for the judge's rate limit.

        Args:
            wanted: when the ask was ready.
            began: when it began to wait for the rate limit.

        Raises:
            JudgeError: the time of this grade is up.
        """
        now = time.monotonic()
        if self._end is not None:
            since = began if self._has_asked else wanted
            self._end += max(now - max(since, self._not_counted), 0)
        self._has_asked, self._not_counted = True, now
        if self._end is not None and now >= self._end:
            raise late(began - wanted)

    def deadline(self) -> float | None:
        """The instant at which an ask that goes out now must have ended."""
        timeout = None if self.timeout is None else time.monotonic() + self.timeout
        return min((t for t in (self._end, timeout) if t is not None), default=None)

    def finish(self, result: GradingResult) -> GradingResult:
        """Logs the result and adds the time that the grade took."""
        for counts in result.metadata.get("mismatchedCounts", ()):
            log.warning("verdicts in a reply: expected %(expected)d, got %(actual)d", counts)
        statements, unresolved = sum(result.counts.values()), result.counts.get("unresolved", 0)
        log.info(
            "%s: score %.3f, %d statements, %d unresolved",
            *(result.status, result.score, statements, unresolved),
        )
        return replace(result, latency_ms=(time.monotonic() - self.started) * 1000)


# ---------------------------------------------------------------- asks


def _ask_all(grade: _Grade, asks: tuple[Ask, ...]) -> tuple[Outcome, ...]:
    if len(asks) == 1:
        return (_ask(grade, asks[0]),)
    from ..judges import background

    return background.wait(_aask_all(grade, asks))


def _ask(grade: _Grade, ask: Ask) -> Outcome:
    try:
        wanted = time.monotonic()
        if turn := grade.turn(ask):
            _wait(turn)
        grade.send(wanted, wanted)
        return as_outcome(ask, _in_time(grade, ask, grade.deadline()))
    except Exception as error:  # noqa: BLE001 - a judge may be anybody's code
        return failed(ask, error)


def _wait(turn: Awaitable[None]) -> None:
    from ..judges import background

    async def awaited() -> None:
        await turn

    background.wait(awaited())


def _in_time(grade: _Grade, ask: Ask, deadline: float | None) -> object:
    """The judge's reply. A judge that may miss the deadline is asked in a thread.

    The thread is abandoned when the time is up.
    """
    if deadline is None or grade.keeps_deadline:
        return grade.judge.ask(ask, deadline=deadline)
    from concurrent.futures import wait

    from ..judges import background

    asking = background.threads().submit(grade.judge.ask, ask, deadline=deadline)
    done, _ = wait([asking], _left(deadline))
    return asking.result() if done else late()


async def _aask_all(grade: _Grade, asks: tuple[Ask, ...]) -> tuple[Outcome, ...]:
    import asyncio

    slots = grade.slots or Slots(ASKS_AT_ONCE)
    if len(asks) == 1:
        return (await _aask(grade, asks[0], slots),)
    return tuple(await asyncio.gather(*(_aask(grade, ask, slots) for ask in asks)))


async def _aask(grade: _Grade, ask: Ask, slots: Slots) -> Outcome:
    wanted = time.monotonic()
    async with slots.free:
        try:
            began = time.monotonic()
            if turn := grade.turn(ask):
                await turn
            slots.sent += 1
            grade.send(wanted, began)
            outcome = as_outcome(ask, await _awaited_in_time(grade, ask, grade.deadline()))
        except Exception as error:  # noqa: BLE001 - a judge may be anybody's code
            outcome = failed(ask, error)
        slots.note(outcome)
        return outcome


async def _awaited_in_time(grade: _Grade, ask: Ask, deadline: float | None) -> object:
    """The judge's reply. A judge that may miss the deadline is abandoned when the time is up."""
    import asyncio

    if grade.aask is not None and (deadline is None or grade.keeps_deadline):
        return await grade.aask(ask, deadline=deadline)
    asking: asyncio.Future[object] = asyncio.ensure_future(_asking(grade, ask, deadline))
    asking.add_done_callback(_retrieve)
    try:
        await asyncio.wait([asking], timeout=_left(deadline))
        return asking.result() if asking.done() else late()
    except asyncio.CancelledError:
        if asking.cancelled():
            raise RuntimeError("the judge was cancelled") from None
        raise
    finally:
        asking.cancel()


def _asking(grade: _Grade, ask: Ask, deadline: float | None) -> Awaitable[object]:
    """An ask under way on the loop, or in a thread."""
    if grade.aask is not None:
        asking: Awaitable[object] = grade.aask(ask, deadline=deadline)
        return asking
    from ..judges import background

    return background.in_thread(grade.judge.ask, ask, deadline=deadline)


def _retrieve(asking: asyncio.Future[object]) -> None:
    """Nobody waits for an abandoned ask, so nobody else retrieves its error."""
    if not asking.cancelled():
        asking.exception()


def _left(deadline: float | None) -> float | None:
    """The seconds until ``deadline``."""
    return None if deadline is None else max(deadline - time.monotonic(), 0)
