"""What is done with runs, without asking again: ``rescore`` scores one under another policy, and
``merge`` makes several into one. ``report`` writes an HTML report of one, or of two side by side;
``compare`` says what changed between two, and whether the second one is worse.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from contextlib import suppress
from functools import partial

from ..batch import RunOutcome, merge, rescore
from ..batch.comparison import Comparison, recheck
from ..batch.comparison_views import as_markdown, as_text
from ..batch.run_description import names_of, policy_changes
from ..batch.store import lines_of, reading
from ..grading import MAX_CONCURRENCY
from ..records.checks import check_number
from ..records.errors import ConfigError
from ..report import write_report
from ..text.strings import counted
from .app import FAILED, NOT_GRADED, PASSED
from .arguments import judge_options, policy_options
from .terminal import say, say_notes, show_line, show_lines, show_outcome


def run_report(arguments: Namespace) -> int:
    """Writes the report, and says where it is and what it lacks."""
    report = write_report(arguments.RESULTS, arguments.output, other=arguments.B)
    say_notes(report.notes)
    what = "changed case" if arguments.B else "case"
    show_line(f"{report.path}: {counted(report.cases, what)}")
    return PASSED


def run_compare(arguments: Namespace) -> int:
    """Shows the comparison."""
    if arguments.recheck is None and (arguments.judge or arguments.option):
        flag = "--judge" if arguments.judge else "-o"
        to_file = "A comparison gets into a file with compare --markdown A B > FILE"
        raise ConfigError(f"{flag}: says how --recheck asks, which is not given. {to_file}")
    check_number("show", arguments.show, 0, 10_000, whole=True)
    most = arguments.max_regressed
    check_number("max_regressed", most, 0, 10**9, whole=True, optional=True)
    comparison = Comparison(
        partial(lines_of, arguments.A),
        partial(lines_of, arguments.B),
        shown=arguments.show,
        names=names_of(arguments.A, arguments.B),
        min_graded=arguments.min_graded,
        max_regressed=most,
    )
    with suppress(ConfigError), reading(arguments.A) as a, reading(arguments.B) as b:
        comparison.sizes = a.size, b.size
        comparison.policies = policy_changes(a, b)  # a file of results has only its name
    lacking = comparison.lacking()
    if arguments.recheck is not None and lacking:
        say(f"note: nothing was asked again: {lacking[0]}")
    elif arguments.recheck is not None:
        check_number("recheck", arguments.recheck, 1, 100_000, whole=True)
        check_number("concurrency", arguments.concurrency, 1, MAX_CONCURRENCY, whole=True)
        given = judge_options(arguments)
        comparison.recheck = recheck(
            comparison.both,
            arguments.A,
            arguments.B,
            given.pop("judge"),
            given,
            most=arguments.recheck,
            concurrency=arguments.concurrency,
            announce=say,
        )
    if arguments.markdown:
        sys.stdout.buffer.write(as_markdown(comparison).encode())
    else:
        show_lines(as_text(comparison))
    if not comparison.comparable:
        return NOT_GRADED
    return FAILED if comparison.worse else PASSED


def run_rescore(arguments: Namespace) -> int:
    """Scores the run again, and says what the new one found."""
    outcome = rescore(arguments.RUN, arguments.run, **policy_options(arguments))
    if arguments.quiet:
        show_line(outcome.summary.brief().partition("\n")[0])
        return outcome.exit_code
    return _print_outcome(outcome, spent=False)  # the first run has spent it


def run_merge(arguments: Namespace) -> int:
    """Merges the runs, and says what the new one found."""
    return _print_outcome(merge(arguments.RUN, arguments.run))


def _print_outcome(outcome: RunOutcome, *, spent: bool = True) -> int:
    show_outcome(outcome.notes, outcome.summary.text(spent=spent))
    return outcome.exit_code
