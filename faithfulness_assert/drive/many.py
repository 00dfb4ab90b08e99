"""Many grades at once, on the event loop of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

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

    Args:
        grades: the grades.
        concurrency: the most asks under way.
        in_order: results have the order of their grades: a slow grade holds up the results after
            it, but not the grades after it. Otherwise each result comes as soon as it is there.
        stopping: see ``Slots``.
    """
    batch: _Batch[T] = _Batch(Slots(concurrency, stopping), concurrency, in_order)
    try:
        for grade in grades:
            batch.start(grade)
            while batch.is_full() or not batch.finished.empty():
                yield from batch.results()
        while batch.waiting:
            yield from batch.results()
    except BaseException as error:
        said = batch.stop()
        log.warning("%s", said)
        if hasattr(error, "add_note"):  # from Python 3.11
            error.add_note(said)
        raise


class _Batch(Generic[T]):
    """Grades under way, and results that wait for their turn.

    A few more grades than ``concurrency`` are under way, so that the next ask is ready when a slot
    becomes free.
    """

    def __init__(self, slots: Slots, concurrency: int, in_order: bool) -> None:
        self.slots, self.in_order = slots, in_order
        self.at_once = concurrency + 1 + concurrency // 8
        self.window = WINDOW * concurrency
        self.waiting: deque[Future[T]] = deque()  # whose turn has not come
        self.finished: SimpleQueue[Future[T]] = SimpleQueue()
        self.under_way = self.given = 0

    def start(self, grade: StartGrade[T]) -> None:
        future = background.start(grade(self.slots))
        future.add_done_callback(self.finished.put)
        self.waiting.append(future)
        self.under_way += 1

    def is_full(self) -> bool:
        """Whether no other grade may start now."""
        return self.under_way >= self.at_once or len(self.waiting) >= self.window

    def results(self) -> Iterator[T]:
        """Waits for a grade to end; the results whose turn then has come."""
        ended = self.finished.get()
        self.under_way -= 1
        ready = self.waiting if self.in_order else deque([ended])
        if not self.in_order:
            self.waiting.remove(ended)
        while ready and ready[0].done():
            result = ready.popleft().result()
            self.given += 1
            yield result

    def stop(self) -> str:
        """Cancels all grades under way. Says what was done, and what it cost."""
        self.slots.stopping = lambda: "it was stopped"  # or others would take the free slots
        for future in self.waiting:
            future.cancel()
        slots, spent = self.slots, self.slots.spent
        more = slots.under_way
        return (
            f"grade_many stopped after {self.given} results: {slots.ended} asks had ended, with "
            f"{spent.num_requests} requests, {spent.prompt} prompt and {spent.completion} "
            f"completion tokens; {more} more were under way, for which the provider may charge too"
        )
