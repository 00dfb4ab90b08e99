"""Many grades at once, on the event loop of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from ..judges import background
from .asks import log
from .grades import Slots

T = TypeVar("T")
StartGrade = Callable[[Slots], Coroutine[Any, Any, T]]

WINDOW = 20
"""How many times ``concurrency`` results may wait for an earlier one."""


def run_many(
    grades: Iterable[StartGrade[T]],
    concurrency: int,
    *,
    in_order: bool = True,
    stopping: Callable[[], str] = str,
) -> Generator[T, None, None]:
    """The results of these grades, with at most ``concurrency`` asks at once.

    Each grade is a function that takes the slots for asks. Input is read as needed. If the caller
    stops iterating, or interrupts it, all grades under way are cancelled at once. The log, and a
    note of the exception, then say what was done and what it cost.

    A few more grades than ``concurrency`` are under way, so that the next ask is ready when a slot
    becomes free.

    Args:
        grades: the grades.
        concurrency: the most asks under way.
        in_order: results have the order of their grades: a slow grade holds up the results after
            it, but not the grades after it. Otherwise each result comes as soon as it is there.
        stopping: see ``Slots``.
    """
    slots, at_once = Slots(concurrency, stopping), concurrency + 1 + concurrency // 8
    waiting: deque[Future[T]] = deque()  # whose turn has not come
    finished: SimpleQueue[Future[T]] = SimpleQueue()
    under_way = given = 0
    rest = iter(grades)
    try:
        while True:
            while (
                finished.empty()
                and under_way < at_once
                and len(waiting) < WINDOW * concurrency
                and (grade := next(rest, None))
            ):
                future = background.start(grade(slots))
                future.add_done_callback(finished.put)
                waiting.append(future)
                under_way += 1
            if not under_way:
                return
            ended = finished.get()
            under_way -= 1
            ready = waiting if in_order else deque([ended])
            if not in_order:
                waiting.remove(ended)
            while ready and ready[0].done():
                result = ready.popleft().result()
                given += 1
                yield result
    except BaseException as error:
        slots.stopping = lambda: "it was stopped"  # or others would take the free slots
        for future in waiting:
            future.cancel()
        spent, more = slots.spent, slots.under_way
        said = (
            f"stopped after {given} results: {slots.ended} asks had ended, with "
            f"{spent.num_requests} requests, {spent.prompt} prompt and {spent.completion} "
            f"completion tokens; {more} more were under way, for which the provider may charge too"
        )
        log.warning("%s", said)
        if hasattr(error, "add_note"):  # from Python 3.11
            error.add_note(said)
        raise
