"""How fast a server is asked that wants to be asked less often (HTTP 429, ``retry-after``).

A single refusal is no limit: a busy region or a shared quota refuses some asks at any rate. Then
the ask that was refused waits, and no other. Refusals that come in bursts are a limit. Then all
asks wait until the server takes asks again, and go out one by one, as fast as the server took them
while it refused others. As long as it takes them, they get faster. If slower asks are refused as
often, it was no limit after all. Before the first limit nothing waits.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answers import Failure

BURSTS = ((5, 5), (10, 7), (20, 9), (40, 12))
"""Of how many last tries how many are refused, if there is a limit. One in ten that is refused by
chance makes such a burst in one of 10,000 windows."""
WINDOW = 40
"""The last tries that are looked at."""
AGAIN = 2
"""How many of them are refused, if a known limit is exceeded."""
SLOWER = 0.9
"""The part of what the server took that is sent after a refusal."""
QUIET, STUBBORN = 20, 4
"""Tries after which a lower rate has helped; times that it does not, until it is no limit."""
DOUBLES_IN, FAR = 60.0, 10.0
"""Seconds without a refusal in which a rate doubles: near the one that was refused, and far below
it."""
DOUBLES_AFTER = 300
"""Tries that this takes at least, near the rate that was refused. Far below it takes a sixth."""
NEAR = 0.8
"""The part of a rate that was refused which is near it."""
PERIOD = 10.0
"""Seconds over which the rate of tries is measured."""
PAUSE = 0.5
"""Seconds to wait if the server does not say how long."""
LEAST, MOST = 0.5, 1000.0
"""Tries for each second: never fewer; with more, nothing waits any longer."""


class Try:
    """A try that went out: when, and whether the server has refused it."""

    __slots__ = ("at", "refused")

    def __init__(self, at: float) -> None:
        self.at, self.refused = at, False


class Throttle:
    """One for each judge, shared by all its asks. All of it runs on one event loop.

    ``rate`` is how many tries go out each second; infinite while no limit is known.
    """

    def __init__(self) -> None:
        self.rate = math.inf
        self._free_at = self._changed_at = self._slowed_at = -math.inf
        self._last: deque[Try] = deque(maxlen=WINDOW)
        self._sent: deque[float] = deque()
        self._refused_rate = math.inf
        self._stubborn = self._tries = 0  # times in a row, and tries since the rate was lowered
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

    def sent(self) -> Try:
        """Notes that a try goes out."""
        tried = Try(asyncio.get_running_loop().time())
        self._last.append(tried)
        self._tries += 1
        self._sent.append(tried.at)
        while self._sent[0] < tried.at - PERIOD:
            self._sent.popleft()
        return tried

    def refused(self, tried: Try, wait: float | None) -> None:
        """Notes that the server refused a try, and for how many seconds it wants no other.

        Only tries count that were sent at the present rate.
        """
        tried.refused = True
        if tried.at < self._slowed_at or not self._is_over():
            return
        share = sum(tried.refused for tried in self._last) / len(self._last)
        helped = self._tries >= QUIET or not self.holds
        self._stubborn = 0 if helped else self._stubborn + 1
        if self._stubborn == STUBBORN:
            self.rate, self._stubborn = math.inf, 0
        else:
            self._slow_down(share, PAUSE if wait is None else wait)
        self._last.clear()
        self._tries = 0

    def _is_over(self) -> bool:
        """Whether the last tries show that the server has a limit, and that it is exceeded."""
        last = [tried.refused for tried in self._last]
        if self.holds:
            return sum(last) >= AGAIN
        return any(len(last) >= tries and sum(last[-tries:]) >= n for tries, n in BURSTS)

    def _slow_down(self, share: float, wait: float) -> None:
        """Lowers the rate to what the server took, and at most by half."""
        now = asyncio.get_running_loop().time()
        measured = len(self._sent) / max(now - self._sent[0], 1.0)
        self._refused_rate = min(self.rate, measured)
        self.rate = max(self._refused_rate * max(SLOWER * (1 - share), 0.5), LEAST)
        self._free_at = max(self._free_at, now + wait)
        self._slowed_at = self._changed_at = self._free_at

    def _speed_up(self, now: float) -> None:
        seconds = max(now - self._changed_at, 0.0)
        near = NEAR * self._refused_rate
        slower = max(DOUBLES_AFTER / self.rate / DOUBLES_IN, 1.0)
        if self.rate < near:
            until = slower * FAR * math.log2(near / self.rate)
            self.rate *= 2 ** (min(seconds, until) / (slower * FAR))
            seconds = max(seconds - until, 0.0)
        self.rate *= 2 ** min(seconds / (slower * DOUBLES_IN), 100)
        self._changed_at = max(now, self._changed_at)
        if self.rate > MOST:
            self.rate = math.inf


def is_refusal(failure: Failure) -> bool:
    """Whether the server wants to be asked less often.

    One that is broken says nothing of that, nor does one that finds this ask alone too long.
    """
    too_long = failure.server_error is not None and failure.server_error.too_long
    return failure.error.retryable and failure.error.kind == "rate_limit" and not too_long
