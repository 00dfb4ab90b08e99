"""The arguments of all commands that end with the results of a run."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING

from ..batch.outputs import SUFFIXES, check_output, github_annotations, write_results
from ..records.errors import ConfigError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..batch.data_sets import DataSet
    from ..batch.run_directory import RunDirectory


def add_output_arguments(parser: ArgumentParser) -> None:
    """``--fail-under``, ``--output``, ``--report`` and ``--github``."""
    parser.add_argument(
        "--fail-under",
        type=_share,
        metavar="SCORE",
        help="exit with 0 if the mean score is at least this, else with 1, whatever single cases "
        "have; cases that could not be graded still end in 3",
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        action="append",
        default=[],
        help=f"write the results to this file too, in input order ({', '.join(SUFFIXES)}); may be "
        "repeated",
    )
    add_report_argument(parser)
    parser.add_argument(
        "--github", action="store_true", help="print annotations for GitHub Actions"
    )


def add_report_argument(parser: ArgumentParser) -> None:
    """``--report``."""
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write an HTML report of the results to this file too, for a browser",
    )


def check_outputs(arguments: Namespace) -> None:
    """Raises ``ConfigError`` if results cannot be written as these arguments want it."""
    kept = Path(arguments.directory)
    needed = {
        Path(getattr(arguments, "input", "-")),
        kept / "results.jsonl",
        kept / "retried.jsonl",
    }
    taken = {path.resolve() for path in needed}
    for file in arguments.output:
        if check_output(file).resolve() in taken:
            problem = "is a file that the run needs; choose another file"
            raise ConfigError(f"output: {file} {problem}")
    check_report_argument(arguments)


def check_report_argument(arguments: Namespace) -> None:
    """Raises ``ConfigError`` if a report is wanted and cannot be written."""
    if arguments.report is not None:
        from ..report import check_report

        check_report(arguments.report)


def write_outputs(
    arguments: Namespace, directory: RunDirectory, data_set: DataSet | None = None
) -> None:
    """Writes the results of a run as these arguments want it.

    ``data_set``: what was graded; None if only the run knows its name.
    """
    for file in arguments.output:
        write_results(directory.lines(), file)
    if arguments.report is not None:
        from ..report import write_report

        write_report(directory, arguments.report, data=data_set)
    if arguments.github:
        for command in github_annotations(directory.lines()):
            print(command)  # not with show_line, which makes commands of CI logs harmless


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ArgumentTypeError(f"must be a number from 0 to 1, got {text!r}")
    return share
