"""Grades rows in several processes on this machine."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.resource_tracker import ensure_running
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ..records.errors import ConfigError
from .row_grading import computes_here
from .rows import brief

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from typing import Any

    from ..grading import Grader
    from .row_grading import GraderSettings, Share
    from .rows import Line, Row

CHUNK = 16
"""Rows, and results, that are passed on together if the judge computes in the process."""
AHEAD = 3
"""Chunks that such a process has, so that it never waits for one."""


class _DiedError(Exception):
    """The process on the other side is no more."""


def grade_in_processes(
    rows: Iterable[Row], settings: GraderSettings, grader: Grader, shares: Sequence[Share]
) -> Generator[tuple[str, Line], None, None]:
    """The results of these rows, as text and as a ``brief`` line, as they finish.

    There is a process for each share, with a grader like ``grader``, made of the ``settings``.
    Processes are spawned, never forked: this one has threads. They end with this one, however it
    ends, and at once if the results are no longer wanted.

    Raises:
        ConfigError: a process has died.
    """
    rows = iter(rows)
    pool: dict[Any, _Process] = {}
    try:
        for share in shares:
            process = _Process(settings, grader, share)
            pool[process.connection] = process
        for process in pool.values():
            process.feed(rows)
        while busy := [connection for connection, process in pool.items() if process.under_way]:
            for connection in wait(busy):
                yield from pool[connection].results()
                pool[connection].feed(rows)
    except _DiedError:
        raise ConfigError(
            "processes: a process that grades has died. If it was at the start, call run() under "
            "`if __name__ == '__main__':`, or pass processes=1"
        ) from None
    finally:
        for process in pool.values():
            process.end()


class _Process:
    """A process that grades, as seen from here."""

    def __init__(self, settings: GraderSettings, grader: Grader, share: Share) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, settings, share), daemon=True)
        with _ctrl_c_later():
            self._process.start()
        theirs.close()
        asks = share.asks_at_once(grader)
        self._chunk = _chunk(grader)
        self._most = max(AHEAD * self._chunk, asks + asks // 4 + AHEAD)
        self._has_all = False
        self.under_way = 0

    def feed(self, rows: Iterator[Row]) -> None:
        """Passes rows on until it has enough; at their end, an empty list."""
        while not self._has_all and self.under_way + self._chunk <= self._most:
            chunk = list(islice(rows, self._chunk))
            self._has_all = not chunk
            try:
                self.connection.send(chunk)
            except OSError:
                raise _DiedError from None
            self.under_way += len(chunk)

    def results(self) -> list[tuple[str, Line]]:
        """What it has graded since."""
        try:
            results: list[tuple[str, Line]] = self.connection.recv()
        except (EOFError, OSError):
            raise _DiedError from None
        self.under_way -= len(results)
        return results

    def end(self) -> None:
        """Ends it, whatever it does."""
        self.connection.close()
        self._process.terminate()
        self._process.join()


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Holds Ctrl-C back. A process that starts meanwhile never gets it: it inherits that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # it lets Ctrl-C through when it starts, which the first process would do
    came: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    here = handler is not None and threading.current_thread() is threading.main_thread()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    if here:  # or another thread would take the signal, and this one be interrupted all the same
        signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        if here:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if came:
        signal.raise_signal(signal.SIGINT)


# ---------------------------------------------------------------- in the process


def _work(connection: Connection, settings: GraderSettings, share: Share) -> None:
    """Grades what comes, until the process is ended. Ctrl-C is its parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    rows: SimpleQueue[Row | None] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, rows), daemon=True).start()
    grader = share.ready(settings.grader())
    every_row: Iterator[Row] = iter(rows.get, None)
    chunk, results = _chunk(grader), []
    for line in share.graded(every_row, grader):
        results.append((line.to_json(), brief(line)))
        if len(results) == chunk or rows.empty():
            connection.send(results)
            results = []
    connection.send(results)


def _receive(connection: Connection, rows: SimpleQueue[Row | None]) -> None:
    """Takes in what is sent, at any time, so that no side waits for the other to read."""
    try:
        while True:
            for row in connection.recv() or [None]:
                rows.put(row)
    except (EOFError, OSError):
        os._exit(1)  # the parent has ended


def _chunk(grader: Grader) -> int:
    """A result that was paid for is passed on at once, and its row is not fetched too early."""
    return CHUNK if computes_here(grader) else 1
