"""Waits for a judge's server that is down for a while, so that no cases fail for it."""

from __future__ import annotations

import asyncio
import math
import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ..records.errors import JudgeError
from ..records.judge import JudgeInfo, judge_info
from ..records.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import Any

    from ..records.ask import Ask, Reply

FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0  # seconds
MOST = 600.0
"""Seconds that an ask without a deadline may wait."""
OUTAGES = ("transport", "server", "rate_limit")


class PatientJudge:
    """A judge that asks again, until the deadline, while its server does not answer anybody.

    An ask fails at once, as without patience, if no ask was ever answered (an address may be
    wrong), and if it fails again although the server works: an ask that was sent after its failure
    was answered. Answers to what was sent before prove nothing, as a server that goes down may
    still give them.

    Args:
        judge: one with ``aask`` for any event loop. It has made its own tries before it fails.
    """

    def __init__(self, judge: Any) -> None:
        self._judge = judge
        self._works = -math.inf  # the latest time at which an ask was sent that was answered

    @property
    def info(self) -> JudgeInfo:
        """What the judge says about itself."""
        return judge_info(self._judge)

    def turn(self, ask: Ask, /) -> Awaitable[None] | None:
        """What to await before an ask is sent, because of the judge's rate limit."""
        turn = getattr(self._judge, "turn", None)
        waiting: Awaitable[None] | None = turn and turn(ask)
        return waiting

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Asks the judge, without patience."""
        reply: Reply = self._judge.ask(ask, deadline=deadline)
        return reply

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Asks the judge, and again after a while if its server seems to be down.

        Raises:
            JudgeError: the last error; its usage is that of all tries.
        """
        end = time.monotonic() + MOST if deadline is None else deadline
        spent, wait, failed = Usage(), FIRST_WAIT, math.inf
        while True:
            sent, works = time.monotonic(), self._works > failed
            try:
                reply: Reply = await self._judge.aask(ask, deadline=deadline)
            except JudgeError as error:
                spent += error.usage or Usage()
                pause = wait * random.uniform(0.75, 1.0)  # noqa: S311 - not used for security
                failed = time.monotonic()
                hopeless = (error.usage and works) or failed + pause >= end
                if self._works == -math.inf or hopeless or not _is_outage(error):
                    error.usage = spent if spent.num_requests else None
                    raise
            else:
                if not reply.cached:
                    self._works = max(self._works, sent)
                requests = reply.requests + spent.num_requests
                return replace(reply, usage=reply.usage and spent + reply.usage, requests=requests)
            await asyncio.sleep(pause)
            if turn := self.turn(ask):
                await turn
            wait = min(2 * wait, LONGEST_WAIT)


def _is_outage(error: JudgeError) -> bool:
    """Whether it may be the server's state. An ask that was not sent at all may always go again."""
    return error.retryable and (error.usage is None or error.kind in OUTAGES)
