"""Runs plans to their end: one in this thread or on an event loop, or many at once.

Asks run on the event loop of this process, which is loaded when it is needed: a judge such as the
embedded one answers before it would be there.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..plan.plan import Plan
from ..records.judge import Ask, Judge, JudgeInfo, Outcome
from ..records.result import GradingResult
from ..records.usage import Usage
from .asks import GivenUp, TimeLeft, late, log, outcome_of

if TYPE_CHECKING:
    from asyncio import Semaphore
    from concurrent.futures import Future

    from .gate import Gate

T = TypeVar("T")

ASKS_AT_ONCE = 8
GRACE_SECONDS = 3.0
"""How long after its deadline a grade may end: a server may flood the event loop."""
WINDOW = 20
"""How many times ``concurrency`` results may wait for an earlier one."""


# ---------------------------------------------------------------- one grade


@dataclass
class Grade:
    """One grade under way: a plan, and whom it asks.

    Args:
        plan: at its start.
        judge, info: who answers, and what that is.
        left: the time of the grade.
        complete: adds to a result what its grader knows, and the fields that it is given.
        gate: the one to the judge's server; None if asks never wait.
    """

    plan: Plan
    judge: Judge
    info: JudgeInfo
    left: TimeLeft
    complete: Callable[..., GradingResult]
    gate: Gate | None
    began: float = field(default_factory=time.monotonic)

    def run(self) -> GradingResult:
        """The result, worked out in this thread. Asks that belong together are sent at once."""
        here = self.gate is None and self.info.keeps_deadline

        def answers(asks: tuple[Ask, ...]) -> tuple[Outcome, ...]:
            return (self._ask_here(asks[0]),) if here and len(asks) == 1 else self._wait(asks)

        return self._finished(cast("GradingResult", self._worked_out(answers)))

    def replay(self, known: Callable[[Ask], Outcome | None]) -> GradingResult | None:
        """The result if all asks have outcomes, else None.

        A plan cannot be stored, but it is deterministic: after the same outcomes it asks the same.

        Args:
            known: returns the outcome of an ask, or None. It is called for each ask of the plan in
                its order, also for those beside an ask without one, but for none after them.
        """
        result = self._worked_out(lambda asks: tuple(map(known, asks)))
        return None if result is None else self.complete(result)

    def _worked_out(
        self, answers: Callable[[tuple[Ask, ...]], tuple[Outcome | None, ...]]
    ) -> GradingResult | None:
        """The result of the plan whose asks have these answers; None if any has none."""
        outcomes: Any = None
        try:
            while True:
                asks, result = self._step(outcomes)
                if result is not None or None in (outcomes := answers(asks)):
                    return result
        finally:
            self.plan.close()

    async def arun(
        self, slots: Semaphore | None = None, gate: Gate | None = None, *, brief: bool = False
    ) -> GradingResult:
        """The same as ``run`` on the running event loop. If this is cancelled, so are its asks.

        Args:
            slots, gate: for asks under way, which the grades of a batch share.
            brief: the plan's own work may run on the loop. Otherwise it runs in a thread, because a
                long text would block the loop.

        Raises:
            GivenUp: the server is given up.
        """
        from ..judges import background  # it needs asyncio

        self.gate = gate or self.gate
        outcomes: tuple[Outcome, ...] | None = None
        try:
            while True:
                step = self._step(outcomes) if brief else background.in_thread(self._step, outcomes)
                asks, result = step if isinstance(step, tuple) else await step
                if result is not None:
                    return self._finished(result)
                outcomes = await self._asked(asks, slots)
        finally:
            with suppress(ValueError):  # cancelled while the plan runs in its thread: it ends there
                self.plan.close()

    def _step(
        self, outcomes: tuple[Outcome, ...] | None
    ) -> tuple[tuple[Ask, ...], GradingResult | None]:
        """The plan's next asks, or its result. The time that it takes is the grade's."""
        with self.left.during("work"):
            try:
                return (next(self.plan) if outcomes is None else self.plan.send(outcomes)), None
            except StopIteration as stop:
                return (), stop.value

    def _finished(self, result: GradingResult) -> GradingResult:
        """The result with the time that the grade took. The log has it, too."""
        for counts in result.metadata.get("mismatchedCounts", ()):
            log.warning("verdicts in a reply: expected %(expected)d, got %(actual)d", counts)
        score = "undefined" if result.score is None else f"{result.score:.3f}"
        statements, unresolved = sum(result.counts.values()), result.counts.get("unresolved", 0)
        numbers = (result.status, score, statements, unresolved)
        log.info("%s: score %s, %d statements, %d unresolved", *numbers)
        return self.complete(result, latency_ms=(time.monotonic() - self.began) * 1000)

    # ------------------------------------------------------------ asks

    def _seconds(self) -> tuple[float, float | None]:
        """How long an ask may take that is sent now, and until when; None without end."""
        seconds = min(self.left(), self.left.timeout)
        return seconds, None if seconds == math.inf else time.monotonic() + seconds

    def _ask_here(self, ask: Ask) -> Outcome:
        """The outcome of an ask to a judge that keeps deadlines and has no gate."""
        came: object
        with self.left.during("ask"):
            try:
                seconds, deadline = self._seconds()
                came = late() if seconds <= 0 else self.judge.ask(ask, deadline=deadline)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a judge may be anybody's code
                came = error
        return outcome_of(ask, came)

    def _wait(self, asks: tuple[Ask, ...]) -> tuple[Outcome, ...]:
        """The outcomes of asks on our event loop, even if that is stalled when the time is up."""
        from ..judges import background

        try:
            return background.wait(self._asked(asks), lambda: self.left() + GRACE_SECONDS)
        except TimeoutError:
            # Which of them came does not show any more.
            return tuple(late(usage=Usage(num_requests=1)) for _ in asks)
        except OSError as error:  # there is no thread or file for the loop
            return tuple(outcome_of(ask, error) for ask in asks)

    async def _asked(
        self, asks: tuple[Ask, ...], slots: Semaphore | None = None
    ) -> tuple[Outcome, ...]:
        import asyncio

        slots = slots or asyncio.Semaphore(ASKS_AT_ONCE)
        return tuple(await asyncio.gather(*(self._ask(ask, slots) for ask in asks)))

    async def _ask(self, ask: Ask, slots: Semaphore) -> Outcome:
        from ..judges import background

        stored = getattr(self.judge, "stored", None)  # what is stored needs no gate
        try:
            async with slots:
                if self.gate is None:
                    with self.left.during("ask"):
                        return await self._send(ask)
                if stored and (reply := await background.in_thread(stored, ask)):
                    return outcome_of(ask, reply)
                asking = self.gate.ask(ask, lambda: self._send(ask), self.left)
                return await background.on_loop(asking)
        except OSError as error:
            return outcome_of(ask, error)

    async def _send(self, ask: Ask) -> Outcome:
        """Sends an ask. A judge that may miss the deadline is abandoned when the time is up."""
        import asyncio

        seconds, deadline = self._seconds()
        if seconds <= 0:
            return outcome_of(ask, late())
        asking = asyncio.ensure_future(self._came(ask, deadline))
        may_wait = self.info.keeps_deadline or deadline is None
        try:
            await asyncio.wait([asking], timeout=None if may_wait else seconds)
            has_come = asking.done() and not asking.cancelled()  # or the judge cancelled itself
            return outcome_of(ask, asking.result() if has_come else late())
        finally:
            asking.cancel()

    async def _came(self, ask: Ask, deadline: float | None) -> object:
        """What the judge returned or raised, also where it exits.

        It is awaited on our own event loop only if that may be any; otherwise it gets a thread.
        """
        import asyncio

        from ..judges import background

        aask = getattr(self.judge, "aask", None)
        is_ours = asyncio.get_running_loop() is background.process.loop
        try:
            if aask is None or (is_ours and not self.info.any_loop):
                return await background.in_thread(self.judge.ask, ask, deadline=deadline)
            return await aask(ask, deadline=deadline)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a judge may be anybody's code
            return error


# ---------------------------------------------------------------- many grades


def run_many(
    grades: Iterable[Callable[[Semaphore], Coroutine[Any, Any, T]]],
    concurrency: int,
    *,
    in_order: bool = True,
) -> Generator[T, None, None]:
    """The results of these grades, with at most ``concurrency`` asks at once.

    Each grade is a function that takes the slots for asks. Input is read as needed. If the caller
    stops iterating, or interrupts it, all grades under way are cancelled at once.

    A few more grades than ``concurrency`` are under way, so that the next ask is ready when a slot
    becomes free.

    Args:
        grades: the grades.
        concurrency: the most asks under way.
        in_order: results have the order of their grades: a slow grade holds up the results after
            it, but not the grades after it. Otherwise each result comes as soon as it is there.

    Raises:
        GivenUp: a grade was given up. The results of all others came before.
    """
    from asyncio import Semaphore
    from queue import Empty, SimpleQueue

    from ..judges import background

    slots, at_once = Semaphore(concurrency), concurrency + 1 + concurrency // 8
    given_up: GivenUp | None = None
    waiting: deque[Future[T]] = deque()  # whose turn has not come
    finished: SimpleQueue[Future[T]] = SimpleQueue()
    under_way = 0
    rest = iter(grades)
    try:
        while True:
            while (
                not given_up
                and finished.empty()
                and under_way < at_once
                and len(waiting) < WINDOW * concurrency
                and (grade := next(rest, None))
            ):
                future = background.start(grade(slots))
                future.add_done_callback(finished.put)
                waiting.append(future)
                under_way += 1
            if not under_way:
                break
            try:
                # Not for ever: a signal that comes just before a wait begins does not end it.
                ended = finished.get(timeout=1.0)
            except Empty:
                continue
            under_way -= 1
            ready = waiting if in_order else deque([ended])
            if not in_order:
                waiting.remove(ended)
            while ready and ready[0].done():
                try:
                    result = ready.popleft().result()
                except GivenUp as error:
                    given_up = error
                    continue
                yield result
    except BaseException:
        for future in reversed(waiting):  # or those that wait would take the free slots
            future.cancel()
        raise
    if given_up:
        raise given_up
