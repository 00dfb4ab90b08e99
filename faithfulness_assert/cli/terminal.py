"""Shows results, on a terminal or as JSON, and counts them."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..text.strings import clip, visible
from .exit_codes import FAILED, NOT_GRADED, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..records.result import GradingResult

UNRELIABLE = 0.1
"""The share of failed controls from which a run warns that its judge is unreliable."""
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


@dataclass(slots=True)
class Tally:
    """Counts of results. It keeps no result, so that a run may have any number of them."""

    cases: int = 0
    passed: int = 0
    errors: int = 0
    defined: int = 0
    total: float = 0.0  # sum of the defined scores
    controls: int = 0
    controls_failed: int = 0
    controls_unanswered: int = 0

    def add(self, result: GradingResult) -> None:
        """Counts a result."""
        self.cases += 1
        self.passed += result.pass_
        self.errors += result.error is not None
        self.defined += result.defined
        self.total += result.score if result.defined else 0.0
        controls = result.metadata.get("controls", {})
        self.controls += controls.get("asked", 0)
        self.controls_failed += controls.get("failed", 0)
        self.controls_unanswered += controls.get("unanswered", 0)

    @property
    def exit_code(self) -> int:
        """The exit code of the run."""
        if self.errors:
            return NOT_GRADED
        return PASSED if self.passed == self.cases else FAILED

    def __str__(self) -> str:
        failed = self.cases - self.passed - self.errors
        counts = f"{self.passed} passed, {failed} failed, {self.errors} not graded"
        cases = "1 case" if self.cases == 1 else f"{self.cases} cases"
        return f"{cases}: {counts}; {self._mean()}{self._reliability()}"

    def _mean(self) -> str:
        if not self.defined:
            return "no case has a score"
        return f"mean score {self.total / self.defined:.2f} ({self.defined} with a score)"

    def _reliability(self) -> str:
        if not self.controls:
            return ""
        failures = f"\nthe judge failed {self.controls_failed} of {self.controls} controls"
        if self.controls_unanswered:
            failures += f" and did not answer {self.controls_unanswered}"
        if self.controls_failed + self.controls_unanswered < UNRELIABLE * self.controls:
            return failures
        return f"{failures}: do not trust these scores; use another judge"


def show(results: Iterable[GradingResult], *, as_json: bool) -> Tally:
    """Shows each result as soon as it arrives."""
    tally = Tally()
    for result in results:
        tally.add(result)
        if as_json:
            _print_json(result)
        else:
            _print_text(result, tally.cases)
    if not as_json:
        _console().print(Text(f"\n{tally}", "bold"), soft_wrap=True)
    return tally


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
    show_line(f"\n{clip(result.case_id) or f'case {number}'}", style="bold")
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
