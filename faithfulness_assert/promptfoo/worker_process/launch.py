"""Starts a worker process."""

import os
import subprocess
import sys


def spawn(owner: int) -> "subprocess.Popen[bytes]":
    """Starts a worker for ``owner`` in the background. It ends at once if ``owner`` has one.

    Raises:
        OSError: no process can be started.
    """
    # promptfoo waits until its pipes are closed, so the worker must not inherit any. In a session
    # of its own, the worker doesn't receive the Ctrl-C that ends the eval.
    return subprocess.Popen(  # noqa: S603 - runs this interpreter; no argument comes from outside
        [sys.executable, "-m", "faithfulness_assert.promptfoo.worker_process.server", str(owner)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name == "posix",
        creationflags=0x208 if os.name == "nt" else 0,  # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP
    )


def detach(process: "subprocess.Popen[bytes]") -> None:
    """Lets the worker outlive this process without Python's ResourceWarning."""
    process.returncode = process.returncode or 0
