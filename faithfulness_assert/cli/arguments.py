"""Arguments of several commands: what is graded and how, and what becomes of the results."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace, _ActionsContainer
from os import PathLike
from pathlib import Path
from textwrap import fill
from typing import Any

from ..batch.outputs import SUFFIXES, check_output, github_annotations, write_results
from ..batch.run_description import data_sets_of
from ..batch.store import NAME, is_run, lines_of_run, reading
from ..cases.data_set import DataSet
from ..cases.sources import open_data_set
from ..cases.systems import FROM, RECORDS, check_mapping
from ..judges import judge_forms
from ..options import check_names, option_lines, parse_options
from ..records.checks import as_share, is_fraction
from ..records.errors import ConfigError
from ..settings import JUDGE_VARIABLE, SETTING
from .app import TO_FILE
from .terminal import say

WIDTH = 80
DATA_SET = "the data set: a file, or - for its text"

# ---------------------------------------------------------------- what is graded, and how


def add_grading_arguments(
    parser: ArgumentParser, data_set: str = DATA_SET, *, nargs: str | None = None
) -> None:
    """The data set, what ``grading_options`` reads, and the list of options."""
    parser.add_argument("input", metavar="INPUT", help=data_set, nargs=nargs)
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
    parser.add_argument(
        "--records",
        metavar="PATH",
        help="which list of a JSON file has the records, such as runs.*.cases",
    )
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="that of a text file, such as cp1252 for one from Excel (default: utf-8)",
    )
    parser.epilog = "\n".join(["options for -o NAME=VALUE:", *map(_hanging, option_lines())])
    add_judge_argument(parser)
    add_policy_arguments(parser)


def add_policy_arguments(
    parser: ArgumentParser, default: str = "that of pyproject.toml, else default"
) -> None:
    """``--policy``, ``--threshold`` and ``--option``. ``default``: what the help calls it."""
    parser.add_argument(
        "--policy",
        help=f"a preset or a policy file, see `faithfulness-assert policies` (default: {default})",
    )
    parser.add_argument(
        "--threshold",
        type=share,
        help="the score from 0 to 1 (or such as 80%%) that passes (default: that of the policy)",
    )
    add_options(parser, "set an option; VALUE is JSON or text; may be repeated")


def add_options(parser: _ActionsContainer, meaning: str) -> None:
    """``-o NAME=VALUE``, which may be repeated."""
    parser.add_argument(
        "-o", "--option", metavar="NAME=VALUE", action="append", default=[], help=meaning
    )


def columns(arguments: Namespace) -> dict[str, str]:
    """The mapping that ``--map`` and ``--from`` give.

    Raises:
        ConfigError: ``--map`` has another form, or names a field that a case does not have.
    """
    named = {FROM: arguments.system, RECORDS: arguments.records}
    mapping: dict[str, str] = {key: value for key, value in named.items() if value}
    for item in arguments.map:
        name, sign, column = item.partition("=")
        if not sign or not column.strip():
            raise ConfigError(f"--map: must be FIELD=COLUMN, such as answer=reply, got {item!r}")
        if name.strip() in mapping:
            raise ConfigError(f"--map: {name.strip()} is given twice")
        mapping[name.strip()] = column.strip()
    return check_mapping(mapping)


def add_judge_argument(parser: _ActionsContainer) -> None:
    """The option ``--judge``, which may also come from the environment."""
    *others, last = judge_forms()
    parser.add_argument(
        "--judge",
        help=f"{', '.join(others)} or {last} (default: {JUDGE_VARIABLE}, else that of "
        "pyproject.toml, else embedded)",
    )


def judge_in(arguments: Namespace) -> str:
    """The judge that ``--judge`` names, as a ``Grader`` takes it."""
    return SETTING if arguments.judge is None else str(arguments.judge)


def named_data_set(arguments: Namespace) -> DataSet:
    """The data set that these arguments name. Raises ``ConfigError`` if it cannot be read."""
    mapping, encoding = columns(arguments), arguments.encoding
    data_set = open_data_set(arguments.input, mapping=mapping, encoding=encoding)
    data_set.check_cases()
    return data_set


def grading_options(arguments: Namespace) -> dict[str, Any]:
    """What these arguments give to a ``Grader``."""
    return {"judge": judge_in(arguments), **policy_options(arguments)}


def policy_options(arguments: Namespace) -> dict[str, Any]:
    """What ``add_policy_arguments`` gives to a ``Grader``."""
    named = {name: getattr(arguments, name) for name in ("policy", "threshold")}
    if file := next((item for item in arguments.option if "=" not in item), None):
        raise ConfigError(f"-o: must be NAME=VALUE, got {file!r}. {TO_FILE}")
    options = parse_options(arguments.option, "--option")
    check_names(options)
    return {**named, **options}


def _hanging(line: str) -> str:
    """An option's line, wrapped so that its name stands alone in the first column."""
    column = line.index(line.split(maxsplit=1)[1])
    return fill(f"  {line}", WIDTH, subsequent_indent=" " * (column + 2))


# ---------------------------------------------------------------- what becomes of the results


def add_output_arguments(parser: ArgumentParser) -> None:
    """``--fail-under``, ``--output``, ``--report`` and ``--github``."""
    parser.add_argument(
        "--fail-under",
        type=share,
        metavar="SCORE",
        help="exit with 0 if the mean score is at least this, else with 1, whatever single cases "
        "have; cases that could not be graded still end in 3",
    )
    parser.add_argument(
        "--min-graded",
        type=share,
        metavar="SHARE",
        default=1.0,
        help="end in 3 only if less than this share of the cases could be graded, such as 95%%; "
        "the others decide then (default: 100%%)",
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


def add_output_argument(parser: ArgumentParser, meaning: str, default: str | None = None) -> None:
    """``-o FILE`` of a command that writes one; without a default it must be given."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", default=default, required=default is None, help=meaning
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
    for file in arguments.output:
        check_result_file(file, arguments.directory, arguments.input or "-")
    check_report_argument(arguments)


def check_result_file(file: str, run: str, data_set: str) -> None:
    """Raises ``ConfigError`` if results cannot be written to a file, or the run needs it."""
    needed: list[str | Path] = [data_set, Path(run) / NAME, run]
    if is_run(run):
        with reading(run) as store:
            needed += data_sets_of(store)
    if check_output(file).resolve() in {Path(path).resolve() for path in needed}:
        raise ConfigError(f"output: {file} is a file that the run needs; choose another file")


def check_report_argument(arguments: Namespace) -> None:
    """Raises ``ConfigError`` if a report is wanted and cannot be written."""
    if arguments.report is not None:
        from ..report import check_report

        check_report(arguments.report)


def write_outputs(arguments: Namespace, run: str | PathLike[str]) -> None:
    """Writes the results of a run as these arguments want it."""
    for file in arguments.output:
        say(f"writing {file}")
        write_results(lines_of_run(run), file)
    if arguments.report is not None:
        from ..report import write_report

        say(f"writing {arguments.report}")
        write_report(run, arguments.report)
    if arguments.github:
        kind = "error" if arguments.fail_under is None else "warning"  # then the mean decides
        for command in github_annotations(lines_of_run(run), kind):
            print(command)  # not with show_line, which makes commands of CI logs harmless


def share(text: str) -> float:
    """A share from 0 to 1, or a percentage such as ``95%``."""
    if not is_fraction(value := as_share(text)):
        raise ArgumentTypeError(f"must be a number from 0 to 1, or a percentage, got {text!r}")
    return value


def folder(text: str) -> str:
    """The name of a folder. A blank one would be the working folder."""
    if not text.strip():
        raise ArgumentTypeError(f"must be the name of a folder, got {text!r}")
    return text
