"""How fast a server may be asked: a limit that is known, and the rate that its refusals teach.

A limit and chance look alike, as a busy region or a shared quota refuses some asks at any rate. So
the rate follows two published rules. A **cumulative sum** (CUSUM; Page, 1954) of refusals beyond
the share that chance explains tells early and surely that a limit is exceeded. Then the rate falls
to what the server took of late, and rises by small steps, faster the longer nothing tells
otherwise (additive increase as in TCP, in the shape of CUBIC). Every ``CYCLE`` tries some go out a
little slower, below the limit if there is one: what is refused of these is the share of chance. The
more that is, the slower they go next time, as it may have been the limit. And where a slower rate
is refused as much, that was chance: the rate is given back.

Until the first sum is full there is no rate, and a refused ask alone waits.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from dataclasses import dataclass

from ..asking.windows import estimate_tokens
from ..records.errors import JudgeError
from ..records.judge import Ask

MARGIN, FULL, FIRST_FULL = 0.04, 5.0, 8.0
"""The share of refusals beyond chance that is no limit; how many more mean that there is one, and
how many before there is a rate, in a run that begins: 24 later, when chance had more occasions."""
AT_FIRST, MOST_CHANCE = 0.3, 0.7
"""The share that chance explains before there is a rate, and the largest one after."""
UNRELIEVED = 0.3
"""The share that tells chance if a slower rate is refused as much: what was taken is no limit."""
CYCLE, SLOW, SETTLED = 400, 50, 75
"""Tries of a cycle; of those, how many go out slower, and when their refusals have come."""
SLOWER = 0.05
STEP, UNHURRIED, FASTEST = 0.03, 200, 6.0
"""What each try adds to a rate of 50 a second or more; tries without a full sum after which that
grows, and how many times at most."""
KEPT, SECONDS = 64, 1.5
"""The least of the tries that tell what the server took of late."""
BACK, DOUBTED = 1.07, 0.5
"""After a time in which all was refused, by how much each try raises the rate, and up to which
part of what it was."""
PAUSE = 0.5
"""Seconds to wait if most is refused and the server does not say how long."""
LEAST = 0.6
"""Tries for each second: never fewer."""
MANY = 200
"""Asks of which the mean size is taken."""


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


@dataclass(eq=False, slots=True)
class Try:
    """One that went out: its place among all, the instant, and what the server took of it."""

    number: int
    at: float
    taken: float


class LearnedRate:
    """One for each gate, on one event loop.

    ``rate`` is how many tries may go out each second; infinite while no limit is known. Otherwise
    each takes its ``amount`` of the ``quota``: 1, or by its size where the server counts tokens.
    ``answered`` is the number of the latest try that has a reply.
    """

    def __init__(self) -> None:
        self.rate, self.quota = math.inf, Quota(at_once=2.0)
        self.counts_tokens = False  # the server
        self._sizes, self._size = 0, 0.0  # of asks since then, and their mean
        self._tries: deque[Try] = deque()  # of late
        self.answered = self._sent = self._cycle = self._fell = 0  # by the numbers of tries
        self._sum = self._chance = self._slow = self._slow_refused = self._goal = 0.0
        self._share = self._before = 0.0  # refused when the rate fell last, and the rate then

    def amount_of(self, ask: Ask) -> float:
        """How much of the quota an ask takes where tokens count. A mean one takes 1."""
        size, self._sizes = ask.size(estimate_tokens), min(self._sizes + 1, MANY)
        self._size += (size - self._size) / self._sizes
        return size / self._size

    def sent(self, amount: float, now: float) -> Try:
        """Notes that a try goes out."""
        self._sent += 1
        tries, place, is_known = self._tries, self._sent - self._cycle, self.rate < math.inf
        tries.append(Try(self._sent, now, amount))
        while len(tries) > KEPT and tries[1].at <= now - SECONDS:
            tries.popleft()
        explained = self._chance + MARGIN if is_known else AT_FIRST
        self._sum = max(self._sum - explained * amount, 0.0)
        if self.rate < self._goal:
            self.rate *= BACK
            self._pace()
            if self.rate >= self._goal:
                self._begin()
        elif is_known and place <= SLOW:
            self._slow += amount
        elif is_known and place == SETTLED:
            self._measure_chance()
            self._pace()
        elif is_known and place > CYCLE:
            self._begin()
        elif is_known and place > SETTLED and self.quota.paid_at >= now:
            haste = max(1.0, min(((self._sent - self._fell) / UNHURRIED) ** 2, FASTEST))
            self.rate += STEP * min(self.rate / 50, 1.0) * haste
            self._pace()
        return tries[-1]

    def refused(self, one: Try, now: float, error: JudgeError) -> None:
        """Notes that the server refused a try with this error."""
        self.counts_tokens |= "token" in error.message.lower()
        amount, one.taken, is_known = one.taken, 0.0, self.rate < math.inf
        if one.number <= self._cycle and is_known:
            return  # of before: it has been taken into account
        if one.number <= self._cycle + SLOW:
            self._slow_refused += amount
        self._sum += amount
        if self._sum < (FULL if is_known else min(FIRST_FULL + self._sent / 400, 24.0)):
            return
        if self._slow and self._sent - self._cycle < SETTLED:
            self._measure_chance()
        taken, wait = sum(each.taken for each in self._tries), 0.0
        if taken <= len(self._tries) / 2:  # a burst, for which all asks wait
            wait = PAUSE if error.retry_after is None else error.retry_after
        took_none = is_known and self.answered <= self._cycle
        self._goal = max(DOUBTED * self.rate, self._goal) if took_none else 0.0
        rate = taken / max(now + wait - self._tries[0].at, SECONDS)
        share, before = (0.0 if wait else 1 - taken / len(self._tries)), self._share
        if is_known and min(share, before) > UNRELIEVED:  # a slower rate is refused as much
            self._chance, rate = max(self._chance, min(share, before)), self._before
        elif is_known:
            rate = min(max(rate / (1 - self._chance), self.rate / 2), self.rate)
        self._share, self._before = share, self.rate if is_known else rate
        self.rate, self._fell = max(rate, LEAST), self._sent
        self.quota.paid_at = max(self.quota.paid_at, now + wait)
        self._begin()

    def _begin(self) -> None:
        """Begins a cycle."""
        self._cycle, self._sum, self._slow, self._slow_refused = self._sent, 0.0, 0.0, 0.0
        self._pace(1 - SLOWER - self._chance)

    def _pace(self, part: float = 1.0) -> None:
        self.quota.each = 1 / (self.rate * part)

    def _measure_chance(self) -> None:
        share = min(self._slow_refused / self._slow, MOST_CHANCE)
        self._chance += 0.7 * min(self._slow / SLOW, 1.0) * (share - self._chance)
