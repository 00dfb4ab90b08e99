"""What is shown of a run on standard error: one line, or elsewhere a new one now and then."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size

from ..text.strings import clip, visible
from .summary import Summary, duration, money

BAR_SECONDS = 0.2
LINE_SECONDS = 30.0
MINUTE = 60.0
ERROR_LENGTH = 120


class Counts:
    """How many rows of a run have which result; as text, what is shown of it.

    Args:
        summary: of all results, also of those before it went on. It grows meanwhile.
        total: rows of the run.
        trouble: says why nothing may come from the judge's server at the moment; "" if it answers.
    """

    def __init__(self, summary: Summary, total: int, trouble: Callable[[], str] = str) -> None:
        self.summary, self.total, self.trouble = summary, total, trouble
        self._past = deque([(time.monotonic(), summary.cases)])
        summary.errors.last = ""  # what is shown is what goes wrong now

    def _rate(self) -> float:
        """Results for each second of the last minute."""
        now = time.monotonic()
        self._past.append((now, self.summary.cases))
        while self._past[1][0] <= now - MINUTE:
            self._past.popleft()
        since, cases = self._past[0]
        return (self.summary.cases - cases) / (now - since) if now > since else 0.0

    def __str__(self) -> str:
        summary, rate = self.summary, self._rate()
        left = f"{duration((self.total - summary.cases) / rate)} left" if rate else ""
        trouble, tokens = self.trouble(), summary.all_tokens
        parts = (
            f"{summary.cases:,} of {self.total:,}",
            clip(trouble, ERROR_LENGTH) or left,  # before all that a narrow terminal cuts off
            f"{summary.passed:,} passed, {summary.failed:,} failed"
            + (f", {summary.not_graded:,} not graded" if summary.not_graded else ""),
            "" if summary.cost is None else f"cost {money(summary.cost)}",
            f"{rate:,.1f}/s" if rate < 100 else f"{rate:,.0f}/s",  # 80 columns have those before
            f"{tokens:,} tokens" if tokens else "",
            "" if trouble else clip(summary.errors.last, ERROR_LENGTH),
        )
        return visible(" | ".join(filter(None, parts)))


@contextmanager
def shown(counts: Counts, *, wanted: bool) -> Iterator[None]:
    """Shows how the counts grow meanwhile, also while no result comes.

    In one line where standard error is a terminal and ``CI`` is not set; else in a new one every
    half minute.
    """
    if not wanted:
        yield
        return
    is_bar = sys.stderr.isatty() and not os.environ.get("CI")
    width, ended = get_terminal_size().columns - 1, threading.Event()

    def show() -> None:
        text = str(counts)
        sys.stderr.write(f"\r{clip(text, width):{width}}" if is_bar else f"{text}\n")
        sys.stderr.flush()

    def go_on() -> None:
        while not ended.wait(BAR_SECONDS if is_bar else LINE_SECONDS):
            show()

    thread = threading.Thread(target=go_on, daemon=True, name="faithfulness-progress")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        if is_bar:
            show()
            sys.stderr.write("\n")
