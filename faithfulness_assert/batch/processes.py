"""The engine on this machine: processes for a judge that computes here, else one event loop.

A process that dies, for example because the machine has no memory left, is replaced. Nobody knows
which of its rows it was, so they are graded again one at a time. A row at which the process dies
once more has an error as its result.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.resource_tracker import ensure_running
from queue import SimpleQueue
from typing import Any, ClassVar, Literal, NamedTuple

from ..grading import Grader
from ..records.checks import check_number
from ..records.errors import ConfigError
from ..records.model import GraderError
from .row_grading import GraderSettings, Share, computes_here, grade_rows, line_of
from .rows import Line, Row, Told, brief, told

FEW = 256
"""Rows that one process has graded before others have started."""
MAX_PROCESSES = 1000
CHUNK = 16
"""Rows, and results, that are passed on together."""
AHEAD = 3
"""Chunks that a process has, so that it never waits for one."""
DIED_TWICE = (
    "The process that graded this case died twice, perhaps for lack of memory. "
    "Make its answer and context shorter, or give the machine more memory, and go on with the run."
)
START_FAILED = (
    "processes: a process that grades has died at its start; call run() under "
    "`if __name__ == '__main__':`, or pass processes=1"
)
FAILED_STARTS = 5
"""So many processes may fail to start where others could."""


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """How rows are graded on this machine, by a grader made of the settings, within the share.

    ``processes``: None or ``auto`` for as many as make it faster.

    Raises:
        ConfigError: ``processes`` is not a number, or the judge works in one process only.
    """

    settings: GraderSettings
    grader: Grader
    share: Share
    processes: int | Literal["auto"] | None = None
    ends_what_it_began: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.processes is None or self.processes == "auto":
            return
        check_number("processes", self.processes, 1, MAX_PROCESSES, whole=True)
        if self.processes > 1 and (problem := self._alone()):
            raise ConfigError(f"processes: {problem}; leave it out")

    def _alone(self) -> str:
        """Why one process grades; "" if several may."""
        if not computes_here(self.grader):
            return "one is enough for a judge that does not compute in it; see concurrency"
        if not isinstance(self.settings.judge, str):
            return "only a judge that is given by its name works in several"
        if self.share.requests_per_minute or self.share.tokens_per_minute:
            return "only one can keep limits per minute"
        return ""

    def trouble(self) -> str:
        """Why nothing may come from the judge's server at the moment; "" if it answers."""
        return self.grader.admission.outage.trouble if self.grader.admission else ""

    def graded(
        self, rows: Iterator[Row], stopping: Callable[[], str] = str
    ) -> Generator[Told, None, None]:
        """The results of these rows, each as the text of its line and as a line, as they finish.

        A line may lack what ``rows.brief`` leaves out; its text never does. ``stopping``: see
        ``Share.graded_or_left``.
        """
        if isinstance(self.processes, int):
            processes = self.processes
        elif (processes := 1 if self._alone() else _cores()) > 1:
            head = list(islice(rows, FEW))
            rows = chain(head, rows)
            processes = processes if len(head) == FEW else 1
        if processes > 1:
            yield from grade_in_processes(rows, self.settings, self.grader, processes)
            return
        for line in self.share.graded_or_left(rows, self.grader, stopping):
            yield told(line)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Dead(NamedTuple):
    """What a process leaves that has died: rows to grade again, and a row that it died of."""

    lost: Iterable[Row]
    deadly: Row | None


def grade_in_processes(
    rows: Iterable[Row], settings: GraderSettings, grader: Grader, processes: int
) -> Generator[tuple[str, Line], None, None]:
    """The results of these rows, as text and as a ``brief`` line, as they finish.

    Each process has a grader like ``grader``, made of the ``settings``. Processes are spawned,
    never forked: this one has threads. They end with this one, however it ends, and at once if the
    results are no longer wanted.

    Raises:
        ConfigError: processes die before they are ready.
    """
    rows, failed_starts, allowed_failures = iter(rows), 0, 0
    pool: dict[Any, _Process] = {}

    def start(again: Iterable[Row] = ()) -> None:
        process = _Process(settings, again)
        pool[process.connection] = process

    try:
        for _ in range(processes):
            start()
        while busy := [connection for connection, process in pool.items() if process.is_busy]:
            for connection in wait(busy):
                found = pool[connection].results()
                if not isinstance(found, _Dead):
                    allowed_failures = FAILED_STARTS
                    yield from found
                    pool[connection].feed(rows)
                    continue
                process = pool.pop(connection)
                process.end()
                failed_starts += not process.ready
                if failed_starts > allowed_failures:
                    raise ConfigError(START_FAILED)
                if found.deadly:
                    line = _died_twice(found.deadly, grader)
                    yield line.to_json(), line
                start(found.lost)
    finally:
        for process in pool.values():
            process.end()


def _died_twice(row: Row, grader: Grader) -> Line:
    """The result of a row that no process survives. It is not even read in this one."""
    error = GraderError("server", DIED_TWICE)
    result = replace(grader.invalid(DIED_TWICE), status="judge_failed", reason=DIED_TWICE)
    return line_of(row, replace(result, error=error))


class _Process:
    """A process that grades, as seen from here.

    ``again``: rows at which another one may have died. It gets them first, one at a time.
    """

    def __init__(self, settings: GraderSettings, again: Iterable[Row] = ()) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, settings), daemon=True)
        with _ctrl_c_later():
            self._process.start()
        theirs.close()
        self._again, self._careful, self.ready = deque(again), False, False
        self._under_way: deque[Row] = deque()

    @property
    def is_busy(self) -> bool:
        """Whether something will come from it."""
        return bool(self._under_way) or not self.ready

    def feed(self, rows: Iterator[Row]) -> None:
        """Passes rows on until it has enough."""
        while not (self._careful and self._under_way):
            self._careful = bool(self._again)
            if len(self._under_way) > (AHEAD - 1) * CHUNK:
                return
            chunk = [self._again.popleft()] if self._again else list(islice(rows, CHUNK))
            if not chunk:
                return
            self._under_way.extend(chunk)
            with suppress(OSError):  # it has died, which ``results`` finds
                self.connection.send(chunk)

    def results(self) -> list[tuple[str, Line]] | _Dead:
        """What it has graded since, in the order of its rows."""
        try:
            results: list[tuple[str, Line]] = self.connection.recv()
        except (EOFError, OSError):
            if self._careful:
                return _Dead(self._again, self._under_way[0])
            return _Dead([*self._again, *self._under_way], None)
        self.ready = True
        for _ in results:
            self._under_way.popleft()
        return results

    def end(self) -> None:
        """Ends it, whatever it does."""
        self.connection.close()
        self._process.kill()
        self._process.join()


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Holds Ctrl-C and SIGTERM back, which may be sent to a whole group of processes.

    A process that starts meanwhile never gets them: it inherits that. Its parent ends it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # it lets Ctrl-C through when it starts, which the first process would do
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    here = threading.current_thread() is threading.main_thread()
    ours = {number: handler for number, handler in handlers.items() if here and handler is not None}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, handlers)
    for each in ours:
        # Or another thread would take the signal, and this one be interrupted all the same.
        signal.signal(each, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for each, handler in ours.items():
            signal.signal(each, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    for number in came:
        signal.raise_signal(number)


# ---------------------------------------------------------------- in the process


def _work(connection: Connection, settings: GraderSettings) -> None:
    """Grades what comes, until the process is ended. Ctrl-C is its parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    grader = settings.grader()
    results: list[tuple[str, Line]] = []
    connection.send(results)  # it is ready
    rows: SimpleQueue[Row] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, rows), daemon=True).start()
    for line in grade_rows(iter(rows.get, None), grader, concurrency=1):
        results.append((line.to_json(), brief(line)))
        if len(results) == CHUNK or rows.empty():
            connection.send(results)
            results = []


def _receive(connection: Connection, rows: SimpleQueue[Row]) -> None:
    """Takes in what is sent, at any time, so that no side waits for the other to read."""
    try:
        while True:
            for row in connection.recv():
                rows.put(row)
    except (EOFError, OSError):
        os._exit(1)  # the parent has ended
