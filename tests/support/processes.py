"""Finds worker processes through /proc, and waits for conditions."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from remote import bare_environment

COMMANDS = (
    b"faithfulness_assert\0worker",
    b"faithfulness_assert.promptfoo.worker_process.server",
    b"faithfulness_assert.promptfoo.javascript",
)
# A process that a script started in the background ignores Ctrl-C, and so would one that it starts.
HEARS_CTRL_C = (
    sys.executable,
    "-c",
    (
        "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "runpy.run_module('faithfulness_assert', run_name='__main__')"
    ),
)
"""Starts the command so that it hears the signal."""
PATIENCE = 30.0  # seconds; enough on a busy machine


def eventually(condition: Callable[[], object]) -> bool:
    """Whether the condition becomes true within :data:`PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def workers(folder: str) -> list[int]:
    """The ids of the processes that grade whose TMPDIR is ``folder``: workers, and those of ``faithfulness.cjs``.

    Such a process runs ``uname`` once. Its child looks like itself for an instant, and does not count.
    """
    found = [path for path in Path("/proc").glob("[0-9]*") if _is_worker(path, folder)]
    names = {path.name for path in found}
    return [int(path.name) for path in found if _parent(path) not in names]


def _parent(process: Path) -> str:
    with suppress(OSError):
        status = (process / "status").read_text(encoding="utf-8", errors="replace")
        return status.partition("\nPPid:\t")[2].partition("\n")[0]
    return ""


def _is_worker(process: Path, folder: str) -> bool:
    with suppress(OSError):  # it has ended; both files of a zombie are empty
        command = (process / "cmdline").read_bytes()
        environment = (process / "environ").read_bytes().split(b"\0")
        return (
            any(name in command for name in COMMANDS) and f"TMPDIR={folder}".encode() in environment
        )
    return False


@contextmanager
def socket_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a short path for the sockets of a test, which sees no settings of this machine."""
    bare_environment(monkeypatch)
    with tempfile.TemporaryDirectory(prefix="fa-", dir="/tmp") as name:
        monkeypatch.setenv("TMPDIR", name)
        yield Path(name)


def kill_workers(folder: Path) -> None:
    """Ends the workers that still run."""
    for pid in workers(str(folder)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
