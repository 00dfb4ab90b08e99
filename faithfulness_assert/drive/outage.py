"""A server that is down gets few asks, and is given up where waiting does not help.

After ``FAILURES`` failed asks in a row (each after its own retries), asks fail at once, and every
``COOL_DOWN`` seconds one goes through as a probe. In a run, which is ``patient``, no case fails
because a server is down for a while: asks wait until the deadline of their grade, and probes are
frequent. The first reply lets all of them go. Where waiting does not help, or has lasted too long,
the run stops: see ``Patience``.
"""

from __future__ import annotations

import asyncio
import math
import random

from ..records.errors import JudgeError
from .asks import GivenUp, TimeLeft
from .limits import is_refusal

FAILURES = 5
COOL_DOWN = 30.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
"""Seconds before an ask goes again, and between the probes of a run."""
_CHANCE = random.Random()  # noqa: S311 - not used for security; that of the program is its own
OUTAGES = ("transport", "server", "rate_limit")


def backoff(pauses: int) -> float:
    """The seconds of a pause after so many."""
    jitter = _CHANCE.uniform(0.75, 1.0)
    return float(min(FIRST_PAUSE * 2 ** min(pauses, 9), LONGEST_PAUSE) * jitter)


class Outage:
    """Whether the server answers anybody, and what becomes of asks if it does not.

    ``patient``: they wait. ``is_on``: only probes are sent. ``patience``: of a run, which then
    stops when it has ended.
    """

    def __init__(self, cool_down: float = COOL_DOWN) -> None:
        self.patient = False
        self.patience: Patience | None = None
        self._cool_down = cool_down
        self._failures = self._probes = 0  # in a row
        self._last_error = JudgeError("")
        self._probe_at = self._is_on_since = 0.0
        self._worked_at = -math.inf  # the latest time at which an ask was sent that was answered
        self._over: asyncio.Future[None] | None = None

    @property
    def is_on(self) -> bool:
        return self._failures >= FAILURES

    @property
    def trouble(self) -> str:
        """What the last asks failed with, in words; "" if asks are answered."""
        if not self.is_on:
            return ""
        return f"the last {self._failures} asks failed: {self._last_error.message}"

    def worked_after(self, instant: float = -math.inf) -> bool:
        """Whether an ask was answered that was sent after this instant, or ever.

        Answers to what was sent before prove nothing, as a server that goes down still gives them.
        """
        return self._worked_at > instant

    def may_be_why(self, error: JudgeError, *, others_work: bool) -> bool:
        """Whether an ask that failed with this error waits and goes again.

        Only in a run, and only if the server has ever answered: otherwise its address may be wrong.
        """
        if not (self.patient and self.worked_after() and error.retryable):
            return False
        if error.usage is None:
            return True  # it was not even sent
        return error.kind in OUTAGES and (not others_work or is_refusal(error))

    async def passed(self, left: TimeLeft) -> None:
        """Waits until the outage is over, or this ask is the probe.

        Raises:
            JudgeError: it may not wait so long. The error has the kind and message of the last one,
                is retryable, and has no usage.
            GivenUp: the run stops.
        """
        loop = asyncio.get_running_loop()
        while self.is_on:
            if self.patience and self.patience.given_up:
                raise GivenUp(self.patience.given_up)
            seconds = self._probe_at - loop.time()
            if seconds <= 0:
                self._plan_probe()  # in case that this one hangs
                return
            may_wait = self.patient and (self.worked_after() or self.patience is not None)
            if not may_wait or seconds >= left():
                raise self._not_asked(seconds)
            self._over = self._over or loop.create_future()
            await asyncio.wait([self._over], timeout=seconds)

    def worked(self, sent_at: float) -> None:
        """Notes a reply to an ask that was sent at this instant."""
        self._worked_at = max(self._worked_at, sent_at)
        self._end()

    def failed(self, error: JudgeError, tried: tuple[float, float]) -> None:
        """Notes what an ask failed with after its tries, the first and last of which went then."""
        if error.usage is None and error.remedy != "repair":
            return  # nothing was sent, which says nothing
        if error.remedy == "none" or is_refusal(error):
            self._end()
            return
        was_on = self.is_on
        self._failures += 1
        # Not the error itself: the frames of its traceback contain an ask.
        self._last_error = JudgeError(
            error.message, error.kind, http_status=error.http_status, fix=error.fix
        )
        now = asyncio.get_running_loop().time()
        is_probe = was_on and tried[1] >= self._is_on_since
        if is_probe or not was_on:
            self._plan_probe()
        if self.is_on and not was_on:
            self._is_on_since = now
        if self.patience:
            worked = self.worked_after()
            self.patience.failed(error, tried[0], now, is_probe=is_probe, ever_worked=worked)
            if self.patience.given_up:
                self._wake()

    def _plan_probe(self) -> None:
        wait = self._cool_down
        if self.patient:
            wait = min(wait, backoff(self._probes))
            self._probes += self.is_on
        self._probe_at = asyncio.get_running_loop().time() + wait

    def _end(self) -> None:
        self._failures = self._probes = 0
        if self.patience:
            self.patience.answered()
        self._wake()

    def _wake(self) -> None:
        """Lets all asks look again that wait."""
        if self._over:
            self._over.set_result(None)
            self._over = None

    def _not_asked(self, seconds: float) -> JudgeError:
        last = self._last_error
        return JudgeError(
            f"not asked: the last {self._failures} asks failed, and the next one is sent in "
            f"{seconds:.0f} s (the last error: {last.message})",
            last.kind,
            retryable=True,
            http_status=last.http_status,
            fix=last.fix,
        )


CONFIRMED = 3
"""So many probes must fail too before a run stops: a server that is started again may say for a
moment that it does not know a key or a model."""
LEAST_PATIENCE = 90.0
PART_OF_DEADLINE = 0.8
NO_DEADLINE = 600.0


class Patience:
    """How long a run waits for its server. ``given_up`` says why it waits no longer, or is empty.

    Args:
        seconds: without any answer, after which the run stops.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.given_up = ""
        self._began = math.inf  # the first try that failed since the last answer
        self._confirmed = 0

    def answered(self) -> None:
        """The server has answered an ask."""
        self._began, self._confirmed = math.inf, 0

    def failed(
        self, error: JudgeError, began: float, now: float, *, is_probe: bool, ever_worked: bool
    ) -> None:
        """Notes a failure of the server.

        Args:
            error: it, after its retries.
            began: when its first try was sent.
            now: the present instant.
            is_probe: it was sent after others had failed, to see whether the server still does.
            ever_worked: the server has answered before.
        """
        self._began = min(self._began, began)
        if not is_probe:
            return
        lost = error.remedy == "repair" or not ever_worked
        self._confirmed = self._confirmed + 1 if lost else 0
        said = error.message.rstrip(".")
        if error.fix and error.fix.rstrip(".") not in said:
            said += f". {error.fix.rstrip('.')}"
        if self._confirmed >= CONFIRMED:
            why = "waiting does not help" if ever_worked else "none was ever answered"
            self.given_up = f"the last asks failed, and {why}: {said}"
        elif now - self._began >= self._seconds:
            minutes = (now - self._began) / 60
            self.given_up = f"the judge has not answered for {minutes:.1f} minutes: {said}"


def patience_of(deadline: float | None) -> Patience:
    """The patience of a run whose cases have this deadline, in seconds.

    It ends before the cases that wait for the server run out of time, so that none is lost.
    """
    if deadline is None:
        return Patience(NO_DEADLINE)
    return Patience(max(PART_OF_DEADLINE * deadline, LEAST_PATIENCE))
