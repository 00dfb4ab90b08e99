"""A run on this machine: finds what is left of it, grades that, writes each result at once."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..grading import Grader
from ..records.errors import ConfigError
from .changed_rows import rest_of
from .data_sets import DataSet
from .progress import Counts, count_rows, shown
from .row_grading import Share, graded_or_left
from .rows import FinishedRows, Line, NotAsked, Row
from .run_description import begun
from .run_directory import RunDirectory
from .stops import Budget, SoftStop, from_interrupt
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
        directory: where its files are.
        counts: how many rows have which result.
        stopped: why rows are left without a result; "" if none is.
        notes: what a person should know, such as ids that are not unique.
        signal: the number of the signal that stopped it; 0 if none did.
    """

    directory: RunDirectory
    counts: Counts
    stopped: str = ""
    notes: tuple[str, ...] = ()
    signal: int = 0

    @cached_property
    def summary(self) -> Summary:
        """What the whole run found. It is read from the results if some are of an earlier part."""
        now, earlier = self.counts.now, self.counts.before.count
        if not earlier:
            return now
        before, seconds = self.directory.kept_summary(), None
        if before.get("cases") == earlier and now.seconds:
            seconds = (before.get("seconds") or 0.0) + now.seconds
        summary = Summary(seconds)
        for line in self.directory.lines():
            summary.add(line)
        return summary

    @property
    def text(self) -> str:
        """The summary for people. That of a finished run is kept, so it is not read again."""
        kept = self.directory.kept_summary()
        return str(kept["text"]) if self._is_of_now(kept) else self.summary.text()

    def keep_summary(self) -> None:
        """Writes the summary, unless the kept one is right: a kill may have come before that."""
        if self.counts.finished and not self._is_of_now(self.directory.kept_summary()):
            kept = {"size": self.directory.size, "text": self.summary.text()}
            self.directory.keep_summary({**self.summary.to_json(), **kept})

    def _is_of_now(self, kept: Mapping[str, Any]) -> bool:
        """Whether a kept summary is of these results, of which it notes the bytes."""
        return "text" in kept and kept.get("size") == self.directory.size

    @property
    def exit_code(self) -> int:
        """As on the command line: 0 all passed, 1 some failed, 3 some could not be graded.

        After a signal, 128 and its number.
        """
        if self.signal:
            return 128 + self.signal
        if self.stopped or self.counts.errors:
            return 3
        return 0 if self.counts.passed == self.counts.finished else 1


def grade_rest(
    directory: RunDirectory,
    data_set: DataSet,
    grader: Grader,
    share: Share,
    cluster: Cluster | None,
    budget: Budget,
    soft: SoftStop,
    *,
    retry_errors: bool,
    regrade_changed: bool = False,
    progress: bool,
) -> RunOutcome:
    """Begins a run, or goes on with it, in a directory that is locked; see ``batch.run``.

    The ``grader`` grades it, or others that a ``cluster`` makes like it.
    """
    about, input_is = begun(directory, grader, data_set)
    secret = directory.secret()
    grader.keep_secret(secret)
    retry = retry_errors and not directory.read_only
    rest = rest_of(directory, data_set, input_is, retry=retry, regrade=regrade_changed)
    finished = rest.finished
    if input_is != "new" and directory.about() != about and not directory.read_only:
        directory.write_about(about)
    work = _Work(Counts(finished, about.get("rows")), budget, soft)
    moved, results = directory.raw_lines(retried=True), directory.raw_lines()
    budget.add_earlier(moved, results, finished.errors)
    if directory.read_only and work.counts.total is None and about["input"]["fingerprint"]:
        work.counts.total = sum(1 for _ in data_set.numbers())
    if work.counts.total is None or work.counts.total != finished.count:
        if progress and about["input"]["fingerprint"] and work.counts.total is None:
            count_rows(work.counts, data_set.numbers())
        rows = work.until_stopped(rest.rows)
        lines = (
            cluster.graded(rows, secret)
            if cluster
            else graded_or_left(rows, grader, share.asks_at_once(grader), lambda: soft.reason)
        )
        work.ends_what_it_began = cluster is None
        if gate := grader.gate:
            work.counts.trouble = lambda: gate.breaker.trouble
        work.grade(directory, lines, progress=progress)
    if work.did_all:
        work.stopped = ""  # the last rows were the reason to stop, so nothing is left
    if work.did_all and about.get("rows") != work.counts.finished:
        directory.write_about({**about, "rows": work.counts.finished})
    if not work.counts.finished and not work.stopped:
        raise ConfigError(f"{data_set.name}: contains no cases")
    notes = (*rest.notes, *_notes(finished), *budget.notes(), *data_set.notes)
    signal = soft.number if work.stopped else 0
    outcome = RunOutcome(directory, work.counts, work.stopped, notes, signal)
    if not signal:  # whoever sent it does not wait until a long run is summed up
        outcome.keep_summary()
    return outcome


class _Work:
    """What is done in this process."""

    def __init__(self, counts: Counts, budget: Budget, soft: SoftStop) -> None:
        self.counts, self.budget, self.soft = counts, budget, soft
        self.stopped = ""
        self.ends_what_it_began = False
        self._read, self._read_all = 0, False
        self._in_a_row = 0  # cases that could not be graded, since the last reply

    @property
    def did_all(self) -> bool:
        """Whether all rows have results."""
        return self._read_all and self._read == self.counts.now.cases

    def until_stopped(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows, until there is a reason to stop. What is under way then still ends."""
        self.soft.install()
        self.stopped = self.budget.exceeded()
        for row in rows:
            self.stopped = self.stopped or self.soft.reason
            if self.stopped:
                return
            self._read += 1
            yield row
        self._read_all = True

    @contextmanager
    def _stopped_by_signals(self) -> Iterator[None]:
        """Ends at once when the grace after a signal does."""
        try:
            yield
        except BaseException as error:  # pydantic, for one, wraps an interrupt in its own error
            if not (self.soft.number and from_interrupt(error)):
                raise
            self.stopped = f"{self.soft.reason}, and what was under way then did not arrive in time"

    def grade(
        self,
        directory: RunDirectory,
        lines: Generator[Line | NotAsked, None, None],
        *,
        progress: bool,
    ) -> None:
        """Writes these results as they come, until there is a reason to stop at once.

        Such are a disk that is full, and the end of the grace after a signal.
        """
        with (
            self._stopped_by_signals(),
            closing(lines),
            directory.appending() as append,
            shown(self.counts, wanted=progress),
        ):
            began = time.monotonic()
            for line in lines:
                if isinstance(line, NotAsked):
                    self.stopped = self.stopped or self._because(line.why)
                    if not self.ends_what_it_began and not self.soft.number:
                        return
                    continue
                try:
                    append(line.to_json())
                except OSError as error:
                    self.stopped = f"{directory.results} cannot be written: {error.strerror}"
                    return
                self._count(line)
                self.counts.now.seconds = time.monotonic() - began
                if self.stopped and not (self.ends_what_it_began or self.soft.number):
                    return

    def _count(self, line: Line) -> None:
        self.counts.now.add(line)
        self.budget.add(line)
        self.stopped = self.stopped or self.budget.exceeded() or self._hopeless(line)

    def _hopeless(self, line: Line) -> str:
        """Why there is no use in going on; "" if there is."""
        error, used = line.result.error, line.result.tokens_used
        if error is None:  # a case that needed no judge says nothing about it
            self._in_a_row *= not (used.total or used.num_requests)
            return ""
        self._in_a_row += error.kind not in ABOUT_TEXTS
        if self._in_a_row < HOPELESS or self.budget.max_errors is not None:
            return ""
        return self._because(
            f"{self._in_a_row} cases in a row could not be graded (to go on all the same, give "
            f"max_errors). The last error: {error.message.rstrip('.')}"
        )

    def _because(self, why: str) -> str:
        """Why the run stops; more briefly if it never found anything."""
        if self.counts.finished > self.counts.errors:
            return why
        return f"no case could be graded: {why}"


def _notes(finished: FinishedRows) -> Iterator[str]:
    if finished.again:
        yield f"{finished.again:,} cases that could not be graded before were graded again"
    if finished.damaged:
        yield f"{finished.damaged:,} damaged lines were moved to retried.jsonl; graded again"
