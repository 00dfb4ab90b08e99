"""Starts and stops the worker of an eval; promptfoo runs this in a process of its own that ends at once, as it does assertions."""

import json
import sys
import time

from . import address, connect, protocol
from .client import exchange
from .launch import leave, spawn

START = 10.0  # seconds that an eval waits for its worker at most


def start() -> None:
    """Starts the worker of the eval that called, and waits until it listens, or until it is plain that it will not."""
    owner = address.promptfoo_process()
    if owner is None or connect.answers(address.address(owner)):
        return
    try:
        process, end = spawn(owner), time.monotonic() + START
    except OSError as error:
        _without(error.strerror)
        return
    while not connect.answers(address.address(owner)):
        if process.poll() is not None or time.monotonic() > end:
            _without("`faithfulness-assert worker` says why")
            break
        time.sleep(0.01)
    leave(process)


def _without(why: "str | None") -> None:
    message = f"no worker was started ({why}); each assertion grades in its own process"
    print(f"faithfulness-assert: {message}", file=sys.stderr)  # noqa: T201


def stop() -> None:
    """Stops the worker of the eval that called, if there is one, and waits until it has ended."""
    owner = address.promptfoo_process()
    try:
        if owner is not None:
            exchange(
                address.address(owner),
                json.dumps({"identity": protocol.identity(), "stop": True}).encode(),
            )
    except (OSError, ValueError):
        pass  # it has ended, or will with promptfoo
