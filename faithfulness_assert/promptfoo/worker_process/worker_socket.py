"""The worker's socket, in a private folder and only one for each owner, and its connections."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...files import append_file
from ...records.errors import ConfigError
from . import address, protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK_TIMEOUT = 5.0  # seconds


class AlreadyServedError(ConfigError):
    """Raised where another worker serves the same process."""


@dataclass(frozen=True)
class WorkerSocket:
    """A listening socket, and the file by which assertions find it."""

    path: str
    listener: socket.socket
    file_id: tuple[int, int]

    def is_in_place(self) -> bool:
        """Whether ``path`` still leads to this socket. An assertion may have removed it."""
        try:
            return address.file_id(self.path) == self.file_id
        except OSError:
            return False


@contextmanager
def open_socket(path: str) -> Iterator[WorkerSocket]:
    """A socket at ``path`` that only this worker listens on; it is removed afterwards.

    Raises:
        AlreadyServedError: another worker listens there.
        OSError: the folder is not private, the disk is full, or permission is missing.
    """
    folder = os.path.dirname(path)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    address.check_private(folder)
    with folder_lock(folder):
        if address.is_listening(path):
            raise AlreadyServedError(f"worker: another worker listens at {path} already")
        with suppress(FileNotFoundError):
            os.unlink(path)
        own = WorkerSocket(path, listen(path), address.file_id(path))
    try:
        yield own
    finally:
        own.listener.close()
        with suppress(OSError), folder_lock(folder):
            if own.is_in_place():
                os.unlink(path)


def listen(path: str) -> socket.socket:
    """A listening socket at ``path`` that only this user may open. Raises OSError."""
    if not address.UNIX:
        from . import tcp_socket

        return tcp_socket.listen(path)
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(path)
        os.chmod(path, 0o600)
        listener.listen(socket.SOMAXCONN)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


@contextmanager
def folder_lock(folder: str) -> Iterator[None]:
    """Holds the folder's lock, so that of several workers that start at once one gets the socket.

    Raises:
        OSError: the lock cannot be opened, or was not free in time.
    """
    try:
        import fcntl
    except ImportError:  # Windows: the last worker wins; the others notice that their file changed
        yield
        return
    end = time.monotonic() + LOCK_TIMEOUT
    with append_file(os.path.join(folder, "lock")) as file:
        while not _try_lock(fcntl, file.fileno()):
            if time.monotonic() > end:
                raise TimeoutError("another worker has been starting for too long")
            time.sleep(0.01)
        yield


def _try_lock(fcntl: Any, descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class AssertionConnection:
    """The connection to one assertion. Signs of life go out between messages, never inside one."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._lock = connection, threading.Lock()
        self._awaits_reply = False
        connection.settimeout(protocol.SILENCE)

    def check_peer(self, path: str) -> None:
        """Raises OSError if the other end belongs to another user."""
        if not address.UNIX:
            from . import tcp_socket

            tcp_socket.check_peer(self._connection, path)
        elif not address.peer_is_mine(self._connection):
            raise PermissionError("the other end belongs to another user")

    def receive_request(self) -> Any:
        """The request. Raises OSError or ValueError if no valid JSON arrives."""
        request = json.loads(protocol.receive(self._connection))
        self._awaits_reply = True
        return request

    def send(self, reply: dict[str, Any]) -> None:
        """Sends the reply. Raises OSError, or ValueError if it is too large."""
        message = json.dumps(reply).encode()
        with self._lock:
            protocol.send(self._connection, message)
            self._awaits_reply = False

    def refuse(self, why: str) -> None:
        """Tells the assertion to grade by itself, if it is still connected."""
        with suppress(OSError):
            self.send({"refused": why})

    def send_sign_of_life(self) -> None:
        """Tells an assertion that waits that its grade is under way."""
        if self._lock.acquire(blocking=False):
            with suppress(OSError):
                if self._awaits_reply:
                    protocol.send(self._connection, b"")
            self._lock.release()

    def keep_open(self) -> None:
        """Keeps the connection open until this process ends: the extension waits for that."""
        self._connection.detach()

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()
