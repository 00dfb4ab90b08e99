"""The gate that every ask to a server goes through: may it go now, and does it go again?

An ask waits until the user's limits per minute, the rate that refusals taught (``rates.py``), and
the room of a server on this machine let it go. If it fails and may succeed later, it goes again
after a pause. Whether the server is down: see ``breaker.py``.

Servers that people run themselves often answer one ask after the other. Eight asks at once then
wait for each other until all of them time out. So the first ask is sent alone. After it, asks are
sent at once as long as the server, even if it answers one after the other, can answer all of them
in half of the timeout. If it answers several in the time of one, the number grows.
"""

from __future__ import annotations

import asyncio
import math
import os
import weakref
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from ..judges.remote.settings import is_here
from ..records.judge import Ask, Judge, Outcome, Reply, judge_info
from ..records.usage import Usage
from .asks import TimeLeft, late, log
from .breaker import Breaker, backoff
from .rates import LearnedRate, PerMinute, is_refusal

MOST_WAIT_IN_OUTAGE = 600.0
"""Seconds that an ask without a deadline waits for a server that is down."""
PART_OF_TIMEOUT = 0.5
KEPT = 0.8
"""Part of the last cost that a lower one leaves: the number of asks grows step by step."""
CHARS_PER_ITEM = 400
"""What the reply to a statement costs, in characters of a prompt."""

_ALL: weakref.WeakSet[Gate] = weakref.WeakSet()


class Gate:
    """One for each grader, whose judge is one server. All of it runs on one event loop.

    Args:
        max_retries: tries after the first one, if a failure may be temporary.
        timeout: seconds that a try may take.
        server: on this machine; None for one elsewhere.
        per_minute: the user's limits.
        patience: of a run, in seconds; see ``Breaker``.
    """

    def __init__(
        self,
        max_retries: int = 0,
        timeout: float = 60.0,
        server: LocalServer | None = None,
        per_minute: PerMinute | None = None,
        patience: float | None = None,
    ) -> None:
        self._max_retries, self._timeout, self._server = max_retries, timeout, server
        self._per_minute, self._rate = per_minute, LearnedRate()
        self._line = asyncio.Lock()  # of asks that wait for a limit
        self.breaker = Breaker(patience)
        _ALL.add(self)

    @classmethod
    def to(
        cls, judge: Judge, per_minute: PerMinute | None = None, patience: float | None = None
    ) -> Gate:
        """A gate to the server of a judge; the judge inside of one that stores replies."""
        asked = getattr(judge, "judge", judge)
        url = (judge_info(judge).identity or {}).get("base_url", "")
        retries, timeout = getattr(asked, "max_retries", 0), getattr(asked, "timeout", 60.0)
        return cls(retries, timeout, local_server(str(url)), per_minute, patience)

    def forget(self) -> None:
        """Forgets what belongs to the event loop of the process that this one was forked from."""
        self.breaker, self._line = Breaker(self.breaker.patience), asyncio.Lock()
        if self._server:
            self._server.forget()

    async def ask(
        self, ask: Ask, send: Callable[[], Awaitable[Outcome]], left: TimeLeft
    ) -> Outcome:
        """The outcome of an ask, after as many tries as it takes; its usage is that of all tries.

        Args:
            ask: what ``send`` sends.
            send: makes one try.
            left: the time of its grade.

        Raises:
            GivenUp: the run stops.
        """
        loop = asyncio.get_running_loop()
        spent, retries, pauses = Usage(), 0, 0
        failed_at, gives_up_at = math.inf, math.inf
        first = math.inf  # when the first try went since the breaker was told of a failure
        with left.during("ask"):
            while True:
                others_answered = self.breaker.answered_after(failed_at)
                outcome, sent_at = await self._try(ask, send, left, again=pauses > 0)
                first, was_sent = min(first, sent_at), sent_at < math.inf
                if isinstance(outcome, Reply):
                    if spent.num_requests:
                        usage, requests = outcome.usage, spent.num_requests + outcome.requests
                        outcome = replace(outcome, usage=usage and spent + usage, requests=requests)
                    return outcome
                spent += outcome.usage or Usage()
                goes_again = was_sent and outcome.retryable and retries < self._max_retries
                if goes_again and not self.breaker.is_open:
                    retries += 1
                else:
                    if was_sent:
                        self.breaker.failed(outcome, first, sent_at)
                        first = math.inf
                    goes_again = self.breaker.explains(outcome, others_answered=others_answered)
                    retries, failed_at = 0, loop.time()
                    gives_up_at = min(gives_up_at, failed_at + MOST_WAIT_IN_OUTAGE)
                pause = backoff(pauses) if outcome.retry_after is None else outcome.retry_after
                pauses += 1
                seconds = gives_up_at - loop.time() if left() == math.inf else left()
                if not goes_again or pause >= seconds:
                    outcome.usage = spent if spent.num_requests else None
                    return outcome
                log.warning(
                    "%s: goes again: %s, HTTP %s", ask.kind, outcome.kind, outcome.http_status
                )
                self.breaker.pauses(outcome, pause)
                await asyncio.sleep(pause)

    async def _try(
        self, ask: Ask, send: Callable[[], Awaitable[Outcome]], left: TimeLeft, *, again: bool
    ) -> tuple[Outcome, float]:
        """Sends an ask when it may go, and learns from its outcome; also the instant when it went.

        An ask that did not go has an infinite one: the server is down, or the time was up.

        The wait for a limit costs its grade no time, unless the ask goes ``again``: a server that
        refuses it every time would never be given up. Nor does the wait in line for a server on
        this machine.

        Raises:
            GivenUp: the run stops.
        """
        server = self._server
        async with server.taken(ask, self._timeout, left) if server else nullcontext():
            if problem := await self.breaker.passed(left):
                return problem, math.inf
            if self._per_minute or self._rate.holds:
                with nullcontext() if again else left.during("limit"):
                    async with self._line:
                        if self._per_minute:
                            await self._per_minute.wait(ask)
                        if self._rate.holds:
                            await self._rate.wait()
            if left() <= 0:
                return late(), math.inf
            tried, beside = self._rate.sent(), server.under_way if server else 0
            outcome = await send()
            if self._per_minute:
                self._per_minute.spent(ask, outcome)
            if isinstance(outcome, Reply):
                self.breaker.answered(tried.at)
            elif is_refusal(outcome):
                self._rate.refused(tried, outcome.retry_after)
            if server and (isinstance(outcome, Reply) or outcome.kind == "timeout"):
                took = asyncio.get_running_loop().time() - tried.at
                server.learn(took / beside, late=not isinstance(outcome, Reply))
            return outcome, tried.at


def _forget() -> None:
    for gate in _ALL:
        gate.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# ---------------------------------------------------------------- a server on this machine


class _Waiting(NamedTuple):
    """An ask in line."""

    size: int
    seconds: float  # in which the server must be able to answer all asks under way
    admitted: asyncio.Future[None]


class LocalServer:
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
        """
        size = ask.size(len) + CHARS_PER_ITEM * len(ask.ids)
        admitted = asyncio.get_running_loop().create_future()
        waiting = _Waiting(size, timeout * PART_OF_TIMEOUT, admitted)
        self._line.append(waiting)
        self._admit()
        try:
            if not admitted.done():
                with left.during("line"):
                    await asyncio.wait([admitted])  # which is not cancelled with this ask
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


_LOCAL: dict[str, LocalServer] = {}


def local_server(url: str) -> LocalServer | None:
    """The server at this address; None if it is not on this machine."""
    parts = urlsplit(url)
    if not is_here(parts.hostname or ""):
        return None
    return _LOCAL.setdefault(parts.netloc.rpartition("@")[2], LocalServer())
