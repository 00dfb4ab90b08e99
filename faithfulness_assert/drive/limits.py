"""What a server may be sent: the user's limits per minute, and the rate that its refusals teach.

A server that wants to be asked less often says so (HTTP 429, ``retry-after``). A single refusal is
no limit: a busy region or a shared quota refuses some asks at any rate. Then the ask that was
refused waits, and no other. Refusals that come in bursts are a limit. Then all asks wait until the
server takes asks again, and go out one by one, as fast as the server took them while it refused
others. As long as it takes them, they get faster. If slower asks are refused as often, it was no
limit after all. Before the first limit nothing waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from ..judges.token_counter import token_counter
from ..records.checks import check_number
from ..records.errors import JudgeError
from ..records.judge import Ask, Outcome, Reply
from ..records.usage import Usage

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter
import math
from itertools import islice
from typing import TYPE_CHECKING


class PerMinute:
    """The user's limits per minute.

    Args:
        judge_name: names the model, whose tokens are counted.
        requests: over 0; None for no limit. No minute has more, wherever it begins.
        tokens: over 0; prompt and completion together. A prompt counts when it is sent, what the
            judge then reports corrects that, and the completion counts when it arrives.

    Raises:
        ConfigError: a limit is not a number over 0.
    """

    def __init__(
        self, judge_name: str, requests: float | None = None, tokens: float | None = None
    ) -> None:
        limits = {"requests_per_minute": requests, "tokens_per_minute": tokens}
        for name, limit in limits.items():
            if limit is not None:
                check_number(name, limit, 1e-6, 1e12)
        self._count = token_counter(judge_name)
        self._requests = None if requests is None else Quota(requests)
        self._tokens = None if tokens is None else Quota(tokens)
        self.forget()

    def forget(self) -> None:
        """Forgets the event loop and what waits there: a forked process has another one."""
        self._line = asyncio.Lock()
        for quota in (self._requests, self._tokens):
            if quota:
                quota.forget()

    async def wait(self, ask: Ask) -> None:
        """Waits in line until the ask may be sent."""
        async with self._line:
            if self._requests:
                await self._requests.take(1)
            if self._tokens:
                await self._tokens.take(ask.size(self._count))

    def spent(self, ask: Ask, outcome: Outcome) -> None:
        """Corrects what was taken for an ask by what it used: the asks after it pay for it."""
        usage = outcome.usage
        if usage is None and isinstance(outcome, Reply):
            usage = Usage(completion=self._count(outcome.text))
        if usage is None:
            return
        if self._requests:
            self._requests.owed += max(usage.num_requests - 1, 0)
        if self._tokens:
            prompt = usage.prompt - ask.size(self._count) if usage.prompt else 0
            self._tokens.owed += prompt + usage.completion


class Quota:
    """So many of something per minute. What is ``owed`` counts as well when more is taken.

    It may let go at once what it lets go in a second, and at least 1. It refills in a second less
    than a 60th of the limit, so that a minute and that second together are within it.
    """

    def __init__(self, per_minute: float) -> None:
        self._per_minute = per_minute
        self.forget()

    def forget(self) -> None:
        """Begins anew."""
        self._limiter: AsyncLimiter | None = None
        self.owed = 0.0

    async def take(self, amount: float) -> None:
        """Waits until ``amount``, and all that is owed, is within the limit."""
        amount, self.owed = amount + self.owed, 0.0
        if amount < 0:
            self.owed = amount
            return
        limiter = self._limiter = self._limiter or _limiter(self._per_minute)
        while amount > 0:
            part = min(amount, limiter.max_rate)
            await limiter.acquire(part)
            amount -= part


def _limiter(per_minute: float) -> AsyncLimiter:
    from aiolimiter import AsyncLimiter

    if per_minute <= 61:
        return AsyncLimiter(1, 60 / per_minute)
    return AsyncLimiter(per_minute / 61, 1)


# ---------------------------------------------------------------- what refusals teach

BURSTS = ((5, 5), (10, 7), (20, 9), (40, 12))
"""Of how many last tries how many are refused, if there is a limit. One in ten that is refused by
chance makes such a burst in one of 10,000 windows."""
WINDOW = 40
"""The last tries that are looked at."""
AGAIN = 2
"""How many of them are refused, if a known limit is exceeded."""
SLOWER = 0.9
"""The part of what the server took that is sent after a refusal."""
FAR_OVER = 0.3
"""The part of the tries that is refused, if a limit is exceeded by half or more."""
NO_LIMIT = 0.5
"""The part of a rate at which a server refuses less than that, if it has a limit near that rate."""
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
    """A try that went out: when, as which one, and whether the server has refused it."""

    __slots__ = ("at", "number", "refused")

    def __init__(self, at: float, number: int) -> None:
        self.at, self.number, self.refused = at, number, False


class LearnedRate:
    """One for each admission. All of it runs on one event loop.

    ``rate`` is how many tries go out each second; infinite while no limit is known.
    """

    def __init__(self) -> None:
        self.rate = math.inf
        self._free_at = self._changed_at = self._slowed_at = -math.inf
        self._sent: deque[Try] = deque()  # of the last PERIOD
        self._count, self._last_refused = 0, -1
        self._refused_rate = math.inf
        self._near_rate = math.inf  # which is at most half more than the limit, if there is one
        self._before: list[Try] = []  # that went out before the rate was lowered
        self.forget()

    def forget(self) -> None:
        """Forgets who waits: a forked process has another event loop."""
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
        tried = Try(asyncio.get_running_loop().time(), self._count)
        self._count += 1
        self._sent.append(tried)
        while self._sent[0].at < tried.at - PERIOD:
            self._sent.popleft()
        return tried

    def refused(self, tried: Try, wait: float | None) -> None:
        """Notes that the server refused a try, and for how many seconds it wants no other.

        Only tries count that were sent at the present rate.
        """
        tried.refused = True
        self._last_refused = max(self._last_refused, tried.number)
        if tried.at < self._slowed_at or tried.number < self._sent[0].number:
            return
        last = self._until_last_refused()
        if not self._is_over(last):
            return
        was_near = self.holds and _share(self._before) < FAR_OVER
        newest = islice(reversed(self._sent), WINDOW)
        self._before = [one for one in newest if one.at >= self._slowed_at]
        self._slow_down(sum(last) / len(last), PAUSE if wait is None else wait)
        if not was_near:
            self._near_rate = self.rate
        elif self.rate <= max(NO_LIMIT * self._near_rate, LEAST):
            self.rate = math.inf

    def _until_last_refused(self) -> list[bool]:
        """Which of the tries up to the last refused one were. Later ones may not be known yet."""
        end = self._last_refused - self._sent[0].number + 1
        tries = islice(self._sent, max(end - WINDOW, 0), end)
        return [one.refused for one in tries if one.at >= self._slowed_at]

    def _is_over(self, last: list[bool]) -> bool:
        """Whether the last tries show that the server has a limit, and that it is exceeded."""
        if self.holds:
            return sum(last) >= AGAIN
        return any(len(last) >= tries and sum(last[-tries:]) >= n for tries, n in BURSTS)

    def _slow_down(self, share: float, wait: float) -> None:
        """Lowers the rate to what the server took, and at most by half."""
        now = asyncio.get_running_loop().time()
        measured = len(self._sent) / max(now - self._sent[0].at, 1.0)
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


def _share(tries: list[Try]) -> float:
    """The share of these tries that was refused, by what is known now."""
    return sum(tried.refused for tried in tries) / max(len(tries), 1)


def is_refusal(error: JudgeError) -> bool:
    """Whether the server wants to be asked less often. One that is broken says nothing of that."""
    return error.retryable and error.kind == "rate_limit"
