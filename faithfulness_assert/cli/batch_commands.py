"""``batch`` grades a data set of any size, in a run that can go on after whatever stopped it; and
``export`` writes the results of one.

A run over a batch API goes on without its data set: with ``--run`` alone.
"""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from ..batch import RunOutcome
from ..batch import run as run_rows
from ..batch.outputs import annotation, check_output, github_annotations, write_results
from ..batch.provider_runs import collect, is_begun, submit
from ..batch.run_description import data_sets_of
from ..batch.store import NAME, is_run, lines_of, not_finished, reading
from ..batch.summary import Summary
from ..batch.watching import Budget, BudgetError, SoftStop
from ..cases.data_set import DataSet
from ..judges.remote.redaction import redact
from ..records.errors import ConfigError, JudgeError, option
from ..text.strings import clip
from .app import INTERRUPTED, NOT_GRADED, PASSED, WAITING, judged
from .arguments import check_report_argument, grading_options, named_data_set
from .terminal import say, show_line, show_outcome

LIMITS: Mapping[str, Callable[[Summary], float]] = {
    "--max-cost": lambda summary: summary.cost or 0.0,
    "--max-run-tokens": lambda summary: summary.all_tokens,
    "--max-errors": lambda summary: summary.not_graded,
}
"""What a run is held to, and what it has of that."""
NUMBERS = (
    *("concurrency", "actors", "requests_per_minute", "tokens_per_minute"),
    *("max_errors", "max_run_tokens", "max_cost"),
)
WITH_INPUT = (
    *("judge", "policy", "threshold", "option", "map", "from", "encoding", "via"),
    *("retry_errors", "regrade_changed", *NUMBERS),
)
"""What belongs to the first command of a run over a batch API."""
MAX_LOWEST = 600
"""Characters of the line that names the lowest score."""
EMPTY = "there are no results: nothing was graded, or run.sqlite-wal was not copied with the run"


def run_batch(arguments: Namespace) -> int:
    """Grades what has no result yet, and says how it went and how to go on."""
    try:
        return _grade_rows(arguments)
    except ConfigError as error:
        if arguments.github:
            print(annotation("error", "faithfulness", str(error)))
        raise


def _grade_rows(arguments: Namespace) -> int:
    for file in arguments.output:
        check_result_file(file, arguments.run, arguments.INPUT or "-")
    check_report_argument(arguments)
    if arguments.INPUT is None:
        return _go_on_alone(arguments)
    data_set = named_data_set(arguments)
    if not arguments.quiet:
        say(data_set.described())
    numbers = {name: getattr(arguments, name) for name in NUMBERS}
    if arguments.via is not None:
        return _over_batch_api(arguments, data_set, numbers)
    try:
        outcome = run_rows(
            data_set,
            arguments.run,
            engine=arguments.engine,
            retry_errors=arguments.retry_errors,
            regrade_changed=bool(arguments.regrade_changed),
            progress=not arguments.quiet,
            grace=arguments.grace,
            **numbers,
            **grading_options(arguments),
        )
    except KeyboardInterrupt:
        say(f"\ninterrupted. {_same_command()}")
        return INTERRUPTED
    if outcome.signal:
        head = outcome.summary.brief().partition("\n")[0]
        spent = f"{outcome.summary.spent()}\n" if outcome.summary.tokens["num_requests"] else ""
        say(f"\ninterrupted: {outcome.stopped}. {head}\n{spent}{_same_command(outcome)}")
        return outcome.exit_code
    code = _ended(arguments, outcome.summary, outcome.notes)
    if outcome.stopped:
        say(f"stopped early: {outcome.stopped}. {_same_command(outcome)}")
        return NOT_GRADED
    return code


def _ended(arguments: Namespace, summary: Summary, notes: Sequence[str] = ()) -> int:
    """Writes and shows what a run found, and what can be done with it. Returns the exit code."""
    write_outputs(arguments, arguments.run)
    show_outcome(notes, summary.text())
    code = judged(summary, arguments.fail_under, arguments.min_graded)
    if arguments.quiet:
        return code
    with reading(arguments.run) as store:
        if lowest := store.lowest():
            show_line(clip(f"lowest score: {lowest.case_id}: {lowest.result.reason}", MAX_LOWEST))
    show_line("To look at the answers, or write the results to a file:")
    for command, file in (("report", "FILE.html"), ("export", "FILE.csv")):
        words = [command, arguments.run, "-o", file]
        show_line(f"  faithfulness-assert {shlex.join(words)}")
    return code


def _over_batch_api(arguments: Namespace, data_set: DataSet, numbers: dict[str, Any]) -> int:
    """Sends what a provider's batch API can answer now. The provider paces and bills it whole."""
    budget = Budget(numbers.pop("max_run_tokens"), numbers.pop("max_cost"))
    if given := next((name for name, number in numbers.items() if number is not None), None):
        raise ConfigError(
            f"{option(given)}: a batch API is sent whole batches; leave it out with --via"
        )
    send = partial(
        submit,
        data_set,
        arguments.run,
        arguments.via,
        retry_errors=arguments.retry_errors,
        regrade_changed=bool(arguments.regrade_changed),
        budget=budget,
        **grading_options(arguments),
    )
    return _go_on(arguments, send)


def _same_command(outcome: RunOutcome | None = None) -> str:
    """How to go on: the command as it was given, without keys.

    ``outcome``: how it stopped. A limit that stopped it is twice what the run has spent.
    """
    words, stopped = sys.argv[1:], outcome.stopped if outcome else ""
    for place, word in enumerate(words):
        flag, equals, _ = word.partition("=")
        if outcome and flag in LIMITS and f"{flag} is " in stopped:
            limit = f"{float(f'{2 * LIMITS[flag](outcome.summary) or 1:.2g}'):.12g}"
            words[place + (not equals)] = f"{flag}={limit}" if equals else limit
    return _to_go_on(*words)


def _to_go_on(*words: str) -> str:
    return f"To go on:\n  {redact(shlex.join(['faithfulness-assert', *words]))}"


# ---------------------------------------------------------------- over a batch API


def _go_on_alone(arguments: Namespace) -> int:
    """Goes on as far as possible with a run that has its own copy of the data set."""
    run = arguments.run
    if not is_begun(run):
        if not is_run(run):
            raise ConfigError(f"INPUT: is missing, and there is no run {run} that could go on")
        raise ConfigError("INPUT: is missing. To go on, give the whole command as at first")
    wanted = {name: getattr(arguments, name) for name in WITH_INPUT}
    if given := next((n for n, value in wanted.items() if value not in (None, [])), None):
        raise ConfigError(f"{option(given)}: needs INPUT; without it, a run goes on as it began")
    return _go_on(arguments, partial(collect, arguments.run))


def _go_on(arguments: Namespace, step: Callable[[], RunOutcome]) -> int:
    """Takes a step of a run over a batch API, and says where it stands. Returns the exit code.

    Standard output gets the summary of a run that is finished.
    """
    run, soft, code = arguments.run, SoftStop(0), NOT_GRADED
    how = _to_go_on("batch", "--run", run)
    try:
        with soft:
            outcome = step()
    except BudgetError as error:
        say(f"Nothing was sent: {error}")
        return NOT_GRADED
    except JudgeError as error:
        problem = f"{error.message}. {error.fix}".strip()
    except KeyboardInterrupt:
        if not is_begun(run):
            raise
        problem, code = "interrupted", 128 + (soft.number or INTERRUPTED - 128)
    except OSError as error:  # such as a disk that is full
        problem = f"{error.filename or run}: {error.strerror}"
    else:
        for line in outcome.notes:
            say(line)
        if outcome.stopped:
            say(f"Not finished. {how}")
            return WAITING
        return _ended(arguments, outcome.summary)
    say(f"{problem}\nNothing is lost. {how}")
    return code


# ---------------------------------------------------------------- what becomes of the results


def check_result_file(file: str, run: str, data_set: str) -> None:
    """Raises ``ConfigError`` if results cannot be written to a file, or the run needs it."""
    needed: list[str | Path] = [data_set, Path(run) / NAME, run]
    if is_run(run):
        with reading(run) as store:
            needed += data_sets_of(store)
    if check_output(file).resolve() in {Path(path).resolve() for path in needed}:
        raise ConfigError(f"output: {file} is a file that the run needs; choose another file")


def write_outputs(arguments: Namespace, run: str | PathLike[str]) -> None:
    """Writes the results of a run as these arguments want it."""
    for file in arguments.output:
        say(f"writing {file}")
        write_results(lines_of(run), file)
    if arguments.report is not None:
        from ..report import write_report

        say(f"writing {arguments.report}")
        write_report(run, arguments.report)
    if arguments.github:
        kind = "error" if arguments.fail_under is None else "warning"  # then the mean decides
        for command in github_annotations(lines_of(run), kind):
            print(command)  # not with show_line, which makes commands of CI logs harmless


def run_export(arguments: Namespace) -> int:
    """Writes the results, as ``batch --output`` does."""
    check_result_file(arguments.output, arguments.RUN, "-")
    write_results(lines_of(arguments.RUN), arguments.output)
    if Path(arguments.RUN).is_dir():
        with reading(arguments.RUN) as store:
            if notice := not_finished(store.finished, store.size) or EMPTY * (not store.finished):
                say(f"note: {notice}")
    return PASSED
