"""A run: begun or gone on with, graded to its end, with results that are kept at once."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..cases.data_set import DataSet
from ..cases.sources import open_data_set
from ..drive.asks import GivenUp, log
from ..drive.breaker import patience_of
from ..grading import MAX_CONCURRENCY, Grader
from ..options import DEADLINE, hide_key
from ..records.checks import check_number
from ..records.errors import ConfigError, option, pip_install
from ..records.judge import Judge
from ..settings import SETTING, AnyPolicy, choose
from ..text.strings import counted
from .rows import Line, Row, gate_of, grade_rows
from .run_description import take_input
from .store import BATCH_API, NAME, Store, lines_of, problem_of, reading, writing
from .summary import Summary
from .watching import Budget, BudgetError, Counts, SoftStop, shown

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..options import GraderOptions

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
        graded: how many results are new, of whatever status; ``summary`` has what they say.
        stopped: why rows are left without a result; "" if none is.
        notes: what a person should know, such as ids that are not unique.
        signal: the number of the signal that stopped it; 0 if none did.
    """

    path: Path
    total: int = field(repr=False)
    graded: int = field(default=0, repr=False)
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
        return lines_of(self.path)

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


def run(
    source: Any,
    directory: str | PathLike[str],
    *,
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    concurrency: int | None = None,
    engine: Literal["local", "ray"] = "local",
    actors: int | None = None,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    max_run_tokens: int | None = None,
    max_cost: float | None = None,
    max_errors: int | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    retry_errors: bool | None = None,
    regrade_changed: bool = False,
    progress: bool = True,
    grace: float | None = None,
    **options: Unpack[GraderOptions],
) -> RunOutcome:
    """Grades a data set, or goes on where an earlier run in ``directory`` ended.

    Rows and results are in ``run.sqlite`` there, each result at once. A run that ends early, for
    whatever reason, has lost only what was under way; the same call goes on.

    Args:
        source: a file, a frame, a Hugging Face data set or an iterable, see ``open_data_set``.
        directory: where the run is kept. It is created if it does not exist.
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``.
        concurrency: asks under way at once, 1 to 1000; 8 by default.
        engine: ``local`` grades on this machine, ``ray`` on the cluster that Ray finds, such as by
            ``RAY_ADDRESS``, else on one that it starts on this machine (extra ``ray``).
        actors: with ``ray``, how many grade; by default as many as the cluster has cores.
        requests_per_minute, tokens_per_minute: the run is never faster. Without them it slows down
            when the judge's server refuses asks, and speeds up again.
        max_run_tokens, max_cost, max_errors: the run stops when it has used, or found, more.
            Without ``max_errors`` it stops when 50 cases in a row could not be graded.
        mapping: columns for the fields of a case, such as ``{"answer": "reply"}``.
        encoding: that of a text file, such as ``"cp1252"``; by default UTF-8.
        retry_errors: whether cases that could not be graded before are graded again, all or none;
            by default where that may succeed now: the judge's server was at fault, or the error is
            ``retryable``. True is for options of the judge that changed, such as ``max_tokens``.
        regrade_changed: whether rows that have a result and are not what they were are graded
            again; what they had, and what rows had that are gone, is kept in the table ``earlier``.
            Rows that were added are graded in any case.
        progress: show how the run goes, on standard error.
        grace: seconds, from 0, that what is under way gets after Ctrl-C or SIGTERM, if this is
            called in the main thread. What arrives is kept, and the outcome has the ``signal``.
            None: signals do what they do elsewhere, so Ctrl-C is a ``KeyboardInterrupt``.

    Raises:
        ConfigError: an option cannot be used; the run was begun with other settings, or goes over a
            batch API; rows changed or are gone, and ``regrade_changed`` is false; another process
            works on it; or its directory cannot be used.
    """
    hide_key(options)
    if concurrency is not None:
        check_number("concurrency", concurrency, 1, MAX_CONCURRENCY, whole=True)
    chosen = choose(judge, policy, threshold, options)
    grader = Grader(chosen.judge, chosen.policy, chosen.threshold, **chosen.options)
    patience = patience_of(chosen.options.get("deadline", DEADLINE))
    limits = requests_per_minute, tokens_per_minute, patience
    gate = gate_of(grader, *limits)
    on_cluster = _engine(engine, actors)
    budget = Budget(max_run_tokens, max_cost, max_errors)
    budget.check_prices(chosen.options.get("prices"), grader.judge)
    data_set = open_data_set(source, mapping=mapping, encoding=encoding)
    if grace is not None:
        check_number("grace", grace, 0, 86_400)
    with writing(directory) as store, SoftStop(grace) as soft:
        try:
            notes = _begin(
                *(store, grader, data_set, budget), retry=retry_errors, regrade=regrade_changed
            )
        except BudgetError as error:
            return RunOutcome(store.path, store.size, stopped=f"{error}. Nothing was changed")
        except BaseException:
            if not soft.interrupted:
                raise
            return RunOutcome(store.path, store.size, stopped=soft.reason, signal=soft.number)
        work = Work(store, budget, soft)
        if on_cluster:
            lines = on_cluster(work.rows(), grader, concurrency, limits, actors)
        else:
            lines = grade_rows(work.rows(), grader, concurrency, gate)
        trouble = (lambda: gate.breaker.trouble) if gate else str
        return work.done(lines, trouble, (*notes, *data_set.notes), progress=progress)


def _begin(
    store: Store,
    grader: Grader,
    data_set: DataSet,
    budget: Budget,
    *,
    retry: bool | None,
    regrade: bool,
) -> list[str]:
    """Begins a run or goes on with it, if it is as it was. Returns notes on what was done.

    Raises:
        BudgetError: results would be graded again, and the budget is used up.
        ConfigError: see ``run``.
    """
    with store.transaction():
        if store.value(BATCH_API):
            how = f"faithfulness-assert batch --run {store.path}"
            raise ConfigError(f"{store.path}: this run goes over a batch API; use: {how}")
        is_new, finished = not store.about(), store.finished
        notes = take_input(store, grader, data_set, regrade=regrade)
        if again := store.retry_errors(retry):
            notes.append(f"graded again: {counted(again, 'case')} that could not be graded before")
        if store.finished < finished and (used_up := budget.exceeded(store.summary())):
            raise BudgetError(used_up)
        so_far = f"with results for {finished:,} of {store.size:,} cases"
        for note in ("begun" if is_new else f"gone on {so_far}", *notes):
            store.note(note)
        grader.keep_secret(store.secret())
        return notes


def _engine(engine: str, actors: int | None) -> Callable[..., Generator[Line, None, None]] | None:
    """Our way to grade on Ray, which is an extra; None to grade here."""
    if engine not in ("local", "ray"):
        raise ConfigError(f"engine: must be local or ray, got {engine!r}")
    check_number("actors", actors, 1, 10_000, whole=True, optional=True)
    if engine == "local":
        if actors is not None:
            raise ConfigError("actors: only for the engine ray; leave it out")
        return None
    try:
        from .ray import graded
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ray":
            raise
        advice = pip_install(extra="ray")
        raise ConfigError(f"engine: {error.name} is not installed: {advice}") from None
    return graded


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
        self._summary = store.summary()
        self.stopped = budget.exceeded(self._summary)
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
        counts = Counts(self._summary, total, trouble)
        log.addHandler(self)
        try:
            with closing(lines), shown(counts, wanted=progress and before < total):
                for line in lines if before < total else ():
                    self._summary.add_counted(store.add(line), line.case_id)
                    self.stopped = self.stopped or self._why_not_on(line)
        except BaseException as error:
            if self._soft.interrupted:
                late = "and what was under way then did not arrive in time"
                self.stopped = f"{self._soft.reason}, {late}"
            elif isinstance(error, GivenUp):
                self.stopped = self.stopped or str(error)
            elif isinstance(error, sqlite3.Error):
                self.stopped = f"{store.path / NAME} cannot be written: {problem_of(error)}"
            else:
                raise
        finally:
            log.removeHandler(self)
        finished = store.finished
        # If the last rows were the reason to stop, nothing is left.
        stopped = self.stopping() if finished < total else ""
        if stopped:
            with suppress(sqlite3.Error):  # such as a full disk, which may be the reason
                store.note(f"stopped: {stopped}")
        signal = self._soft.number if stopped else 0
        return RunOutcome(store.path, total, finished - before, stopped, notes, signal)

    def _why_not_on(self, line: Line) -> str:
        """Why the run stops after this result: the budget is used up, or there is no use in it."""
        if used_up := self._budget.exceeded(self._summary):
            return used_up
        error, used = line.result.error, line.result.tokens_used
        if error is None:  # a case that needed no judge says nothing about it
            self._in_a_row *= not (used.total or used.num_requests)
            return ""
        is_known = self._store.failed_so(line.row, error.kind)  # it says nothing of the others
        self._in_a_row += error.kind not in ABOUT_TEXTS and not is_known
        if self._in_a_row < HOPELESS or self._budget.max_errors is not None:
            return ""
        return (
            f"{self._in_a_row} cases in a row could not be graded (to go on all the same, give "
            f"{option('max_errors')}). The last error: {error.message.rstrip('.')}"
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Notes what the log says. If that fails, whoever keeps the next result is told."""
        with suppress(sqlite3.Error):
            self._store.note(record.getMessage())
