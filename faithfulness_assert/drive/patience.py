"""When a run gives its server up: what no waiting mends, and an outage that lasts too long."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..records.errors import JudgeError

CONFIRMED = 3
"""So many probes must fail too before a run stops: a server that is started again may say for a
moment that it does not know a key or a model."""
LEAST_PATIENCE = 90.0
PART_OF_DEADLINE = 0.8
NO_DEADLINE = 600.0


class GivenUp(Exception):  # noqa: N818 - no error: the run stops
    """An ask was not sent, because its run stops. Its case has no result, not even an error."""


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
