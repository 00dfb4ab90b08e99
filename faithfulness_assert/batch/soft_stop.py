"""Ctrl-C and SIGTERM as reasons to stop: what is under way gets a few seconds first."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Any

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)


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
            _tell_grace(self._grace)

    def _end(self) -> None:
        """Interrupts the main thread, also where it waits."""
        with self._lock:
            if not self._entered:
                return
            if hasattr(signal, "pthread_kill"):
                signal.pthread_kill(threading.main_thread().ident or 0, self.number)
            else:
                signal.raise_signal(self.number)


def _tell_grace(seconds: float) -> None:
    """Says on standard error what happens now. A handler of signals may only write like this."""
    said = (
        f"\nstopping: what is under way gets {seconds:g} s, and is kept where it arrives; "
        "once more stops at once\n"
    )
    with suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), said.encode())
