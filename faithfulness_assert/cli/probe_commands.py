"""``probe`` shows the card of a judge's blind spots. No labels and no data set are needed."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import Any

from ..options import parse_options
from ..probe import Card, Comparison, compare_cards, probe, probe_estimate
from ..probe.asking import DRAW, PER_KIND
from ..probe.card import HEAD
from ..probe.comparing import HEAD as COMPARED_HEAD
from ..report import check_report, write_probe_report
from .arguments import add_judge_argument, add_options
from .exit_codes import NOT_GRADED, PASSED
from .terminal import print_json, say, show_line, show_paragraph, show_table


def add_probe_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``probe``."""
    parser.epilog = "Exit codes: 0 every statement has a verdict, 2 wrong use, 3 some have none."
    add_judge_argument(parser)
    parser.add_argument(
        "--against",
        metavar="B",
        help="a second judge: both cards, and on which kinds one is better",
    )
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
        help="which scenes, names and numbers are asked about (default: always the same)",
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="ask about the scenes that are kept apart, after a prompt was tuned on the others",
    )
    add_options(parser, "an option of the judge or the grader, such as cache=DIR; may be repeated")
    own = "an option of B alone, such as base_url=URL; it has those of -o, too; may be repeated"
    add_options(parser, own, ("--against-option",))
    parser.add_argument("--concurrency", type=int, default=8, help="asks at once (default: 8)")
    parser.add_argument("--report", metavar="FILE", help="also write the card as an HTML page")
    parser.add_argument(
        "--estimate", action="store_true", help="say what it will use; send nothing"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the card as JSON")
    form.add_argument("--markdown", action="store_true", help="print the card as Markdown")


def run_probe(arguments: Namespace) -> int:
    """Says what it will use, asks, and shows the card. Statements without a verdict end in 3."""
    given = _given(arguments)
    if arguments.report:
        check_report(arguments.report)
    estimates = [probe_estimate(**each) for each in given]
    if arguments.estimate:
        for each, estimate in zip(given, estimates, strict=True):
            if len(given) > 1:
                show_line(f"{each['judge'] or 'the judge of the settings'}:")
            for line in str(estimate).splitlines():
                show_line(line)
        return PASSED
    free = "this judge computes here: nothing is sent, and it costs nothing"
    for estimate in estimates:
        say(estimate.short if estimate.asks else free)
    cards = [probe(**each, concurrency=arguments.concurrency) for each in given]
    shown = cards[0] if len(cards) == 1 else compare_cards(*cards)
    if arguments.report:
        say(f"report: {write_probe_report(shown, arguments.report)}")
    _show(shown, arguments)
    return PASSED if all(card.is_whole for card in cards) else NOT_GRADED


def _given(arguments: Namespace) -> list[dict[str, Any]]:
    """The arguments of ``probe`` for each judge."""
    options = parse_options(arguments.option, "--option")
    own = parse_options(arguments.against_option, "--against-option")
    asked = {
        "per_kind": arguments.per_kind,
        "draw": arguments.draw,
        "held_out": arguments.held_out,
    }
    given = [{"judge": arguments.judge, **asked, **options}]
    if arguments.against:
        given.append({"judge": arguments.against, **asked, **options, **own})
    return given


def _show(shown: Card | Comparison, arguments: Namespace) -> None:
    if arguments.json:
        print_json(json.dumps(shown.to_json()))
    elif arguments.markdown:
        for line in shown.to_markdown().splitlines():
            show_line(line)
    elif isinstance(shown, Card):
        _show_card(shown)
    else:
        show_line(shown.title(), style="bold")
        show_table(COMPARED_HEAD, shown.rows())
        show_line(shown.note())
        for card in (shown.first, shown.second):
            show_line("")
            _show_card(card)


def _show_card(card: Card) -> None:
    show_line(f"Blind spots of {card.judge}", style="bold")
    for title, rows in card.tables():
        show_paragraph(title)
        show_table(HEAD, rows)
    show_line("")
    for note in card.notes():
        show_line(note)
