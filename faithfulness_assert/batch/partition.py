"""Grades rows: the one function of every engine, here, in processes, or on a cluster."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..records.judge import judge_info
from .rows import Line, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..drive import Slots
    from ..grading import Grader
    from ..records.result import GradingResult
    from .rows import Row


def grade_rows(rows: Iterable[Row], grader: Grader, *, concurrency: int = 8) -> Iterator[Line]:
    """The results of these rows, each as soon as it is there. Rows are read as they are needed.

    Args:
        rows: from any data set. A row that cannot be read has the status ``invalid_input``.
        grader: judge and policy.
        concurrency: how many asks are under way at once. With 1, a judge that works in this
            process grades one row after the other in this thread, which costs the least time.
    """
    if concurrency == 1 and computes_here(grader):
        return (_line(row, _result(row, grader)) for row in rows)
    from ..drive.many import run_as_finished

    return run_as_finished((partial(_aline, row, grader) for row in rows), concurrency)


def computes_here(grader: Grader) -> bool:
    """Whether the judge uses a core all the time, and does not wait for a server."""
    info = judge_info(grader.judge)
    return info.keeps_deadline and not info.remote


def _result(row: Row, grader: Grader) -> GradingResult:
    if row.problem:
        return grader.invalid(row.problem)
    return grader.grade(**row.fields)


async def _aline(row: Row, grader: Grader, slots: Slots) -> Line:
    if row.problem:
        return _line(row, grader.invalid(row.problem))
    return _line(row, await grader.agrade_case(row.fields, slots))


def _line(row: Row, result: GradingResult) -> Line:
    result = replace(result, case_id=row.case_id)
    return Line(row.case_id, row.number, digest(row), row.columns, result)
