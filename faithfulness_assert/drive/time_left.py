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


class TimeLeft:
    """The seconds that a grade may still take. They begin with its first ask."""

    def __init__(
        self, seconds: float | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._left = math.inf if seconds is None else seconds
        self._now = now
        self._since: float | None = None  # None while the time stands still
        self._waiting = 0

    def __call__(self) -> float:
        """The seconds."""
        return self._left - (0 if self._since is None else self._now() - self._since)

    def start(self) -> None:
        """An ask is ready."""
        if self._since is None and not self._waiting:
            self._since = self._now()

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """While an ask waits for a limit, its grade loses no time."""
        self._left, self._since = self(), None
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            self.start()
