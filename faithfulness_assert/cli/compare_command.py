"""``compare`` says what changed between two runs, and whether the second one is worse."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..batch.comparison import SHOWN, compare, lines_of
from ..batch.comparison_views import as_markdown, as_text
from ..judges.remote.settings import check_number
from .exit_codes import FAILED, PASSED
from .terminal import show_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``compare``."""
    parser.epilog = "Exit codes: 0 B is not worse than A, 1 B is worse, 2 wrong use."
    parser.add_argument("before", metavar="A", help="a run directory, or its results as .jsonl")
    parser.add_argument("after", metavar="B", help="the same of another run over the same cases")
    parser.add_argument("--markdown", action="store_true", help="print Markdown for a comment")
    parser.add_argument(
        "--show",
        type=int,
        default=SHOWN,
        help=f"the most changed cases that are shown (default: {SHOWN})",
    )


def run(arguments: Namespace) -> int:
    """Shows the comparison."""
    check_number("show", arguments.show, 0, 10_000, whole=True)
    before, after = lines_of(arguments.before), lines_of(arguments.after)
    comparison = compare(before, after, shown=arguments.show)
    if arguments.markdown:
        sys.stdout.buffer.write(as_markdown(comparison).encode())
    else:
        for line in as_text(comparison).splitlines():
            show_line(line)
    return FAILED if comparison.worse else PASSED
