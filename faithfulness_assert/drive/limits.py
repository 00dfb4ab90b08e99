"""What a server may be sent: so much per minute, and on this machine so much at once.

Servers that people run themselves often answer one ask after the other. Eight asks at once then
wait for each other until all of them time out. So the first ask is sent alone. After it, asks are
sent at once as long as the server, even if it answers one after the other, can answer all of them
in half of the timeout. If it answers several in the time of one, the number grows.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ..judges.remote.settings import is_here
from ..judges.token_counter import token_counter
from ..records.ask import Ask, Outcome, Reply
from ..records.checks import check_number
from ..records.errors import JudgeError
from ..records.usage import Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from aiolimiter import AsyncLimiter

    from .time_left import TimeLeft

MOST = 1e12
MOST_WAIT = 86_400.0
"""Seconds in line for a server on this machine."""
PART_OF_TIMEOUT = 0.5
KEPT = 0.8
"""Part of the last cost that a lower one leaves: the number of asks grows step by step."""
CHARS_PER_ITEM = 400
"""What the reply to a statement costs, in characters of a prompt."""


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
                check_number(name, limit, 1e-6, MOST)
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


# ---------------------------------------------------------------- a server on this machine


class _Waiting(NamedTuple):
    """An ask in line."""

    size: int
    seconds: float  # in which the server must be able to answer all asks under way
    admitted: asyncio.Future[None]


class Room:
    """How many asks a server on this machine gets at once. One for each server.

    ``cost`` is the seconds that a character of a prompt takes, if the server answers one ask after
    the other; None before the first reply. ``under_way`` is the characters of all asks under way.
    """

    def __init__(self) -> None:
        self.cost: float | None = None
        self.forget()

    def forget(self) -> None:
        """Forgets what is under way or waits: a forked process has none of it."""
        self.under_way = 0
        self._line: deque[_Waiting] = deque()

    @asynccontextmanager
    async def taken(self, ask: Ask, timeout: float, left: TimeLeft) -> AsyncIterator[None]:
        """Waits in line: a long ask is not kept waiting by short ones that came later.

        Args:
            ask: what is to be sent.
            timeout: the seconds that an ask may take.
            left: the time of its grade, which stands still meanwhile.

        Raises:
            JudgeError: there was no room for ``MOST_WAIT`` seconds.
        """
        size = ask.size(len) + CHARS_PER_ITEM * len(ask.ids)
        admitted = asyncio.get_running_loop().create_future()
        waiting = _Waiting(size, timeout * PART_OF_TIMEOUT, admitted)
        self._line.append(waiting)
        self._admit()
        try:
            if not admitted.done():
                with left.in_line():
                    await asyncio.wait([admitted], timeout=MOST_WAIT)
            if not admitted.done():
                message = "not asked: other asks took all the time of the server on this machine"
                raise JudgeError(message, "timeout", retryable=True)
            yield
        finally:
            if admitted.done():
                self.under_way -= size
            else:
                self._line.remove(waiting)
            self._admit()

    def _admit(self) -> None:
        """Lets the asks at the head of the line go for which there is room."""
        while self._line and self._has_room(self._line[0]):
            waiting = self._line.popleft()
            self.under_way += waiting.size
            waiting.admitted.set_result(None)

    def _has_room(self, waiting: _Waiting) -> bool:
        if not self.under_way:
            return True
        return self.cost is not None and (
            (self.under_way + waiting.size) * self.cost <= waiting.seconds
        )

    def learn(self, cost: float, *, late: bool = False) -> None:
        """Takes in what an ask cost. One that got no answer in time would have cost more."""
        known = self.cost or 0.0
        self.cost = max(cost, 2 * known) if late else max(cost, KEPT * known)


_ROOMS: dict[str, Room] = {}


def room_of(url: str) -> Room | None:
    """The room of the server at this address; None if it is not on this machine."""
    parts = urlsplit(url)
    if not is_here(parts.hostname or ""):
        return None
    return _ROOMS.setdefault(parts.netloc.rpartition("@")[2], Room())
