"""How many asks a server on this machine gets at once.

Servers that people run themselves often answer one ask after the other. Eight asks at once then
wait for each other until all of them time out. So the first ask is sent alone. After it, asks are
sent at once as long as the server, even if it answers one after the other, can answer all of them
in half of the timeout. If it answers several in the time of one, the number grows.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ...records.errors import JudgeError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ...records.ask import Ask

PART_OF_TIMEOUT = 0.5
KEPT = 0.8
"""Part of the last cost that a lower one leaves: the number of asks grows step by step."""
CHARS_PER_ITEM = 400
"""What the reply to a statement costs, in characters of a prompt."""


class _Waiting(NamedTuple):
    """An ask in line."""

    size: int
    seconds: float  # in which the server must be able to answer all asks under way
    admitted: asyncio.Future[None]


class Pace:
    """One for each server, shared by all judges that ask it. All of it runs on one event loop.

    ``cost`` is the seconds that a character of a prompt takes, if the server answers one ask after
    the other; None before the first reply. ``under_way`` is the characters of all asks under way.
    """

    def __init__(self) -> None:
        self.cost: float | None = None
        self.under_way = 0
        self._line: deque[_Waiting] = deque()

    @asynccontextmanager
    async def turn(self, ask: Ask, timeout: float, deadline: float | None) -> AsyncIterator[None]:
        """Waits until the ask may be sent, and learns from how long it takes.

        Raises:
            JudgeError: the deadline came first.
        """
        size = _size(ask)
        await self._wait(size, timeout * PART_OF_TIMEOUT, deadline)
        beside, began = self.under_way, time.monotonic()
        try:
            yield
        except JudgeError as error:
            if error.kind == "timeout":
                self.learn((time.monotonic() - began) / beside, late=True)
            raise
        else:
            self.learn((time.monotonic() - began) / beside)
        finally:
            self._leave(size)

    async def _wait(self, size: int, seconds: float, deadline: float | None) -> None:
        """Waits in line: a long ask is not kept waiting by short ones that came later."""
        waiting = _Waiting(size, seconds, asyncio.get_running_loop().create_future())
        self._line.append(waiting)
        self._admit()
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        try:
            await asyncio.wait([waiting.admitted], timeout=left)
        except asyncio.CancelledError:
            if not self._gives_up(waiting):
                self._leave(size)
            raise
        if self._gives_up(waiting):
            message = "no time was left to ask the judge: other asks took all of it"
            raise JudgeError(message, "timeout", retryable=True)

    def _admit(self) -> None:
        """Lets the asks at the head of the line go for which there is room."""
        while self._line and self.has_room(self._line[0].size, self._line[0].seconds):
            waiting = self._line.popleft()
            self.under_way += waiting.size
            waiting.admitted.set_result(None)

    def _gives_up(self, waiting: _Waiting) -> bool:
        """Takes an ask out of the line; False if it was admitted before."""
        if waiting.admitted.done():
            return False
        self._line.remove(waiting)
        self._admit()
        return True

    def _leave(self, size: int) -> None:
        self.under_way -= size
        self._admit()

    def has_room(self, size: int, seconds: float) -> bool:
        """Whether an ask of this size may be sent now."""
        if not self.under_way:
            return True
        return self.cost is not None and (self.under_way + size) * self.cost <= seconds

    def learn(self, cost: float, *, late: bool = False) -> None:
        """Takes in what an ask cost. One that got no answer in time would have cost more."""
        known = self.cost or 0.0
        self.cost = max(cost, 2 * known) if late else max(cost, KEPT * known)


_PACES: dict[str, Pace] = {}


def pace_of(url: str) -> Pace | None:
    """The pace for the server at this address; None if it is not on this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host not in ("localhost", "::1") and not host.startswith("127."):
        return None
    return _PACES.setdefault(parts.netloc.rpartition("@")[2], Pace())


def _size(ask: Ask) -> int:
    prompt = sum(len(message["content"]) for message in ask.messages)
    return prompt + CHARS_PER_ITEM * len(ask.ids)
