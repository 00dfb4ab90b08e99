"""Grades rows in several processes, for judges that compute on this machine."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any, NamedTuple

from ..grading import Grader
from ..records.errors import ConfigError
from .partition import grade_rows
from .rows import Line, brief

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from concurrent.futures import Future

    from .rows import Row

CHUNK = 16
"""Rows that a process grades at a time."""
AHEAD = 3
"""Chunks for each process that are graded, or wait for it."""


class GraderSettings(NamedTuple):
    """What :class:`Grader` takes, so that another process can make the same one."""

    judge: Any
    policy: Any
    threshold: float | None
    options: Mapping[str, Any]

    def grader(self) -> Grader:
        """A new grader."""
        return Grader(self.judge, self.policy, self.threshold, **self.options)


def grade_in_processes(
    rows: Iterable[Row], settings: GraderSettings, processes: int
) -> Generator[tuple[str, Line], None, None]:
    """The results of these rows, as text and as a :func:`brief` line, as they finish.

    Processes are spawned, never forked: this one has threads. They end with this process, however
    it ends.

    Raises:
        ConfigError: a process has died.
    """
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool

    rows = iter(rows)
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (settings,))
    under_way: set[Future[list[tuple[str, Line]]]] = set()
    try:
        while chunk := list(islice(rows, CHUNK)):
            with _ctrl_c_later():
                under_way.add(pool.submit(_grade_chunk, chunk))
            if len(under_way) >= AHEAD * processes:
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    yield from future.result()
        while under_way:
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    except BrokenProcessPool:
        raise ConfigError(
            "processes: a process that grades has died. If it was at the start, call run() under "
            "`if __name__ == '__main__':`, or pass processes=1"
        ) from None
    finally:
        # It waits for the chunks under way: a pool whose processes are killed may wait forever.
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Holds Ctrl-C back. A process that starts meanwhile never gets it: it inherits that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_grader: Grader


def _begin(settings: GraderSettings) -> None:
    """Prepares a process of the pool. Ctrl-C is its parent's business."""
    global _grader
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _grader = settings.grader()


def _end_with_parent() -> None:
    """A process whose parent was killed would wait forever: it holds the queue open itself."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _grade_chunk(rows: list[Row]) -> list[tuple[str, Line]]:
    return [(line.to_json(), brief(line)) for line in grade_rows(rows, _grader, concurrency=1)]
