"""The arguments of all commands that grade: judge, policy, threshold, options."""

from __future__ import annotations

import os
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..cases.mapping import parse_mapping
from ..judges import judge_forms
from ..options import option_lines, parse_options

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

JUDGE_VARIABLE = "FAITHFULNESS_ASSERT_JUDGE"
WIDTH = 80


def add_mapping_arguments(parser: ArgumentParser) -> None:
    """``--map`` and ``--from``: where a data set has the fields of a case."""
    parser.add_argument(
        "--map",
        metavar="FIELD=COLUMN",
        action="append",
        default=[],
        help="take answer, context, question or id from this column, or a path into it (JMESPath); "
        "may be repeated",
    )
    parser.add_argument(
        "--from",
        dest="system",
        metavar="NAME",
        help="the system that the records are from, where they could be those of two",
    )


def columns(arguments: Namespace) -> dict[str, str]:
    """The mapping that ``--map`` and ``--from`` give."""
    return parse_mapping(arguments.map, arguments.system)


def add_grading_arguments(parser: ArgumentParser) -> None:
    """What says how to grade, with the list of options for ``-o``."""
    add_mapping_arguments(parser)
    parser.epilog = "\n".join(["options for -o NAME=VALUE:", *map(_hanging, option_lines())])
    add_judge_option(parser)
    parser.add_argument(
        "--policy",
        default="default",
        help="a preset or a policy file, see `faithfulness-assert policies` (default: default)",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        help="the score from 0 to 1 that passes (default: that of the policy)",
    )
    parser.add_argument(
        "-o",
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set an option of the list below; VALUE is JSON or text; may be repeated",
    )


def add_judge_option(parser: ArgumentParser) -> None:
    """The option ``--judge``, which may also come from the environment."""
    *others, last = judge_forms()
    parser.add_argument(
        "--judge",
        default=os.environ.get(JUDGE_VARIABLE) or "embedded",
        help=f"{', '.join(others)} or {last} (default: {JUDGE_VARIABLE}, else embedded)",
    )


def grading_options(arguments: Namespace) -> dict[str, Any]:
    """What these arguments give to a ``Grader``."""
    named = {name: getattr(arguments, name) for name in ("judge", "policy", "threshold")}
    return {**named, **parse_options(arguments.option, "--option")}


def _hanging(line: str) -> str:
    """An option's line, wrapped so that its name stands alone in the first column."""
    column = line.index(line.split(maxsplit=1)[1])
    return fill(f"  {line}", WIDTH, subsequent_indent=" " * (column + 2))
