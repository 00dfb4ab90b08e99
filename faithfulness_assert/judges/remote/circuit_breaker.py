"""A circuit breaker: a batch does not go on asking a server that is down.

The rule: after ``FAILURES`` asks in a row that failed, each after its own retries, asks fail at once for ``COOL_DOWN`` seconds. Then one
ask goes through as a probe: a reply ends the matter, a failure begins the next cool-down. Only failures that tell of the server count;
one that tells of what was asked (a prompt too long, a filter), or a limit that passes by waiting, shows that the server is alive.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from ...records.errors import JudgeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...records.ask import Reply

FAILURES = 5
COOL_DOWN = 30.0  # seconds


class Circuit:
    """One for each judge object, shared by all its asks and threads.

    Args:
        failures: failed asks in a row that open it.
        cool_down: seconds from there to a probe, and from one probe to the next.
        clock: tells the seconds; it never goes back.
    """

    def __init__(
        self,
        failures: int = FAILURES,
        cool_down: float = COOL_DOWN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._cool_down, self._clock = failures, cool_down, clock
        self._lock = threading.Lock()
        self._failed = 0  # in a row
        self._last: JudgeError | None = None
        self._probe_at = 0.0

    def run(self, ask: Callable[[], Reply]) -> Reply:
        """The reply of ``ask``, which is called unless the circuit is open.

        Raises:
            JudgeError: that of ``ask``; or the circuit is open: the last error's kind and words, ``retryable``, and no usage.
        """
        self._enter()
        try:
            reply = ask()
        except JudgeError as error:
            if error.usage is not None:  # else nothing was sent, and nothing is known of the server
                self._note(error if _tells_of_server(error) else None)
            raise
        self._note(None)
        return reply

    def _enter(self) -> None:
        with self._lock:
            if self._last is None or self._failed < self._most:
                return
            now = self._clock()
            if now < self._probe_at:
                raise _open(self._failed, self._last, self._probe_at - now)
            # This ask is the probe; the next would come when this one hangs, or failed.
            self._probe_at = now + self._cool_down

    def _note(self, error: JudgeError | None) -> None:
        with self._lock:
            self._last, self._failed = error, self._failed + 1 if error else 0
            if error:
                self._probe_at = self._clock() + self._cool_down


def _tells_of_server(error: JudgeError) -> bool:
    """Whether the next ask would fail like this one, whatever it asks."""
    if error.kind == "rate_limit":
        return not error.retryable  # no money is left, or a wait of an hour is asked for
    if error.kind == "transport":
        return error.http_status in (
            None,
            404,
        )  # no connection, or no such model; other statuses tell of the request
    return error.kind in ("auth", "server", "timeout")


def _open(failed: int, last: JudgeError, wait: float) -> JudgeError:
    message = f"not asked: the last {failed} asks failed, and the next one goes out in {wait:.0f} s (the last error: {last.message})"
    return JudgeError(
        message, last.kind, retryable=True, http_status=last.http_status, fix=last.fix
    )
