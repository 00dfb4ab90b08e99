"""What a server's failures teach: how fast it may be asked, and whether it answers at all.

**Refusals** (HTTP 429). A limit and chance look alike, as a busy region or a shared quota refuses
some asks at any rate, but a limit takes no more from who asks more. While less than a quarter is
refused, only the refused asks wait, and others are sent meanwhile. After more, the rate is what the
server took of late, and asks go out one by one, in stretches that are in turns a little slower and
a little faster. What is refused of a slow one is chance; the more that is, the slower is the next
slow one, as it may have been the limit. The rate is then what the server took of the fast one, with
the part on top that chance refuses. If most is refused, all asks wait as long as the server says. A
rate that asks do not even reach goes.

**Outages.** After ``FAILURES`` failed asks in a row (each after its own retries), asks fail at
once, and every ``COOL_DOWN`` seconds one goes through as a probe. A run has patience: no case fails
because a server is down for a while. Asks wait until the deadline of their grade, and probes are
frequent. The first reply lets all of them go. Where waiting does not help, or nobody was answered
for too long, be it by refusals, the run stops.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..asking.windows import estimate_tokens
from ..records.errors import JudgeError
from ..records.judge import Ask
from .asks import GivenUp

# ---------------------------------------------------------------- refusals

TRIES, SECONDS = 20, 1.5
"""The least of a stretch."""
STEP, LARGEST_STEP = 0.03, 0.12
"""The part by which stretches are slower and faster than the rate; faster while that is taken."""
REACHED = 0.88
"""The part of its pace that a slow stretch has at least, if the pace holds asks up."""
MOST_CHANCE = 0.25
"""The largest share of refusals that is taken for chance."""
PAUSE = 0.5
"""Seconds to wait if the server does not say how long."""
LEAST = 0.6
"""Tries for each second: never fewer."""
MANY = 200
"""Asks of which the mean size is taken."""


class Quota:
    """So many of something in some time, as the generic cell rate algorithm counts them.

    Args:
        each: the seconds that one takes; 0 for no limit.
        at_once: how many may be taken at once. What is larger goes alone, and whatever is taken
            after it waits until it is paid for.

    ``paid_at`` is the instant at which all that was taken is paid for.
    """

    def __init__(self, each: float = 0.0, at_once: float = 1.0) -> None:
        self.each, self._at_once, self.paid_at = each, at_once, -math.inf

    async def take(self, amount: float = 1.0) -> None:
        """Waits until ``amount``, after all that was taken before, is within the limit.

        To be called by one after the other.
        """
        clock = asyncio.get_running_loop().time
        while (seconds := self.paid_at - max(self._at_once - amount, 0) * self.each - clock()) > 0:
            await asyncio.sleep(seconds)
        self.paid_at = max(self.paid_at, clock()) + amount * self.each

    def owe(self, amount: float) -> None:
        """Counts ``amount`` more, or less, of what was taken."""
        self.paid_at += amount * self.each


@dataclass(eq=False, slots=True)
class Stretch:
    """Tries that go out at one pace: how many, and how many of them the server has refused."""

    began: float
    is_slow: bool = True
    went: float = 0.0
    refused: float = 0.0
    seconds: float = 0.0  # once it has ended


class LearnedRate:
    """One for each gate, on one event loop.

    ``rate`` is how many tries may go out each second; infinite while no limit is known. Otherwise
    each takes its ``amount`` of the ``quota``: 1, or by its size where the server counts tokens.
    """

    def __init__(self) -> None:
        self.rate, self.quota = math.inf, Quota(at_once=2.0)
        self._step = STEP
        self._chance = 0.0  # the share refused of slow stretches
        self._last, self._this = Stretch(-math.inf), Stretch(-math.inf)
        self.counts_tokens = False  # the server
        self._sizes, self._size = 0, 0.0  # of asks since then, and their mean

    def amount_of(self, ask: Ask) -> float:
        """How much of the quota an ask takes where tokens count. A mean one takes 1."""
        size, self._sizes = ask.size(estimate_tokens), min(self._sizes + 1, MANY)
        self._size += (size - self._size) / self._sizes
        return size / self._size

    def sent(self, amount: float, now: float) -> Stretch:
        """Notes that a try goes out, and returns the stretch that it belongs to."""
        this, is_free = self._this, self.rate == math.inf
        seconds = now - this.began
        if seconds >= (2 * SECONDS if is_free else SECONDS) and (is_free or this.went >= TRIES):
            this.seconds = min(seconds, this.went * 2 * SECONDS) if is_free else seconds
            if not is_free and this.is_slow and this.went * self.quota.each < seconds * REACHED:
                self._begin(math.inf, now)  # it holds nothing up
            else:
                if not is_free and self._last.went:
                    self._learn(self._last)
                self._last, self._this = this, Stretch(now, is_free or not this.is_slow)
                self._pace()
        self._this.went += amount
        return self._this

    def _learn(self, last: Stretch) -> None:
        """Takes in a stretch that has ended so long ago that its refusals have come."""
        share = last.refused / last.went
        if last.is_slow:
            self._chance = (self._chance + min(share, MOST_CHANCE)) / 2
            return
        taken = (last.went - last.refused) / last.seconds
        self.rate = max(taken / (1 - self._chance), LEAST)
        # Whether the server took at least half of what this stretch had more.
        rises = share - self._chance < self._step / (1 + self._step) / 2
        self._step = min(2 * self._step, LARGEST_STEP) if rises else STEP

    def refused(self, stretch: Stretch, amount: float, now: float, error: JudgeError) -> None:
        """Notes that the server refused a try with this error."""
        self.counts_tokens |= "token" in error.message.lower()
        stretch.refused += amount
        last, this = self._last, self._this
        went, refused = last.went + this.went, last.refused + this.refused
        if stretch not in (last, this) or refused < 4 + (MOST_CHANCE + self._chance) * went:
            return
        wait = 0.0
        if refused >= went / 2:  # a burst, for which all asks wait
            wait = PAUSE if error.retry_after is None else error.retry_after
        # Where the server takes so many in a minute, say, that is the rate.
        taken = (went - refused) / max(last.seconds + now + wait - this.began, SECONDS)
        self._begin(taken if self.rate == math.inf else max(self.rate / 2, taken), now + wait)

    def _begin(self, rate: float, at: float) -> None:
        """Begins anew at this rate and instant."""
        self.rate, self._step = max(rate, LEAST), STEP
        self.quota.paid_at = max(self.quota.paid_at, at)
        self._last, self._this = Stretch(at), Stretch(at)
        self._pace()

    def _pace(self) -> None:
        faster = -STEP - self._chance / 2 if self._this.is_slow else self._step
        self.quota.each = 1 / (self.rate * (1 + faster))


# ---------------------------------------------------------------- outages

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
LOOK_AT = "See that the judge's server runs, and that base_url is its address"
OUTAGES = ("transport", "server", "rate_limit")
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
        self.closes()

    def closes(self) -> None:
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
                last = self._last
                problem = f"not asked: the last {self._failures} asks failed: {last.message}"
                return _copy(last, problem, retryable=last.retryable or self.patience is not None)
            await asyncio.sleep(min(seconds, LOOK_AGAIN))
        return None

    def _plan_probe(self, now: float) -> None:
        self._probe_at = now + (COOL_DOWN if self.patience is None else jittered(RUN_COOL_DOWN))

    def failed(self, error: JudgeError, sent_at: float, now: float, *, goes_again: bool) -> None:
        """Notes a try that went at an instant and failed.

        ``goes_again``: by the retries of its own ask, so that it says nothing of the server yet.
        """
        if error.usage is None and error.remedy != "repair":
            return  # nothing was sent, which says nothing
        self.unanswered_since = min(self.unanswered_since, sent_at)
        self._last = _copy(error, error.message, retryable=error.retryable)
        quiet = now - self.unanswered_since
        if goes_again:
            return
        if error.remedy == "none":
            self.closes()
        elif self.patience is not None and is_refusal(error):
            self._failures = 0
            self._lose_patience(error, quiet, self.patience)
            self.is_open = bool(self.given_up)
        else:
            is_probe = self.is_open and sent_at >= self._open_since
            self._failures += 1
            if self._failures == FAILURES:
                self.is_open, self._open_since = True, now
            if is_probe or self._failures <= FAILURES:
                self._plan_probe(now)
            if is_probe and self.patience is not None:
                self._lose_patience(error, quiet, self.patience)

    def _lose_patience(self, error: JudgeError, quiet: float, most: float) -> None:
        """Gives the server up if waiting does not help, or has lasted for ``most`` seconds."""
        is_there = self._is_there(error)
        self._hopeless = 0 if is_there and error.remedy != "repair" else self._hopeless + 1
        if self._hopeless >= CONFIRMED:
            ever = self.answered_at > -math.inf
            why = "waiting does not help" if ever else "none was answered since this start"
            why = f"the last asks failed, and {why}"
        elif quiet >= most:
            why = f"the judge has not answered for {quiet / 60:.1f} minutes"
        else:
            return
        fix = error.fix or ("" if is_there or error.kind == "rate_limit" else LOOK_AT)
        parts = [why, error.message.rstrip(".")]
        self.given_up = ": ".join(parts) + (f". {fix.rstrip('.')}" if fix not in parts[1] else "")

    def explains(self, error: JudgeError, *, others_answered: bool) -> bool:
        """Whether an ask that failed with this error waits and goes again.

        Only in a run, and only if the server is there: otherwise its address may be wrong.
        """
        if self.patience is None or not self._is_there(error) or not error.retryable:
            return False
        if error.usage is None:
            return True  # it was not even sent
        return error.kind in OUTAGES and (not others_answered or is_refusal(error))

    def _is_there(self, error: JudgeError) -> bool:
        """Whether the server has ever answered, or loads its model, or says when it will."""
        says_so = error.http_status == 503 or error.retry_after is not None
        return says_so or self.answered_at > -math.inf


def _copy(error: JudgeError, message: str, *, retryable: bool) -> JudgeError:
    """The same without usage. Not the error itself: the frames of its traceback have an ask."""
    status, fix = error.http_status, error.fix
    return JudgeError(message, error.kind, retryable=retryable, http_status=status, fix=fix)
