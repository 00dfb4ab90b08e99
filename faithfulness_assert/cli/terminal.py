"""Shows results, on a terminal or as JSON, and counts them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..batch.summary import Summary
from ..cases.case import Case
from ..pytest_plugin.shown_case import (
    BLANK,
    Shown,
    lines_on_passed,
    notes_at_end,
    plain,
    shown_case,
    warning,
)
from ..records.result import GradingResult
from ..records.result_list import badness
from ..text.strings import visible, visible_json, visible_line
from .app import judged

MOST_NOTES = 5
"""Warnings about passing cases that are listed at the end, each once."""
WORST = 3
"""Failed cases that are shown of many."""
MIN_ROOM = 20
"""Columns for text; where fewer are left, lines that go on are not indented more."""


def show(
    graded: Iterable[tuple[GradingResult, Case | None]], *, as_json: bool, only_worst: bool = False
) -> int:
    """Shows each result as soon as it arrives. Returns the exit code.

    ``graded``: each with what was graded. ``only_worst``: shows the ``WORST`` failed ones at the
    end in place of all, and why others could not be graded. Counts, causes and warnings are of all.
    """
    summary, notes = Summary(), Counter[str]()
    before: GradingResult | None = None
    worst: list[tuple[float, int, GradingResult, Case | None]] = []
    for result, case in graded:
        summary.add(result)
        if as_json:
            print_json(result.model_dump_json())
            continue
        if only_worst:
            if result.outcome == "FAIL":
                worst.append((-badness(result), summary.cases, result, case))
                worst = sorted(worst, key=lambda one: one[:2])[:WORST]
        else:
            apart = before is not None and not (before.pass_ and result.pass_)
            _print_case(result, summary.cases, case, apart=apart)
        notes.update(set(notes_at_end(result)))
        before = result
    for place, (_, number, result, case) in enumerate(worst):
        _print_case(result, number, case, apart=place > 0)
    if before is not None:
        causes = summary.error_lines() if only_worst or summary.not_graded > 1 else ()
        _print_end(summary, causes, notes, before)
    if only_worst and before is not None:
        shown = f"{len(worst)} worst of {summary.failed:,} failed cases are shown"
        which = f"Only the {shown}. " if summary.failed > len(worst) else ""
        show_line(f"{which}--all shows every case, --report FILE.html a page with all.")
    return judged(summary)


def say(text: str) -> None:
    """Lines on standard error, for what is not the result of a command."""
    sys.stderr.write("".join(f"{visible(line)}\n" for line in text.split("\n")))
    sys.stderr.flush()


def show_line(text: str, more: str = "", *, style: str = "") -> None:
    """A line: ``text`` in ``style``, then ``more`` without. Line breaks are escaped too."""
    parts = [Text(visible_line(text), style), *([Text(visible_line(more))] if more else [])]
    _console().print(*parts, soft_wrap=True)


def say_notes(notes: Iterable[str]) -> None:
    """What is to be known of a result beside it."""
    for note in notes:
        say(f"note: {note}")


def show_lines(text: str, *, style: str = "") -> None:
    """Each line of a text, the first one in ``style``."""
    for place, line in enumerate(text.split("\n")):
        show_line(line, style="" if place else style)


def show_outcome(notes: Iterable[str], text: str) -> None:
    """What a run came to: the notes, and a text whose first line counts most."""
    say_notes(notes)
    show_lines(text, style="bold")


def show_paragraph(text: str) -> None:
    """A blank line, and a text that is wrapped to the width of the terminal."""
    _print_shown(BLANK)
    _print_shown(plain(text, 0))


def show_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table without lines between its cells. Its first column is never wrapped."""
    table = Table(*head, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for first, *cells in rows:
        table.add_row(Text(visible(first), no_wrap=True), *(Text(visible(cell)) for cell in cells))
    _console().print(table)


def print_json(text: str) -> None:
    """JSON on one line, with every character escaped that a terminal would act on.

    Always UTF-8, which JSON requires, whatever the terminal's encoding is.
    """
    sys.stdout.buffer.write(visible_json(text).encode() + b"\n")
    sys.stdout.buffer.flush()


def _print_case(result: GradingResult, number: int, case: Case | None, *, apart: bool) -> None:
    """A result and what was graded. ``apart``: with a blank line before it."""
    for line in (*([BLANK] if apart else []), *shown_case(result, number, case)):
        _print_shown(line)


def _print_end(
    summary: Summary, causes: Iterable[str], notes: Counter[str], last: GradingResult
) -> None:
    """Counts, what was used, and the warnings about cases of which only one line was shown."""
    counts, *others = summary.brief().split("\n")
    used = f"judge {last.judge}, policy {last.policy}, threshold {last.threshold:.2f}"
    lines = [BLANK, Shown(((counts, "bold"),), 0), *(plain(line, 0) for line in (*others, used))]
    told = lines_on_passed(notes, MOST_NOTES)
    lines += [warning(text, 0) for text in (*causes, *told)]
    if len(notes) > MOST_NOTES:
        lines.append(plain(f"! and {len(notes) - MOST_NOTES} more warnings", 0))
    for line in lines:
        _print_shown(line)


def _print_shown(line: Shown) -> None:
    """A line, wrapped to the width of the terminal. Its texts are made visible before and after.

    Wrapping may put at the start of a line what a CI's log would run as a command.
    """
    console = _console()
    text = Text.assemble(*((visible(piece), style) for piece, style in line.pieces))
    room = console.width - line.indent
    hanging = line.hanging if room - line.hanging >= MIN_ROOM else 0
    if line.single:
        text.truncate(room, overflow="ellipsis")
        rows = [text]
    else:
        rows = list(text.wrap(console, max(room - hanging, 1), overflow="fold"))
    for number, row in enumerate(rows or [Text()]):
        row.rstrip()
        safe = row if visible(row.plain) == row.plain else Text(visible(row.plain))
        indent = " " * (line.indent + (hanging if number else 0)) if row.plain else ""
        console.print(Text.assemble(indent, safe), soft_wrap=True)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leaves it to the command, as with other lines. rich would exit with 1: "failed"."""
        raise BrokenPipeError


@cache
def _console() -> Console:
    return _Console(highlight=False, markup=False, emoji=False)
