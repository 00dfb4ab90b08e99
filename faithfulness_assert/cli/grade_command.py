"""``grade`` grades the cases of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..batch.data_sets import open_data_set, parse_mapping
from ..batch.outputs.input_order import in_input_order
from ..batch.partition import grade_rows
from ..grading import MAX_CONCURRENCY, Grader
from ..judges.remote.settings import check_number
from .grading_arguments import add_grading_arguments, grading_options
from .terminal import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


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


def run(arguments: Namespace) -> int:
    """Grades the cases, and shows each result as soon as it and those before it are there."""
    grader = Grader(**grading_options(arguments))
    check_number("concurrency", arguments.concurrency, 1, MAX_CONCURRENCY, whole=True)
    data_set = open_data_set(arguments.file, mapping=parse_mapping(arguments.map))
    lines = grade_rows(data_set.rows(), grader, concurrency=arguments.concurrency)
    return show((line.result for line in in_input_order(lines)), as_json=arguments.json)
