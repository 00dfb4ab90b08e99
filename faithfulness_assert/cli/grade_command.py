"""``grade`` grades the cases of a file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..batch.data_sets import open_data_set, parse_mapping
from ..batch.outputs.input_order import in_input_order
from ..batch.partition import grade_rows
from ..grading import MAX_CONCURRENCY, Grader
from ..judges.remote.settings import check_number
from .grading_arguments import add_grading_arguments, grading_options
from .output_arguments import add_report_argument, check_report_argument
from .terminal import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable
    from typing import IO

    from ..batch.data_sets import DataSet
    from ..batch.rows import Line
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
    grader = Grader(**grading_options(arguments))
    check_number("concurrency", arguments.concurrency, 1, MAX_CONCURRENCY, whole=True)
    check_report_argument(arguments)
    data_set = open_data_set(arguments.file, mapping=parse_mapping(arguments.map))
    lines = in_input_order(grade_rows(data_set.rows(), grader, concurrency=arguments.concurrency))
    if arguments.report is None:
        return show((line.result for line in lines), as_json=arguments.json)
    return _with_report(lines, data_set, arguments)


def _with_report(lines: Iterable[Line], data_set: DataSet, arguments: Namespace) -> int:
    """Shows the results, keeps them in a file meanwhile, and then writes the report."""
    from ..report import write_report

    with tempfile.TemporaryDirectory(prefix="faithfulness-assert-") as folder:
        kept = Path(folder) / "results.jsonl"
        with kept.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            code = show((_keep(line, file) for line in lines), as_json=arguments.json)
        write_report(kept, arguments.report, data=data_set)
    return code


def _keep(line: Line, file: IO[str]) -> GradingResult:
    file.write(f"{line.to_json()}\n")
    return line.result
