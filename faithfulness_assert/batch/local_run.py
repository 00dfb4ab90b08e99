"""What is left of a run is graded, and results are kept within a second."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..drive.asks import GivenUp, log
from ..records.errors import option
from .progress import Counts, shown
from .rows import Line, Row
from .stopping import Budget, SoftStop
from .store import NAME, Store, lines_of_run, problem_of, reading
from .summary import Summary

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
        budget, soft: may stop it early.

    ``stopped``: why the run stops, but for signals; "" while it goes on.
    """

    def __init__(self, store: Store, budget: Budget, soft: SoftStop) -> None:
        super().__init__(logging.WARNING)
        self._store, self._budget, self._soft = store, budget, soft
        self._summary, self._earlier = store.summary(), store.summary("earlier")
        self.stopped = budget.exceeded(self._summary, self._earlier)
        self._in_a_row = 0  # cases that could not be graded, since the last reply

    def stopping(self) -> str:
        """Why no more rows are begun; "" while any may be."""
        return self.stopped or self._soft.reason

    def rows(self) -> Iterator[Row]:
        """The rows without a result, until there is a reason to stop."""
        self._soft.install()
        for row in self._store.rest():
            if self.stopping():
                return
            yield row

    def done(
        self,
        lines: Generator[Line, None, None],
        trouble: Callable[[], str],
        notes: tuple[str, ...],
        *,
        progress: bool,
    ) -> RunOutcome:
        """Keeps the results as they come, and says how it ended.

        ``lines``: of ``rows``. ``trouble``: see ``Counts``.
        """
        store, total, before = self._store, self._store.size, self._summary.cases
        if before < total:
            try:
                self._keep(lines, Counts(self._summary, total, trouble), progress=progress)
            except GivenUp as error:
                self.stopped = self.stopped or str(error)
            except sqlite3.Error as error:
                self.stopped = f"{store.path / NAME} cannot be written: {problem_of(error)}"
            except BaseException as error:
                if not self._soft.is_cause_of(error):
                    raise
                late = "and what was under way then did not arrive in time"
                self.stopped = f"{self._soft.reason}, {late}"
        finished = store.finished
        # If the last rows were the reason to stop, nothing is left.
        stopped = self.stopping() if finished < total else ""
        if stopped:
            self._note(f"stopped: {stopped}")
        signal = self._soft.number if stopped else 0
        return RunOutcome(store.path, total, finished - before, stopped, notes, signal)

    def _keep(self, lines: Generator[Line, None, None], counts: Counts, *, progress: bool) -> None:
        began, store = time.monotonic(), self._store
        log.addHandler(self)
        try:
            with store.appending() as append, closing(lines), shown(counts, wanted=progress):
                for line in lines:
                    append(line)
                    self._summary.add(line)
                    self.stopped = (
                        self.stopped
                        or self._budget.exceeded(self._summary, self._earlier)
                        or self._hopeless(line)
                    )
        finally:
            log.removeHandler(self)
            with suppress(sqlite3.Error):
                store.keep("seconds", (store.value("seconds") or 0.0) + time.monotonic() - began)

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
