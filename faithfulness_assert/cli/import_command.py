"""``batch import`` reads the answers to files of ``batch export``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..batch.provider_batches import import_answers
from ..batch.run_directory import RunDirectory
from .output_arguments import add_output_arguments
from .standing import report

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``batch import``."""
    parser.add_argument("directory", metavar="DIR", help="the directory of the run")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="the answers to all files of the last export, in any order; what is missing is asked "
        "again",
    )
    add_output_arguments(parser)


def run(arguments: Namespace) -> int:
    """Reads the answers, and writes the files of the next round if there is one."""
    directory = RunDirectory(arguments.directory)
    return report(directory, lambda: import_answers(directory, arguments.files), arguments)
