"""The engine on this machine: an event loop for judges behind an API, processes for the rest."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal

from ..grading import Grader
from ..judges.remote.settings import check_number
from ..records.errors import ConfigError
from .process_pool import grade_in_processes
from .row_grading import GraderSettings, Share, computes_here

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from .rows import Line, Row

FEW = 256
"""Rows that one process has graded before others have started."""
ASKS_OF_A_PROCESS = 32
"""Asks under way at once, at 200 ms each, that keep about half a core busy."""
MAX_PROCESSES = 1000


@dataclass(frozen=True, slots=True)
class Engine:
    """How rows are graded.

    Args:
        settings: what makes the grader.
        grader: made of them.
        share: of the whole run.
        processes: ``auto``: as many as there are cores for a judge that computes here, for others
            one for each 32 asks under way, up to the cores. None: the same, but one for others: a
            script that lacks a guard would run again in each process, and may pay for more than
            grading.

    Raises:
        ConfigError: ``processes`` is not a number, or the judge works in one process only.
    """

    settings: GraderSettings
    grader: Grader
    share: Share
    processes: int | Literal["auto"] | None = None

    def __post_init__(self) -> None:
        if self.processes is None or self.processes == "auto":
            return
        check_number("processes", self.processes, 1, MAX_PROCESSES, whole=True)
        if self.processes == 1:
            return
        if not isinstance(self.settings.judge, str):
            raise ConfigError("processes: only a judge that is given by its name works in several")
        asks = self.share.asks_at_once(self.grader)
        if not computes_here(self.grader) and self.processes > asks:
            raise ConfigError(f"processes: {self.processes} cannot share a concurrency of {asks}")

    def graded(self, rows: Iterator[Row]) -> Generator[tuple[str, Line], None, None]:
        """The results of these rows, each as the text of its line and as a line, as they finish.

        A line may lack what ``rows.brief`` leaves out; its text never does.
        """
        if isinstance(self.processes, int):
            processes = self.processes
        elif (processes := self._useful()) > 1:
            head = list(islice(rows, FEW))
            rows = chain(head, rows)
            processes = processes if len(head) == FEW else 1
        if (processes := self.share.most_graders(processes)) > 1:
            shares = self._shares(processes)
            yield from grade_in_processes(rows, self.settings, self.grader, shares)
            return
        for line in self.share.graded(rows, self.grader):
            yield line.to_json(), line

    def _useful(self) -> int:
        """As many processes as make it faster."""
        if not isinstance(self.settings.judge, str):
            return 1
        if computes_here(self.grader):
            return _cores()
        if self.processes is None:
            return 1
        return min(_cores(), self.share.asks_at_once(self.grader) // ASKS_OF_A_PROCESS)

    def _shares(self, processes: int) -> list[Share]:
        """The rates and the asks under way are shared out: the limits hold for all together."""
        if computes_here(self.grader):
            return [self.share.of(processes)] * processes
        each, more = divmod(self.share.asks_at_once(self.grader), processes)
        asks = [each + (place < more) for place in range(processes)]
        return [self.share.of(processes)._replace(concurrency=number) for number in asks]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
