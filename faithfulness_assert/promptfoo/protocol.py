"""How an assertion and the worker find each other and talk: a socket in a private folder, one request and one reply.

A worker serves the descendants of one process, its owner (promptfoo), and its socket is named after that process: whoever was started
by promptfoo looks for the worker of its nearest ancestor.

The rule: the standard library alone, and only modules that promptfoo's wrapper has loaded anyway; every assertion imports this file.
"""

import os
import socket
import stat
import struct
import sys

import faithfulness_assert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MAX_BYTES = 32 << 20  # of a request, and of a reply
IDLE = 900.0  # seconds without an assertion after which a worker ends
SILENCE = 10.0  # seconds without a sign of life after which a worker is taken for dead
LONGEST = 100  # bytes of a socket's path; the system's limit is 104 or 108

UNIX = hasattr(socket, "AF_UNIX")
SUFFIX = ".sock" if UNIX else ".port"
ENGINES = ("node", "bun", "deno")  # what promptfoo runs on

# A grade may depend on these: a worker that has others grades differently, perhaps for another user's account.
_BEGIN = ("FAITHFULNESS_ASSERT_", "OPENAI_", "ANTHROPIC_", "SSL", "REQUESTS_", "TIKTOKEN_", "DATA_GYM_")
_END = ("_API_KEY", "_BASE_URL", "_PROXY")


def identity() -> "dict[str, Any]":
    """What a worker and an assertion must have in common to give the same result. It holds keys: it goes to the socket and nowhere else."""
    read = {name: value for name, value in os.environ.items() if name.startswith(_BEGIN) or name.upper().endswith(_END)}
    place = {"host": socket.gethostname(), "python": sys.prefix, "folder": os.getcwd()}  # containers may share a place for sockets
    return {"version": faithfulness_assert.__version__, **place, "environment": read}


# ---------------------------------------------------------------- whose


def ancestors() -> "Iterator[int]":
    """The processes above this one, the nearest first, as far as the system tells: beyond the parent only where there is ``/proc``."""
    pid = os.getppid()
    while pid > 0:
        yield pid
        pid = _parent(pid)


def _parent(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def promptfoo_process() -> "int | None":
    """The process that evaluates: the nearest above this one that runs JavaScript, past whatever launcher starts Python.

    Where the system does not tell what a process runs, it is the parent; None where the parent has ended.
    """
    parent = os.getppid()
    return next(filter(_runs_javascript, ancestors()), parent if parent > 1 else None)


def _runs_javascript(pid: int) -> bool:
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith(ENGINES)
    except OSError:
        return False


# ---------------------------------------------------------------- where


def address(owner: int) -> str:
    """Where the worker of ``owner`` listens."""
    return os.path.join(folder(), f"{owner}{SUFFIX}")


def folder() -> str:
    """The folder of this user's workers: in the system's place for passing files, since a home may be read-only, remote or missing."""
    name = f"faithfulness-assert-{os.geteuid()}" if hasattr(os, "geteuid") else "faithfulness-assert"
    base = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108 - `check_private` looks at what is there
    path = os.path.join(base, name)
    return path if not UNIX or len(os.fsencode(path)) + 20 <= LONGEST else os.path.join("/tmp", name)  # noqa: S108 - as above


def check_private(path: str) -> None:
    """Makes sure that the folder ``path`` is one, is this user's, and open to nobody else.

    Raises:
        OSError: it is not, or is not there.
    """
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or not is_mine(found) or (UNIX and found.st_mode & 0o077):
        raise PermissionError(f"{path} must be a folder that only its user may enter")


def mark(path: str) -> "tuple[int, int]":
    """What tells the file at ``path`` from those that stand there before and after it. Raises OSError where there is none."""
    found = os.lstat(path)
    return found.st_ino, found.st_mtime_ns


def is_mine(found: os.stat_result) -> bool:
    """Whether a file is this user's. Where files have no such owners, the place for temporary files is the user's own."""
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


# ---------------------------------------------------------------- the wire


def dial(path: str) -> socket.socket:
    """A connection to the worker at ``path``, proven to be this user's.

    Raises:
        OSError: there is none.
    """
    check_private(os.path.dirname(path))
    if not UNIX:
        from . import loopback

        return loopback.dial(path)
    found = os.lstat(path)
    if not stat.S_ISSOCK(found.st_mode) or not is_mine(found):
        raise PermissionError(f"{path} is no socket of this user")
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(SILENCE)
        connection.connect(path)
        if not peer_is_mine(connection):
            raise PermissionError(f"the process behind {path} is another user's")
    except BaseException:
        connection.close()
        raise
    return connection


def peer_is_mine(connection: socket.socket) -> bool:
    """Whether the other end of a Unix socket is this user's; where the system doesn't tell, the folder's rights have seen to it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, user, _ = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII")))
    return bool(user == os.geteuid())


def send(connection: socket.socket, message: bytes) -> None:
    """Sends one message; an empty one is a sign of life.

    Raises:
        ValueError: it is larger than :data:`MAX_BYTES`.
        OSError: the other end is gone, or does not read.
    """
    if len(message) > MAX_BYTES:
        raise ValueError(f"a message of {len(message):,} bytes is too large")
    connection.sendall(len(message).to_bytes(4, "big") + message)


def receive(connection: socket.socket) -> bytes:
    """The next message that is no sign of life.

    Raises:
        ValueError: it is larger than :data:`MAX_BYTES`.
        OSError: the other end is gone, or silent.
    """
    size = 0
    while not size:
        size = int.from_bytes(exactly(connection, 4), "big")
    if size > MAX_BYTES:
        raise ValueError(f"a message of {size:,} bytes is too large")
    return exactly(connection, size)


def exactly(connection: socket.socket, size: int) -> bytes:
    """The next ``size`` bytes. Raises OSError where the other end is gone, or silent."""
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise ConnectionError("the other end has closed the connection")
        parts += part
    return bytes(parts)
