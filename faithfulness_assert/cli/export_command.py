"""``batch export`` writes what a judge is asked into files, for whoever has a way to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..batch.data_sets import open_data_set
from ..batch.provider_batches import FILES, submit
from ..batch.run_directory import RunDirectory
from .grading_arguments import add_grading_arguments, columns, grading_options
from .output_arguments import add_output_arguments
from .standing import report

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``batch export``."""
    parser.add_argument("input", metavar="INPUT", help="the data set: a file, or - for its text")
    parser.add_argument(
        "--run", metavar="DIR", required=True, dest="directory", help="where the run is kept"
    )
    add_grading_arguments(parser)
    add_output_arguments(parser)


def run(arguments: Namespace) -> int:
    """Writes the files of the first round, or says which files wait for answers."""
    directory = RunDirectory(arguments.directory)
    data_set = open_data_set(arguments.input, mapping=columns(arguments))
    options = grading_options(arguments)
    return report(directory, lambda: submit(data_set, directory, FILES, **options), arguments)
