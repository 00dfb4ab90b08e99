"""How far a judge can be trusted.

``label`` draws the answers that people label, and ``agreement`` holds judges against the labels.
``probe`` shows the card of a judge's blind spots: it needs no labels and no data set.
"""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, Namespace

from ..agreement.document import Document, Table, as_json, document
from ..agreement.drawing import MANY_LABELS
from ..agreement.measuring import measure
from ..agreement.sheets import SEED, SUFFIXES, write_sheet
from ..options import parse_options
from ..probe import probe, probe_estimate
from ..probe.asking import DRAW, PER_KIND
from ..report import write_probe_report
from ..report.page import write_agreement_report
from ..text.strings import counted
from .app import NOT_GRADED, PASSED
from .arguments import (
    add_judge_argument,
    add_options,
    add_output_argument,
    add_report_argument,
    check_report_argument,
    judge_in,
)
from .terminal import print_json, say, show_line, show_paragraph, show_table


def add_label_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``label``."""
    parser.epilog = "Exit codes: 0 the sheet is written, 2 wrong use."
    parser.add_argument("source", metavar="RUN", help="a run directory")
    kinds = f"{', '.join(SUFFIXES)}; default: sheet.csv"
    meaning = f"the sheet that is written ({kinds}); it must not exist"
    add_output_argument(parser, meaning, "sheet.csv")
    parser.add_argument(
        "--n",
        type=int,
        metavar="N",
        default=MANY_LABELS,
        help=f"how many answers are drawn (default: {MANY_LABELS})",
    )
    parser.add_argument(
        "--seed", type=int, default=SEED, metavar="N", help=f"of the draw (default: {SEED})"
    )


def run_label(arguments: Namespace) -> int:
    """Writes the sheet."""
    written = write_sheet(arguments.source, arguments.output, n=arguments.n, seed=arguments.seed)
    for note in written.notes:
        say(f"note: {note}")
    counts, answers = written.drawn
    flagged = sum(answer.flagged for answer in answers)
    drawn = f"{len(answers):,} answers: {flagged:,} of {counts.flagged:,} that the judge flags"
    others = f"{len(answers) - flagged:,} of {counts.others:,} others, in random order"
    show_line(f"{written.path}: {drawn}, and {others}")
    if counts.left_out:
        say(f"{counted(counts.left_out, 'case')} could not be graded, and nothing is said of them")
    command = shlex.join(["agreement", str(written.path), arguments.source])
    say(f"Fill the column label, then: faithfulness-assert {command}")
    return PASSED


def add_agreement_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``agreement``."""
    parser.epilog = (
        "Exit codes: 0 all figures, 2 wrong use, 3 no figures of the judge, because all labels\n"
        "are of one class."
    )
    parser.add_argument(
        "labels", metavar="LABELS", help="the sheet that `label` wrote, with labels"
    )
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="the run from which LABELS was drawn, and other runs over the same cases, such as by "
        "other judges or policies",
    )
    parser.add_argument(
        "--random",
        action="store_true",
        help="LABELS is a table of your own (columns id, label), of answers that were drawn at "
        "random from the first RUN",
    )
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="of LABELS, such as cp1252 for a file from Excel (default: utf-8)",
    )
    add_report_argument(parser)
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")


def run_agreement(arguments: Namespace) -> int:
    """Shows the figures."""
    check_report_argument(arguments)
    agreement = measure(
        arguments.labels, *arguments.runs, random=arguments.random, encoding=arguments.encoding
    )
    if arguments.report is not None:
        say(f"{write_agreement_report(agreement, arguments.report)}: the same as a page")
    if arguments.json:
        print_json(json.dumps(as_json(agreement)))
    else:
        _show(document(agreement))
    if agreement.problem:
        say(f"faithfulness-assert: {agreement.problem}")
        return NOT_GRADED
    return PASSED


def _show(document: Document) -> None:
    show_line(document.title, style="bold")
    for part in document.parts:
        if isinstance(part, Table):
            show_paragraph(part.title)
            show_table(part.head, part.rows)
        else:
            for line in part:
                show_line(line)


# ---------------------------------------------------------------- probe


def add_probe_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``probe``."""
    parser.epilog = "Exit codes: 0 every statement has a verdict, 2 wrong use, 3 some have none."
    add_judge_argument(parser)
    parser.add_argument(
        "--per-kind",
        type=int,
        default=PER_KIND,
        metavar="N",
        help=f"statements of each of the 20 kinds (default: {PER_KIND}; 100 finds smaller faults)",
    )
    parser.add_argument(
        "--draw",
        type=int,
        default=DRAW,
        metavar="N",
        help="which scenes, names and numbers are asked about (default: always the same)",
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="ask about the scenes that are kept apart, after a prompt was tuned on the others",
    )
    add_options(parser, "an option of the judge or the grader, such as cache=DIR; may be repeated")
    parser.add_argument("--concurrency", type=int, default=8, help="asks at once (default: 8)")
    parser.add_argument("--report", metavar="FILE", help="also write the card as an HTML page")
    parser.add_argument(
        "--estimate", action="store_true", help="say what it will use; send nothing"
    )
    parser.add_argument("--json", action="store_true", help="print the card as JSON")


def run_probe(arguments: Namespace) -> int:
    """Says what it will use, asks, and shows the card. Statements without a verdict end in 3."""
    asked = {name: getattr(arguments, name) for name in ("per_kind", "draw", "held_out")}
    given = {"judge": judge_in(arguments), **asked, **parse_options(arguments.option, "--option")}
    check_report_argument(arguments)
    estimate = probe_estimate(**given)
    if arguments.estimate:
        for line in str(estimate).splitlines():
            show_line(line)
        return PASSED
    free = "this judge computes here: nothing is sent, and it costs nothing"
    say(estimate.short if estimate.asks else free)
    card = probe(**given, concurrency=arguments.concurrency)
    if arguments.report:
        say(f"report: {write_probe_report(card, arguments.report)}")
    if arguments.json:
        print_json(json.dumps(card.to_json()))
    else:
        _show(card.document())
    return PASSED if card.is_whole else NOT_GRADED
