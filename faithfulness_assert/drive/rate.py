"""How fast a server may be asked: a limit that is known, and the rate that its refusals teach.

A limit and chance look alike, as a busy region or a shared quota refuses some asks at any rate. So
once there is a rate, ``BLOCK`` tries go out a little faster, and then as many a little slower. A
limit refuses the faster ones, chance both alike: a faster try that is refused lowers the rate, a
slower one raises it by as much, and each try by a little (as TCP does, and more the longer none was
refused). Where far more are refused than usual, the rate is what the server took since. Of a server
that refuses everybody the breaker takes care.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from dataclasses import dataclass

from ..asking.windows import estimate_tokens
from ..records.errors import JudgeError
from ..records.judge import Ask

BLOCK, FASTER = 50, 1.08
STEP, RISE = 0.03, 0.0005
"""By which part a refusal changes the rate, and each try: so 1.7 % of tries are refused."""
LATE, BEYOND = 40, 0.25
"""The latest tries, and which share of them, beyond the usual one, says that the rate is wrong."""
USUAL, AT_FIRST = 200, 0.15
"""The tries of which the usual share is the mean, and what it is before any."""
LONGEST = 2.0
"""The most seconds between tries."""
MOST_KEPT = 2_000
"""Tries, a second of a very fast server."""


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


@dataclass(eq=False)
class Try:
    """One that went out: its number, the instant, its size, and what the server took of it."""

    number: int
    at: float
    amount: float
    taken: float

    @property
    def is_fast(self) -> bool:
        """Whether it is one of the faster ones."""
        return self.number // BLOCK % 2 == 1


class LearnedRate:
    """One for each gate, on one event loop. ``counts_tokens``: the server does.

    ``rate`` is how many tries may go out each second; infinite while no limit is known. Otherwise
    each takes its ``amount`` of the ``quota``: 1, or by its size where the server counts tokens.
    """

    def __init__(self) -> None:
        self.rate, self.quota, self.counts_tokens = math.inf, Quota(at_once=2.0), False
        self._size, self._usual = 0.0, AT_FIRST  # the first of a mean ask
        # The numbers of the latest try, the latest refused, and the latest at the last refusal.
        self._sent = self._refused = self._refused_at = 0
        self._tries: deque[Try] = deque(maxlen=MOST_KEPT)  # since the rate was last set

    def amount_of(self, ask: Ask) -> float:
        """How much of the quota an ask takes where tokens count. A mean one takes 1."""
        size = ask.size(estimate_tokens)
        self._size += (size - self._size) / (USUAL if self._size else 1)
        return size / self._size

    def sent(self, amount: float, now: float) -> Try:
        """Notes that a try goes out."""
        self._sent += 1
        self._usual *= 1 - 1 / USUAL
        one = Try(self._sent, now, amount, amount)
        self._tries.append(one)
        if self.quota.paid_at > now + 1.001 * amount * self.quota.each:  # it has waited
            self.rate *= 1 + RISE * max(1.0, (self._sent - self._refused_at) / BLOCK)
        self.quota.each = 1 / (self.rate * (FASTER if one.is_fast else 1 / FASTER))
        return one

    def refused(self, one: Try, error: JudgeError) -> None:
        """Notes that the server refused a try with this error."""
        self.counts_tokens |= "token" in error.message.lower()
        if not self._tries or one.number < self._tries[0].number:
            return  # of before
        one.taken, self._refused_at, self._usual = 0.0, self._sent, self._usual + 1 / USUAL
        # A large one needs more room: it is refused sooner where the server is asked too fast.
        step = 1 + STEP * math.sqrt(max(one.amount, 1.0))
        self.rate *= 1 / step if one.is_fast else 1 + STEP
        self._refused = max(self._refused, one.number)
        late = [each for each in self._tries if each.number <= self._refused][-LATE:]
        if sum(not each.taken for each in late) >= LATE * (self._usual + BEYOND):
            while late[0].taken:  # what the server had saved up
                del late[0]
            if taken := sum(each.taken for each in late):
                self.rate = min(self.rate, taken / max(late[-1].at - late[0].at, 0.1))
                self.rate = max(self.rate, 1 / LONGEST)
                self.quota.each = 1 / self.rate
            self._tries.clear()
