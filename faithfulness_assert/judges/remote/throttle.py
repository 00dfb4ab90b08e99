"""How fast a server is asked that wants to be asked less often (HTTP 429, ``retry-after``).

One ask that waits does not help if all others go on. So all asks of a judge wait until the server
takes asks again, and then go out one by one, more slowly than before. As long as the server takes
them, they get faster. Before the first 429 nothing waits.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answers import Failure

SLOWER = 0.8
"""The part of a rate that remains when the server refuses it."""
DOUBLES_IN = 60.0
"""Seconds without a refusal in which a rate doubles."""
PERIOD = 60.0
"""Seconds over which the rate of tries is measured: servers count for minutes or seconds."""
PAUSE = 0.5
"""Seconds to wait if the server does not say how long."""
LEAST, MOST = 0.5, 1000.0
"""Tries for each second: never fewer; with more, nothing waits any longer."""


class Throttle:
    """One for each judge, shared by all its asks. All of it runs on one event loop.

    ``rate`` is how many tries go out each second; infinite while the server has refused none.
    """

    def __init__(self) -> None:
        self.rate = math.inf
        self._free_at = self._changed_at = self._slowed_at = -math.inf
        self._sent: deque[float] = deque()
        self._line = asyncio.Lock()

    @property
    def holds(self) -> bool:
        """Whether an ask must ``wait`` before it is sent."""
        return self.rate < math.inf

    async def wait(self) -> None:
        """Waits in line until the next try may go out."""
        if not self.holds:
            return
        loop = asyncio.get_running_loop()
        async with self._line:
            while (seconds := self._free_at - loop.time()) > 0:
                await asyncio.sleep(seconds)
            now = loop.time()
            self._speed_up(now)
            self._free_at = max(self._free_at, now) + 1 / self.rate

    def sent(self) -> float:
        """Notes that a try goes out. Returns the instant."""
        now = asyncio.get_running_loop().time()
        self._sent.append(now)
        while self._sent[0] < now - PERIOD:
            self._sent.popleft()
        return now

    def refused(self, sent: float, wait: float | None) -> None:
        """Notes that the server refused a try, and for how many seconds it wants no other.

        Of the tries that were sent at the same rate, only the first refusal lowers the rate.
        """
        now = asyncio.get_running_loop().time()
        self._free_at = max(self._free_at, now + (PAUSE if wait is None else wait))
        if sent < self._slowed_at:
            return
        measured = len(self._sent) / max(now - self._sent[0], 1.0)
        self.rate = max(SLOWER * min(self.rate, measured), LEAST)
        self._slowed_at = self._changed_at = self._free_at

    def _speed_up(self, now: float) -> None:
        doublings = min(max(now - self._changed_at, 0) / DOUBLES_IN, 100)
        self.rate *= 2**doublings
        self._changed_at = max(now, self._changed_at)
        if self.rate > MOST:
            self.rate = math.inf


def is_refusal(failure: Failure) -> bool:
    """Whether the server wants to be asked less often.

    One that is broken says nothing of that, nor does one that finds this ask alone too long.
    """
    too_long = failure.server_error is not None and failure.server_error.too_long
    return failure.error.retryable and failure.error.kind == "rate_limit" and not too_long
