"""``grade`` grades the cases of a file."""

from __future__ import annotations

import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any

from ..batch.data_sets import open_data_set
from ..batch.outputs.input_order import in_input_order
from ..batch.row_grading import grade_rows
from ..batch.run_description import describe_run
from ..batch.run_directory import RunDirectory
from ..cases.case import Case
from ..grading import MAX_CONCURRENCY, Grader
from ..judges.remote.settings import check_number
from ..records.errors import InputError
from .grading_arguments import add_grading_arguments, columns, grading_options
from .output_arguments import add_report_argument, check_report_argument
from .terminal import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..batch.data_sets import DataSet
    from ..batch.rows import Line, Row
    from ..records.result import GradingResult


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``grade``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a .json, .jsonl, .csv, .tsv or .parquet file, or - for JSON on standard input; a "
        "case has answer and context, and may have question and id",
    )
    add_grading_arguments(parser)
    parser.add_argument(
        "--concurrency",
        type=int,
        default=8,
        help="how many asks are under way at once (default: 8)",
    )
    parser.add_argument("--json", action="store_true", help="print each result as a line of JSON")
    add_report_argument(parser)


def run(arguments: Namespace) -> int:
    """Grades the cases, and shows each result as soon as it and those before it are there."""
    options = grading_options(arguments)
    grader = Grader(**options)
    check_number("concurrency", arguments.concurrency, 1, MAX_CONCURRENCY, whole=True)
    check_report_argument(arguments)
    data_set = open_data_set(arguments.file, mapping=columns(arguments))
    cases = _Cases(data_set.rows(), grader.evidence_roles)
    rows = data_set.rows() if arguments.json else cases.rows()
    lines = in_input_order(grade_rows(rows, grader, concurrency=arguments.concurrency))
    show_results = partial(show, as_json=arguments.json, case_of=cases.take)
    if arguments.report is None:
        return show_results(line.result for line in lines)
    about = describe_run(grader, options, data_set)
    return _with_report(lines, show_results, about, data_set, arguments.report)


class _Cases:
    """Keeps what is graded until its result is shown beside it."""

    def __init__(self, rows: Iterable[Row], evidence_roles: Sequence[str]) -> None:
        self._rows, self._evidence_roles = rows, evidence_roles
        self._kept: dict[int, Row] = {}

    def rows(self) -> Iterator[Row]:
        """The rows, each kept when it is taken."""
        for row in self._rows:
            self._kept[row.number] = row
            yield row

    def take(self, number: int) -> Case | None:
        """The case of a row, which is kept no more; None if it cannot be read."""
        row = self._kept.pop(number, None)
        if row is None or row.problem:
            return None
        try:
            return Case.of(row.fields, self._evidence_roles)
        except InputError:
            return None


def _with_report(
    lines: Iterable[Line],
    show_results: Callable[[Iterable[GradingResult]], int],
    about: Mapping[str, Any],
    data_set: DataSet,
    report: str,
) -> int:
    """Shows the results, keeps them as a run meanwhile, and then writes the report."""
    from ..report import write_report

    with tempfile.TemporaryDirectory(prefix="faithfulness-assert-") as folder:
        directory = RunDirectory(folder)
        directory.write_about(about)
        with directory.appending() as append:
            code = show_results(_kept(line, append) for line in lines)
        write_report(directory, report, data=data_set)
    return code


def _kept(line: Line, append: Callable[[str], None]) -> GradingResult:
    append(line.to_json())
    return line.result
