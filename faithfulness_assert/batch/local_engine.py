"""The engine on this machine: processes for a judge that computes here, else one event loop."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar, Literal

from ..grading import Grader
from ..judges.remote.settings import check_number
from ..records.errors import ConfigError
from .processes import grade_in_processes
from .row_grading import GraderSettings, Share, computes_here

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from .rows import Line, Row

FEW = 256
"""Rows that one process has graded before others have started."""
MAX_PROCESSES = 1000


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """How rows are graded on this machine.

    Args:
        settings: what makes the grader.
        grader: made of them.
        share: the limits of the run.
        processes: that grade; None or ``auto``: as many as make it faster.

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

    def graded(self, rows: Iterator[Row]) -> Generator[tuple[str, Line], None, None]:
        """The results of these rows, each as the text of its line and as a line, as they finish.

        A line may lack what ``rows.brief`` leaves out; its text never does.
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
        for line in self.share.graded(rows, self.grader):
            yield line.to_json(), line


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
