"""A circuit breaker, so that a batch stops asking a server that is down.

After ``FAILURES`` failed asks in a row (each after its own retries), asks fail at once for
``COOL_DOWN`` seconds. Then one ask goes through as a probe: a reply closes the circuit, a failure
starts the next cool-down. Only failures of the server count. Failures of one request (a prompt that
is too long, a content filter) and short rate limits show that the server works.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...records.errors import JudgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FAILURES = 5
COOL_DOWN = 30.0  # seconds


class CircuitBreaker:
    """One for each judge object, shared by all its asks and threads.

    Args:
        failures: failed asks in a row that open the circuit.
        cool_down: seconds until the first probe, and between probes.
        clock: returns seconds and never goes back.
    """

    def __init__(
        self,
        failures: int = FAILURES,
        cool_down: float = COOL_DOWN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_failures, self._cool_down, self._clock = failures, cool_down, clock
        self._lock = threading.Lock()
        self._failures_in_a_row = 0
        self._last_error: JudgeError | None = None
        self._probe_at = 0.0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Put around an ask, which may only be made while the circuit is closed, or as a probe.

        Raises:
            JudgeError: the circuit is open. The error has the kind and message of the last one, is
                retryable, and has no usage.
        """
        self._raise_if_open()
        try:
            yield
        except JudgeError as error:
            if error.usage is not None:  # otherwise nothing was sent, which says nothing
                self._record(error if _is_server_failure(error) else None)
            raise
        self._record(None)

    def _raise_if_open(self) -> None:
        with self._lock:
            if self._last_error is None or self._failures_in_a_row < self._max_failures:
                return
            now = self._clock()
            if now < self._probe_at:
                seconds = self._probe_at - now
                raise _not_asked(self._failures_in_a_row, self._last_error, seconds)
            # This ask is the probe. If it hangs or fails, the next probe comes after a cool-down.
            self._probe_at = now + self._cool_down

    def _record(self, error: JudgeError | None) -> None:
        with self._lock:
            self._last_error = error and _told(error)
            self._failures_in_a_row = self._failures_in_a_row + 1 if error else 0
            if error:
                self._probe_at = self._clock() + self._cool_down


def _is_server_failure(error: JudgeError) -> bool:
    """Whether the next ask would fail in the same way, whatever its content."""
    if error.kind == "rate_limit":
        return not error.retryable  # no credit left, or the server wants a wait of an hour
    if error.kind == "transport":  # no connection, or no such model; other statuses: the request
        return error.http_status in (None, 404)
    return error.kind in ("auth", "server", "timeout")


def _told(error: JudgeError) -> JudgeError:
    """What to remember of an error: not its traceback, whose frames contain an ask."""
    return JudgeError(error.message, error.kind, http_status=error.http_status, fix=error.fix)


def _not_asked(failures: int, last: JudgeError, seconds: float) -> JudgeError:
    return JudgeError(
        f"not asked: the last {failures} asks failed, and the next one is sent in {seconds:.0f} s "
        f"(the last error: {last.message})",
        last.kind,
        retryable=True,
        http_status=last.http_status,
        fix=last.fix,
    )
