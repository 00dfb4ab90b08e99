"""What stops a run early: a budget that is used up, Ctrl-C, SIGTERM."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ..records.checks import check_number
from ..records.errors import ConfigError, option
from ..text.strings import counted
from .estimate import Estimate
from .summary import Summary

MOST = 10**15
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)


class BudgetError(ConfigError):
    """A run costs more than it may. It says why; nothing was sent, and nothing changed."""


@dataclass(frozen=True)
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

    max_run_tokens: int | None = None
    max_cost: float | None = None
    max_errors: int | None = None

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            check_number(name, number, 0, MOST, whole=name != "max_cost", optional=True)

    def _is(self, name: str) -> str:
        return f"{option(name)} is {getattr(self, name):,.12g}"

    def too_small_for(self, estimate: Estimate) -> str:
        """Why a run with this estimate must not begin, in words; "" if it may."""
        tokens = estimate.prompt + estimate.completion
        if self.max_run_tokens is not None and tokens > self.max_run_tokens:
            return f"it would use about {tokens:,} tokens, and {self._is('max_run_tokens')}"
        if self.max_cost is not None and estimate.cost is None:
            return f"its cost is unknown: {option('max_cost')} needs the option prices"
        if self.max_cost is not None and (estimate.cost or 0.0) > self.max_cost:
            return f"it would cost about {estimate.cost:.6g}, and {self._is('max_cost')}"
        return ""

    def exceeded(self, summary: Summary) -> str:
        """Why the run must stop, in words; "" while it may go on."""
        errors, tokens, cost = summary.not_graded, summary.all_tokens, summary.cost or 0.0
        if self.max_run_tokens is not None and tokens >= self.max_run_tokens:
            return f"it has used {tokens:,} tokens, and {self._is('max_run_tokens')}"
        if self.max_cost is not None and cost >= self.max_cost:
            return f"it has cost {cost:.6g}, and {self._is('max_cost')}"
        if self.max_errors is not None and errors > self.max_errors:
            return f"{counted(errors, 'case')} could not be graded, and {self._is('max_errors')}"
        return ""


class SoftStop:
    """While it is entered in the main thread, the first signal only sets ``number``.

    The second one, or the end of the grace, sets ``interrupted`` and raises ``KeyboardInterrupt``.
    Ask ``interrupted``, not the error that arrives: a library may have made its own error of it.

    Args:
        grace: the seconds from the first signal to that; None leaves signals as they are.
        tell: say on standard error that the grace begins.
    """

    def __init__(self, grace: float | None, *, tell: bool = False) -> None:
        self.number, self.interrupted = 0, False
        self._grace, self._tell = grace, tell
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
        if self._tell:
            # a handler of signals may only write like this
            text = (
                f"\nstopping: what is under way gets {self._grace:g} s, and is kept where it "
                "arrives; once more stops at once\n"
            )
            with suppress(OSError, ValueError):
                os.write(sys.stderr.fileno(), text.encode())

    def _end(self) -> None:
        """Interrupts the main thread, also where it waits."""
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, self.number)
        else:
            signal.raise_signal(self.number)
