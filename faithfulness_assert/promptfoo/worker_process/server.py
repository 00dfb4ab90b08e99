"""The worker: one process that keeps graders, with their connections and what they have learned, for all assertions of an eval.

It ends with its owner, when told to, when nobody has asked for long, and when its socket is no longer its own. It writes no log: whatever
it could tell stands in the results.
"""

from __future__ import annotations

import json
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from ...grading import Grader
from ...judges import preload
from ...promptfoo import hook
from ...records.errors import ConfigError
from . import address, connect, protocol
from .worker_socket import claimed, watch

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from .worker_socket import Place

AT_ONCE = 64  # assertions under way; who asks for more grades in its own process
GRADERS = 64  # kept, the last ones used
TICK, BEAT = 0.1, 1.0  # seconds between two looks around, and two signs of life


def serve(owner: int, idle: float) -> int:
    """Serves the descendants of the process ``owner`` until it ends, or for ``idle`` seconds after the last assertion.

    Returns:
        How many assertions were graded.

    Raises:
        ConfigError: there is no such process, it has a worker already, or there is no private place for a socket.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the socket is put away
    try:
        ended = watch(owner)
        with claimed(address.address(owner)) as place:
            threading.Thread(target=preload, daemon=True).start()  # while promptfoo gets going
            worker = Worker(place, ended, idle)
            with suppress(KeyboardInterrupt):
                worker.run()
            return worker.graded
    except OSError as error:
        raise ConfigError(
            f"worker: cannot serve process {owner}: {error.strerror or error}"
        ) from None


class Worker:
    """Answers assertions until it is no longer wanted.

    Args:
        place: where they call.
        ended: whether the owner has; then nobody is waiting any more.
        idle: seconds without an assertion after which it ends.
    """

    def __init__(self, place: Place, ended: Callable[[], bool], idle: float) -> None:
        self._place, self._ended, self._idle = place, ended, idle
        self._identity = protocol.identity()
        self._lines: set[Line] = set()
        self._room = threading.BoundedSemaphore(AT_ONCE)
        self._last = time.monotonic()  # when an assertion last began or ended
        self._stopping = False
        self.graded = 0

    def run(self) -> None:
        """Serves: a thread for each assertion under way, signs of life from this one."""
        beaten = time.monotonic()
        while not self._is_over():
            if select.select([self._place.listener], [], [], TICK)[0]:
                self._take()
            if time.monotonic() - beaten >= BEAT:
                beaten = time.monotonic()
                for line in list(self._lines):
                    line.beat()

    def _is_over(self) -> bool:
        if self._stopping or self._ended():
            return True
        patience = (
            self._idle if self._place.is_ours() else 0.0
        )  # else another has taken it: what is under way is finished
        return not self._lines and time.monotonic() - self._last > patience

    def _take(self) -> None:
        with suppress(OSError):  # who called has hung up
            line = Line(self._place.listener.accept()[0])
            self._lines.add(line)
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: Line) -> None:
        self._last = time.monotonic()
        try:
            line.welcome(self._place.path)
            reply = self._reply(line.hear())
            if reply is None:
                line.keep()
                self._stopping = True
            else:
                line.say(reply)
        except (ValueError, RecursionError):
            line.refuse("no request")
        except OSError:
            pass  # it is gone, or no client of ours
        finally:
            line.close()
            self._lines.discard(line)
            self._last = time.monotonic()

    def _reply(self, request: Any) -> dict[str, Any] | None:
        """What to answer; None to a request to stop."""
        if not isinstance(request, dict) or request.get("identity") != self._identity:
            return {"refused": "another version, folder or environment"}
        if "stop" in request:
            return None
        if not self._room.acquire(blocking=False):
            return {"refused": "busy"}
        self.graded += 1
        try:
            output, context = request["grade"]
            return {"result": hook.grade(output, context, partial(cached_grader, request["eval"]))}
        except hook.NotPythonError as error:
            return {"raised": str(error)}
        except BaseException as error:  # noqa: BLE001 - in its own process the assertion meets it again, and says so itself
            return {"refused": type(error).__name__}
        finally:
            self._room.release()


class Line:
    """One assertion's connection. Signs of life go out between, never within, what else is said."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._lock = connection, threading.Lock()
        self._waits = False
        connection.settimeout(protocol.SILENCE)

    def welcome(self, path: str) -> None:
        """Raises OSError where the other end is another user's."""
        if not address.UNIX:
            from . import tcp_socket

            tcp_socket.welcome(self._connection, path)
        elif not connect.peer_is_mine(self._connection):
            raise PermissionError("another user")

    def hear(self) -> Any:
        """The request. Raises OSError or ValueError where there is none."""
        request = json.loads(protocol.receive(self._connection))
        self._waits = True
        return request

    def say(self, reply: dict[str, Any]) -> None:
        """Sends the reply. Raises OSError, or ValueError where it is too large."""
        message = json.dumps(reply).encode()
        with self._lock:
            protocol.send(self._connection, message)
            self._waits = False

    def refuse(self, why: str) -> None:
        """Leaves the grading to who asked, if it is still there."""
        with suppress(OSError):
            self.say({"refused": why})

    def beat(self) -> None:
        """A sign of life, to one that waits."""
        if self._lock.acquire(blocking=False):
            with suppress(OSError):
                if self._waits:
                    protocol.send(self._connection, b"")
            self._lock.release()

    def keep(self) -> None:
        """Stays on the line until this process ends, whoever hangs up: that is the answer to a request to stop."""
        self._connection.detach()

    def close(self) -> None:
        """Hangs up."""
        self._connection.close()


def cached_grader(evaluation: int | None, /, *args: Any, **options: Any) -> Grader:
    """The grader of this configuration, the same one for every assertion of an eval (the process that runs it). Raises as ``Grader``.

    Not for longer: the files that a configuration names, a policy or a tape, may be others at the next eval.
    """
    return _grader(evaluation, json.dumps([args, options], sort_keys=True))


@lru_cache(GRADERS)
def _grader(evaluation: int | None, config: str) -> Grader:  # noqa: ARG001 - it is part of the key
    args, options = json.loads(config)
    return Grader(*args, **options)


if (
    __name__ == "__main__"
):  # as the extension starts it: the command line would take as long to load as all of this
    serve(int(sys.argv[1]), protocol.IDLE)
