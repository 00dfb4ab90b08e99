"""``grade`` grades the cases of a file."""

from __future__ import annotations

import json
import os
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..grading import Grader
from ..judges import judge_forms
from ..options import option_lines
from ..records.errors import ConfigError
from .input_files import read_cases
from .terminal import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

JUDGE_VARIABLE = "FAITHFULNESS_ASSERT_JUDGE"
WIDTH = 80


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``grade``."""
    parser.epilog = "\n".join(["options for -o NAME=VALUE:", *map(_hanging, option_lines())])
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a .json file (one case or a list of cases), a .jsonl file (one case per line), or - "
        "for standard input; a case has answer and context, and may have question and id",
    )
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
    parser.add_argument(
        "--concurrency",
        type=int,
        default=8,
        help="how many asks are under way at once (default: 8)",
    )
    parser.add_argument("--json", action="store_true", help="print each result as a line of JSON")


def add_judge_option(parser: ArgumentParser) -> None:
    """The option ``--judge``, which may also come from the environment."""
    *others, last = judge_forms()
    parser.add_argument(
        "--judge",
        default=os.environ.get(JUDGE_VARIABLE) or "embedded",
        help=f"{', '.join(others)} or {last} (default: {JUDGE_VARIABLE}, else embedded)",
    )


def _hanging(line: str) -> str:
    """An option's line, wrapped so that its name stands alone in the first column."""
    column = line.index(line.split(maxsplit=1)[1])
    return fill(f"  {line}", WIDTH, subsequent_indent=" " * (column + 2))


def run(arguments: Namespace) -> int:
    """Grades the cases, and shows each result as soon as it arrives."""
    named = {name: getattr(arguments, name) for name in ("judge", "policy", "threshold")}
    grader = Grader(**{**named, **_parse_options(arguments.option)})
    results = grader.grade_many(read_cases(arguments.file), concurrency=arguments.concurrency)
    return show(results, as_json=arguments.json)


def _parse_options(given: Iterable[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if not sign:
            raise ConfigError(f"--option: must be NAME=VALUE, got {item!r}")
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = value
        options[name.strip().replace("-", "_")] = parsed
    return options
