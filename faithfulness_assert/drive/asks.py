"""One ask: the time that its grade has left for it, and what came of it.

A judge may be anybody's code. Whatever it returns or raises instead of a reply is wrapped in a
``JudgeError``.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from traceback import format_exception
from typing import Literal

from ..records.errors import JudgeError, JudgeErrorKind
from ..records.judge import Ask, Outcome, Reply
from ..records.usage import Usage
from ..text.strings import visible

log = logging.getLogger("faithfulness_assert")
# Without a handler, logging prints warnings to stderr, which promptfoo shows as the reason.
log.addHandler(logging.NullHandler())

MOST_SHOWN = 20_000
"""Characters of tracebacks in the log."""

FIX = (
    "Fix the judge: its ask(ask, /, *, deadline=None) must return a Reply or raise JudgeError; the "
    "logger faithfulness_assert has the traceback at DEBUG."
)
Phase = Literal["work", "ask", "wait"]
"""What a grade is in: work on its texts; asks, and asks that wait for a limit or in line."""


class TimeLeft:
    """The seconds that a grade may still take: for the work on its texts, and from its first ask.

    They stand still while it waits for a thread or for its turn to ask, and while all asks that are
    under way wait: for a limit, or in line for a server, where other grades are before them.

    Args:
        deadline: the most seconds that it may take; None for no limit.
        timeout: the same for one ask of it.
        now: the clock.
    """

    def __init__(
        self,
        deadline: float | None = None,
        timeout: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.timeout, self._now = timeout or math.inf, now
        # What is left, and since when it runs; None while it stands still. In one value, because
        # the thread that waits for a grade reads what the event loop writes.
        self._clock: tuple[float, float | None] = (math.inf if deadline is None else deadline), None
        self._under_way = 0

    def __call__(self) -> float:
        """The seconds."""
        left, since = self._clock
        return left if since is None else left - (self._now() - since)

    def overdue(self) -> JudgeError | None:
        """Why no more work on the texts may be done; None while it may."""
        return None if self() > 0 else late(" while its texts were read, before any ask")

    @contextmanager
    def during(self, phase: Phase) -> Iterator[None]:
        """While this grade, or an ask of it, is in a phase."""
        by = -1 if phase == "wait" else 1
        self._count(by)
        try:
            yield
        finally:
            self._count(-by)

    def _count(self, by: int) -> None:
        self._under_way += by
        self._clock = self(), self._now() if self._under_way else None


# ---------------------------------------------------------------- what came of it


class GivenUp(Exception):  # noqa: N818 - no error: the run stops
    """An ask was not sent, because its server is given up, and so its run stops. Its case has no
    result, not even an error.
    """


def outcome_of(ask: Ask, came: object) -> Outcome:
    """What came of an ask: the reply, or the error for whatever else its judge returned or raised.

    The cause of an error is what the judge itself raised. The text of a foreign exception may
    contain a key, so messages only show its type. The log shows more at DEBUG, without
    credentials.
    """
    if isinstance(came, Reply):
        log.info(
            "%s: asked for %d, replied %d characters, %s",
            *(ask.kind, len(ask.ids), len(came.text), came.finish_reason),
        )
        return came
    error = came if isinstance(came, JudgeError) else _wrapped(came)
    status = f", HTTP {error.http_status}" if error.http_status else ""
    log.warning("%s: asked for %d, failed: %s%s", ask.kind, len(ask.ids), error.kind, status)
    if error.__cause__ and error is not came and log.isEnabledFor(logging.DEBUG):
        from ..judges.remote.redaction import redact

        raised = redact("".join(format_exception(error.__cause__)))
        log.debug("what the judge raised: %s", visible(raised[-MOST_SHOWN:]))
    return error


def _wrapped(came: object) -> JudgeError:
    name, raised = type(came).__name__, came if isinstance(came, BaseException) else None
    what = f"raised {name}, not a JudgeError" if raised else f"returned {name}, not a Reply"
    # Python 3.10 has three classes of this name.
    is_late = any(base.__name__ == "TimeoutError" for base in type(came).__mro__)
    kind: JudgeErrorKind = "timeout" if is_late else "transport"
    error = JudgeError(f"the judge {what}", kind, retryable=is_late, fix="" if is_late else FIX)
    error.__cause__ = raised
    return error


def late(when: str = "", usage: Usage | None = None) -> JudgeError:
    """The error of an ask for which no time is left."""
    problem = f"the deadline of this grade has passed{when}"
    return JudgeError(problem, "timeout", retryable=True, usage=usage)
