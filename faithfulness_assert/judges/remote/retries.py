"""What every judge behind an HTTP API shares: reading its answers, telling its errors, trying again.

A judge gives :func:`persist` one try (``transport.fetch``, then :func:`read_object`). The SDK's own retries stay off: they sleep as
long as a server says, up to two minutes, and know of no deadline.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ...records.ask import Reply
from ...records.errors import JudgeError
from ...records.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from .answers import Failure


# ---------------------------------------------------------------- what it brought


# ---------------------------------------------------------------- all tries


def persist(
    attempt: Callable[[float], Reply | Failure],
    *,
    timeout: float,
    max_retries: int,
    deadline: float | None,
) -> Reply:
    """Tries until there is a reply, at most ``max_retries`` times more, and never past ``deadline``.

    Args:
        attempt: one try that may take the given number of seconds.
        timeout: seconds for one try.
        max_retries: tries after the first; asking differently is none.
        deadline: an instant of ``time.monotonic()``.

    Raises:
        JudgeError: the last error, at once where the wait that it wants does not fit; ``usage`` is that of all tries.
    """
    spent, retries = Usage(), 0
    while True:
        seconds = min(timeout, _left(deadline))
        if seconds <= 0:
            raise JudgeError(
                "no time was left to ask the judge",
                "timeout",
                retryable=True,
                usage=spent if spent.num_requests else None,
            )
        outcome = attempt(seconds)
        if isinstance(outcome, Reply):
            return replace(
                outcome,
                usage=outcome.usage and spent + outcome.usage,
                requests=spent.num_requests + 1,
            )
        error = outcome.error
        spent += error.usage or Usage(num_requests=1)
        if outcome.adapted:
            continue
        wait = _backoff(retries) if outcome.wait is None else outcome.wait
        if not error.retryable or retries >= max_retries or wait >= _left(deadline):
            error.usage = spent if spent.num_requests else None
            raise error
        time.sleep(wait)
        retries += 1


def _left(deadline: float | None) -> float:
    return float("inf") if deadline is None else deadline - time.monotonic()


def _backoff(retries: int) -> float:
    return float(min(0.5 * 2 ** min(retries, 4), 8.0) * random.uniform(0.75, 1.0))  # noqa: S311 - no secret hangs on it
