"""The arguments of commands: as ``commands.txt`` has them, and what they give to a ``Grader``.

An argument with a sign has its own name, and one without has that of the help: ``arguments.INPUT``.
"""

from __future__ import annotations

import re
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    BooleanOptionalAction,
    Namespace,
    _ActionsContainer,
)
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from textwrap import fill
from typing import Any

from ..cases.data_set import DataSet
from ..cases.sources import open_data_set
from ..cases.systems import FROM, RECORDS, check_mapping
from ..options import check_names, option_lines, parse_options
from ..records.checks import as_share, is_fraction
from ..records.errors import ConfigError
from ..settings import SETTING
from .commands import LINES, TO_FILE, WIDTH

# ---------------------------------------------------------------- what a command takes


def _number(kind: type[int] | type[float], wanted: str, text: str) -> float:
    """The value of an argument that takes a number. argparse itself speaks of an int value."""
    try:
        return kind(text)
    except ValueError:
        raise ArgumentTypeError(f"must be {wanted}, got {text!r:.80}") from None


def _share(text: str) -> float:
    """A share from 0 to 1, or a percentage such as ``95%``."""
    if not is_fraction(value := as_share(text)):
        raise ArgumentTypeError(f"must be a number from 0 to 1, or a percentage, got {text!r}")
    return value


def _folder(text: str) -> str:
    """The name of a folder. A blank one would be the working folder."""
    if not text.strip():
        raise ArgumentTypeError(f"must be the name of a folder, got {text!r}")
    return text


KINDS: Mapping[str, Callable[[str], Any]] = {
    "N": partial(_number, int, "a whole number"),
    "NUMBER": partial(_number, float, "a number"),
    "SECONDS": partial(_number, float, "a number"),
    "SCORE": _share,
    "SHARE": _share,
    "DIR": _folder,
}
"""How a value is read, by what the help calls it; others are texts."""
DEFAULT = re.compile(r"\bdefault: ([^\s;)]+)[;)]")
OPTIONS = "options for -o NAME=VALUE:"


def add_arguments(parser: ArgumentParser, lines: Iterable[str]) -> None:
    """Adds what the lines of a command say. The options of grading are listed at the end."""
    place: _ActionsContainer = parser
    end = list[str]()
    for line in _whole(lines):
        form, _, meaning = line.partition(" | ")
        if form.startswith("> "):
            end.append(form[2:])
        elif form[0] in "-[" or form[0].isupper():
            _add(place, form.split(), meaning)
        else:
            place = parser.add_argument_group(form, meaning)
    end += map(_hanging, option_lines()) if OPTIONS in end else ()
    parser.epilog = "\n".join(end)


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """The lines, with those that ``@NAME`` stands for."""
    for line in lines:
        yield from _whole(LINES[line]) if line.startswith("@") else (line,)


def _add(place: _ActionsContainer, form: list[str], meaning: str) -> None:
    """Adds an argument of this form, such as ``--run DIR!``."""
    names = [word.strip(",") for word in form if word.startswith("-")]
    value, *more = [word for word in form if not word.startswith("-")] or [""]
    shown, found = value.strip("[]!"), DEFAULT.search(meaning)
    given: dict[str, Any] = {"help": meaning.replace("%", "%%"), "default": found and found[1]}
    if not value:
        given["action"] = BooleanOptionalAction if "[no-]" in names[0] else "store_true"
    elif "|" in value:
        given["choices"] = value.split("|")
    else:
        given |= {"metavar": shown, "type": KINDS.get(shown)}
    if value.startswith("["):
        given |= {"nargs": "?", "const": given["default"], "default": None}
    elif value.endswith("!"):
        given["required"] = True
    elif more:
        given |= {"action": "append", "default": []} if names else {"nargs": "+"}
    flags = [name.replace("[no-]", "") for name in names]
    place.add_argument(*(flags or [shown]), **given)


def _hanging(line: str) -> str:
    """An option's line, wrapped so that its name stands alone in the first column."""
    column = line.index(line.split(maxsplit=1)[1])
    return fill(f"  {line}", WIDTH, subsequent_indent=" " * (column + 2))


# ---------------------------------------------------------------- what is graded, and how


def named_data_set(arguments: Namespace) -> DataSet:
    """The data set that these arguments name.

    Raises:
        ConfigError: it cannot be read; or ``--map`` has another form, or names a field that a case
            does not have.
    """
    named = {FROM: vars(arguments)["from"], RECORDS: arguments.records}
    mapping: dict[str, str] = {key: value for key, value in named.items() if value}
    for item in arguments.map:
        name, sign, column = item.partition("=")
        if not sign or not column.strip():
            raise ConfigError(f"--map: must be FIELD=COLUMN, such as answer=reply, got {item!r}")
        if name.strip() in mapping:
            raise ConfigError(f"--map: {name.strip()} is given twice")
        mapping[name.strip()] = column.strip()
    mapping, encoding = check_mapping(mapping), arguments.encoding
    data_set = open_data_set(arguments.INPUT, mapping=mapping, encoding=encoding)
    data_set.check_cases()
    return data_set


def judge_options(arguments: Namespace) -> dict[str, Any]:
    """What ``--judge`` and ``--option`` give to a ``Grader``."""
    judge = SETTING if arguments.judge is None else arguments.judge
    return {"judge": judge, **parse_options(arguments.option, "--option")}


def policy_options(arguments: Namespace) -> dict[str, Any]:
    """What ``--policy``, ``--threshold`` and ``--option`` give to a ``Grader``."""
    if file := next((item for item in arguments.option if "=" not in item), None):
        raise ConfigError(f"-o: must be NAME=VALUE, got {file!r}. {TO_FILE}")
    options = parse_options(arguments.option, "--option")
    check_names(options)
    return {"policy": arguments.policy, "threshold": arguments.threshold, **options}


def grading_options(arguments: Namespace) -> dict[str, Any]:
    """What all of them give to a ``Grader``."""
    return {**policy_options(arguments), **judge_options(arguments)}


def check_report_argument(arguments: Namespace) -> None:
    """Raises ``ConfigError`` if a report is wanted and cannot be written."""
    if arguments.report is not None:
        from ..report import check_report

        check_report(arguments.report)
