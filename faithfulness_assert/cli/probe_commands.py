"""``probe`` shows the card of a judge's blind spots. No labels and no data set are needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..options import parse_options
from ..probe import probe, probe_estimate
from ..probe.asking import DRAW, PER_KIND
from ..probe.card import HEAD
from .arguments import add_judge_argument
from .exit_codes import NOT_GRADED, PASSED
from .terminal import print_json, say, show_line, show_paragraph, show_table

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_probe_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``probe``."""
    add_judge_argument(parser)
    parser.add_argument(
        "--per-kind",
        type=int,
        default=PER_KIND,
        metavar="N",
        help=f"statements of each of the 18 kinds (default: {PER_KIND}; 100 finds smaller faults)",
    )
    parser.add_argument(
        "--draw",
        type=int,
        default=DRAW,
        metavar="N",
        help="which names, dates and numbers are asked about (default: always the same)",
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="ask about the scenes that are kept apart, after a prompt was tuned on the others",
    )
    parser.add_argument(
        "-o",
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the judge or the grader, such as cache=DIR, or prices=...; may be "
        "repeated",
    )
    parser.add_argument("--concurrency", type=int, default=8, help="asks at once (default: 8)")
    parser.add_argument(
        "--estimate", action="store_true", help="say what it will use; send nothing"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the card as JSON")
    form.add_argument("--markdown", action="store_true", help="print the card as Markdown")


def run_probe(arguments: Namespace) -> int:
    """Says what it will use, asks, and shows the card. Statements without a verdict end in 3."""
    given = {
        "judge": arguments.judge,
        "per_kind": arguments.per_kind,
        "draw": arguments.draw,
        "held_out": arguments.held_out,
        **parse_options(arguments.option, "--option"),
    }
    estimate = probe_estimate(**given)
    if arguments.estimate:
        for line in str(estimate).splitlines():
            show_line(line)
        return PASSED
    cost = "" if estimate.cost is None else f", cost {estimate.cost:,.4f}"
    tokens = f"{estimate.prompt:,} prompt and {estimate.completion:,} completion tokens"
    asks = f"about {estimate.asks} asks, {tokens}{cost}"
    say(
        asks if estimate.asks else "this judge computes here: nothing is sent, and it costs nothing"
    )
    card = probe(**given, concurrency=arguments.concurrency)
    if arguments.json:
        print_json(json.dumps(card.to_json()))
    elif arguments.markdown:
        for line in card.to_markdown().splitlines():
            show_line(line)
    else:
        show_line(f"Blind spots of {card.judge}", style="bold")
        for title, rows in card.tables():
            show_paragraph(title)
            show_table(HEAD, rows)
        show_line("")
        for note in card.notes():
            show_line(note)
    return PASSED if card.is_whole else NOT_GRADED
