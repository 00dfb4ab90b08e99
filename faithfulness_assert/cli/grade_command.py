"""``grade`` grades the cases of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..grading import Grader
from .grading_arguments import add_grading_arguments, grading_options
from .input_files import read_cases
from .terminal import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``grade``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a .json file (one case or a list of cases), a .jsonl file (one case per line), or - "
        "for standard input; a case has answer and context, and may have question and id",
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
    """Grades the cases, and shows each result as soon as it arrives."""
    grader = Grader(**grading_options(arguments))
    results = grader.grade_many(read_cases(arguments.file), concurrency=arguments.concurrency)
    return show(results, as_json=arguments.json)
