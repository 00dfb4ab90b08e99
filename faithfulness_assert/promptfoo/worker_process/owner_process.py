"""Tells a worker when the process that it serves has ended."""

from __future__ import annotations

import errno
import os
import select
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


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
