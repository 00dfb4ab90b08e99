"""Keeps the asks of a judge within requests and tokens per minute.

Limits that the user knows are kept here, before the first ask. A judge behind an API also slows
down when its server refuses asks (see ``judges/remote/throttle.py``); the two work together.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from ..judges import background
from ..judges.remote.settings import check_number
from ..judges.tape import StoredJudge
from ..judges.token_counter import token_counter
from ..records.errors import JudgeError
from ..records.judge import judge_info
from ..records.usage import Usage

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter

    from ..records.ask import Ask, Reply
    from ..records.judge import Judge, JudgeInfo

MOST = 1e12


def limited(
    judge: Judge,
    *,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
) -> Judge:
    """The judge with these limits; the judge itself without any.

    They are kept by whatever drives a plan: it awaits ``LimitedJudge.turn`` before each ask.

    Args:
        judge: any judge. In a store of replies (option ``cache``), the judge that is asked for
            new ones gets the limits, and the store is returned: stored replies do not count.
        requests_per_minute: over 0. No minute has more. Tries after a failed one are paid for by
            the asks after them.
        tokens_per_minute: over 0; prompt and completion together. A prompt counts when it is sent,
            what the judge then reports corrects that, and the completion counts when it arrives.

    Raises:
        ConfigError: a limit is not a number over 0.
    """
    limits = {"requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute}
    for name, limit in limits.items():
        if limit is not None:
            check_number(name, limit, 1e-6, MOST)
    if requests_per_minute is None and tokens_per_minute is None:
        return judge
    requests, tokens = Quota(requests_per_minute), Quota(tokens_per_minute)
    if isinstance(judge, StoredJudge):
        judge.ask_through(LimitedJudge(judge.judge, requests, tokens))
        return judge
    return LimitedJudge(judge, requests, tokens)


class LimitedJudge:
    """A judge around a judge. Whoever asks it must await ``turn`` first.

    Args:
        judge: who is asked. The limited judge has ``aask`` if ``judge`` has it.
        requests: the requests that may be sent.
        tokens: the tokens that they may use.
    """

    def __init__(self, judge: Judge, requests: Quota, tokens: Quota) -> None:
        self._judge, self._requests, self._tokens = judge, requests, tokens
        self._count = token_counter(judge_info(judge).name)
        self._line = asyncio.Lock()
        if hasattr(judge, "aask"):
            self.aask = self._aask

    @property
    def info(self) -> JudgeInfo:
        """What the judge says about itself."""
        return judge_info(self._judge)

    async def turn(self, ask: Ask, /) -> None:
        """Waits in line until the ask is within the limits, and the judge may be asked."""
        await background.awaited(self._wait(ask))
        turn = getattr(self._judge, "turn", None)
        if turn and (waiting := turn(ask)):
            await waiting

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Asks the judge.

        Raises:
            JudgeError: the judge's own.
        """
        try:
            return self._noted(ask, self._judge.ask(ask, deadline=deadline))
        except JudgeError as error:
            self._spend(ask, error.usage)
            raise

    async def _aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        try:
            reply = await self._judge.aask(ask, deadline=deadline)  # type: ignore[attr-defined]
            return self._noted(ask, reply)
        except JudgeError as error:
            self._spend(ask, error.usage)
            raise

    async def _wait(self, ask: Ask) -> None:
        async with self._line:
            await self._requests.take(1)
            await self._tokens.take(self._prompt_tokens(ask) if self._tokens else 0)

    def _noted(self, ask: Ask, reply: Reply) -> Reply:
        self._spend(ask, reply.usage or Usage(completion=self._count(reply.text)))
        return reply

    def _spend(self, ask: Ask, usage: Usage | None) -> None:
        """Corrects what was taken for an ask by what it used."""
        if usage is None:
            return
        self._requests.owe(max(usage.num_requests - 1, 0))
        if self._tokens:
            prompt = usage.prompt - self._prompt_tokens(ask) if usage.prompt else 0
            self._tokens.owe(prompt + usage.completion)

    def _prompt_tokens(self, ask: Ask) -> int:
        return sum(self._count(message["content"]) for message in ask.messages)


class Quota:
    """So many of something per minute, from one event loop; any thread may add to what is owed.

    Args:
        per_minute: over 0; None for no limit.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._per_minute = per_minute
        self._limiter: AsyncLimiter | None = None
        self._owed: deque[float] = deque()

    def __bool__(self) -> bool:
        return self._per_minute is not None

    def owe(self, amount: float) -> None:
        """Counts ``amount`` as well, before what is taken next. A negative one is given back."""
        if self and amount:
            self._owed.append(amount)

    async def take(self, amount: float) -> None:
        """Waits until ``amount``, and all that is owed, is within the limit."""
        if self._per_minute is None:
            return
        limiter = self._limiter = self._limiter or _limiter(self._per_minute)
        while self._owed:
            amount += self._owed.popleft()
        if amount < 0:
            self._owed.append(amount)
        while amount > 0:
            part = min(amount, limiter.max_rate)
            await limiter.acquire(part)
            amount -= part


def _limiter(per_minute: float) -> AsyncLimiter:
    """A limiter that lets no minute have more.

    It may let go at once what it lets go in a second, and at least 1. It refills in a second less
    than a 60th of the limit, so that a minute and that second together are within it.
    """
    from aiolimiter import AsyncLimiter

    if per_minute <= 61:
        return AsyncLimiter(1, 60 / per_minute)
    return AsyncLimiter(per_minute / 61, 1)
