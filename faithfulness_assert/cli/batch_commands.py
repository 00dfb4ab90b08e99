"""``batch`` grades a data set of any size, in a run that can go on after whatever stopped it.

A run over a batch API goes on without its data set: with ``--run`` alone. ``rescore`` scores a run
again under another policy, ``merge`` makes several runs into one, and ``export`` writes the results
of one.
"""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..batch import RunOutcome, merge, rescore
from ..batch import run as run_rows
from ..batch.outputs import SUFFIXES, write_results
from ..batch.provider_batches import BudgetError, Standing, collect, is_begun, submit
from ..batch.rows import Line
from ..batch.run_description import how_graded, lines_of
from ..batch.stopping import Budget, SoftStop
from ..batch.store import KEPT, is_run, not_finished, reading
from ..batch.summary import Summary
from ..cases.data_set import DataSet
from ..judges.remote.redaction import redact
from ..records.errors import ConfigError, JudgeError, option
from ..text.strings import clip
from .app import INTERRUPTED, NOT_GRADED, PASSED, WAITING, judged
from .arguments import (
    DATA_SET,
    add_grading_arguments,
    add_output_argument,
    add_output_arguments,
    add_policy_arguments,
    check_outputs,
    check_result_file,
    folder,
    grading_options,
    named_data_set,
    policy_options,
    write_outputs,
)
from .terminal import say, show_line, show_outcome

LIMITS: Mapping[str, Callable[[Summary], float]] = {
    "--max-cost": lambda summary: summary.cost or 0.0,
    "--max-run-tokens": lambda summary: summary.all_tokens,
    "--max-errors": lambda summary: summary.not_graded,
}
"""What a run is held to, and what it has of that."""
RETRY = "--retry-errors"
NUMBERS = {
    "concurrency": (int, "how many asks are under way at once (default: 8)"),
    "actors": (int, "with --engine ray: how many grade (default: one for each core)"),
    "requests_per_minute": (float, "never send more requests"),
    "tokens_per_minute": (float, "never use more tokens, of prompts and replies together"),
    "max_errors": (
        int,
        "stop if more cases than this could not be graded (default: after 50 in a row)",
    ),
    "max_run_tokens": (int, "stop when so many tokens were used"),
    "max_cost": (float, "stop when it has cost so much; needs -o prices=..."),
}

_WITH_INPUT = (
    *("judge", "policy", "threshold", "option", "map", "system", "encoding", "via"),
    *("retry_errors", "regrade_changed"),
)
"""What belongs to the first command of a run over a batch API."""
GRACE = 5.0
MAX_LOWEST = 600
"""Characters of the line that names the lowest score."""
EMPTY = "there are no results: nothing was graded, or run.sqlite-wal was not copied with the run"
NEW_RUN = "where the new run is kept; it must not have a run"

# ---------------------------------------------------------------- batch


def add_batch_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``batch``."""
    add_grading_arguments(parser, f"{DATA_SET}; not needed to go on with --via", nargs="?")
    _add_run(parser, "where the run is kept; if it has one, the run goes on")
    parser.add_argument(
        "--via",
        metavar="API",
        help="send the asks over a batch API, at half the price, and do not wait: openai-batch or "
        "anthropic-batch. Then --run DIR alone goes on",
    )
    parser.add_argument(
        "--engine",
        choices=["local", "ray"],
        default="local",
        help="where to grade: on this machine, or on a Ray cluster (default: local)",
    )
    for name, (kind, meaning) in NUMBERS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=meaning)
    parser.add_argument(
        "--grace",
        type=float,
        metavar="SECONDS",
        default=GRACE,
        help="what is under way gets this long after Ctrl-C or SIGTERM, and is kept where it "
        f"arrives (default: {GRACE:g})",
    )
    parser.add_argument(
        RETRY,
        action=BooleanOptionalAction,
        help="grade all cases again that could not be graded before, or none (default: those that "
        "may succeed now)",
    )
    parser.add_argument(
        "--regrade-changed",
        action="store_true",
        default=None,
        help="grade rows again that have a result and are not what they were (added rows are "
        "graded in any case)",
    )
    add_output_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _add_run(parser: ArgumentParser, meaning: str) -> None:
    parser.add_argument(
        "--run", type=folder, metavar="DIR", required=True, dest="directory", help=meaning
    )


def run_batch(arguments: Namespace) -> int:
    """Grades what has no result yet, and says how it went and how to go on."""
    check_outputs(arguments)
    if arguments.input is None:
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
            arguments.directory,
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
    write_outputs(arguments, outcome.path)
    _show_end(arguments, outcome.summary, outcome.notes)
    if outcome.stopped:
        say(f"stopped early: {outcome.stopped}. {_same_command(outcome)}")
        return NOT_GRADED
    return judged(outcome.summary, arguments.fail_under, arguments.min_graded)


def _show_end(arguments: Namespace, summary: Summary, notes: Sequence[str] = ()) -> None:
    """What a run found, its lowest score, and what can be done with it."""
    show_outcome(notes, summary.text())
    if arguments.quiet:
        return
    with reading(arguments.directory) as store:
        if lowest := store.lowest():
            show_line(clip(f"lowest score: {lowest.case_id}: {lowest.result.reason}", MAX_LOWEST))
    if kept := _kept(summary):
        show_line(
            f"To grade again what was {' or '.join(sorted(kept))}, with what is mended: {RETRY}"
        )
    show_line("To look at the answers, or write the results to a file:")
    for command, file in (("report", "FILE.html"), ("export", "FILE.csv")):
        words = [command, str(arguments.directory), "-o", file]
        show_line(f"  faithfulness-assert {shlex.join(words)}")


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
        arguments.directory,
        arguments.via,
        retry_errors=arguments.retry_errors,
        regrade_changed=bool(arguments.regrade_changed),
        budget=budget,
        **grading_options(arguments),
    )
    return _go_on(arguments, send)


def _same_command(outcome: RunOutcome | None = None) -> str:
    """How to go on: the command as it was given, without keys.

    ``outcome``: how it stopped. A limit that stopped it is twice what the run has spent, and
    replies that were cut off are asked for again, or the run would stop again; after a signal they
    are kept as in any run that goes on.
    """
    words, stopped = sys.argv[1:], outcome.stopped if outcome else ""
    for place, word in enumerate(words):
        flag, equals, _ = word.partition("=")
        if outcome and flag in LIMITS and f"{flag} is " in stopped:
            limit = f"{float(f'{2 * LIMITS[flag](outcome.summary) or 1:.2g}'):.12g}"
            words[place + (not equals)] = f"{flag}={limit}" if equals else limit
    has_cut = outcome and not outcome.signal and "truncated" in _kept(outcome.summary)
    if has_cut and RETRY not in words:
        words.append(RETRY)
    return _to_go_on(*words)


def _kept(summary: Summary) -> set[str]:
    """What a run keeps as it is when it goes on, unless it is told otherwise, in words."""
    return {KEPT[group.kind] for group in summary.errors.groups() if group.kind in KEPT}


def _to_go_on(*words: str) -> str:
    return f"To go on:\n  {redact(shlex.join(['faithfulness-assert', *words]))}"


# ---------------------------------------------------------------- over a batch API


def _go_on_alone(arguments: Namespace) -> int:
    """Goes on as far as possible with a run that has its own copy of the data set."""
    run = arguments.directory
    if not is_begun(run):
        if not is_run(run):
            raise ConfigError(f"INPUT: is missing, and there is no run {run} that could go on")
        with reading(run) as store:
            given = how_graded(store).get("input") or {"name": "INPUT"}
        command = shlex.join(["batch", str(given["name"]), "--run", run])
        raise ConfigError(
            "INPUT: is missing. To go on, give it as at first, with the same --judge and options: "
            f"faithfulness-assert {command}"
        )
    wanted = {name: getattr(arguments, name) for name in (*_WITH_INPUT, *NUMBERS)}
    if given := next((n for n, value in wanted.items() if value not in (None, [])), None):
        name = option("from" if given == "system" else given)
        raise ConfigError(f"{name}: needs INPUT; without it, a run goes on as it began")
    return _go_on(arguments, partial(collect, arguments.directory))


def _go_on(arguments: Namespace, step: Callable[[], Standing]) -> int:
    """Takes a step of a run over a batch API, and says where it stands. Returns the exit code.

    Standard output gets the summary of a run that is finished.
    """
    run, soft, code = arguments.directory, SoftStop(0), NOT_GRADED
    how = _to_go_on("batch", "--run", run)
    try:
        with soft:
            reached = step()
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
        return _show_standing(arguments, reached, how)
    say(f"{problem}\nNothing is lost. {how}")
    return code


def _show_standing(arguments: Namespace, reached: Standing, how: str) -> int:
    for line in reached.notes:
        say(line)
    if not reached.finished:
        say(f"Not finished. {how}")
        return WAITING
    write_outputs(arguments, arguments.directory)
    with reading(arguments.directory) as store:
        summary = store.summary()
    _show_end(arguments, summary)
    return judged(summary, arguments.fail_under, arguments.min_graded)


# ---------------------------------------------------------------- rescore, merge, export


def add_rescore_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``rescore``."""
    parser.add_argument("source", metavar="RUN", help="the directory of the run")
    _add_run(parser, NEW_RUN)
    add_policy_arguments(parser, "that of the run")
    parser.add_argument("--quiet", action="store_true", help="show the counts alone")


def run_rescore(arguments: Namespace) -> int:
    """Scores the run again, and says what the new one found."""
    outcome = rescore(arguments.source, arguments.directory, **policy_options(arguments))
    if arguments.quiet:
        show_line(outcome.summary.brief().partition("\n")[0])
        return outcome.exit_code
    return _print_outcome(outcome, spent=False)  # the first run has spent it


def add_merge_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``merge``."""
    parser.add_argument(
        "sources", metavar="RUN", nargs="+", help="the directories of finished runs, one per shard"
    )
    _add_run(parser, NEW_RUN)


def run_merge(arguments: Namespace) -> int:
    """Merges the runs, and says what the new one found."""
    return _print_outcome(merge(arguments.sources, arguments.directory))


def add_export_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``export``."""
    parser.add_argument("source", metavar="RUN", help="a run directory, or its results as .jsonl")
    meaning = f"where the results are written, in input order ({', '.join(SUFFIXES)})"
    add_output_argument(parser, meaning)


def run_export(arguments: Namespace) -> int:
    """Writes the results, as ``batch --output`` does."""
    check_result_file(arguments.output, arguments.source, "-")
    written = 0

    def lines() -> Iterator[Line]:
        nonlocal written
        for line in lines_of(arguments.source)():
            written += 1  # a run may go on meanwhile
            yield line

    write_results(lines(), arguments.output)
    if Path(arguments.source).is_dir():
        with reading(arguments.source) as store:
            if notice := not_finished(written, store.size) or EMPTY * (not written):
                say(f"note: {notice}")
    return PASSED


def _print_outcome(outcome: RunOutcome, *, spent: bool = True) -> int:
    show_outcome(outcome.notes, outcome.summary.text(spent=spent))
    return outcome.exit_code
