"""How long a grade may take, and how much of that is left."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Clock:
    """The most seconds that a whole grade, and one ask of it, may take; None for no limit."""

    deadline: float | None = None
    timeout: float | None = None

    def after(self, used: float) -> Clock:
        """The clock of a grade of which so many seconds are over."""
        if not used or self.deadline is None:
            return self
        return Clock(max(self.deadline - used, 0.0), self.timeout)


class TimeLeft:
    """The seconds that a grade may still take. They begin with its first ask.

    They stand still while an ask waits for a limit, and while all asks that are under way wait in
    line for a server, where other grades are before them.
    """

    def __init__(
        self, seconds: float | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._left = math.inf if seconds is None else seconds
        self._now = now
        self._since: float | None = None  # None while the time stands still
        self._asks = self._in_line = self._waiting = 0

    def __call__(self) -> float:
        """The seconds."""
        return self._left - (0 if self._since is None else self._now() - self._since)

    def start(self) -> None:
        """An ask is ready."""
        stands_still = self._waiting or (self._asks and self._in_line == self._asks)
        if stands_still:
            self._left, self._since = self(), None
        elif self._since is None:
            self._since = self._now()

    @contextmanager
    def of_an_ask(self) -> Iterator[None]:
        """While an ask is under way, in line or not."""
        self._asks += 1
        try:
            yield
        finally:
            self._asks -= 1
            self.start()

    @contextmanager
    def in_line(self) -> Iterator[None]:
        """While an ask waits for a server that answers others first."""
        self._in_line += 1
        self.start()
        try:
            yield
        finally:
            self._in_line -= 1
            self.start()

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """While an ask waits for a limit, its grade loses no time."""
        self._waiting += 1
        self.start()
        try:
            yield
        finally:
            self._waiting -= 1
            self.start()
