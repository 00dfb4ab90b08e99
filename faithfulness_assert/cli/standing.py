"""Reports where a run over a batch API stands, and how to go on with it."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from ..batch.provider_batches import is_begun
from ..batch.summary import Summary
from ..records.errors import JudgeError
from ..text.strings import visible
from .exit_codes import FAILED, INTERRUPTED, NOT_GRADED, PASSED, WAITING, judged
from .output_arguments import check_outputs, write_outputs
from .terminal import show_line

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
    from pathlib import Path

    from ..batch.provider_batches import Standing
    from ..batch.run_directory import RunDirectory


def report(directory: RunDirectory, go_on: Callable[[], Standing], arguments: Namespace) -> int:
    """Goes on with a run, and says how it stands. Returns the exit code.

    Of a run that is finished, the results are written as the ``arguments`` want it.

    Standard output gets the summary of a run that is finished, or the files to take to a server.
    """
    check_outputs(arguments)
    try:
        standing = go_on()
    except JudgeError as error:
        return _stopped(f"{error.message}. {error.fix}".strip(), directory.path)
    except KeyboardInterrupt:
        if not is_begun(directory):
            raise
        _stopped("interrupted", directory.path)
        return INTERRUPTED
    except OSError as error:  # such as a disk that is full
        return _stopped(f"{error.filename or directory.path}: {error.strerror}", directory.path)
    for said in standing.said:
        _tell(said)
    if standing.stopped:
        _tell(f"Nothing was sent: {standing.stopped}")
        return NOT_GRADED
    if not standing.finished:
        for file in standing.files:
            show_line(str(file))
        verb, more = ("import", " ANSWERS...") if standing.files else ("collect", "")
        _tell(f"Not finished. {_how(verb, directory.path)}{more}")
        return WAITING
    write_outputs(arguments, directory)
    summary = Summary()
    for line in directory.lines():
        summary.add(line)
    for text in summary.text().splitlines():
        show_line(text)
    all_passed = PASSED if summary.passed == summary.cases else FAILED
    code = NOT_GRADED if summary.not_graded else all_passed
    return judged(code, summary.mean, arguments.fail_under)


def _stopped(problem: str, path: Path) -> int:
    _tell(f"{problem}\nNothing is lost. {_how('collect', path)}")
    return NOT_GRADED


def _how(verb: str, path: Path) -> str:
    command = shlex.join(["faithfulness-assert", "batch", verb, str(path)])
    return f"To go on:\n  {command}"


def _tell(text: str) -> None:
    sys.stderr.write("".join(f"{visible(line)}\n" for line in text.split("\n")))
