"""Workers as processes: found and waited for, through /proc."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 30.0  # seconds in which what must happen has happened, on a busy machine too


def eventually(holds: Callable[[], object]) -> bool:
    """Whether it holds within :data:`PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def workers(place: str) -> list[int]:
    """The living workers whose sockets are under ``place``, their TMPDIR."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(
            OSError
        ):  # it has ended meanwhile; of one that nobody has buried both files are empty
            command = (path / "cmdline").read_bytes()
            ours = (
                b"faithfulness_assert\0worker" in command
                or b"faithfulness_assert.promptfoo.worker_process.server" in command
            )
            if ours and f"TMPDIR={place}".encode() in (path / "environ").read_bytes().split(b"\0"):
                found.append(int(path.name))
    return found
