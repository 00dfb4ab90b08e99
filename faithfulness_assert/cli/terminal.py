"""Results as they come, on a terminal or as lines of JSON, and what they add up to."""

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

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..records.result import GradingResult

PASSED, FAILED, WRONG_USE, NOT_GRADED = 0, 1, 2, 3
"""Exit codes."""
UNRELIABLE = 0.1
"""From this share of failed controls on, a run says that its judge is not to be trusted."""
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


@dataclass(slots=True)
class Tally:
    """What is kept of the results that were shown, however many they are."""

    cases: int = 0
    passed: int = 0
    errors: int = 0
    defined: int = 0
    total: float = 0.0  # of the scores that are defined
    controls: int = 0
    controls_failed: int = 0

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

    @property
    def exit_code(self) -> int:
        if self.errors:
            return NOT_GRADED
        return PASSED if self.passed == self.cases else FAILED

    def __str__(self) -> str:
        mean = (
            f"mean score {self.total / self.defined:.2f} over {self.defined} defined"
            if self.defined
            else "no score is defined"
        )
        failed = self.cases - self.passed - self.errors
        return f"{self.cases} cases: {self.passed} passed, {failed} failed, {self.errors} not graded; {mean}{self._reliability()}"

    def _reliability(self) -> str:
        if not self.controls:
            return ""
        told = f"\nthe judge failed {self.controls_failed} of {self.controls} controls"
        distrust = self.controls_failed >= UNRELIABLE * self.controls
        return f"{told}: do not trust these scores, name another judge" if distrust else told


def show(results: Iterable[GradingResult], *, as_json: bool) -> Tally:
    """Shows each result as soon as it is there."""
    tally = Tally()
    show = _as_json if as_json else _as_text
    for result in results:
        tally.add(result)
        show(result, tally.cases)
    if not as_json:
        _terminal().print(Text(f"\n{tally}", "bold"), soft_wrap=True)
    return tally


def show_line(text: str, more: str = "", *, style: str = "") -> None:
    """A line of text in ``style``, and ``more`` behind it without. What a terminal would act on is escaped."""
    parts = [Text(visible(text), style), *([Text(visible(more))] if more else [])]
    _terminal().print(*parts, soft_wrap=True)


def show_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table. Its first column is never wrapped."""
    table = Table(*head)
    for first, *cells in rows:
        table.add_row(Text(first, no_wrap=True), *cells)
    _terminal().print(table)


def _as_json(result: GradingResult, number: int) -> None:  # noqa: ARG001 - the order tells it
    # JSON is UTF-8 wherever it goes: what a terminal's own encoding makes of it may be no JSON.
    # What a terminal would act on is escaped, as JSON has it.
    text = result.model_dump_json(by_alias=True)
    text = (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    )
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def _as_text(result: GradingResult, number: int) -> None:
    console = _terminal()
    console.print(
        Text(f"\n{visible(clip(result.case_id) or f'case {number}')}", "bold"), soft_wrap=True
    )
    for line in result.pretty().splitlines():
        console.print(_coloured(line), soft_wrap=True)


@cache
def _terminal() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def _coloured(line: str) -> Text:
    mark = line.split(maxsplit=1)[0] if line.strip() else ""
    text = Text(line)
    if mark in STYLES:
        text.stylize(STYLES[mark], line.index(mark), line.index(mark) + len(mark))
    return text
