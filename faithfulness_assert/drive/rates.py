"""How fast a server may be asked: the user's limits per minute, and what its refusals teach.

A server that wants to be asked less often says so (HTTP 429, ``retry-after``). A single refusal is
no limit: a busy region or a shared quota refuses some asks at any rate, and then only the ask that
was refused waits. More refusals than chance explains are a limit, or more chance. A trial tells:
the next asks go at half of the rate that the server took. A limit refuses none of them. If it still
does, it was chance, and nothing waits for it any more.

Once a limit is found, asks go out one by one a little slower than it allows. The rate rises by
small steps, larger the longer nothing is refused, and falls by a tenth when it is exceeded. When
falling does not help, there is another trial.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque

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
        self.forget()

    def forget(self) -> None:
        """Forgets the event loop and what waits there: a forked process has another one."""
        self._line = asyncio.Lock()
        for quota in (self._requests, self._tokens):
            if quota:
                quota.paid_at = -math.inf

    async def wait(self, ask: Ask) -> None:
        """Waits in line until the ask may be sent."""
        async with self._line:
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

CHANCE, MOST_CHANCE = 0.1, 0.3
"""The share of refusals that is taken for chance before any trial, and the largest."""
WINDOW = 40
"""The last tries that are looked at."""
TRIAL = 20
"""Tries of a trial. If there is a limit, one of them is refused at most."""
SLOWER = 0.9
"""The part of a rate that is left when it was too high."""
NOT_HELPED = 0.6
"""The part of the limit that was found below which another trial is due."""
STEP, ACCELERATES = 0.0003, 75
"""The part by which a try raises the rate: twice it after so many that were not refused."""
PERIOD = 10.0
"""Seconds over which it is measured what a server takes."""
PAUSE = 0.5
"""Seconds to wait if the server does not say how long."""
LEAST, MOST = 0.5, 1000.0
"""Tries for each second: never fewer; with more, nothing waits any longer."""


class Try:
    """A try that went out: when, and whether the server has refused it."""

    __slots__ = ("at", "refused")

    def __init__(self, at: float) -> None:
        self.at, self.refused = at, False


class LearnedRate:
    """One for each gate. All of it runs on one event loop.

    ``rate`` is how many tries go out each second; infinite while no limit is known.
    """

    def __init__(self) -> None:
        self.rate = math.inf
        self._chance = CHANCE
        self._limit = math.inf  # that a trial found
        self._took: float | None = None  # each second before the trial that is under way
        self._share = 0.0  # of refused tries before it
        self._tries: deque[Try] = deque()  # the last ones, in the order in which they went
        self._since = self._free_at = -math.inf  # when the present rate began; the next try
        self._clean = 0  # tries since the last refusal
        self.forget()

    def forget(self) -> None:
        """Forgets the line, which belongs to an event loop; what was learned holds."""
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
            self._free_at = max(self._free_at, loop.time()) + 1 / self.rate

    def sent(self) -> Try:
        """Notes that a try goes out."""
        tried = Try(asyncio.get_running_loop().time())
        if self._took is not None:
            self._end_trial(self._took)
        elif self.holds:
            self.rate *= 1 + STEP * (1 + self._clean / ACCELERATES)
            if self.rate > MOST:
                self.rate = math.inf
        self._clean += 1
        self._tries.append(tried)
        while len(self._tries) > WINDOW and self._tries[0].at < tried.at - PERIOD:
            self._tries.popleft()
        return tried

    def refused(self, tried: Try, wait: float | None) -> None:
        """Notes that the server refused a try, and for how many seconds it wants no other.

        Only tries count that were sent at the present rate.
        """
        tried.refused = True
        if tried.at < self._since:
            return
        self._clean = 0
        if self._took is not None:
            return
        # What is not known yet of tries after the last one that was refused says nothing.
        flags = self._flags()
        flags = flags[: len(flags) - flags[::-1].index(True)][-WINDOW:] if True in flags else []
        expected = 0.0 if self.holds else self._chance * len(flags)
        # Three standard deviations of a binomial share.
        if sum(flags) < 2 + expected + 3 * math.sqrt(expected * (1 - self._chance)):
            return
        share = sum(flags) / len(flags)
        if self.holds and self.rate > NOT_HELPED * self._limit:
            self._set(max(self.rate * max(SLOWER * (1 - share), 0.5), LEAST), wait)
        else:
            self._begin_trial(share, wait)

    def _flags(self) -> list[bool]:
        """Which of the tries at the present rate were refused, as far as it is known."""
        return [one.refused for one in self._tries if one.at >= self._since]

    def _begin_trial(self, share: float, wait: float | None) -> None:
        now = asyncio.get_running_loop().time()
        recent = [one for one in self._tries if one.at >= now - PERIOD]
        seconds = max(now - recent[0].at, 1.0) if recent else 1.0
        self._took = sum(not one.refused for one in recent) / seconds
        self._share = share
        self._set(max(self._took / 2, LEAST), wait)

    def _end_trial(self, took: float) -> None:
        """Draws the conclusion from a trial, once enough of its tries went out."""
        flags = self._flags()
        if len(flags) < TRIAL:
            return
        share = sum(flags) / len(flags)
        if sum(flags) <= 1 and took >= LEAST:  # a limit
            self._limit = SLOWER * took
        elif sum(flags) > 1 and not self._share / 2 < share <= MOST_CHANCE:  # a lower one
            self._begin_trial(share, None)
            return
        else:
            self._chance, self._limit = max(self._chance, share), math.inf
        self._took = None
        self._set(self._limit)

    def _set(self, rate: float, wait: float | None = 0.0) -> None:
        """The rate from now on, after a wait."""
        now = asyncio.get_running_loop().time()
        self.rate, self._clean = rate, 0
        self._free_at = max(self._free_at, now + (PAUSE if wait is None else wait))
        self._since = self._free_at if self.holds else now


def is_refusal(error: JudgeError) -> bool:
    """Whether the server wants to be asked less often. One that is broken says nothing of that."""
    return error.retryable and error.kind == "rate_limit"
