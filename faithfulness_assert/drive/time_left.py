"""How long a grade may take, and how much of that is left."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..records.errors import JudgeError


class Clock:
    """The clock of one grade.

    Args:
        deadline: the most seconds that it may take; None for no limit.
        timeout: the same for one ask of it.
    """

    def __init__(self, deadline: float | None = None, timeout: float | None = None) -> None:
        self.deadline, self.timeout = deadline, timeout
        self.left = TimeLeft(deadline)

    def overdue(self) -> JudgeError | None:
        """Why no more work on the texts may be done; None while it may."""
        if self.left() > 0:
            return None
        problem = "the deadline of this grade has passed while its texts were read, before any ask"
        return JudgeError(problem, "timeout", retryable=True)


class TimeLeft:
    """The seconds that a grade may still take: for the work on its texts, and from its first ask.

    They stand still while it waits for a thread or for its turn to ask, while an ask waits for a
    limit, and while all asks that are under way wait in line for a server, where other grades are
    before them.
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
    def working(self) -> Iterator[None]:
        """While the grade works on its texts."""
        stood_still = self._since is None
        if stood_still:
            self._since = self._now()
        try:
            yield
        finally:
            if stood_still:
                self._left, self._since = self(), None

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
