"""``rescore`` scores a run again under another policy, ``merge`` makes several runs into one, and
``export`` writes the results of one.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..batch import RunOutcome, merge, rescore
from ..batch.outputs import SUFFIXES, write_results
from ..batch.run_description import lines_of
from .arguments import add_policy_arguments, check_result_file, folder, policy_options
from .exit_codes import PASSED
from .terminal import show_outcome


def _add_new_run(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--run",
        type=folder,
        metavar="DIR",
        required=True,
        dest="directory",
        help="where the new run is kept; it must not have a run",
    )


def add_rescore_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``rescore``."""
    parser.add_argument("source", metavar="RUN", help="the directory of the run")
    _add_new_run(parser)
    add_policy_arguments(parser, "that of the run")


def run_rescore(arguments: Namespace) -> int:
    """Scores the run again, and says what the new one found."""
    outcome = rescore(arguments.source, arguments.directory, **policy_options(arguments))
    return _told(outcome)


def add_merge_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``merge``."""
    parser.add_argument(
        "sources", metavar="RUN", nargs="+", help="the directories of finished runs, one per shard"
    )
    _add_new_run(parser)


def run_merge(arguments: Namespace) -> int:
    """Merges the runs, and says what the new one found."""
    return _told(merge(arguments.sources, arguments.directory))


def add_export_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``export``."""
    parser.add_argument("source", metavar="RUN", help="a run directory, or its results as .jsonl")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help=f"where the results are written, in input order ({', '.join(SUFFIXES)})",
    )


def run_export(arguments: Namespace) -> int:
    """Writes the results, as ``batch --output`` does."""
    check_result_file(arguments.output, arguments.source, "-")
    write_results(lines_of(arguments.source)(), arguments.output)
    return PASSED


def _told(outcome: RunOutcome) -> int:
    show_outcome(outcome.notes, outcome.text)
    return outcome.exit_code
