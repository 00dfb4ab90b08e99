"""``report`` writes an HTML report of a run, or of two side by side; ``compare`` says what changed
between two runs, and whether the second one is worse.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import suppress

from ..batch.comparison import MIN_GRADED, SHOWN, compare
from ..batch.comparison_views import as_markdown, as_text
from ..batch.rechecking import MOST, recheck
from ..batch.run_description import lines_of, names_of, policy_changes
from ..batch.store import reading
from ..grading import MAX_CONCURRENCY
from ..options import parse_options
from ..records.checks import check_number
from ..records.errors import ConfigError
from ..report import write_report
from ..text.strings import counted
from .app import FAILED, NOT_GRADED, PASSED
from .arguments import add_judge_argument, add_options, add_output_argument, judge_in, share
from .terminal import say, show_line


def add_report_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``report``."""
    parser.epilog = "Exit codes: 0 the report is written, 2 wrong use."
    parser.add_argument(
        "results",
        metavar="RESULTS",
        help="a run directory, or results as JSON lines: what grade --json printed, or export "
        "wrote, which have no answers and contexts",
    )
    parser.add_argument(
        "other",
        metavar="B",
        nargs="?",
        help="a second run over the same cases: the report shows what changed",
    )
    default = "report.html"
    add_output_argument(parser, f"where the report is written (default: {default})", default)


def run_report(arguments: Namespace) -> int:
    """Writes the report, and says where it is and what it lacks."""
    report = write_report(arguments.results, arguments.output, other=arguments.other)
    for note in report.notes:
        say(f"note: {note}")
    what = "changed case" if arguments.other else "case"
    show_line(f"{report.path}: {counted(report.cases, what)}")
    return PASSED


def add_compare_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``compare``."""
    parser.epilog = (
        "Exit codes: 0 B is not shown to be worse than A, 1 it is worse, 2 wrong use,\n"
        "3 not comparable: graded in other ways, or too few cases, or fewer than before."
    )
    parser.add_argument("before", metavar="A", help="a run directory, or its results as .jsonl")
    parser.add_argument("after", metavar="B", help="the same of another run over the same cases")
    parser.add_argument(
        "--min-graded",
        type=share,
        metavar="SHARE",
        default=MIN_GRADED,
        help="the share of cases that must have been graded in each run, such as 0.9 or 90%% "
        f"(default: {MIN_GRADED:.0%}%)",
    )
    parser.add_argument(
        "--max-regressed",
        type=int,
        metavar="N",
        help="B is worse if more cases than N pass in A and not in B, were graded in A alone, or "
        "are new and fail; without it, only beyond chance, which a few cases never show",
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown for a comment")
    parser.add_argument(
        "--show",
        type=int,
        default=SHOWN,
        help=f"the most changed cases that are shown (default: {SHOWN})",
    )
    again = parser.add_argument_group(
        "did the judge change, or the system?",
        "Cases of A are asked again of the judge that graded B, past any store of replies.",
    )
    again.add_argument(
        "--recheck",
        type=int,
        nargs="?",
        const=MOST,
        metavar="N",
        help=f"ask again about so many cases of A, drawn at random (default: {MOST}); where "
        "they show that the judge grades lower, B is worse only if the system is",
    )
    again.add_argument("--concurrency", type=int, default=8, help="asks at once (default: 8)")
    add_judge_argument(again)
    meaning = "an option of the judge or the grader, such as prices=...; may be repeated"
    add_options(again, meaning)


def run_compare(arguments: Namespace) -> int:
    """Shows the comparison."""
    if arguments.recheck is None and (arguments.judge or arguments.option):
        flag = "--judge" if arguments.judge else "-o"
        to_file = "A comparison gets into a file with compare --markdown A B > FILE"
        raise ConfigError(f"{flag}: says how --recheck asks, which is not given. {to_file}")
    check_number("show", arguments.show, 0, 10_000, whole=True)
    most = arguments.max_regressed
    check_number("max_regressed", most, 0, 10**9, whole=True, optional=True)
    before, after = lines_of(arguments.before), lines_of(arguments.after)
    names = names_of(arguments.before, arguments.after)
    comparison = compare(
        before,
        after,
        shown=arguments.show,
        names=names,
        min_graded=arguments.min_graded,
        max_regressed=most,
    )
    with suppress(ConfigError), reading(arguments.before) as a, reading(arguments.after) as b:
        comparison.policies = policy_changes(a, b)  # a file of results has only its name
    lacking = comparison.lacking()
    if arguments.recheck is not None and lacking:
        say(f"note: nothing was asked again: {lacking[0]}")
    elif arguments.recheck is not None:
        check_number("recheck", arguments.recheck, 1, 100_000, whole=True)
        check_number("concurrency", arguments.concurrency, 1, MAX_CONCURRENCY, whole=True)
        comparison.recheck = recheck(
            arguments.before,
            arguments.after,
            judge_in(arguments),
            parse_options(arguments.option, "--option"),
            most=arguments.recheck,
            concurrency=arguments.concurrency,
            announce=say,
        )
    if arguments.markdown:
        sys.stdout.buffer.write(as_markdown(comparison).encode())
    else:
        for line in as_text(comparison).splitlines():
            show_line(line)
    if not comparison.comparable:
        return NOT_GRADED
    return FAILED if comparison.worse else PASSED
