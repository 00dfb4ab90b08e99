"""Starts and stops the worker of an eval; promptfoo runs this in a process of its own that ends at once, as it does assertions."""

import json
import os
import subprocess
import sys
import time

from . import protocol
from .client import exchange

START = 10.0  # seconds that an eval waits for its worker at most


def start() -> None:
    """Starts the worker of the eval that called, and waits until it listens, or until it is plain that it will not."""
    owner = protocol.promptfoo_process()
    if owner is None or answers(protocol.address(owner)):
        return
    try:
        process, end = spawn(owner), time.monotonic() + START
    except OSError as error:
        _without(error.strerror)
        return
    while not answers(protocol.address(owner)):
        if process.poll() is not None or time.monotonic() > end:
            _without("`faithfulness-assert worker` says why")
            break
        time.sleep(0.01)
    leave(process)


def _without(why: "str | None") -> None:
    print(f"faithfulness-assert: no worker was started ({why}); each assertion grades in its own process", file=sys.stderr)  # noqa: T201


def stop() -> None:
    """Stops the worker of the eval that called, if there is one, and waits until it has ended."""
    owner = protocol.promptfoo_process()
    try:
        if owner is not None:
            exchange(protocol.address(owner), json.dumps({"identity": protocol.identity(), "stop": True}).encode())
    except (OSError, ValueError):
        pass  # it has ended, or will with promptfoo


def spawn(owner: int) -> "subprocess.Popen[bytes]":
    """Starts a worker for ``owner`` in the background. One that finds another in its place ends by itself.

    Raises:
        OSError: no process can be started.
    """
    # It must hold none of promptfoo's pipes, whose end promptfoo waits for, and not hear the Ctrl-C that ends the eval.
    return subprocess.Popen(  # noqa: S603 - this interpreter, no foreign argument
        [sys.executable, "-m", "faithfulness_assert.promptfoo.server", str(owner)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name == "posix",
        creationflags=0x208 if os.name == "nt" else 0,  # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP
    )


def leave(process: "subprocess.Popen[bytes]") -> None:
    """Lets a worker outlive this process, which Python would warn of."""
    process.returncode = process.returncode or 0


def answers(path: str) -> bool:
    """Whether a worker listens at ``path``."""
    try:
        protocol.dial(path).close()
    except (BlockingIOError, TimeoutError):  # it is there, and has more to do than it can
        return True
    except OSError:
        return False
    return True
