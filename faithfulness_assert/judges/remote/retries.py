"""Repeats failed tries of an ask. The SDKs' own retries stay off.

They sleep as long as a server says, up to two minutes, and ignore deadlines.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ...records.ask import Reply
from ...records.errors import JudgeError
from ...records.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .answers import Failure


async def ask_with_retries(
    send: Callable[[float], Awaitable[Reply | Failure]],
    turn: Callable[[], Awaitable[None]],
    *,
    timeout: float,
    max_retries: int,
    deadline: float | None,
) -> Reply:
    """Tries until there is a reply, at most ``max_retries`` times more, never past ``deadline``.

    Args:
        send: makes one try that may take the given number of seconds.
        turn: waits until the server may be asked again, after the wait for this ask.
        timeout: seconds for one try.
        max_retries: tries after the first one. A try with adapted parameters does not count.
        deadline: an instant of ``time.monotonic()``.

    Raises:
        JudgeError: the last error; its ``usage`` is that of all tries. It is raised at once if the
            wait before the next try would go past the deadline.
    """
    spent, retries = Usage(), 0
    while True:
        seconds = min(timeout, _seconds_left(deadline))
        if seconds <= 0:
            raise _out_of_time(spent)
        outcome = await send(seconds)
        if isinstance(outcome, Reply):
            usage = outcome.usage and spent + outcome.usage
            return replace(outcome, usage=usage, requests=spent.num_requests + 1)
        error = outcome.error
        spent += error.usage or Usage(num_requests=1)
        if outcome.adapted:
            continue
        wait = _backoff(retries) if outcome.wait is None else outcome.wait
        again = error.retryable and retries < max_retries
        if not again or not await _waited(wait, turn, _seconds_left(deadline)):
            error.usage = _usage_if_sent(spent)
            raise error
        retries += 1


async def _waited(wait: float, turn: Callable[[], Awaitable[None]], left: float) -> bool:
    """Waits ``wait`` seconds, and then for its turn. False if that takes longer than is left."""
    if wait >= left:
        return False
    await asyncio.sleep(wait)
    try:
        await asyncio.wait_for(turn(), None if left == math.inf else left - wait)
    except (asyncio.TimeoutError, TimeoutError):
        return False
    return True


def _out_of_time(spent: Usage) -> JudgeError:
    message = "no time was left to ask the judge"
    return JudgeError(message, "timeout", retryable=True, usage=_usage_if_sent(spent))


def _usage_if_sent(spent: Usage) -> Usage | None:
    return spent if spent.num_requests else None


def _seconds_left(deadline: float | None) -> float:
    return math.inf if deadline is None else deadline - time.monotonic()


def _backoff(retries: int) -> float:
    jitter = random.uniform(0.75, 1.0)  # noqa: S311 - not used for security
    return float(min(0.5 * 2 ** min(retries, 4), 8.0) * jitter)
