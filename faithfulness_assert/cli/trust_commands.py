"""How far a judge can be trusted.

``label`` draws the answers that people label, and ``agreement`` holds judges against the labels.
``probe`` shows the card of a judge's blind spots: it needs no labels and no data set.
"""

from __future__ import annotations

import json
import shlex
from argparse import Namespace

from ..agreement.document import Document, Table, as_json, document
from ..agreement.measuring import measure
from ..agreement.sheets import write_sheet
from ..probe import probe, probe_estimate
from ..report import write_probe_report
from ..report.page import write_agreement_report
from ..text.strings import counted
from .app import NOT_GRADED, PASSED
from .arguments import check_report_argument, judge_options
from .terminal import (
    print_json,
    say,
    say_notes,
    show_line,
    show_lines,
    show_paragraph,
    show_table,
)


def run_label(arguments: Namespace) -> int:
    """Writes the sheet."""
    written = write_sheet(arguments.RUN, arguments.output, n=arguments.n, seed=arguments.seed)
    say_notes(written.notes)
    counts, answers = written.drawn
    flagged = sum(answer.flagged for answer in answers)
    drawn = f"{len(answers):,} answers: {flagged:,} of {counts.flagged:,} that the judge flags"
    others = f"{len(answers) - flagged:,} of {counts.others:,} others, in random order"
    show_line(f"{written.path}: {drawn}, and {others}")
    if counts.left_out:
        say(f"{counted(counts.left_out, 'case')} could not be graded, and nothing is said of them")
    command = shlex.join(["agreement", str(written.path), arguments.RUN])
    say(f"Fill the column label, then: faithfulness-assert {command}")
    return PASSED


def run_agreement(arguments: Namespace) -> int:
    """Shows the figures."""
    check_report_argument(arguments)
    agreement = measure(
        arguments.LABELS, *arguments.RUN, random=arguments.random, encoding=arguments.encoding
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


def run_probe(arguments: Namespace) -> int:
    """Says what it will use, asks, and shows the card. Statements without a verdict end in 3."""
    asked = {"per_kind": arguments.per_kind, "draw": arguments.draw}
    given = {**asked, "held_out": bool(arguments.held_out), **judge_options(arguments)}
    check_report_argument(arguments)
    estimate = probe_estimate(**given)
    if arguments.estimate:
        show_lines(str(estimate))
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
