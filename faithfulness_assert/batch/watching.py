"""A run while it goes on: what stops it early (a budget that is used up, Ctrl-C, SIGTERM), and what
is shown of it on standard error: one line, or elsewhere a new one now and then.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from shutil import get_terminal_size
from types import FrameType
from typing import Any

from ..records.checks import check_number
from ..records.errors import ConfigError, option
from ..records.judge import Judge, judge_info
from ..text.strings import clip, counted, visible
from .summary import Summary, money

MOST = 10**15
BAR_SECONDS = 0.2
LINE_SECONDS = 30.0
MINUTE = 60.0
ERROR_LENGTH = 120
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)


class BudgetError(ConfigError):
    """A run costs more than it may. It says why; nothing was sent, and nothing changed."""


@dataclass(frozen=True)
class Budget:
    """What a run may use: prompt and completion tokens, a cost in the currency of the option
    ``prices``, and results that are grader errors. None means no limit.

    Grades that are under way when the budget is used up still end, so a run may go beyond it by
    what those cost.
    """

    max_run_tokens: int | None = None
    max_cost: float | None = None
    max_errors: int | None = None

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            check_number(name, number, 0, MOST, whole=name != "max_cost", optional=True)

    def check_prices(self, prices: object, judge: Judge) -> None:
        """Raises ``ConfigError`` if a cost is limited that nobody would know."""
        if self.max_cost is not None and not prices and judge_info(judge).remote:
            raise ConfigError(f"{option('max_cost')}: needs the option prices, or no cost is known")

    def exceeded(self, used: Summary) -> str:
        """Why a run that uses, or will use, so much must not go on, in words; "" if it may."""
        errors, cost = used.not_graded, used.cost or 0.0
        for name, number, words in (
            ("max_run_tokens", used.all_tokens, f"its tokens are {used.all_tokens:,}"),
            ("max_cost", cost, f"its cost is {cost:.6g}"),
            ("max_errors", errors - 1, f"{counted(errors, 'case')} could not be graded"),
        ):
            most = getattr(self, name)
            if most is not None and number >= most:
                return f"{words}, and {option(name)} is {most:,.12g}"
        return ""


class SoftStop:
    """While it is entered in the main thread, the first signal only sets ``number``.

    The second one, or the end of the grace, sets ``interrupted`` and raises ``KeyboardInterrupt``.
    Ask ``interrupted``, not the error that arrives: a library may have made its own error of it.

    Args:
        grace: the seconds from the first signal to that; None leaves signals as they are.
    """

    def __init__(self, grace: float | None) -> None:
        self.number, self.interrupted = 0, False
        self._grace = grace
        self._before: dict[int, Any] = {}
        self._timer: threading.Timer | None = None

    @property
    def reason(self) -> str:
        """Why to stop, in words; "" if no signal came."""
        return f"{signal.Signals(self.number).name} came" if self.number else ""

    def __enter__(self) -> SoftStop:
        self.install()
        return self

    def install(self) -> None:
        """Takes the signals over; again if somebody else did meanwhile, as Ray does."""
        if self._grace is None or threading.current_thread() is not threading.main_thread():
            return
        for number in SIGNALS:
            before = signal.getsignal(number)
            if before not in (self._came, signal.SIG_IGN):
                self._before.setdefault(number, before)
                signal.signal(number, self._came)

    def __exit__(self, *_: object) -> None:
        with suppress(KeyboardInterrupt):  # the grace may end at this moment
            if self._timer:
                self._timer.cancel()
                self._timer.join()
        for number, before in self._before.items():
            signal.signal(number, signal.SIG_DFL if before is None else before)

    def _came(self, number: int, _: FrameType | None) -> None:
        if self.number or not self._grace:
            self.number, self.interrupted = self.number or number, True
            raise KeyboardInterrupt
        self.number = number
        self._timer = threading.Timer(self._grace, self._end)
        self._timer.daemon = True
        self._timer.start()
        text = (
            f"\nstopping: what is under way gets {self._grace:g} s, and is kept where it "
            "arrives; once more stops at once\n"
        )
        with suppress(OSError, ValueError):  # a handler of signals may only write like this
            os.write(sys.stderr.fileno(), text.encode())

    def _end(self) -> None:
        """Interrupts the main thread, also where it waits."""
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, self.number)
        else:
            signal.raise_signal(self.number)


# ---------------------------------------------------------------- what is shown


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
        summary.last_error = ""  # what is shown is what goes wrong now

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
        seconds = round((self.total - summary.cases) / rate) if rate else 0
        left = f"{timedelta(seconds=seconds)} left" if rate else ""
        trouble, tokens = self.trouble(), summary.all_tokens
        parts = (
            f"{summary.cases:,} of {self.total:,}",
            clip(trouble, ERROR_LENGTH) or left,  # before all that a narrow terminal cuts off
            f"{summary.passed:,} passed, {summary.failed:,} failed"
            + (f", {summary.not_graded:,} not graded" if summary.not_graded else ""),
            "" if summary.cost is None else f"cost {money(summary.cost)}",
            f"{rate:,.1f}/s" if rate < 100 else f"{rate:,.0f}/s",  # 80 columns have those before
            f"{tokens:,} tokens" if tokens else "",
            "" if trouble else clip(summary.last_error, ERROR_LENGTH),
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
