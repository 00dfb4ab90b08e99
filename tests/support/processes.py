"""Finds the processes that grade for promptfoo through /proc, and waits for conditions."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

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


def graders(folder: Path) -> list[int]:
    """The ids of the processes of ``faithfulness.cjs`` that have this folder as their TMPDIR."""
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if _is_grader(path, folder)]


def _is_grader(process: Path, folder: Path) -> bool:
    with suppress(OSError):  # it has ended; both files of a zombie are empty
        environment = (process / "environ").read_bytes().split(b"\0")
        return (
            b"\0-m\0faithfulness_assert.promptfoo\0" in (process / "cmdline").read_bytes()
            and f"TMPDIR={folder}".encode() in environment
        )
    return False
