"""What is left of a run is graded, and results are kept within a second."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..drive.asks import log
from ..grading import Grader
from ..records.errors import option
from .progress import Counts, shown
from .rows import Line, NotAsked, Row, graded_or_left
from .stopping import Budget, SoftStop
from .store import NAME, Store, lines_of_run, problem_of, reading
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


class Work(logging.Handler):
    """What is left of a run, done by this process.

    As a handler of the log it notes as events what that warns of, such as asks that were refused.

    Args:
        store: of the run, which has its rows.
        grader: judge, policy and limits.
        on: a cluster, or how many asks of the grader are under way at once on this machine.
        budget, soft: may stop it early.
    """

    def __init__(
        self, store: Store, grader: Grader, on: Cluster | int, budget: Budget, soft: SoftStop
    ) -> None:
        super().__init__(logging.WARNING)
        self._store, self._budget, self._soft = store, budget, soft
        self._grader, self._on = grader, on
        self._summary, self._earlier = store.summary(), store.summary("earlier")
        self._stopped = ""
        self._in_a_row = 0  # cases that could not be graded, since the last reply

    def done(self, notes: Iterable[str], *, progress: bool) -> RunOutcome:
        """How it ended."""
        store, before, total = self._store, self._summary.cases, self._store.size
        if before < total:
            try:
                self._grade(progress=progress)
            except sqlite3.Error as error:
                problem = f"cannot be written: {problem_of(error)}"
                self._stopped = f"{store.path / NAME} {problem}"
            except BaseException as error:
                if not self._soft.is_cause_of(error):
                    raise
                late = "and what was under way then did not arrive in time"
                self._stopped = f"{self._soft.reason}, {late}"
        finished = store.finished
        if finished == total:
            self._stopped = ""  # the last rows were the reason to stop, so nothing is left
        if self._stopped:
            self._note(f"stopped: {self._stopped}")
        signal = self._soft.number if self._stopped else 0
        return RunOutcome(store.path, total, finished - before, self._stopped, tuple(notes), signal)

    def _grade(self, *, progress: bool) -> None:
        """Keeps results as they come, until there is a reason to stop."""
        began, store, gate = time.monotonic(), self._store, self._grader.gate
        counts = Counts(self._summary, store.size)
        if gate:
            counts.trouble = lambda: gate.breaker.trouble
        log.addHandler(self)
        try:
            with (
                store.appending() as append,
                closing(self._lines()) as lines,
                shown(counts, wanted=progress),
            ):
                for line in lines:
                    if isinstance(line, NotAsked):
                        self._stopped = self._stopped or line.why
                    else:
                        append(line)
                        self._summary.add(line)
                        self._stopped = self._stopped or self._exceeded() or self._hopeless(line)
                    if self._stopped and not (isinstance(self._on, int) or self._soft.number):
                        break  # a cluster does not know of it
        finally:
            log.removeHandler(self)
        store.keep("seconds", (store.value("seconds") or 0.0) + time.monotonic() - began)

    def _lines(self) -> Generator[Line | NotAsked, None, None]:
        rest = self._until_stopped(self._store.rest())
        if isinstance(self._on, int):
            return graded_or_left(rest, self._grader, self._on, lambda: self._soft.reason)
        return self._on.graded(rest, self._store.secret())

    def _until_stopped(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows, until there is a reason to stop. What is under way then still ends."""
        self._soft.install()
        self._stopped = self._exceeded()
        for row in rows:
            self._stopped = self._stopped or self._soft.reason
            if self._stopped:
                return
            yield row

    def _exceeded(self) -> str:
        return self._budget.exceeded(self._summary, self._earlier)

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

    def emit(self, record: logging.LogRecord) -> None:
        """Notes what the log says. If that fails, whoever keeps the next result is told."""
        self._note(record.getMessage())

    def _note(self, event: str) -> None:
        with suppress(sqlite3.Error):  # such as a full disk, which is the reason to stop
            self._store.note(event)
