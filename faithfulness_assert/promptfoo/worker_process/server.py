"""The worker: one process that grades all assertions of an eval.

It keeps its graders, with their connections and what they have learned about their judges. It ends
when its owner ends, when asked to stop, after a time without assertions, or when its socket has
been removed. It writes no log: everything it has to say is in the results.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from ...files import to_nowhere
from ...grading import Grader
from ...judges import preload
from ...promptfoo import hook
from ...records.errors import ConfigError
from ...settings import forget
from . import address, protocol
from .worker_socket import AlreadyServedError, AssertionConnection, open_socket

if TYPE_CHECKING:
    from collections.abc import Callable

    from .worker_socket import WorkerSocket

MAX_ASSERTIONS = 64  # graded at the same time; further ones grade in their own processes
MAX_GRADERS = 64  # kept; the least recently used one is dropped first
POLL_INTERVAL, SIGN_OF_LIFE_INTERVAL = 0.1, 1.0  # seconds


def serve(owner: int, idle: float, on_listening: Callable[[], None] = lambda: None) -> int:
    """Grades for the process ``owner`` and its descendants until ``owner`` ends.

    Args:
        owner: a process id.
        idle: seconds without an assertion after which the worker ends, too.
        on_listening: called as soon as assertions can connect.

    Returns:
        How many assertions were graded.

    Raises:
        ConfigError: ``owner`` does not exist or has a worker already, or a private socket
            cannot be made.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the socket is removed
    try:
        owner_has_ended = watch(owner)
        with open_socket(address.socket_path(owner)) as own_socket:
            on_listening()
            threading.Thread(target=_load_clients, daemon=True).start()  # while promptfoo starts
            worker = Worker(own_socket, owner_has_ended, idle)
            with suppress(KeyboardInterrupt):
                worker.run()
            return worker.graded
    except OSError as error:
        why = error.strerror or error
        raise ConfigError(f"worker: cannot serve process {owner}: {why}") from None


def watch(pid: int) -> Callable[[], bool]:
    """A function that says whether the process ``pid`` has ended.

    Raises:
        OSError: no process has this id.
    """
    if os.name != "posix":
        return lambda: False  # here even signal 0 would end the process; the worker ends when idle
    if not _exists(pid):
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    try:
        descriptor = os.pidfd_open(pid)  # keeps to this process, even if its id is used again
    except (AttributeError, OSError):
        return lambda: not _exists(pid)
    return lambda: bool(select.select([descriptor], [], [], 0)[0])


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _load_clients() -> None:
    """Imports the clients of the judges. Looking for garbage would take a fifth of the time."""
    gc.disable()
    try:
        preload()
    finally:
        gc.freeze()  # what was imported is never garbage
        gc.enable()


class Worker:
    """Answers assertions until it must end.

    Args:
        own_socket: where assertions connect.
        owner_has_ended: says whether the owner has ended.
        idle: seconds without an assertion after which it ends.
    """

    def __init__(
        self, own_socket: WorkerSocket, owner_has_ended: Callable[[], bool], idle: float
    ) -> None:
        self._socket, self._owner_has_ended, self._idle = own_socket, owner_has_ended, idle
        self._identity = protocol.identity()
        self._connections: set[AssertionConnection] = set()
        self._free_slots = threading.BoundedSemaphore(MAX_ASSERTIONS)
        self._last_activity = time.monotonic()  # when an assertion last began or ended
        self._stopping = False
        self.graded = 0

    def run(self) -> None:
        """Grades each assertion in a thread of its own; this thread sends the signs of life."""
        last_sign = time.monotonic()
        while not self._must_end():
            if select.select([self._socket.listener], [], [], POLL_INTERVAL)[0]:
                self._accept()
            if time.monotonic() - last_sign >= SIGN_OF_LIFE_INTERVAL:
                last_sign = time.monotonic()
                for connection in list(self._connections):
                    connection.send_sign_of_life()

    def _must_end(self) -> bool:
        if self._stopping or self._owner_has_ended():
            return True
        # Without its socket the worker gets no new assertions: it finishes those it has.
        patience = self._idle if self._socket.is_in_place() else 0.0
        return not self._connections and time.monotonic() - self._last_activity > patience

    def _accept(self) -> None:
        with suppress(OSError):  # the assertion has closed the connection
            connection = AssertionConnection(self._socket.listener.accept()[0])
            self._connections.add(connection)
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: AssertionConnection) -> None:
        self._last_activity = time.monotonic()
        try:
            connection.check_peer(self._socket.path)
            reply = self._reply_to(connection.receive_request())
            if reply is None:
                connection.keep_open()
                self._stopping = True
            else:
                connection.send(reply)
        except (ValueError, RecursionError):
            connection.refuse("invalid request")
        except OSError:
            pass  # the assertion has gone, or is not one of this user
        finally:
            connection.close()
            self._connections.discard(connection)
            self._last_activity = time.monotonic()

    def _reply_to(self, request: Any) -> dict[str, Any] | None:
        """The reply to a request; None to a request to stop."""
        if not isinstance(request, dict) or not self._is_like(request.get("identity")):
            return {"refused": "another version, folder or environment"}
        if "stop" in request:
            return None
        if not self._free_slots.acquire(blocking=False):
            return {"refused": "busy"}
        self.graded += 1
        try:
            output, context = request["grade"]
            make_grader = partial(cached_grader, request["eval"])
            return {"result": hook.grade(output, context, make_grader)}
        except hook.NotPythonError as error:
            return {"raised": str(error)}
        except BaseException as error:  # noqa: BLE001 - the assertion grades again by itself and reports the error
            return {"refused": type(error).__name__}
        finally:
            self._free_slots.release()

    def _is_like(self, identity: Any) -> bool:
        """Whether a process with this identity would give the same result as this worker."""
        environment = identity.get("environment") if isinstance(identity, dict) else None
        if not isinstance(environment, dict):
            return False
        # `faithfulness.cjs` sends its whole environment.
        return {**identity, "environment": protocol.that_matter(environment)} == self._identity


def announce(owner: int) -> None:
    """Prints where the worker of ``owner`` listens and what it is; then the output is closed."""
    json.dump({"socket": address.socket_path(owner), **protocol.place()}, sys.stdout)
    sys.stdout.flush()
    to_nowhere(sys.stdout)


def cached_grader(evaluation: int | None, /, *args: Any, **options: Any) -> Grader:
    """One grader for each configuration of an eval. Raises as ``Grader`` does.

    Args:
        evaluation: the process id of the eval, or another number that tells it from others. The
            next eval gets new graders: the files that a configuration names, a policy or a store,
            may have changed.
        *args: of ``Grader``.
        **options: of ``Grader``.
    """
    return _cached_grader(evaluation, json.dumps([args, options], sort_keys=True))


@lru_cache(MAX_GRADERS)
def _cached_grader(evaluation: int | None, config: str) -> Grader:  # noqa: ARG001 - part of the key
    args, options = json.loads(config)
    forget()  # pyproject.toml may have changed since the last eval
    return Grader(*args, **options)


if __name__ == "__main__":  # `launch` runs this file: the command line would take longer to load
    owner = int(sys.argv[1])
    try:
        serve(owner, protocol.IDLE, partial(announce, owner))
    except AlreadyServedError:
        announce(owner)
