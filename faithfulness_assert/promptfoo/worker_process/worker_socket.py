"""A worker's place: whose it is, that it is private, and that no two workers have it."""

from __future__ import annotations

import errno
import os
import select
import socket
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...records.errors import ConfigError
from . import address, connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOCK_WAIT = 5.0  # seconds


def watch(pid: int) -> Callable[[], bool]:
    """A test of whether the process ``pid`` has ended.

    Raises:
        OSError: there is no such process.
    """
    if os.name != "posix":
        return lambda: False  # a signal would end it, even signal 0; being idle ends us
    if not _exists(pid):
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    try:
        descriptor = os.pidfd_open(pid)  # stays with that process, whoever gets its number later
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


@dataclass(frozen=True)
class Place:
    """A listener, and the file through which it is found."""

    path: str
    listener: socket.socket
    mark: tuple[int, int]

    def is_ours(self) -> bool:
        """Whether callers still find this listener, and not another or none."""
        try:
            return address.mark(self.path) == self.mark
        except OSError:
            return False


@contextmanager
def claimed(path: str) -> Iterator[Place]:
    """The place at ``path``, where nobody else listens. Afterwards it is cleared.

    Raises:
        ConfigError: a worker listens there already.
        OSError: there is no private folder, no room, or no right.
    """
    folder = os.path.dirname(path)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    address.check_private(folder)
    with locked(folder):
        if connect.answers(path):
            raise ConfigError(f"worker: one serves at {path} already")
        with suppress(FileNotFoundError):
            os.unlink(path)
        place = Place(path, listen(path), address.mark(path))
    try:
        yield place
    finally:
        place.listener.close()
        with suppress(OSError), locked(folder):
            if place.is_ours():
                os.unlink(path)


def listen(path: str) -> socket.socket:
    """A listening socket at ``path`` for this user alone. Raises OSError where there can be none."""
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
def locked(folder: str) -> Iterator[None]:
    """Holds the folder's lock, so that of two that look for a worker and find none only one becomes it.

    Raises:
        OSError: it cannot be had, or not in time.
    """
    try:
        import fcntl
    except (
        ImportError
    ):  # Windows: the later one wins, and the other sees that its address is no longer its own
        yield
        return
    end = time.monotonic() + LOCK_WAIT
    descriptor = os.open(
        os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
    )
    try:
        while not _try_lock(fcntl, descriptor):
            if time.monotonic() > end:
                raise TimeoutError("another worker has been starting for too long")
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _try_lock(fcntl: Any, descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
