"""``batch collect`` goes on with a run over a batch API: fetches answers, sends what follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..batch.provider_batches import collect
from ..batch.run_directory import RunDirectory
from .output_arguments import add_output_arguments
from .standing import report

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``batch collect``."""
    parser.add_argument("directory", metavar="DIR", help="the directory of the run")
    add_output_arguments(parser)


def run(arguments: Namespace) -> int:
    """Goes on with the run as far as possible, and does not wait."""
    directory = RunDirectory(arguments.directory)
    return report(directory, lambda: collect(directory), arguments)
