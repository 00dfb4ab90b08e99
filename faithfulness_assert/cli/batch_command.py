"""``batch`` grades a data set of any size, in a run that can go on after whatever stopped it."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from ..batch import run as run_batch
from ..batch.budget import Budget
from ..batch.data_sets import open_data_set
from ..batch.provider_batches import is_begun, submit
from ..batch.run_directory import RunDirectory
from ..judges.remote.redaction import redact
from ..records.errors import ConfigError
from ..text.strings import visible
from .exit_codes import INTERRUPTED, judged
from .grading_arguments import add_grading_arguments, columns, grading_options
from .output_arguments import add_output_arguments, check_outputs, write_outputs
from .terminal import show_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..batch import RunOutcome
    from ..batch.data_sets import DataSet

NUMBERS = {
    "concurrency": (int, "how many asks are under way at once (default: 8)"),
    "processes": (int, "processes, for a judge that computes here (default: one for each core)"),
    "actors": (int, "with --engine ray: how many grade (default: one for each core)"),
    "requests-per-minute": (float, "never send more requests"),
    "tokens-per-minute": (float, "never use more tokens, of prompts and replies together"),
    "max-errors": (int, "stop if more cases than this could not be graded"),
    "max-tokens": (int, "stop when so many tokens were used"),
    "max-cost": (float, "stop when it has cost so much; needs -o prices=..."),
}


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``batch``."""
    parser.add_argument("input", metavar="INPUT", help="the data set: a file, or - for its text")
    parser.add_argument(
        "--run",
        metavar="DIR",
        required=True,
        dest="directory",
        help="where the run is kept; if it has one, the run goes on",
    )
    add_grading_arguments(parser)
    parser.add_argument(
        "--via",
        metavar="API",
        help="send the asks over a batch API, at half the price, and do not wait: openai-batch or "
        "anthropic-batch; see `faithfulness-assert batch collect`",
    )
    parser.add_argument(
        "--engine",
        choices=["local", "ray"],
        default="local",
        help="where to grade: on this machine, or on a Ray cluster (default: local)",
    )
    parser.add_argument("--address", help="with --engine ray: the address of the cluster")
    for name, (kind, meaning) in NUMBERS.items():
        parser.add_argument(f"--{name}", type=kind, metavar="N", help=meaning)
    parser.add_argument(
        "--no-retry-errors",
        action="store_true",
        help="do not grade cases again that could not be graded before",
    )
    add_output_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(arguments: Namespace) -> int:
    """Grades what has no result yet, and says how it went and how to go on."""
    check_outputs(arguments)
    data_set = open_data_set(arguments.input, mapping=columns(arguments))
    if not arguments.quiet:
        _tell(data_set.described())
    numbers: dict[str, Any] = {
        name.replace("-", "_"): getattr(arguments, name.replace("-", "_")) for name in NUMBERS
    }
    if arguments.via is not None:
        return _over_batch_api(arguments, data_set, numbers)
    if is_begun(RunDirectory(arguments.directory)):
        how = f"faithfulness-assert batch collect {arguments.directory}"
        raise ConfigError(f"{arguments.directory}: this run goes over a batch API; use: {how}")
    try:
        outcome = run_batch(
            data_set,
            arguments.directory,
            engine=arguments.engine,
            address=arguments.address,
            retry_errors=not arguments.no_retry_errors,
            progress=not arguments.quiet,
            **numbers,
            **grading_options(arguments),
        )
    except KeyboardInterrupt:
        _tell(f"\ninterrupted. What is finished is in {arguments.directory}. {_go_on()}")
        return INTERRUPTED
    write_outputs(arguments, outcome.directory, data_set)
    return _report(outcome, arguments.fail_under)


def _over_batch_api(arguments: Namespace, data_set: DataSet, numbers: dict[str, Any]) -> int:
    """Sends what a provider's batch API can answer now. The provider paces and bills it whole."""
    from .standing import report

    budget = Budget(numbers.pop("max_tokens"), numbers.pop("max_cost"))
    if given := next((name for name, number in numbers.items() if number is not None), None):
        option = f"--{given.replace('_', '-')}"
        raise ConfigError(f"{option}: a batch API is sent whole batches; leave it out with --via")
    directory, options = RunDirectory(arguments.directory), grading_options(arguments)
    again = not arguments.no_retry_errors
    return report(
        directory,
        lambda: submit(
            data_set, directory, arguments.via, retry_errors=again, budget=budget, **options
        ),
        arguments,
    )


def _report(outcome: RunOutcome, fail_under: float | None) -> int:
    for note in outcome.notes:
        _tell(f"note: {note}")
    first, *others = outcome.text.split("\n")
    show_line(first, style="bold")
    for line in others:
        show_line(line)
    mean = outcome.counts.mean
    if outcome.stopped:
        _tell(f"stopped early: {outcome.stopped}. {_go_on()}")
    return judged(outcome.exit_code, mean, fail_under)


def _go_on() -> str:
    """How to go on: the command as it was given, without keys."""
    command = shlex.join(["faithfulness-assert", *sys.argv[1:]])
    return f"To go on:\n  {redact(command, ())}"


def _tell(text: str) -> None:
    sys.stderr.write("".join(f"{visible(line)}\n" for line in text.split("\n")))
    sys.stderr.flush()
