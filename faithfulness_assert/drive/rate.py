"""How fast a server may be asked: a limit that is known, and the rate that its refusals teach.

A limit and chance look alike, as a busy region or a shared quota refuses some asks at any rate. So
once there is a rate, ``BLOCK`` tries go out a little faster, and then as many a little slower. A
limit refuses the faster ones, chance both alike: a faster try that is refused lowers the rate, a
slower one raises it by as much, and each try by a little (as TCP does, and more the longer none was
refused). Where most are refused, it falls by half. Of a server that refuses everybody the breaker
takes care.
"""

from __future__ import annotations

import asyncio
import math

from ..asking.windows import estimate_tokens
from ..records.errors import JudgeError
from ..records.judge import Ask

BLOCK, FASTER = 50, 1.08
STEP, RISE = 0.03, 0.0005
"""By which part a refusal changes the rate, and each try: so 1.7 % of tries are refused."""
LATE, MOST = 30, 0.45
"""Where of about so many late tries a larger share is refused, the rate is wrong."""
SLOWEST = 0.5
"""The fewest tries in a second."""


class Quota:
    """So many of something in some time, as the generic cell rate algorithm counts them.

    Args:
        each: the seconds that one takes; 0 for no limit.
        at_once: how many may be taken at once. What is larger goes alone, and whatever is taken
            after it waits until it is paid for.

    ``paid_at`` is the instant at which all that was taken is paid for.
    """

    def __init__(self, each: float = 0.0, at_once: float = 1.0) -> None:
        self.each, self._at_once, self.paid_at = each, at_once, -math.inf

    async def take(self, amount: float = 1.0) -> None:
        """Waits until ``amount``, after all that was taken before, is within the limit.

        To be called by one after the other.
        """
        clock = asyncio.get_running_loop().time
        while (seconds := self.paid_at - max(self._at_once - amount, 0) * self.each - clock()) > 0:
            await asyncio.sleep(seconds)
        self.paid_at = max(self.paid_at, clock()) + amount * self.each

    def owe(self, amount: float) -> None:
        """Counts ``amount`` more, or less, of what was taken."""
        self.paid_at += amount * self.each


class LearnedRate:
    """One for each gate, on one event loop. ``counts_tokens``: the server does.

    ``rate`` is how many tries may go out each second; infinite while no limit is known. Otherwise
    each takes its ``amount`` of the ``quota``: 1, or by its size where the server counts tokens.
    """

    def __init__(self, now: float) -> None:
        self.rate, self.quota, self.counts_tokens = math.inf, Quota(at_once=2.0), False
        self._size = 0.0  # of a mean ask
        self._began, self._late = now, 0.0
        # The numbers of the latest try, of the latest when one was refused, and when the rate fell.
        self._sent = self._refused_at = self._fell_at = 0

    def amount_of(self, ask: Ask) -> float:
        """How much of the quota an ask takes where tokens count. A mean one takes 1."""
        size = ask.size(estimate_tokens)
        self._size += (size - self._size) / (LATE if self._size else 1)
        return size / self._size

    def sent(self, amount: float, now: float) -> int:
        """Notes that a try of this amount goes out. Returns its number."""
        self._sent += 1
        self._late *= 1 - 1 / LATE
        if self.quota.paid_at > now + 1.001 * amount * self.quota.each:  # it has waited
            self.rate *= 1 + RISE * max(1.0, (self._sent - self._refused_at) / BLOCK)
        self._pace()
        return self._sent

    def refused(self, number: int, amount: float, now: float, error: JudgeError) -> None:
        """Notes that the server refused the try with this number and amount."""
        self.counts_tokens |= "token" in error.message.lower()
        if number <= self._fell_at:
            return
        self._refused_at = self._sent
        self._late += 1 / LATE
        # A large one needs more room: it is refused sooner where the server is asked too fast.
        step = 1 + STEP * math.sqrt(max(amount, 1.0))
        self.rate *= 1 / step if number // BLOCK % 2 else 1 + STEP
        if self._late > MOST:
            if self.rate == math.inf:
                self.rate = self._sent / max(now - self._began, 1.0)
            self.rate = max(self.rate / 2, SLOWEST)
            self._late, self._fell_at = 0.0, self._sent
            self._pace()

    def _pace(self) -> None:
        """Sets what the tries after the latest one take; of every other block, they go faster."""
        part = FASTER if self._sent // BLOCK % 2 else 1 / FASTER
        self.quota.each = 1 / (self.rate * part)
