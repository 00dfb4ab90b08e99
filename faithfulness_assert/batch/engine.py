"""The engine on this machine: one event loop for judges behind an API, processes for others."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

from ..grading import Grader
from ..judges.remote.settings import check_number
from ..records.errors import ConfigError
from ..records.judge import judge_info
from .limits import limited
from .partition import grade_rows
from .patience import PatientJudge
from .process_pool import GraderSettings, grade_in_processes

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from .rows import Line, Row

    Written = Generator[tuple[str, Line], None, None]

FEW = 256
"""Rows that one process has graded before others have started."""
MAX_PROCESSES = 1000


@dataclass(frozen=True, slots=True)
class Engine:
    """How rows are graded.

    Args:
        settings: what makes the grader.
        grader: made of them.
        concurrency: asks under way at once; None: 8, and 1 for a judge that computes here.
        processes: None: as many as there are cores for such a judge, else 1.

    Raises:
        ConfigError: ``processes`` is not a number, or the judge works in one process only.
    """

    settings: GraderSettings
    grader: Grader
    concurrency: int | None = None
    processes: int | None = None

    def __post_init__(self) -> None:
        if self.processes is None:
            return
        check_number("processes", self.processes, 1, MAX_PROCESSES, whole=True)
        if self.processes > 1 and not self._computes_here():
            raise ConfigError(
                "processes: only a judge that computes on this machine, and is given by its name, "
                "works in several processes; raise concurrency for others"
            )

    def graded(self, rows: Iterator[Row]) -> Written:
        """The results of these rows, each as the text of its line and as a line, as they finish.

        A line may lack what :func:`~.rows.brief` leaves out; its text never does.
        """
        if self._computes_here():
            head = list(islice(rows, FEW))
            rows = chain(head, rows)
            processes = self.processes or _cores()
            if processes > 1 and (self.processes or len(head) == FEW):
                return grade_in_processes(rows, self.settings, processes)
        default = 1 if self._computes_here() else 8
        return _in_this_process(rows, self.grader, self.concurrency or default)

    def _computes_here(self) -> bool:
        return isinstance(self.settings.judge, str) and not judge_info(self.grader.judge).remote


def _in_this_process(rows: Iterable[Row], grader: Grader, concurrency: int) -> Written:
    for line in grade_rows(rows, grader, concurrency=concurrency):
        yield line.to_json(), line


def ready(
    grader: Grader,
    *,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
) -> Grader:
    """The grader, within these limits, and waiting for a server that is down for a while."""
    grader.judge = limited(
        grader.judge, requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute
    )
    if judge_info(grader.judge).any_loop and hasattr(grader.judge, "aask"):
        grader.judge = PatientJudge(grader.judge)
    return grader


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
