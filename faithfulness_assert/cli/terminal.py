"""Shows results, on a terminal or as JSON, and counts them."""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..batch.summary import Summary
from ..text.strings import clip, visible
from .exit_codes import FAILED, NOT_GRADED, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..records.result import GradingResult

STYLES = {
    "PASS": "bold green",
    "FAIL": "bold red",
    "ERROR": "bold yellow",
    "+": "green",
    "x": "red",
    "?": "red",
    "~": "yellow",
    "!": "yellow",
}
"""The styles of the words and marks with which a line of a result begins."""


def show(results: Iterable[GradingResult], *, as_json: bool) -> int:
    """Shows each result as soon as it arrives. Returns the exit code."""
    summary = Summary()
    for result in results:
        summary.add(result)
        if as_json:
            _print_json(result)
        else:
            _print_text(result, summary.cases)
    if not as_json:
        _console().print(Text(f"\n{summary.brief()}", "bold"), soft_wrap=True)
    return exit_code(summary)


def exit_code(summary: Summary) -> int:
    """The exit code of a run: whether all cases were graded, and passed."""
    if summary.not_graded:
        return NOT_GRADED
    return PASSED if summary.passed == summary.cases else FAILED


def show_line(text: str, more: str = "", *, style: str = "") -> None:
    """A line: ``text`` in ``style``, then ``more`` without. Control characters are escaped."""
    parts = [Text(visible(text), style), *([Text(visible(more))] if more else [])]
    _console().print(*parts, soft_wrap=True)


def show_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table without lines between its cells. Its first column is never wrapped."""
    table = Table(*head, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for first, *cells in rows:
        table.add_row(Text(first, no_wrap=True), *map(Text, cells))
    _console().print(table)


def _print_json(result: GradingResult) -> None:
    """The result on one line, with every character escaped that a terminal would act on.

    Always UTF-8, which JSON requires, whatever the terminal's encoding is.
    """
    text = result.model_dump_json(by_alias=True)
    if not text.isprintable():
        text = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def _print_text(result: GradingResult, number: int) -> None:
    name = clip(result.case_id)
    show_line(f"\n{f'case {number}' if name in ('', str(number)) else name}", style="bold")
    for line in result.pretty().splitlines():
        _console().print(_coloured(line), soft_wrap=True)


@cache
def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def _coloured(line: str) -> Text:
    mark = line.split(maxsplit=1)[0] if line.strip() else ""
    text = Text(line)
    if mark in STYLES:
        start = line.index(mark)
        text.stylize(STYLES[mark], start, start + len(mark))
    return text
