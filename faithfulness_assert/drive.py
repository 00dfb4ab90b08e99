"""Ways to run a plan: in this thread, on an event loop, or many at once.

Only this file knows the time. Plans only receive outcomes: any exception of a judge that is not a
``JudgeError`` is wrapped in one here.
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
from .records.judge import Judge, judge_info

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .plan.plan import Plan
    from .records.ask import Ask, Outcome
    from .records.result import GradingResult

log = logging.getLogger("faithfulness_assert")
# Without a handler, logging prints warnings to stderr, which promptfoo shows as the reason.
log.addHandler(logging.NullHandler())

ASKS_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Clock:
    """The most seconds that a whole grade, and one ask of it, may take; None for no limit."""

    deadline: float | None = None
    timeout: float | None = None


def run(plan: Plan, judge: Judge, clock: Clock | None = None) -> GradingResult:
    """Runs a plan to its end in this thread. Asks that belong together are sent at once."""
    grade = _Grade.start(judge, clock)
    try:
        asks, result = _step(plan)
        while result is None:
            asks, result = _step(plan, _ask_all(grade, asks))
        return grade.finish(result)
    finally:
        plan.close()


async def arun(plan: Plan, judge: Judge, clock: Clock | None = None) -> GradingResult:
    """The same as :func:`run`, on the running event loop.

    A judge without ``aask`` is asked in threads. The plan runs in a thread too: a long text would
    block the loop.
    """
    import asyncio

    grade = _Grade.start(judge, clock)
    try:
        asks, result = await asyncio.to_thread(_step, plan)
        while result is None:
            outcomes = await _aask_all(grade, asks)
            asks, result = await asyncio.to_thread(_step, plan, outcomes)
        return grade.finish(result)
    finally:
        with suppress(ValueError):  # cancelled while the plan runs in its thread: it ends there
            plan.close()


def run_many(
    grades: Iterable[Callable[[], GradingResult]], concurrency: int
) -> Iterator[GradingResult]:
    """The results of these grades, in their order, at most ``concurrency`` at once.

    Input is read as needed. If the caller stops iterating, queued grades are cancelled.
    """
    from collections import deque
    from concurrent.futures import ThreadPoolExecutor

    running: deque[Any] = deque()
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="faithfulness-grade")
    try:
        for grade in grades:
            running.append(pool.submit(grade))
            if len(running) > 2 * concurrency:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _step(
    plan: Plan, outcomes: tuple[Outcome, ...] | None = None
) -> tuple[tuple[Ask, ...], GradingResult | None]:
    """The plan's next asks, or its result."""
    try:
        return (next(plan) if outcomes is None else plan.send(outcomes)), None
    except StopIteration as stop:
        return (), stop.value


# ---------------------------------------------------------------- one grade


@dataclass(frozen=True, slots=True)
class _Grade:
    """One grade under way: its judge, and its limits as instants of ``time.monotonic()``."""

    judge: Judge
    keeps_deadline: bool
    started: float
    end: float | None
    timeout: float | None

    @staticmethod
    def start(judge: Judge, clock: Clock | None) -> _Grade:
        clock, now = clock or Clock(), time.monotonic()
        end = None if clock.deadline is None else now + clock.deadline
        return _Grade(judge, judge_info(judge).keeps_deadline, now, end, clock.timeout)

    def is_over(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end

    def ask_deadline(self) -> float | None:
        """The instant at which an ask that starts now must have ended."""
        timeout = None if self.timeout is None else time.monotonic() + self.timeout
        return min((t for t in (self.end, timeout) if t is not None), default=None)

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
    from concurrent.futures import ThreadPoolExecutor

    threads = min(len(asks), ASKS_AT_ONCE)
    with ThreadPoolExecutor(threads, thread_name_prefix="faithfulness-ask") as pool:
        return tuple(pool.map(lambda ask: _ask(grade, ask), asks))


async def _aask_all(grade: _Grade, asks: tuple[Ask, ...]) -> tuple[Outcome, ...]:
    import asyncio

    slots = asyncio.Semaphore(ASKS_AT_ONCE)

    async def aask(ask: Ask) -> Outcome:
        async with slots:
            return await _aask(grade, ask)

    return tuple(await asyncio.gather(*map(aask, asks)))


def _ask(grade: _Grade, ask: Ask) -> Outcome:
    if grade.is_over():
        return _late()
    try:
        return _outcome(ask, _in_time(grade, ask, grade.ask_deadline()))
    except Exception as error:  # noqa: BLE001 - a judge may be anybody's code
        return _as_judge_error(ask, error)


async def _aask(grade: _Grade, ask: Ask) -> Outcome:
    import asyncio

    native = getattr(grade.judge, "aask", None)
    if native is None:
        return await asyncio.to_thread(_ask, grade, ask)
    if grade.is_over():
        return _late()
    deadline = grade.ask_deadline()
    try:
        return _outcome(
            ask, await asyncio.wait_for(native(ask, deadline=deadline), _left(deadline))
        )
    except asyncio.TimeoutError:
        return _late()
    except Exception as error:  # noqa: BLE001 - a judge may be anybody's code
        return _as_judge_error(ask, error)


def _in_time(grade: _Grade, ask: Ask, deadline: float | None) -> object:
    """The judge's reply. A judge that may miss the deadline is asked in a thread of its own.

    The thread is abandoned when the time is up.
    """
    if deadline is None or grade.keeps_deadline:
        return grade.judge.ask(ask, deadline=deadline)
    answers: SimpleQueue[tuple[object, BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            answers.put((grade.judge.ask(ask, deadline=deadline), None))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            answers.put((None, error))

    threading.Thread(target=work, daemon=True, name="faithfulness-judge").start()
    try:
        reply, error = answers.get(timeout=_left(deadline))
    except Empty:
        return _late()
    if error is not None:
        raise error
    return reply


def _left(deadline: float | None) -> float | None:
    """The seconds until ``deadline``."""
    return None if deadline is None else max(deadline - time.monotonic(), 0)


# ---------------------------------------------------------------- outcomes


def _late() -> JudgeError:
    return JudgeError("the deadline of this grade has passed", "timeout", retryable=True)


def _outcome(ask: Ask, reply: object) -> Outcome:
    if isinstance(reply, JudgeError):
        return reply
    if not isinstance(reply, Reply):
        return _misbehaved(f"returned {type(reply).__name__}, not a Reply")
    log.info(
        "%s: asked for %d, replied %d characters, %s",
        *(ask.kind, len(ask.ids), len(reply.text), reply.finish_reason),
    )
    return reply


def _as_judge_error(ask: Ask, error: Exception) -> JudgeError:
    # The text of a foreign exception may contain a key, so only its type is shown.
    judge_error = (
        error
        if isinstance(error, JudgeError)
        else _misbehaved(f"raised {type(error).__name__}, not a JudgeError")
    )
    log.warning("%s: asked for %d, failed: %s", ask.kind, len(ask.ids), judge_error.kind)
    return judge_error


def _misbehaved(what: str) -> JudgeError:
    fix = "Fix the judge: its ask() must return a Reply or raise a JudgeError."
    return JudgeError(f"the judge {what}", "transport", fix=fix)
