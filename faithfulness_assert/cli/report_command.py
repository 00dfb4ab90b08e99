"""``report`` writes an HTML report of a run, or of two runs side by side."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..records.errors import ConfigError
from ..report import write_report
from ..text.strings import visible
from .exit_codes import PASSED
from .grading_arguments import add_mapping_arguments, columns
from .terminal import show_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``report``."""
    parser.epilog = "Exit codes: 0 the report is written, 2 wrong use."
    parser.add_argument(
        "results",
        metavar="RESULTS",
        help="a run directory, or a file of results: results.jsonl, what grade --json printed, or "
        "what batch --output wrote; - for JSON lines on standard input",
    )
    parser.add_argument(
        "other",
        metavar="B",
        nargs="?",
        help="a second run over the same cases: the report shows what changed",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="report.html",
        help="where the report is written (default: report.html)",
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        action="append",
        default=[],
        help="the data set that was graded, if the run does not name it or it is elsewhere now; "
        "for two runs it may be given twice",
    )
    add_mapping_arguments(parser)


def run(arguments: Namespace) -> int:
    """Writes the report, and says where it is and what it lacks."""
    if len(arguments.data) > (1 if arguments.other is None else 2):
        raise ConfigError("--data: give one data set for each run")
    first, second = [*arguments.data, None, None][:2]
    report = write_report(
        arguments.results,
        arguments.output,
        data=first,
        other=arguments.other,
        other_data=second,
        mapping=columns(arguments),
    )
    for note in report.notes:
        sys.stderr.write(f"note: {visible(note)}\n")
    what = ("changed " if arguments.other else "") + ("case" if report.cases == 1 else "cases")
    show_line(f"{report.path}: {report.cases:,} {what}")
    return PASSED
