"""What is left of a run is graded, and results are kept within a second."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..drive.asks import log
from ..grading import Grader
from ..records.errors import option
from .progress import Budget, Counts, SoftStop, from_interrupt, shown
from .rows import Line, NotAsked, Row, graded_or_left
from .store import NAME, Store, lines_of_run, reading, said_of
from .summary import Summary

if TYPE_CHECKING:
    from .ray import Cluster

HOPELESS = 50
"""So many cases in a row that could not be graded stop a run, unless ``max_errors`` is given.

A limit on all of them would be too low for one data set and too high for another. What shows that
going on is of no use is that none of the last cases could be graded."""
ABOUT_TEXTS = frozenset({"input", "refusal", "content_filter"})
"""Errors that say something about the texts of a case, and nothing about the cases after it."""


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended.

    Args:
        path: the directory of the run.
        total: rows of the data set.
        graded: how many results are new.
        stopped: why rows are left without a result; "" if none is.
        notes: what a person should know, such as ids that are not unique.
        signal: the number of the signal that stopped it; 0 if none did.
    """

    path: Path
    total: int
    graded: int = 0
    stopped: str = ""
    notes: tuple[str, ...] = ()
    signal: int = 0

    @cached_property
    def summary(self) -> Summary:
        """What the whole run found."""
        with reading(self.path) as store:
            return store.summary()

    def lines(self) -> Iterator[Line]:
        """The results, in the order of their rows: each a ``Line`` with its ``result``."""
        return lines_of_run(self.path)

    @property
    def exit_code(self) -> int:
        """As on the command line: 0 all passed, 1 some failed, 3 some could not be graded.

        After a signal, 128 and its number.
        """
        if self.signal:
            return 128 + self.signal
        if self.stopped or self.summary.not_graded:
            return 3
        return 0 if self.summary.passed == self.summary.cases else 1


class Work:
    """What is left of a run, done by this process.

    Args:
        store: of the run, which has its rows.
        grader: judge, policy and limits.
        on: a cluster, or how many asks of the grader are under way at once on this machine.
        budget, soft: may stop it early.
    """

    def __init__(
        self, store: Store, grader: Grader, on: Cluster | int, budget: Budget, soft: SoftStop
    ) -> None:
        self._store, self._budget, self._soft = store, budget, soft
        self._grader, self._on = grader, on
        self._counts = Counts(store.summary(), store.size)
        self._earlier = store.summary("earlier")
        self._stopped = ""
        self._in_a_row = 0  # cases that could not be graded, since the last reply

    def done(self, notes: Iterable[str], *, progress: bool) -> RunOutcome:
        """How it ended."""
        store, counts = self._store, self._counts
        if counts.found.cases < counts.total:
            if gate := self._grader.gate:
                counts.trouble = lambda: gate.breaker.trouble
            self._grade(progress=progress)
        finished = store.finished
        if finished == counts.total:
            self._stopped = ""  # the last rows were the reason to stop, so nothing is left
        if self._stopped:
            with suppress(sqlite3.Error):  # such as a full disk, which is the reason
                store.note(f"stopped: {self._stopped}")
        signal, new = self._soft.number if self._stopped else 0, finished - counts.before
        return RunOutcome(store.path, counts.total, new, self._stopped, tuple(notes), signal)

    def _lines(self) -> Generator[Line | NotAsked, None, None]:
        rest = self._until_stopped(self._store.rest())
        if isinstance(self._on, int):
            return graded_or_left(rest, self._grader, self._on, lambda: self._soft.reason)
        return self._on.graded(rest, self._store.secret())

    def _until_stopped(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows, until there is a reason to stop. What is under way then still ends."""
        self._soft.install()
        self._stopped = self._budget.exceeded(self._counts.found, self._earlier)
        for row in rows:
            self._stopped = self._stopped or self._soft.reason
            if self._stopped:
                return
            yield row

    @contextmanager
    def _stopped_by_signals(self) -> Iterator[None]:
        """Ends at once when the grace after a signal does."""
        try:
            yield
        except BaseException as error:  # pydantic, for one, wraps an interrupt in its own error
            if not (self._soft.number and from_interrupt(error)):
                raise
            self._stopped = (
                f"{self._soft.reason}, and what was under way then did not arrive in time"
            )

    def _grade(self, *, progress: bool) -> None:
        """Keeps results as they come, until there is a reason to stop at once.

        Such are a disk that is full, and the end of the grace after a signal.
        """
        began, store = time.monotonic(), self._store
        try:
            with (
                self._stopped_by_signals(),
                store.appending() as append,
                _Events(store),
                closing(self._lines()) as lines,
                shown(self._counts, wanted=progress),
            ):
                for line in lines:
                    if isinstance(line, NotAsked):
                        self._stopped = self._stopped or line.why
                    else:
                        append(line)
                        self._count(line)
                    at_once = not (isinstance(self._on, int) or self._soft.number)
                    if self._stopped and at_once:
                        return
            store.keep("seconds", (store.kept("seconds") or 0.0) + time.monotonic() - began)
        except sqlite3.Error as error:
            self._stopped = f"{store.path / NAME} cannot be written: {said_of(error)}"

    def _count(self, line: Line) -> None:
        self._counts.found.add(line)
        exceeded = self._budget.exceeded(self._counts.found, self._earlier)
        self._stopped = self._stopped or exceeded or self._hopeless(line)

    def _hopeless(self, line: Line) -> str:
        """Why there is no use in going on; "" if there is."""
        error, used = line.result.error, line.result.tokens_used
        if error is None:  # a case that needed no judge says nothing about it
            self._in_a_row *= not (used.total or used.num_requests)
            return ""
        self._in_a_row += error.kind not in ABOUT_TEXTS
        if self._in_a_row < HOPELESS or self._budget.max_errors is not None:
            return ""
        return (
            f"{self._in_a_row} cases in a row could not be graded (to go on all the same, give "
            f"{option('max_errors')}). The last error: {error.message.rstrip('.')}"
        )


class _Events(logging.Handler):
    """Notes meanwhile what the log warns of, such as asks that a server refused."""

    def __init__(self, store: Store) -> None:
        super().__init__(logging.WARNING)
        self._store = store

    def emit(self, record: logging.LogRecord) -> None:
        """Notes it. If that fails, whoever keeps the next result is told."""
        with suppress(sqlite3.Error):
            self._store.note(record.getMessage())

    def __enter__(self) -> None:
        log.addHandler(self)

    def __exit__(self, *_: object) -> None:
        log.removeHandler(self)
