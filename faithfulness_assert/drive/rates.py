"""How fast a server may be asked: the user's limits per minute, and what its refusals teach.

A server that wants to be asked less often says so (HTTP 429, ``retry-after``). A single refusal is
no limit: a busy region or a shared quota refuses some asks at any rate, and then only the ask that
was refused waits. After more refusals than chance explains, asks go out one by one, at two thirds
of the rate that the server took, and soon faster until some are refused again.

A limit and chance are told apart by what more asks bring: a stretch of asks goes a little slower
than the rate, the next one a little faster. If the server takes at least half of what the fast one
has more, whatever else it refuses, the rate rises by a step, and what it refused was chance. Else
the rate falls, by a step or by what was refused beyond chance; and by half where most is refused. A
rate that asks no longer reach holds nothing up, and goes.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..asking.tokens import estimate_tokens
from ..records.checks import check_number
from ..records.errors import JudgeError
from ..records.judge import Ask, Outcome, Reply
from ..records.usage import Usage

# ---------------------------------------------------------------- the user's limits


class PerMinute:
    """The user's limits per minute.

    Args:
        requests: over 0; None for no limit. No minute has more, wherever it begins.
        tokens: over 0; prompt and completion together. A prompt counts when it is sent, what the
            judge then reports corrects that, and the completion counts when it arrives.

    Raises:
        ConfigError: a limit is not a number over 0.
    """

    def __init__(self, requests: float | None = None, tokens: float | None = None) -> None:
        limits = {"requests_per_minute": requests, "tokens_per_minute": tokens}
        for name, limit in limits.items():
            check_number(name, limit, 1e-6, 1e12, optional=True)
        self._requests = None if requests is None else Quota(requests)
        self._tokens = None if tokens is None else Quota(tokens)

    async def wait(self, ask: Ask) -> None:
        """Waits until the ask may be sent. To be called by one ask after the other."""
        if self._requests:
            await self._requests.take(1)
        if self._tokens:
            await self._tokens.take(ask.size(estimate_tokens))

    def spent(self, ask: Ask, outcome: Outcome) -> None:
        """Corrects what was taken for an ask by what it used: the asks after it pay for it."""
        usage = outcome.usage
        if usage is None and isinstance(outcome, Reply):
            usage = Usage(completion=estimate_tokens(outcome.text))
        if usage is None:
            return
        if self._requests:
            self._requests.owe(max(usage.num_requests - 1, 0))
        if self._tokens:
            prompt = usage.prompt - ask.size(estimate_tokens) if usage.prompt else 0
            self._tokens.owe(prompt + usage.completion)


class Quota:
    """So many of something per minute, as the generic cell rate algorithm counts them.

    What a second brings, and at least 1, may be taken at once. A second brings less than a 60th of
    the limit, so that a minute and that second together are within it. What is larger than that
    goes alone, and whatever is taken after it waits until it is paid for.
    """

    def __init__(self, per_minute: float) -> None:
        self._each = (60 if per_minute <= 61 else 61) / per_minute  # seconds that one takes
        self._at_once = max(per_minute / 61, 1.0)
        self.paid_at = -math.inf  # the instant at which all that was taken is paid for

    async def take(self, amount: float) -> None:
        """Waits until ``amount``, after all that was taken before, is within the limit."""
        loop = asyncio.get_running_loop()
        debt = max(self._at_once - amount, 0.0) * self._each
        while (seconds := self.paid_at - debt - loop.time()) > 0:
            await asyncio.sleep(seconds)
        self.paid_at = max(self.paid_at, loop.time())
        self.owe(amount)

    def owe(self, amount: float) -> None:
        """Counts ``amount`` more, or less, of what was taken."""
        self.paid_at += amount * self._each


# ---------------------------------------------------------------- what refusals teach

CHANCE, MOST_CHANCE = 0.1, 0.25
"""The share of refusals that is taken for chance at first, and the largest beside a limit."""
STRETCH = 40
"""Tries of a stretch."""
STEP = 0.05
"""The part by which the rate moves, and by which stretches are slower and faster than it."""
RISE = 1.25
"""How much faster it gets after half a stretch, before anything is refused."""
PERIOD = 10.0
"""Seconds over which it is measured what a server takes, before a limit is known."""
PAUSE = 0.5
"""Seconds to wait if the server does not say how long."""
LEAST = 0.5
"""Tries for each second: never fewer."""


@dataclass(slots=True)
class Try:
    """A try that went out: when, and whether the server has refused it."""

    at: float
    refused: bool = False


class Stretch(NamedTuple):
    """Tries that went out at one pace, in so many seconds."""

    tries: Sequence[Try]
    seconds: float

    @property
    def went(self) -> float:
        """Tries each second."""
        return len(self.tries) / self.seconds

    @property
    def taken(self) -> float:
        """Those that were not refused, each second."""
        return self.went * (1 - self.share)

    @property
    def share(self) -> float:
        """The share of those that were refused, as far as it is known."""
        return sum(one.refused for one in self.tries) / len(self.tries)


class LearnedRate:
    """One for each gate. All of it runs on one event loop.

    ``rate`` is how many tries go out each second; infinite while no limit is known.
    """

    def __init__(self) -> None:
        self.rate = self._pace = math.inf  # the pace is that of the stretch
        self._chance = 0.0  # the share that is refused by chance, as far as it is known
        self._safe: float | None = None  # the last rate, while nothing is refused at this one
        self._tries: deque[Try] = deque()  # of this stretch, or of the last seconds
        self._ended: deque[Stretch] = deque(maxlen=3)
        self._since = self._free_at = -math.inf  # when the present rate began; the next try

    @property
    def holds(self) -> bool:
        """Whether an ask must ``wait`` before it is sent."""
        return self.rate < math.inf

    async def wait(self) -> None:
        """Waits until the next try may go out."""
        loop = asyncio.get_running_loop()
        while (seconds := self._free_at - loop.time()) > 0:
            await asyncio.sleep(seconds)
        self._free_at = max(self._free_at, loop.time()) + 1 / self._pace

    def sent(self) -> Try:
        """Notes that a try goes out."""
        tried = Try(asyncio.get_running_loop().time())
        if len(self._tries) >= (STRETCH / 2 if self._safe else STRETCH) and self.holds:
            self._end_stretch(tried.at)
        self._tries.append(tried)
        while len(self._tries) > STRETCH and self._tries[0].at < tried.at - PERIOD:
            self._tries.popleft()
        return tried

    def refused(self, tried: Try, wait: float | None) -> None:
        """Notes that the server refused a try, and for how many seconds it wants no other.

        Only tries count that were sent at the present rate.
        """
        tried.refused = True
        if tried.at < self._since:
            return
        if self._safe:
            self.rate, self._safe = self._safe, None
            self._pace = self.rate * (1 - STEP)
        # What is not known yet of tries after the last one that was refused says nothing.
        flags = [one.refused for one in self._tries]
        flags = flags[: len(flags) - flags[::-1].index(True)][-STRETCH:] if True in flags else []
        chance = max(self._chance, CHANCE)
        expected = chance * len(flags)
        # Three standard deviations of a binomial share.
        most = expected + 3 * math.sqrt(expected * (1 - chance))
        if sum(flags) < 2 + (len(flags) / 2 if self.holds else most):
            return
        rate = self.rate / 2
        if not self.holds:
            seconds = max(asyncio.get_running_loop().time() - self._tries[0].at, 1.0)
            taken = sum(not one.refused for one in self._tries)
            rate = max(taken, len(self._tries) / 2) / seconds / 1.5
        self._set(rate, wait)

    def _end_stretch(self, now: float) -> None:
        """A slow stretch and a fast one take turns, as soon as anything was refused.

        What they showed counts after the next slow one, when all of it is known.
        """
        ended = Stretch([*self._tries], max(now - self._tries[0].at, 1e-6))
        self._tries.clear()
        if ended.went < self._pace * (1 - 3 * STEP):  # the rate holds nothing up
            self._chance = max(self._chance, ended.share)
            self._set(math.inf)
            return
        if self._safe:
            self._safe, self.rate = self.rate, self.rate * RISE
            self._pace = self.rate
            return
        self._ended.append(ended)
        if self._pace > self.rate:
            self._pace = self.rate * (1 - STEP)
            return
        if len(self._ended) == 3:
            slow, fast, _ = self._ended
            share = (slow.share + fast.share) / 2
            if fast.taken - slow.taken > (fast.went - slow.went) / 2:
                self.rate *= 1 + STEP
                self._chance = (self._chance + min(share, MOST_CHANCE)) / 2
            else:
                self.rate = max(self.rate * (1 - max(share - self._chance, STEP / 2)), LEAST)
        self._pace = self.rate * (1 + STEP)

    def _set(self, rate: float, wait: float | None = 0.0) -> None:
        """The rate from now on, after a wait."""
        now = asyncio.get_running_loop().time()
        self.rate = max(rate, LEAST)
        self._pace, self._safe = self.rate, self.rate if self.holds else None
        self._free_at = max(self._free_at, now + (PAUSE if wait is None else wait))
        self._since = now if wait == 0.0 else self._free_at
        self._tries.clear()
        self._ended.clear()


def is_refusal(error: JudgeError) -> bool:
    """Whether the server wants to be asked less often. One that is broken says nothing of that."""
    return error.retryable and error.kind == "rate_limit"
