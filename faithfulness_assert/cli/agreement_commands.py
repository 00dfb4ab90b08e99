"""``label`` draws the answers that people label; ``agreement`` holds judges against the labels."""

from __future__ import annotations

import json
import re
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from ..agreement.drawing import count, open_run, widths
from ..agreement.measuring import Agreement, measure
from ..agreement.sheets import SEED, SUFFIXES, write_sheet
from ..agreement.views import as_json, disagreement_lines, facts, headline, notes, tables
from ..batch.comparison_views import code
from ..records.errors import ConfigError
from ..report.trust_pages import write_agreement_report
from .arguments import add_mapping_arguments, add_report_argument, check_report_argument, columns
from .exit_codes import NOT_GRADED, PASSED
from .terminal import print_json, say, show_line, show_paragraph, show_table

_PLAIN = re.compile(r"[\w .,;:%+()'=±-]*")
WIDTHS = ("labels", "flagged", "others", "good judge", "poor judge")


def add_label_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``label``."""
    parser.epilog = "Exit codes: 0 the sheet is written, 2 wrong use."
    parser.add_argument("source", metavar="RUN", help="a run directory, or its results as .jsonl")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"the sheet that is written ({', '.join(SUFFIXES)}); it must not exist",
    )
    parser.add_argument(
        "--n",
        type=int,
        metavar="N",
        help="how many answers are drawn; without it, it is said what each number buys, and "
        "nothing is written",
    )
    parser.add_argument(
        "--seed", type=int, default=SEED, metavar="N", help=f"of the draw (default: {SEED})"
    )
    parser.add_argument(
        "--data", metavar="FILE", help="the data set that was graded, for the texts"
    )
    add_mapping_arguments(parser)


def run_label(arguments: Namespace) -> int:
    """Writes the sheet, or says what each number of labels buys."""
    if arguments.n is None:
        _show_widths(arguments)
        return PASSED
    if arguments.output is None:
        raise ConfigError("--output: name the sheet, such as -o sheet.csv")
    written = write_sheet(
        arguments.source,
        arguments.output,
        n=arguments.n,
        seed=arguments.seed,
        data=arguments.data,
        mapping=columns(arguments),
        encoding=arguments.encoding,
    )
    for note in written.notes:
        say(f"note: {note}")
    counts, answers = written.drawn
    flagged = sum(answer.flagged for answer in answers)
    drawn = f"{len(answers):,} answers: {flagged:,} of {counts.flagged:,} that the judge flags"
    others = f"{len(answers) - flagged:,} of {counts.others:,} others, in random order"
    show_line(f"{written.path}: {drawn}, and {others}")
    if counts.left_out:
        say(f"{counts.left_out:,} cases could not be graded, and nothing is said of them")
    command = shlex.join(["agreement", str(written.path), arguments.source])
    say(f"Fill the column label, then: faithfulness-assert {command}")
    return PASSED


def _show_widths(arguments: Namespace) -> None:
    counts = count(open_run(arguments.source))
    told = f"{counts.flagged:,} answers are flagged, {counts.others:,} are not"
    show_line(f"{told}, {counts.left_out:,} are left out")
    rows = [
        (
            f"{width.labels:,}",
            f"{width.flagged:,}",
            f"{width.others:,}",
            *(f"± {100 * half:.1f}" for half in (width.good, width.poor)),
        )
        for width in widths(counts)
    ]
    show_table(WIDTHS, rows)
    show_paragraph(
        "± is half of the 95 % interval of the share of unfaithful answers, in points, if 80 % of "
        "the flagged answers and 1 % of the others are unfaithful (good judge), or 50 % and 5 % "
        "(poor judge). Nothing was written: choose --n."
    )


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
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print all figures as JSON")
    form.add_argument("--markdown", action="store_true", help="print them as Markdown")


def run_agreement(arguments: Namespace) -> int:
    """Shows the figures."""
    check_report_argument(arguments)
    found = measure(
        arguments.labels, *arguments.runs, random=arguments.random, encoding=arguments.encoding
    )
    if arguments.report is not None:
        say(f"{write_agreement_report(found, arguments.report)}: the same as a page")
    if arguments.json:
        print_json(json.dumps(as_json(found)))
    elif arguments.markdown:
        for line in markdown(found).splitlines():
            show_line(line)
    else:
        _show(found)
    if found.problem:
        say(f"faithfulness-assert: {found.problem}")
        return NOT_GRADED
    return PASSED


def _show(found: Agreement) -> None:
    show_line(headline(found), style="bold")
    for fact in facts(found):
        show_line(fact)
    for table in tables(found):
        show_paragraph(table.title)
        show_table(table.head, table.rows)
    show_line("")
    for note in notes(found):
        show_line(note)
    for judge in found.judges:
        heads = list(disagreement_lines(judge))
        if heads:
            show_paragraph(f"{judge.name}: {len(judge.disagreements):,} disagreements, worst first")
        for head, texts in heads:
            show_line(f"  {head}")
            for text in texts:
                show_line(f"    {text}")


def markdown(found: Agreement) -> str:
    """The figures as Markdown, in which no text of a model or a file is markup."""
    lines = [f"### {headline(found)}", "", *(f"- {_harmless(fact)}" for fact in facts(found))]
    for table in tables(found):
        lines += ["", f"**{_harmless(table.title)}**", ""]
        lines += [_row(table.head), _row(["---"] * len(table.head))]
        lines += [_row([_harmless(cell) for cell in row]) for row in table.rows]
    lines += ["", *(f"- {_harmless(note)}" for note in notes(found))]
    for judge in found.judges:
        for head, texts in disagreement_lines(judge):
            lines += [f"- {code(head)}", *(f"  - {code(text)}" for text in texts)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _harmless(text: str) -> str:
    """A text as it is if nothing in it can be markup or a mention, else as code."""
    return text if _PLAIN.fullmatch(text) else code(text)
