"""The gate that every ask to a server goes through: may it go now, and does it go again?

An ask waits until the user's limits per minute, the rate that refusals taught, and the room of a
server on this machine let it go. If it fails and may succeed later, it goes again after a pause.
What failures in a row do: see ``breaker.py``.

A limit and chance look alike, as a busy region or a shared quota refuses some asks at any rate. So
once there is a rate, ``BLOCK`` tries go out a little faster, and then as many a little slower. A
limit refuses the faster ones, chance both alike: a faster try that is refused lowers the rate, a
slower one raises it by as much, and each try by a little (as TCP does, and more the longer none was
refused). Where most are refused, it falls by half.

Servers that people run themselves often answer one ask after the other. Eight asks at once then
wait for each other until all of them time out. So the first ask is sent alone. After it, asks are
sent at once as long as the server, even if it answers one after the other, can answer all of them
in half of the timeout. If it answers several in the time of one, the number grows.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from ..asking.windows import estimate_tokens
from ..judges.remote.endpoint import is_here
from ..records.checks import check_number
from ..records.errors import JudgeError
from ..records.judge import Ask, Judge, Outcome, Reply, judge_info
from ..records.usage import Usage
from .asks import TimeLeft, late, log
from .breaker import FAILURES, Breaker, is_refusal

PAUSES = (0.5, 1.0, 2.0)
"""Seconds before an ask goes again; then always as long as the last."""
PART_OF_TIMEOUT = 0.5
_CHANCE = random.Random()  # noqa: S311 - not used for security; that of the program is its own
KEPT = 0.8
"""Part of the last cost that a lower one leaves: the number of asks grows step by step."""
CHARS_PER_ITEM = 400
"""What the reply to a statement costs, in characters of a prompt."""
BLOCK, FASTER = 50, 1.08
STEP, RISE = 0.03, 0.0005
"""By which part a refusal changes the rate, and each try: so 1.7 % of tries are refused."""
LATE, MOST = 30, 0.45
"""Where of about so many late tries a larger share is refused, the rate is wrong."""
SLOWEST = 0.5
"""The fewest tries in a second."""


class Gate:
    """One for each grader, whose judge is one server. All of it runs on one event loop.

    Args:
        judge: whose server it is. One that stores replies has another judge inside.
        limits: the user's.
        patience: of a run, in seconds; see ``Breaker``.
    """

    def __init__(
        self, judge: Judge, limits: PerMinute | None = None, patience: float | None = None
    ) -> None:
        asked = getattr(judge, "judge", judge)
        # In a run it is tried until the breaker opens, if the server is down.
        self._retries = max(getattr(asked, "max_retries", 0), FAILURES if patience else 0)
        self._timeout = getattr(asked, "timeout", 60.0)  # seconds that a try may take
        self._url = str((judge_info(judge).identity or {}).get("base_url", ""))
        self._limits, self.breaker = limits, Breaker(patience)
        self._loop: asyncio.AbstractEventLoop | None = None

    async def ask(
        self, ask: Ask, send: Callable[[], Awaitable[Outcome]], left: TimeLeft
    ) -> Outcome:
        """The outcome of an ask, after as many tries as it takes; its usage is that of all tries.

        ``send`` makes a try. ``left``: the time of its grade.

        Raises:
            GivenUp: the run stops.
        """
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # after a fork, nothing of what was under way goes on
            self._loop, self._line = loop, asyncio.Lock()
            self._rate, self.breaker = LearnedRate(), Breaker(self.breaker.patience)
            is_local = is_here(urlsplit(self._url).hostname or "")
            servers = _LOCAL.setdefault(loop, {})
            self._server = servers.setdefault(self._url, LocalServer()) if is_local else None
        began, spent, tries, retries = loop.time(), Usage(), 0, self._retries
        last: JudgeError | None = None  # of what was sent
        with left.during("ask"):
            while True:
                outcome, sent_at = await self._try(ask, send, left)
                if isinstance(outcome, Reply):
                    usage = outcome.usage and spent + outcome.usage
                    requests = spent.num_requests + outcome.requests
                    return replace(outcome, usage=usage, requests=requests) if tries else outcome
                spent += outcome.usage or Usage()
                pause = PAUSES[min(tries, 2)] * _CHANCE.uniform(0.75, 1.0)  # not all at one instant
                pause, tries = max(pause, outcome.retry_after or 0.0), tries + 1
                may_go = outcome.retryable and retries > 0
                if sent_at is None:
                    outcome, may_go = last or outcome, False  # the cause
                elif self.breaker.failed(outcome, began, sent_at, is_last=not may_go):
                    last, may_go = outcome, True
                else:
                    last, retries = outcome, retries - 1
                    may_go = may_go and not self.breaker.is_open
                if not may_go or pause >= min(left(), self.breaker.patience or math.inf):
                    outcome.usage = spent if spent.num_requests else None
                    return outcome
                log.info("%s: goes again in %.1f s", ask.kind, pause)
                await asyncio.sleep(pause)

    async def _try(
        self, ask: Ask, send: Callable[[], Awaitable[Outcome]], left: TimeLeft
    ) -> tuple[Outcome, float | None]:
        """Sends an ask when it may go, and learns from its outcome; also the instant when it went.

        None if it did not go: the server is down, or the time was up. The wait for a limit, or in
        line for a server on this machine, costs its grade no time.

        Raises:
            GivenUp: the run stops.
        """
        limits, rate, server, breaker = self._limits, self._rate, self._server, self.breaker
        clock = asyncio.get_running_loop().time
        async with server.taken(ask, self._timeout, left) if server else nullcontext():
            if problem := await breaker.passed(left):
                return problem, None
            amount = rate.amount_of(ask) if rate.counts_tokens else 1.0
            if limits or rate.quota.each:
                with left.during("wait"):
                    async with self._line:
                        if limits:
                            await limits.take(ask)
                        await rate.quota.take(amount)
            if left() <= 0:
                return late(), None
            sent_at, beside = clock(), server.under_way if server else 0
            number = rate.sent(amount, sent_at)
            outcome = await send()
            if limits:
                limits.spent(ask, outcome)
            if isinstance(outcome, Reply):
                breaker.answered(sent_at)
            elif is_refusal(outcome):
                rate.refused(number, amount, outcome)
            if server and (isinstance(outcome, Reply) or outcome.kind == "timeout"):
                server.learn((clock() - sent_at) / beside)
            return outcome, sent_at


# ---------------------------------------------------------------- limits, known and learned


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
        for name, limit in (("requests", requests), ("tokens", tokens)):
            check_number(f"{name}_per_minute", limit, 1e-6, 1e12, optional=True)
        # What a second brings may be taken at once. It brings less than a 60th of the limit, so
        # that a minute and that second together are within it.
        self._requests, self._tokens = (
            Quota((60 if limit <= 61 else 61) / limit, max(limit / 61, 1.0)) if limit else Quota()
            for limit in (requests, tokens)
        )

    async def take(self, ask: Ask) -> None:
        """Waits until the ask may be sent. To be called by one ask after the other."""
        await self._requests.take()
        if self._tokens.each:
            await self._tokens.take(ask.size(estimate_tokens))

    def spent(self, ask: Ask, outcome: Outcome) -> None:
        """Corrects what was taken for an ask by what it used: the asks after it pay for it."""
        text = outcome.text if isinstance(outcome, Reply) else ""
        usage = outcome.usage or Usage(completion=estimate_tokens(text))
        self._requests.owe(max(usage.num_requests - 1, 0))
        if self._tokens.each:
            prompt = usage.prompt - ask.size(estimate_tokens) if usage.prompt else 0
            self._tokens.owe(prompt + usage.completion)


class LearnedRate:
    """One for each gate, on one event loop. ``counts_tokens``: the server does.

    ``rate`` is how many tries may go out each second; infinite while no limit is known. Otherwise
    each takes its ``amount`` of the ``quota``: 1, or by its size where the server counts tokens.
    """

    def __init__(self) -> None:
        self.rate, self.quota, self.counts_tokens = math.inf, Quota(at_once=2.0), False
        self._size, self._late = 0.0, 0.0  # of a mean ask; the share of late ones that were refused
        # When and after which try asks began to go without a rest, and when the latest one went.
        self._began, self._first, self._at = 0.0, 0, -math.inf
        # The numbers of the latest try, of the latest when one was refused, and when the rate fell.
        self._sent = self._refused_at = self._fell_at = 0

    def amount_of(self, ask: Ask) -> float:
        """How much of the quota an ask takes where tokens count. A mean one takes 1."""
        size = ask.size(estimate_tokens)
        self._size += (size - self._size) / (LATE if self._size else 1)
        return size / self._size

    def sent(self, amount: float, now: float) -> int:
        """Notes that a try of this amount goes out. Returns its number."""
        if now - self._at > 1.0:
            self._began, self._first = now, self._sent
        self._sent, self._at = self._sent + 1, now
        self._late *= 1 - 1 / LATE
        if self.quota.paid_at > now + 1.001 * amount * self.quota.each:  # it has waited
            self.rate *= 1 + RISE * max(1.0, (self._sent - self._refused_at) / BLOCK)
        self._pace()
        return self._sent

    def refused(self, number: int, amount: float, error: JudgeError) -> None:
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
                self.rate = (self._sent - self._first) / max(self._at - self._began, 1.0)
            self.rate = max(self.rate / 2, SLOWEST)
            self._late, self._fell_at = 0.0, self._sent
            self._pace()

    def _pace(self) -> None:
        """Sets what the tries after the latest one take; of every other block, they go faster."""
        part = FASTER if self._sent // BLOCK % 2 else 1 / FASTER
        self.quota.each = 1 / (self.rate * part)


# ---------------------------------------------------------------- a server on this machine


class LocalServer:
    """How many asks a server on this machine gets at once.

    ``cost`` is the seconds that a character of a prompt takes, if the server answers one ask after
    the other; None before the first reply. ``under_way`` is the characters of all asks under way.
    """

    def __init__(self) -> None:
        self.cost: float | None = None
        self.under_way = 0
        self._line, self._ended = asyncio.Lock(), asyncio.Event()

    @asynccontextmanager
    async def taken(self, ask: Ask, timeout: float, left: TimeLeft) -> AsyncIterator[None]:
        """Waits in line: a long ask is not kept waiting by short ones that came later.

        The time of its grade stands still meanwhile. ``timeout``: the seconds that an ask may take.
        """
        size = ask.size(len) + CHARS_PER_ITEM * len(ask.ids)
        with left.during("wait"):
            async with self._line:  # only who is at its head waits for room
                while self.under_way and (
                    self.cost is None
                    or (self.under_way + size) * self.cost > timeout * PART_OF_TIMEOUT
                ):
                    self._ended.clear()
                    await self._ended.wait()
                self.under_way += size
        try:
            yield
        finally:
            self.under_way -= size
            self._ended.set()

    def learn(self, cost: float) -> None:
        """Takes in what an ask cost, also one that got no answer in time."""
        self.cost = max(cost, KEPT * (self.cost or 0.0))


_LOCAL: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, LocalServer]] = WeakKeyDictionary()
"""One for each address, whichever grader asks there."""
