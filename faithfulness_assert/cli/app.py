"""The command ``faithfulness-assert``, its subcommands, and what their exit codes say.

The command ``merge`` is ``run_merge(arguments)`` in ``runs_commands.py``, which returns the exit
code. Only the module of the command that is named is loaded, so that help and version come at once.
"""

from __future__ import annotations

import errno
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from functools import partial
from importlib import import_module
from signal import SIG_DFL, SIGINT, signal

import faithfulness_assert

from ..files import to_nowhere
from .commands import COMMANDS, LINES, TO_FILE, WIDTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ..batch.summary import Summary

PASSED, FAILED, WRONG_USE, NOT_GRADED = 0, 1, 2, 3
WAITING = 4
"""A run over a batch API has sent all that it can send now. Collect the answers later."""
INTERRUPTED, UNREAD = 130, 141
"""As shells have it: 128 and the number of the signal. Behind ``| head`` nobody reads on."""


def judged(summary: Summary, fail_under: float | None = None, min_graded: float = 1.0) -> int:
    """The code of a run.

    Args:
        fail_under: the mean score that decides, whatever single cases have.
        min_graded: the share of cases that must have been graded. Without any, nothing is green.
    """
    graded = summary.cases - summary.not_graded
    if graded < min_graded * summary.cases or (summary.not_graded and not graded):
        return NOT_GRADED
    if fail_under is None:
        return PASSED if summary.passed == graded else FAILED
    return PASSED if summary.mean is not None and summary.mean >= fail_under else FAILED


# ---------------------------------------------------------------- the commands


DESCRIPTION = """\
Grade whether answers are faithful to their context.

Exit codes: 0 all cases passed, 1 some failed, 2 wrong use, 3 some could not be
graded, 4 a batch API has not answered yet."""


def main() -> None:
    """Runs the command line. A mistake of the user becomes one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):  # a terminal's encoding may lack some characters
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads on; Python would complain when it closes the stream
        to_nowhere(sys.stdout)
        code = UNREAD
    except KeyboardInterrupt as stop:
        signal(SIGINT, SIG_DFL)  # a second one ends what is left, without a traceback
        # what was done, and what it cost
        for note in getattr(stop, "__notes__", ("interrupted",)):
            sys.stderr.write(f"\nfaithfulness-assert: {note}\n")
        code = INTERRUPTED
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        to_nowhere(sys.stdout)
        sys.stderr.write(f"faithfulness-assert: nothing more can be written: {error.strerror}\n")
        code = WRONG_USE
    except Exception as error:
        from ..records.errors import ConfigError  # not needed for help and version
        from ..text.strings import visible_line

        if not isinstance(error, ConfigError):
            raise
        sys.stderr.write(f"faithfulness-assert: {visible_line(str(error))}\n")
        code = WRONG_USE
    raise SystemExit(code)


def _run(given: list[str]) -> int:
    parser = _Parser(prog="faithfulness-assert", description=DESCRIPTION)
    version = f"%(prog)s {faithfulness_assert.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (_, summary) in COMMANDS.items():
        commands.add_parser(name, help=summary, description=summary)
    if not given or given[0].startswith("-"):
        _, unknown = parser.parse_known_args(given)
        if unknown:
            parser.error(_unrecognized(unknown, parser))
        parser.print_help()
        return WRONG_USE
    from ..records.errors import named_as_on_command_line, suggest  # not for help and version

    name, *words = given
    if name not in COMMANDS:
        parser.error(f"unknown command {name!r}. {suggest(name, COMMANDS)}")
    from .arguments import add_arguments

    command = commands.choices[name]
    add_arguments(command, LINES[name])
    arguments, unknown = command.parse_known_args(words)
    if unknown:
        command.error(_unrecognized(unknown, command))
    run = getattr(import_module(f".{COMMANDS[name][0]}_commands", __package__), f"run_{name}")
    with named_as_on_command_line():
        code: int = run(arguments)
    return code


def _unrecognized(unknown: list[str], command: ArgumentParser) -> str:
    """What is said of arguments that a command does not know; a value may be a key, and is not."""
    from ..records.errors import suggest  # not needed for help and version

    wrong = unknown[0].partition("=")[0]
    problem = f"unrecognized arguments: {wrong}"
    if not wrong.startswith("-"):
        return problem
    flags = [name for name in command._option_string_actions if name.startswith("--")]
    option = wrong.lstrip("-").replace("-", "_")
    if option == "output":
        return f"{problem}. {TO_FILE}"
    if option == "api_key":
        return f"{problem}. Set OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment"
    from ..options import GRADER_NAMES, NAMED_BY_JUDGE  # not needed for help and version

    if option in NAMED_BY_JUDGE and "--judge" in flags:
        return f"{problem}. Name it with its judge: --judge openai:MODEL"
    if "--option" in flags and option in GRADER_NAMES:
        return f"{problem}. It is an option of grading: --option {option}=VALUE"
    return f"{problem}. {suggest(wrong, flags)}"


class _Parser(ArgumentParser):
    """A parser whose help has 80 columns and whose errors are one line, as all others here."""

    def __init__(self, **given: Any) -> None:
        # Without a width, argparse loads shutil to look for it.
        form: Any = partial(RawDescriptionHelpFormatter, width=WIDTH)
        super().__init__(formatter_class=form, allow_abbrev=False, **given)

    def error(self, message: str) -> NoReturn:
        from ..records.errors import ConfigError

        end = "" if message.endswith((".", "?")) else "."
        raise ConfigError(f"{message}{end} See {self.prog} --help")
