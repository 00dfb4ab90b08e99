"""``rescore`` scores a run again under another policy; ``merge`` makes several runs into one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..batch import RunOutcome, merge, rescore
from .arguments import add_policy_arguments, folder, policy_options
from .exit_codes import judged
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


def _told(outcome: RunOutcome) -> int:
    show_outcome(outcome.notes, outcome.text)
    counts = outcome.counts
    return judged(counts.finished, counts.passed, counts.errors)
