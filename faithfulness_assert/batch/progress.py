"""How a run goes: what is shown of it meanwhile, and what stops it early.

A bar is shown on a terminal, a line now and then elsewhere. A run stops when its budget is used up,
or when Ctrl-C or SIGTERM came.
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
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Any

from ..records.checks import check_number
from ..records.errors import option
from ..text.strings import clip, visible
from .estimate import Estimate
from .summary import Summary, duration, money

BAR_SECONDS = 0.2
LINE_SECONDS = 30.0
MINUTE = 60.0
ERROR_LENGTH = 120
MOST = 10**15
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)


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
    _told: deque[tuple[float, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.before = self.found.cases
        self._told = deque([(time.monotonic(), self.before)])
        self.found.errors.last = ""  # what is shown is what goes wrong now

    def _rate(self) -> float:
        """Results for each second of the last minute."""
        now = time.monotonic()
        self._told.append((now, self.found.cases))
        while self._told[1][0] <= now - MINUTE:
            self._told.popleft()
        since, cases = self._told[0]
        return (self.found.cases - cases) / (now - since) if now > since else 0.0

    def __str__(self) -> str:
        found, rate = self.found, self._rate()
        left = f"{duration((self.total - found.cases) / rate)} left" if rate else ""
        trouble, tokens = self.trouble(), found.tokens["prompt"] + found.tokens["completion"]
        parts = (
            f"{found.cases:,} of {self.total:,}",
            f"{rate:,.1f}/s" if rate < 100 else f"{rate:,.0f}/s",
            clip(trouble, ERROR_LENGTH) or left,  # before all that a narrow terminal cuts off
            f"{found.passed:,} passed, {found.failed:,} failed"
            + (f", {found.not_graded:,} not graded" if found.not_graded else ""),
            "" if found.cost is None else f"cost {money(found.cost)}",
            f"{tokens:,} tokens" if tokens else "",
            "" if trouble else clip(found.errors.last, ERROR_LENGTH),
        )
        return " | ".join(filter(None, parts))


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


# ---------------------------------------------------------------- tokens, money, errors


class Budget:
    """What a run may use. None means no limit.

    Grades that are under way when the budget is used up still end, so a run may go beyond it by
    what those cost.

    Args:
        max_run_tokens: prompt and completion tokens. The run stops when it has used as many.
        max_cost: in the currency of the option ``prices``. The run stops when it has cost as much.
        max_errors: results that are grader errors. The run stops when there are more.

    Raises:
        ConfigError: a limit is not a number from 0, or ``max_run_tokens`` or ``max_errors`` not
            a whole one.
    """

    def __init__(
        self,
        max_run_tokens: int | None = None,
        max_cost: float | None = None,
        max_errors: int | None = None,
    ) -> None:
        limits = {"max_run_tokens": max_run_tokens, "max_cost": max_cost, "max_errors": max_errors}
        for name, limit in limits.items():
            if limit is not None:
                check_number(name, limit, 0, MOST, whole=name != "max_cost")
        self._max_tokens, self._max_cost, self.max_errors = max_run_tokens, max_cost, max_errors

    def too_small_for(self, estimate: Estimate) -> str:
        """Why a run with this estimate must not begin, in words; "" if it may."""
        tokens = estimate.prompt + estimate.completion
        if self._max_tokens is not None and tokens > self._max_tokens:
            most = _limit("max_run_tokens", self._max_tokens)
            return f"it would use about {tokens:,} tokens, and {most}"
        if self._max_cost is not None and estimate.cost is None:
            return f"its cost is unknown: {option('max_cost')} needs the option prices"
        if self._max_cost is not None and (estimate.cost or 0.0) > self._max_cost:
            most = _limit("max_cost", self._max_cost)
            return f"it would cost about {estimate.cost:.6g}, and {most}"
        return ""

    def exceeded(self, found: Summary, earlier: Summary) -> str:
        """Why the run must stop, in words; "" while it may go on.

        Args:
            found, earlier: its results, and those in whose place others came.
        """
        parts, errors = (found, earlier), found.not_graded
        tokens = sum(part.tokens["prompt"] + part.tokens["completion"] for part in parts)
        cost = sum(part.cost or 0.0 for part in parts)
        if self._max_tokens is not None and tokens >= self._max_tokens:
            return (
                f"it has used {tokens:,} tokens, and {_limit('max_run_tokens', self._max_tokens)}"
            )
        if self._max_cost is not None and (found.unpriced or earlier.unpriced):
            return (
                "results that were graded without the option prices have an unknown cost; "
                f"leave {option('max_cost')} out, or use {option('max_run_tokens')}"
            )
        if self._max_cost is not None and cost >= self._max_cost:
            return f"it has cost {cost:.6g}, and {_limit('max_cost', self._max_cost)}"
        if self.max_errors is not None and errors > self.max_errors:
            results = "1 case" if errors == 1 else f"{errors:,} cases"
            return f"{results} could not be graded, and {_limit('max_errors', self.max_errors)}"
        return ""


def _limit(name: str, most: float) -> str:
    return f"{option(name)} is {most:,.12g}"


# ---------------------------------------------------------------- signals


def from_interrupt(error: BaseException | None) -> bool:
    """Whether it is a ``KeyboardInterrupt``, or was made of one by a library."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


class SoftStop:
    """While it is entered in the main thread, the first signal only sets ``number``.

    The second one, or the end of the grace, raises ``KeyboardInterrupt``.

    Args:
        grace: the seconds from the first signal to that; None leaves signals as they are.
        tell: say on standard error that the grace begins.
    """

    def __init__(self, grace: float | None, *, tell: bool = False) -> None:
        self.number = 0
        self._grace, self._tell = grace, tell
        self._before: dict[int, Any] = {}
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._entered = False

    @property
    def reason(self) -> str:
        """Why to stop, in words; "" if no signal came."""
        return f"{signal.Signals(self.number).name} came" if self.number else ""

    def __enter__(self) -> SoftStop:
        self._entered = True
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
        with suppress(KeyboardInterrupt), self._lock:  # the grace may end at this moment
            self._entered = False
        if self._timer:
            self._timer.cancel()
        for number, before in self._before.items():
            signal.signal(number, signal.SIG_DFL if before is None else before)

    def _came(self, number: int, _: FrameType | None) -> None:
        if self.number:
            raise KeyboardInterrupt
        self.number = number
        if not self._grace:
            raise KeyboardInterrupt
        self._timer = threading.Timer(self._grace, self._end)
        self._timer.daemon = True
        self._timer.start()
        if self._tell:
            # a handler of signals may only write like this
            said = (
                f"\nstopping: what is under way gets {self._grace:g} s, and is kept where it "
                "arrives; once more stops at once\n"
            )
            with suppress(OSError, ValueError):
                os.write(sys.stderr.fileno(), said.encode())

    def _end(self) -> None:
        """Interrupts the main thread, also where it waits."""
        with self._lock:
            if not self._entered:
                return
            if hasattr(signal, "pthread_kill"):
                signal.pthread_kill(threading.main_thread().ident or 0, self.number)
            else:
                signal.raise_signal(self.number)
