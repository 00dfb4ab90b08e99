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
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ...records.errors import JudgeError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ...records.ask import Ask

LOOK_AGAIN = 0.01  # seconds between two looks of an ask that waits
PART_OF_TIMEOUT = 0.5
KEPT = 0.8
"""Part of the last cost that a lower one leaves: the number of asks grows step by step."""
CHARS_PER_ITEM = 400
"""What the reply to a statement costs, in characters of a prompt."""


class Pace:
    """One for each server, shared by all judges that ask it. All of it runs on one event loop.

    ``cost`` is the seconds that a character of a prompt takes, if the server answers one ask after
    the other; None before the first reply. ``under_way`` is the characters of all asks under way.
    """

    def __init__(self) -> None:
        self.cost: float | None = None
        self.under_way = 0
        self._line: deque[object] = deque()

    @asynccontextmanager
    async def turn(self, ask: Ask, timeout: float, deadline: float | None) -> AsyncIterator[None]:
        """Waits until the ask may be sent, and learns from how long it takes.

        Raises:
            JudgeError: the deadline came first.
        """
        size = _size(ask)
        await self._wait(size, timeout * PART_OF_TIMEOUT, deadline)
        self.under_way += size
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
            self.under_way -= size

    async def _wait(self, size: int, seconds: float, deadline: float | None) -> None:
        """Waits in line: a long ask is not kept waiting by short ones that came later."""
        ticket = object()
        self._line.append(ticket)
        try:
            while self._line[0] is not ticket or not self.has_room(size, seconds):
                if deadline is not None and time.monotonic() >= deadline:
                    message = "no time was left to ask the judge: other asks took all of it"
                    raise JudgeError(message, "timeout", retryable=True)
                await asyncio.sleep(LOOK_AGAIN)
        finally:
            self._line.remove(ticket)

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
