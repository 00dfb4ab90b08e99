"""A server that is down gets few asks, and is given up where waiting does not help.

After ``FAILURES`` failed asks in a row (each after its own retries), asks fail at once, and every
``COOL_DOWN`` seconds one goes through as a probe. A run has patience: no case fails because a
server is down for a while. Asks wait until the deadline of their grade, and probes are frequent.
The first reply lets all of them go. Where waiting does not help, or has lasted too long, the run
stops.
"""

from __future__ import annotations

import asyncio
import math
import random
import time

from ..records.errors import JudgeError
from .asks import GivenUp, TimeLeft
from .rates import is_refusal

FAILURES = 5
COOL_DOWN = 30.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
"""Seconds before an ask goes again, and between the probes of a run."""
CONFIRMED = 3
"""So many probes must fail too before a run stops: a server that is started again may say for a
moment that it does not know a key or a model."""
LEAST_PATIENCE = 90.0
PART_OF_DEADLINE = 0.8
NO_DEADLINE = 600.0
OUTAGES = ("transport", "server", "rate_limit")
_CHANCE = random.Random()  # noqa: S311 - not used for security; that of the program is its own


def backoff(pauses: int) -> float:
    """The seconds of a pause after so many."""
    jitter = _CHANCE.uniform(0.75, 1.0)
    return float(min(FIRST_PAUSE * 2 ** min(pauses, 9), LONGEST_PAUSE) * jitter)


def patience_of(deadline: float | None) -> float:
    """The patience of a run whose cases have this deadline, in seconds.

    It ends before the cases that wait for the server run out of time, so that none is lost.
    """
    return NO_DEADLINE if deadline is None else max(PART_OF_DEADLINE * deadline, LEAST_PATIENCE)


class Breaker:
    """Whether the server answers anybody, and what becomes of asks if it does not.

    Args:
        patience: seconds without any answer after which a run stops; None outside of a run.

    ``given_up`` says why the run stops, or is empty.
    """

    def __init__(self, patience: float | None = None) -> None:
        self.patience, self.given_up = patience, ""
        self._failures = self._probes = self._confirmed = 0  # in a row
        self._last_error = JudgeError("")
        self._probe_at = self._open_since = 0.0
        self._failing_since = math.inf  # the first try that failed since the last answer
        self._answered_at = -math.inf  # the latest time at which an ask was sent that was answered
        self._waits = (-math.inf, "")  # until when, and why
        self._closed: asyncio.Future[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether only probes are sent."""
        return self._failures >= FAILURES

    @property
    def trouble(self) -> str:
        """What is waited for and until when at most, in words; "" if asks are answered."""
        until, message = self._waits
        if (seconds := until - time.monotonic()) <= 0:
            return ""
        clock = time.strftime("%H:%M:%S", time.localtime(time.time() + seconds))
        return f"waits until {clock} at most: {message}"

    def answered_after(self, instant: float = -math.inf) -> bool:
        """Whether an ask was answered that was sent after this instant, or ever.

        Answers to what was sent before prove nothing, as a server that goes down still gives them.
        """
        return self._answered_at > instant

    def explains(self, error: JudgeError, *, others_answered: bool) -> bool:
        """Whether an ask that failed with this error waits and goes again.

        Only in a run, and only if the server has ever answered, or says that it will: otherwise its
        address may be wrong.
        """
        if self.patience is None or not self._may_answer(error) or not error.retryable:
            return False
        if error.usage is None:
            return True  # it was not even sent
        return error.kind in OUTAGES and (not others_answered or is_refusal(error))

    def _may_answer(self, error: JudgeError) -> bool:
        """Whether the server is there: it has answered, or it loads its model (HTTP 503)."""
        return self.answered_after() or error.http_status == 503

    async def passed(self, left: TimeLeft) -> JudgeError | None:
        """Waits until the server answers again, or this ask is the probe.

        If it may not wait so long, it fails as the last one did: retryable, and without usage.

        Raises:
            GivenUp: the run stops.
        """
        loop = asyncio.get_running_loop()
        while self.is_open:
            if self.given_up:
                raise GivenUp(self.given_up)
            seconds = self._probe_at - loop.time()
            if seconds <= 0:
                self._plan_probe()  # in case that this one hangs
                return None
            if self.patience is None or seconds >= left():
                return self._not_asked()
            self._closed = self._closed or loop.create_future()
            await asyncio.wait([self._closed], timeout=seconds)
        return None

    def answered(self, sent_at: float) -> None:
        """Notes a reply to an ask that was sent at this instant."""
        self._answered_at = max(self._answered_at, sent_at)
        self._close()

    def failed(self, error: JudgeError, first: float, last: float) -> None:
        """Notes what an ask failed with after its tries, which went between these instants."""
        if error.usage is None and error.remedy != "repair":
            return  # nothing was sent, which says nothing
        if error.remedy == "none" or is_refusal(error):
            self._close()
            return
        was_open = self.is_open
        self._failures += 1
        # Not the error itself: the frames of its traceback contain an ask.
        self._last_error = JudgeError(
            error.message, error.kind, http_status=error.http_status, fix=error.fix
        )
        now = asyncio.get_running_loop().time()
        is_probe = was_open and last >= self._open_since
        if is_probe or not was_open:
            self._plan_probe()
        self._failing_since = min(self._failing_since, first)
        if self.is_open and not was_open:
            self._open_since = now
        if self.is_open:
            self._waits = self._failing_since + (self.patience or 0.0), error.message
        if is_probe and self.patience is not None:
            self._lose_patience(error, now - self._failing_since, self.patience)

    def _lose_patience(self, error: JudgeError, seconds: float, most: float) -> None:
        """Gives the server up if waiting does not help, or has lasted for ``most`` seconds."""
        hopeless = error.remedy == "repair" or not self._may_answer(error)
        self._confirmed = self._confirmed + 1 if hopeless else 0
        message = error.message.rstrip(".")
        if error.fix and error.fix.rstrip(".") not in message:
            message += f". {error.fix.rstrip('.')}"
        if self._confirmed >= CONFIRMED:
            why = "waiting does not help" if self.answered_after() else "none was ever answered"
            self.given_up = f"the last asks failed, and {why}: {message}"
        elif seconds >= most:
            minutes = seconds / 60
            self.given_up = f"the judge has not answered for {minutes:.1f} minutes: {message}"
        if self.given_up:
            self._let_go()

    def _plan_probe(self) -> None:
        wait = COOL_DOWN
        if self.patience is not None:
            wait = min(wait, backoff(self._probes))
            self._probes += self.is_open
        self._probe_at = asyncio.get_running_loop().time() + wait

    def pauses(self, error: JudgeError, seconds: float) -> None:
        """Notes that an ask that failed goes again after so long. The next answer ends the note."""
        if seconds > LONGEST_PAUSE and not self.is_open:
            self._waits = asyncio.get_running_loop().time() + seconds, error.message

    def _close(self) -> None:
        self._failures = self._probes = self._confirmed = 0
        self._waits = (-math.inf, "")
        self._failing_since = math.inf
        self._let_go()

    def _let_go(self) -> None:
        """Lets all asks look again that wait."""
        if self._closed:
            self._closed.set_result(None)
            self._closed = None

    def _not_asked(self) -> JudgeError:
        last = self._last_error
        return JudgeError(
            f"not asked: the last {self._failures} asks failed: {last.message}",
            last.kind,
            retryable=True,
            http_status=last.http_status,
            fix=last.fix,
        )
