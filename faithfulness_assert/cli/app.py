"""The command ``faithfulness-assert`` and its subcommands."""

from __future__ import annotations

import sys
from textwrap import fill
from typing import Annotated

import typer

import faithfulness_assert

from ..options import option_lines
from ..records.errors import ConfigError
from ..text.strings import visible
from .doctor import doctor
from .grade_command import demo, grade
from .init_command import init
from .policies_command import policies
from .terminal import WRONG_USE
from .worker_command import worker

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Runs the command line. A mistake of the user becomes one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):  # a terminal's encoding may lack some characters
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        app()
    except ConfigError as error:
        typer.echo(f"faithfulness-assert: {visible(str(error))}", err=True)
        raise SystemExit(WRONG_USE) from None


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"faithfulness-assert {faithfulness_assert.__version__}")
        raise typer.Exit


VersionOption = Annotated[
    bool,
    typer.Option(
        "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
    ),
]


@app.callback()
def _common(version: VersionOption = False) -> None:
    """Grade whether answers are faithful to their context.

    Exit codes: 0 all cases passed, 1 some failed, 2 wrong use, 3 some could not be graded.
    """


def _option_help() -> str:
    """The options that ``-o`` takes. A first line of "\\b" keeps the line breaks."""
    return "\n".join(["\b", "Options for -o NAME=VALUE:", *map(_hanging, option_lines())])


def _hanging(line: str) -> str:
    """An option's line, wrapped so that its name stands alone in the first column."""
    column = line.index(line.split(maxsplit=1)[1])
    return fill(line, 78, subsequent_indent=" " * column)


app.command()(demo)
app.command(epilog=_option_help())(grade)
for command in (policies, init, worker, doctor):
    app.command()(command)
