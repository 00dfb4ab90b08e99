"""Finds out which process owns a worker, and connects to that worker's socket.

A worker serves one process, its owner (promptfoo), and everything that the owner started. Its
socket is named after the owner's process id: an assertion uses the worker of its nearest ancestor.

Every assertion imports this file. It uses the standard library only, and only modules that
promptfoo's wrapper has already loaded.
"""

import os
import socket
import stat
import struct

from ...files import open_file
from . import protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


UNIX = hasattr(socket, "AF_UNIX")
SUFFIX = ".sock" if UNIX else ".port"
ENGINES = ("node", "bun", "deno")  # the programs that can run promptfoo
MAX_PATH_BYTES = 100  # of a socket's path; the system's limit is 104 or 108
MAX_NAME_BYTES = 20  # of "/PID.sock"


def ancestors() -> "Iterator[int]":
    """The process ids above this process, the nearest first; only the parent without ``/proc``."""
    pid = os.getppid()
    while pid > 0:
        yield pid
        pid = _parent(pid)


def _parent(pid: int) -> int:
    try:
        with open_file(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def promptfoo_process() -> "int | None":
    """The process that runs the eval: the nearest ancestor that runs JavaScript.

    Programs between promptfoo and Python (launchers, shells) are skipped. If the system doesn't say
    what a process runs, this is the parent; None if the parent has ended.
    """
    parent = os.getppid()
    return next(filter(_runs_javascript, ancestors()), parent if parent > 1 else None)


def _runs_javascript(pid: int) -> bool:
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith(ENGINES)
    except OSError:
        return False


def socket_path(owner: int) -> str:
    """The path of the socket on which the worker of the process ``owner`` listens."""
    return os.path.join(socket_folder(), f"{owner}{SUFFIX}")


def socket_folder() -> str:
    """The folder of this user's sockets.

    It is in the system's temporary folder: a home folder may be read-only, remote or missing.
    """
    user = f"-{os.geteuid()}" if hasattr(os, "geteuid") else ""
    base = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108 - `check_private` checks the folder
    path = os.path.join(base, f"faithfulness-assert{user}")
    if UNIX and len(os.fsencode(path)) + MAX_NAME_BYTES > MAX_PATH_BYTES:
        return os.path.join("/tmp", f"faithfulness-assert{user}")  # noqa: S108 - as above
    return path


def check_private(path: str) -> None:
    """Checks that ``path`` is a folder that belongs to this user and that no other user may enter.

    Raises:
        OSError: the folder is missing, or is not private.
    """
    status = os.lstat(path)
    open_to_others = UNIX and status.st_mode & 0o077
    if not stat.S_ISDIR(status.st_mode) or not is_mine(status) or open_to_others:
        raise PermissionError(f"{path} must be a folder that only its user may enter")


def file_id(path: str) -> "tuple[int, int]":
    """Tells the file at ``path`` from a later one at the same path. Raises OSError if missing."""
    status = os.lstat(path)
    return status.st_ino, status.st_mtime_ns


def is_mine(status: os.stat_result) -> bool:
    """Whether a file belongs to this user. On Windows, where each user has a TEMP: True."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


# ---------------------------------------------------------------- connecting


def connect(path: str) -> socket.socket:
    """A connection to the worker at ``path``. The worker belongs to this user.

    Raises:
        OSError: no worker listens there, or it belongs to another user.
    """
    check_private(os.path.dirname(path))
    if not UNIX:
        from . import tcp_socket

        return tcp_socket.connect(path)
    status = os.lstat(path)
    if not stat.S_ISSOCK(status.st_mode) or not is_mine(status):
        raise PermissionError(f"{path} is not a socket of this user")
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(protocol.SILENCE)
        connection.connect(path)
        if not peer_is_mine(connection):
            raise PermissionError(f"the process behind {path} belongs to another user")
    except BaseException:
        connection.close()
        raise
    return connection


def peer_is_mine(connection: socket.socket) -> bool:
    """Whether the process at the other end of a Unix socket belongs to this user.

    True where the system doesn't say: the folder's permissions keep other users out.
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("iII")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, user, _ = struct.unpack("iII", credentials)
    return bool(user == os.geteuid())


def is_listening(path: str) -> bool:
    """Whether a worker listens at ``path``."""
    try:
        connect(path).close()
    except (BlockingIOError, TimeoutError):  # it exists and is overloaded
        return True
    except OSError:
        return False
    return True
