"""Where the worker of an eval listens, and whose worker it is.

A worker serves the descendants of one process, its owner (promptfoo). Its socket is named after that process:
whatever promptfoo started looks for the worker of its nearest ancestor.

Every assertion imports this file: the standard library alone, and only modules that promptfoo's wrapper has loaded.
"""

import os
import socket
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


UNIX = hasattr(socket, "AF_UNIX")
SUFFIX = ".sock" if UNIX else ".port"
ENGINES = ("node", "bun", "deno")  # what promptfoo runs on
LONGEST = 100  # bytes of a socket's path; the system's limit is 104 or 108


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


def address(owner: int) -> str:
    """Where the worker of ``owner`` listens."""
    return os.path.join(folder(), f"{owner}{SUFFIX}")


def folder() -> str:
    """The folder of this user's workers: in the system's place for passing files, since a home may be read-only, remote or missing."""
    name = (
        f"faithfulness-assert-{os.geteuid()}" if hasattr(os, "geteuid") else "faithfulness-assert"
    )
    base = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108 - `check_private` looks at what is there
    path = os.path.join(base, name)
    short = not UNIX or len(os.fsencode(path)) + 20 <= LONGEST
    return path if short else os.path.join("/tmp", name)  # noqa: S108 - as above


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
