"""Starts a worker process."""

import os
import subprocess
import sys


def spawn(owner: int) -> "subprocess.Popen[bytes]":
    """Starts a worker for ``owner`` in the background. One that finds another in its place ends by itself.

    Raises:
        OSError: no process can be started.
    """
    # It must hold none of promptfoo's pipes, whose end promptfoo waits for, and not hear the Ctrl-C that ends the eval.
    return subprocess.Popen(  # noqa: S603 - this interpreter, no foreign argument
        [sys.executable, "-m", "faithfulness_assert.promptfoo.worker_process.server", str(owner)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name == "posix",
        creationflags=0x208 if os.name == "nt" else 0,  # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP
    )


def leave(process: "subprocess.Popen[bytes]") -> None:
    """Lets a worker outlive this process, which Python would warn of."""
    process.returncode = process.returncode or 0
