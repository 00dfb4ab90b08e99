"""What becomes of asks if a server answers nobody, be it down or refusing all.

After ``FAILURES`` failed asks in a row (each after its own retries), asks fail at once, and every
``COOL_DOWN`` seconds one goes through as a probe. A run has patience: no case fails because a
server is down for a while. Asks wait until the deadline of their grade, and probes are frequent.
The first reply lets all of them go. If nobody is answered for too long, be it by refusals, the run
stops; soon, where waiting does not help.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

from ..records.errors import JudgeError
from .asks import GivenUp

FAILURES = 5
COOL_DOWN, RUN_COOL_DOWN = 30.0, 2.0
"""Seconds between probes: outside of a run, and in one."""
QUIET = 5.0
"""Seconds without an answer after which a run and its progress say why."""
NO_DEADLINE, PART_OF_DEADLINE, LEAST_PATIENCE = 600.0, 0.8, 90.0
LOOK_AT = "See that the judge's server runs, and that base_url is its address"


def is_refusal(error: JudgeError) -> bool:
    """Whether the server wants to be asked less often. One that is broken says nothing of that."""
    return error.retryable and error.kind == "rate_limit"


def patience_of(deadline: float | None) -> float:
    """The patience of a run whose cases have this deadline, in seconds.

    It ends before the cases that wait for the server run out of time, so that none is lost.
    """
    return NO_DEADLINE if deadline is None else max(PART_OF_DEADLINE * deadline, LEAST_PATIENCE)


class Breaker:
    """Whether the server answers anybody, and what becomes of asks if it does not.

    Args:
        patience: seconds without any answer after which a run stops; None outside of a run.

    ``given_up`` says why the run stops, or is empty. ``answered_at`` is the latest time at which an
    ask was sent that was answered: answers to what was sent before prove nothing, as a server that
    goes down still gives them. ``unanswered_since`` is the first time at which an ask was sent
    after the last answer.
    """

    def __init__(self, patience: float | None = None) -> None:
        self.patience, self.given_up = patience, ""
        self._cool_down = COOL_DOWN if patience is None else RUN_COOL_DOWN
        self.answered_at, self.unanswered_since = -math.inf, math.inf
        self._failures, self._probe_at, self._last = 0, 0.0, JudgeError("")  # failures in a row

    @property
    def is_open(self) -> bool:
        """Whether only probes are sent."""
        return self._failures >= FAILURES

    @property
    def trouble(self) -> str:
        """What a run waits for and until when at most, in words; "" if asks are answered."""
        quiet = time.monotonic() - self.unanswered_since
        if quiet <= QUIET:
            return ""
        until = time.localtime(time.time() + (self.patience or 0.0) - quiet)
        return f"waits until {time.strftime('%H:%M:%S', until)} at most: {self._last.message}"

    async def passed(self, left: Callable[[], float]) -> JudgeError | None:
        """Waits until the server answers again, or this ask is the probe.

        If it may not wait so long, it fails as the last one did, without usage.

        Args:
            left: the seconds that it has.

        Raises:
            GivenUp: the run stops.
        """
        clock = asyncio.get_running_loop().time
        while self.is_open:
            if self.given_up:
                raise GivenUp(self.given_up)
            seconds = self._probe_at - clock()
            if seconds <= 0:
                self._probe_at = clock() + self._cool_down  # in case that this one hangs
                return None
            if self.patience is None or seconds >= left():
                last, can_retry = self._last, self._last.retryable
                problem = f"not asked: the last {self._failures} asks failed: {last.message}"
                fix, status = last.fix, last.http_status
                return JudgeError(
                    problem, last.kind, retryable=can_retry, http_status=status, fix=fix
                )
            await asyncio.sleep(min(seconds, 1.0))  # others may be answered meanwhile
        return None

    def answered(self, sent_at: float) -> None:
        """Notes that a try that went at an instant has a reply."""
        self.answered_at = max(self.answered_at, sent_at)
        self._failures, self.unanswered_since = 0, math.inf

    def failed(self, error: JudgeError, began: float, sent_at: float, *, is_last: bool) -> bool:
        """Notes a try of an ask that failed. Returns whether it goes again, whatever its retries.

        In a run it does if the server is there (otherwise its address may be wrong), and is down or
        refuses it; outside of one, if it is refused while others that ``began`` later are not, and
        only the ``last`` try says that the server is down.
        """
        is_there, is_run = self._is_there(error), self.patience is not None
        if error.usage is None and error.remedy != "repair":  # nothing says that it was sent
            return is_run and is_there and error.retryable
        if error.remedy == "none":
            self._failures, self.unanswered_since = 0, math.inf
            return False
        now = asyncio.get_running_loop().time()
        self.unanswered_since, self._last = min(self.unanswered_since, sent_at), error
        if is_last or is_run:
            self._failures += 1
            self._probe_at = now + max(self._cool_down, error.retry_after or 0.0)
        if self.patience is None:
            return is_refusal(error) and self.answered_at > began
        if self.is_open:
            quiet, hopeless = now - self.unanswered_since, error.remedy == "repair" or not is_there
            why = f"the judge has not answered for {quiet / 60:.1f} minutes"
            if hopeless or quiet >= self.patience:
                why = "waiting for the judge does not help" if hopeless else why
                fix = (error.fix or LOOK_AT).rstrip(".")  # who shows it ends the sentence
                self.given_up = f"{why}: {error.message.rstrip('.')}. {fix}"
        is_down = self.is_open and error.kind in ("transport", "server")
        return error.retryable and (is_down or is_refusal(error)) and is_there

    def _is_there(self, error: JudgeError) -> bool:
        """Whether the server has ever answered, or loads its model, or refuses asks."""
        says_so = error.kind == "rate_limit" or error.retry_after is not None
        return says_so or error.http_status == 503 or self.answered_at > -math.inf
