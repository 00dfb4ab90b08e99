"""Shows how a run goes: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from ..text.strings import clip, visible
from .summary import Summary, duration

BAR_SECONDS = 0.2
LINE_SECONDS = 30.0
ERROR_LENGTH = 120


@dataclass(slots=True)
class Counts:
    """How many rows of a run have which result.

    Args:
        found: what the run found, also before it went on.
        total: rows of the run.
        trouble: says why nothing may come from the judge's server at the moment; "" if it answers.
        before: how many had a result when the run began or went on.
    """

    found: Summary
    total: int
    trouble: Callable[[], str] = str
    before: int = field(init=False)
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.before = self.found.cases
        self.found.errors.last = ""  # what is shown is what goes wrong now

    def __str__(self) -> str:
        found, seconds = self.found, time.monotonic() - self.started
        rate = (found.cases - self.before) / seconds if seconds > 0 else 0.0
        parts = [
            f"{found.cases:,} of {self.total:,}",
            f"{rate:,.1f}/s" if rate < 100 else f"{rate:,.0f}/s",
            f"{found.passed:,} passed, {found.failed:,} failed, {found.not_graded:,} not graded",
        ]
        if tokens := found.tokens["prompt"] + found.tokens["completion"]:
            parts.append(f"{tokens:,} tokens")
        if found.cost is not None:
            parts.append(f"cost {found.cost:,.4g}")
        trouble = self.trouble()
        if rate and not trouble:
            parts.append(f"{duration((self.total - found.cases) / rate)} left")
        if trouble:
            parts.append(clip(trouble, ERROR_LENGTH))
        elif last := found.errors.last:
            parts.append(clip(last, ERROR_LENGTH))
        return " | ".join(parts)


@contextmanager
def shown(counts: Counts, *, wanted: bool) -> Iterator[None]:
    """Shows on standard error how the counts grow meanwhile, also while no result comes.

    A bar where that is a terminal and ``CI`` is not set; else a line every half minute.
    """
    if not wanted:
        yield
    elif sys.stderr.isatty() and not os.environ.get("CI"):
        with _bar(counts) as show, every(BAR_SECONDS, show):
            yield
    else:
        with every(LINE_SECONDS, partial(_line, counts)):
            yield


@contextmanager
def every(seconds: float, show: Callable[[], None]) -> Iterator[None]:
    """Calls ``show`` now and then, in a thread."""
    ended = threading.Event()

    def show_on() -> None:
        while not ended.wait(seconds):
            show()

    thread = threading.Thread(target=show_on, daemon=True, name="faithfulness-progress")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _line(counts: Counts) -> None:
    sys.stderr.write(f"{visible(str(counts))}\n")
    sys.stderr.flush()


@contextmanager
def _bar(counts: Counts) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = BarColumn(bar_width=20), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as progress:
        task = progress.add_task("")

        def show() -> None:
            said = visible(str(counts))
            progress.update(
                task, total=counts.total, completed=counts.found.cases, description=said
            )
            progress.refresh()

        show()
        yield show
        show()
