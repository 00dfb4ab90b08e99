"""The ways to drive a plan: in this thread, on an event loop, many at once. They own the clock and all waiting; the plan owns all thought.

Whatever a judge does, a plan is sent outcomes only: an exception that is no ``JudgeError`` becomes one here.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from .records.ask import Reply
from .records.errors import JudgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor

    from .plan.plan import Plan
    from .records.ask import Ask, Outcome
    from .records.judge import Judge
    from .records.result import GradingResult

log = logging.getLogger("faithfulness_assert")
log.addHandler(
    logging.NullHandler()
)  # else the last resort prints warnings to stderr, which promptfoo shows as the reason

ASKS_AT_ONCE = 8
HEAD_START = 0.001  # seconds of one ask before the next, so that a judge which answers from a script meets them in their order


@dataclass(frozen=True, slots=True)
class Clock:
    """How long a grade may take in all, and one ask of it, in seconds; None for no bound."""

    deadline: float | None = None
    timeout: float | None = None

    def start(self) -> float | None:
        """The instant of ``time.monotonic()`` at which a grade that starts now must be over."""
        return None if self.deadline is None else time.monotonic() + self.deadline

    def ask_by(self, end: float | None) -> float | None:
        """The instant by which an ask that starts now must be over."""
        ends = [
            instant
            for instant in (end, None if self.timeout is None else time.monotonic() + self.timeout)
            if instant is not None
        ]
        return min(ends, default=None)


def run(plan: Plan, judge: Judge, clock: Clock | None = None) -> GradingResult:
    """Drives a plan to its end in this thread; asks that belong together go out at once."""
    clock = clock or Clock()
    begun, end = time.monotonic(), clock.start()
    try:
        asks, result = _step(plan)
        while result is None:
            asks, result = _step(plan, tuple(_ask_all(judge, asks, clock, end)))
        return _finished(result, begun)
    finally:
        plan.close()


async def arun(plan: Plan, judge: Judge, clock: Clock | None = None) -> GradingResult:
    """As :func:`run`, on the running event loop. A judge without ``aask`` is asked in threads."""
    import asyncio

    clock, at_once = clock or Clock(), asyncio.Semaphore(ASKS_AT_ONCE)
    begun, end = time.monotonic(), clock.start()

    async def ask_one(ask: Ask) -> Outcome:
        async with at_once:
            return await _aask(judge, ask, clock, end)

    try:
        # In a thread, so that a long text does not hold up the loop.
        asks, result = await asyncio.to_thread(_step, plan)
        while result is None:
            outcomes = await asyncio.gather(*(ask_one(ask) for ask in asks))
            asks, result = await asyncio.to_thread(_step, plan, tuple(outcomes))
        return _finished(result, begun)
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


def run_many(
    plans: Iterable[Callable[[], GradingResult]], concurrency: int
) -> Iterator[GradingResult]:
    """The results of these grades, in their order, at most ``concurrency`` at once. Input is read as it is needed."""
    from collections import deque
    from concurrent.futures import ThreadPoolExecutor

    pool, running = (
        ThreadPoolExecutor(concurrency, thread_name_prefix="faithfulness-grade"),
        deque[Any](),
    )
    try:
        for grade in plans:
            running.append(pool.submit(grade))
            if len(running) > 2 * concurrency:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        pool.shutdown(
            cancel_futures=True
        )  # who stops reading pays for no more than what is under way


def _ask_all(
    judge: Judge, asks: tuple[Ask, ...], clock: Clock, end: float | None
) -> Iterable[Outcome]:
    if len(asks) == 1:
        return (_ask(judge, asks[0], clock, end),)
    from concurrent.futures import ThreadPoolExecutor

    pool: Executor
    with ThreadPoolExecutor(
        min(len(asks), ASKS_AT_ONCE), thread_name_prefix="faithfulness-ask"
    ) as pool:
        running = []
        for ask in asks:
            running.append(pool.submit(_ask, judge, ask, clock, end))
            time.sleep(HEAD_START)
        return [ask.result() for ask in running]


def _ask(judge: Judge, ask: Ask, clock: Clock, end: float | None) -> Outcome:
    if _too_late(end):
        return _late()
    try:
        return _checked(ask, _in_time(judge, ask, clock.ask_by(end)))
    except Exception as error:  # noqa: BLE001 - a judge may be anybody's code; whatever it raises is its failure, not ours
        return _as_judge_error(ask, error)


def _in_time(judge: Judge, ask: Ask, by: float | None) -> object:
    """The judge's reply. A judge that does not keep deadlines by itself is asked in a thread, which is left behind when the time is up."""
    if by is None or getattr(judge, "keeps_deadline", False):
        return judge.ask(ask, deadline=by)
    box: SimpleQueue[tuple[object, BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            box.put((judge.ask(ask, deadline=by), None))
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
            box.put((None, error))

    threading.Thread(target=work, daemon=True, name="faithfulness-judge").start()
    try:
        reply, error = box.get(timeout=max(by - time.monotonic(), 0))
    except Empty:
        return _late()
    if error is not None:
        raise error
    return reply


async def _aask(judge: Judge, ask: Ask, clock: Clock, end: float | None) -> Outcome:
    import asyncio

    native = getattr(judge, "aask", None)
    if native is None:
        return await asyncio.to_thread(_ask, judge, ask, clock, end)
    if _too_late(end):
        return _late()
    try:
        by = clock.ask_by(end)
        left = None if by is None else max(by - time.monotonic(), 0)
        return _checked(ask, await asyncio.wait_for(native(ask, deadline=by), left))
    except asyncio.TimeoutError:
        return _late()
    except Exception as error:  # noqa: BLE001 - as in _ask
        return _as_judge_error(ask, error)


def _too_late(end: float | None) -> bool:
    return end is not None and time.monotonic() >= end


def _late() -> JudgeError:
    return JudgeError("the deadline of this grade has passed", "timeout", retryable=True)


def _checked(ask: Ask, reply: object) -> Outcome:
    if isinstance(reply, JudgeError):
        return reply
    if not isinstance(reply, Reply):
        return _misbehaved(f"returned {type(reply).__name__}, not a Reply")
    log.info(
        "%s: asked for %d, replied %d characters, %s",
        ask.kind,
        len(ask.ids),
        len(reply.text),
        reply.finish_reason,
    )
    return reply


def _misbehaved(how: str) -> JudgeError:
    return JudgeError(
        f"the judge {how}",
        "transport",
        fix="Mend the judge: its ask() must return a Reply or raise a JudgeError.",
    )


def _as_judge_error(ask: Ask, error: Exception) -> JudgeError:
    # Only the type of a foreign exception is told: its text may hold a key.
    known = (
        error
        if isinstance(error, JudgeError)
        else _misbehaved(f"raised {type(error).__name__}, not a JudgeError")
    )
    log.warning("%s: asked for %d, failed: %s", ask.kind, len(ask.ids), known.kind)
    return known


def _finished(result: GradingResult, begun: float) -> GradingResult:
    counts = result.counts
    log.info(
        "%s: score %.3f, %d statements, %d unresolved",
        result.status,
        result.score,
        sum(counts.values()),
        counts.get("unresolved", 0),
    )
    return replace(result, latency_ms=(time.monotonic() - begun) * 1000)
