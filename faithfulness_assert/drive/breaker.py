"""What becomes of asks if a server answers nobody, be it down or refusing all.

After ``FAILURES`` failed asks in a row (each after its own retries), asks fail at once, and every
``COOL_DOWN`` seconds one goes through as a probe. A run has patience: no case fails because a
server is down for a while. Asks wait until the deadline of their grade, and probes are frequent.
The first reply lets all of them go. Where waiting does not help, or nobody was answered for too
long, be it by refusals, the run stops.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Callable

from ..records.errors import JudgeError
from .asks import GivenUp

FAILURES = 5
COOL_DOWN, RUN_COOL_DOWN = 30.0, 2.0
"""Seconds between probes: outside of a run, and in one."""
CONFIRMED = 3
"""So many probes must fail too before a run stops: a server that is started again may say for a
moment that it does not know a key or a model."""
LOOK_AGAIN = 1.0
"""The most seconds after which an ask that waits looks again: there is no call to be missed."""
QUIET = 5.0
"""Seconds without an answer after which a run and its progress say why."""
LEAST_PATIENCE = 90.0
PART_OF_DEADLINE = 0.8
NO_DEADLINE = 600.0
OUTAGES = ("transport", "server")
LOOK_AT = "See that the judge's server runs, and that base_url is its address"
_CHANCE = random.Random()  # noqa: S311 - not used for security; that of the program is its own


def jittered(seconds: float) -> float:
    """A wait of about so long: many that wait from the same instant do not end at the same one."""
    return seconds * _CHANCE.uniform(0.75, 1.0)


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

    ``is_open``: only probes are sent. ``given_up`` says why the run stops, or is empty.
    ``answered_at`` is the latest time at which an ask was sent that was answered: answers to what
    was sent before prove nothing, as a server that goes down still gives them.
    ``unanswered_since`` is the first time at which an ask was sent after the last answer.
    """

    def __init__(self, patience: float | None = None) -> None:
        self.patience, self.given_up = patience, ""
        self.answered_at = -math.inf
        self._probe_at = self._open_since = 0.0
        self._last = JudgeError("")
        self._close()

    def _close(self) -> None:
        """Begins to count anew."""
        self.is_open = False
        self._failures = self._hopeless = 0  # in a row
        self.unanswered_since = math.inf

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

        If it may not wait so long, it fails as the last one did, without usage; in a run retryable.

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
                self._plan_probe(clock())  # in case that this one hangs
                return None
            if self.patience is None or seconds >= left():
                problem = f"not asked: the last {self._failures} asks failed: {self._last.message}"
                may_wait = self._last.retryable or self.patience is not None
                return _copy(self._last, problem, retryable=may_wait)
            await asyncio.sleep(min(seconds, LOOK_AGAIN))
        return None

    def _plan_probe(self, now: float, told: float | None = None) -> None:
        """``told``: the seconds for which the server wants no ask."""
        usual = COOL_DOWN if self.patience is None else jittered(RUN_COOL_DOWN)
        self._probe_at = now + max(usual, told or 0.0)

    def answered(self, sent_at: float) -> None:
        """Notes that a try that went at an instant has a reply."""
        self.answered_at = max(self.answered_at, sent_at)
        if self.unanswered_since < math.inf:
            self._close()

    def failed(self, error: JudgeError, sent_at: float, now: float, *, is_last: bool) -> None:
        """Notes a try that went at an instant and failed.

        Outside of a run only the ``last`` try of an ask says that the server is down.
        """
        if error.usage is None and error.remedy != "repair":
            return  # nothing was sent, which says nothing
        self.unanswered_since = min(self.unanswered_since, sent_at)
        self._last = _copy(error, error.message, retryable=error.retryable)
        if error.remedy == "none":
            self._close()
        elif is_last or self.patience is not None:
            is_probe = self.is_open and sent_at >= self._open_since
            self._failures += 1
            if self._failures == FAILURES:
                self.is_open, self._open_since = True, now
            if is_probe or self._failures <= FAILURES:
                self._plan_probe(now, error.retry_after)
            if is_probe and self.patience is not None:
                self._lose_patience(error, now, self.patience)

    def _lose_patience(self, error: JudgeError, now: float, most: float) -> None:
        """Gives the server up if waiting does not help, or has lasted for ``most`` seconds."""
        is_there, quiet = self._is_there(error), now - self.unanswered_since
        self._hopeless = 0 if is_there and error.remedy != "repair" else self._hopeless + 1
        if self._hopeless >= CONFIRMED:
            ever = self.answered_at > -math.inf
            why = "waiting does not help" if ever else "none was answered since this start"
            why = f"the last asks failed, and {why}"
        elif quiet >= most:
            why = f"the judge has not answered for {quiet / 60:.1f} minutes"
        else:
            return
        fix = error.fix or ("" if is_there else LOOK_AT)
        parts = [why, error.message.rstrip(".")]
        self.given_up = ": ".join(parts) + (f". {fix.rstrip('.')}" if fix not in parts[1] else "")
        self.is_open = True

    def explains(self, error: JudgeError, began: float) -> bool:
        """Whether an ask that failed with this error waits and goes again, whatever its retries.

        In a run it does if the server is there (otherwise its address may be wrong), and is down or
        refuses it; outside of one, if it is refused while others that ``began`` later are not.
        """
        if self.patience is None:
            return is_refusal(error) and self.answered_at > began
        is_down = error.usage is None or (self.is_open and error.kind in OUTAGES)
        return error.retryable and self._is_there(error) and (is_down or is_refusal(error))

    def _is_there(self, error: JudgeError) -> bool:
        """Whether the server has ever answered, or loads its model, or refuses asks."""
        says_so = error.kind == "rate_limit" or error.retry_after is not None
        return says_so or error.http_status == 503 or self.answered_at > -math.inf


def _copy(error: JudgeError, message: str, *, retryable: bool) -> JudgeError:
    """The same without usage. Not the error itself: the frames of its traceback have an ask."""
    status, fix = error.http_status, error.fix
    return JudgeError(message, error.kind, retryable=retryable, http_status=status, fix=fix)
