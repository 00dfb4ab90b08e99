"""Starts and stops the worker of an eval. promptfoo runs this in a short-lived process."""

import json
import sys
import time
from contextlib import suppress

from . import address, client, connect, launch, protocol

START_TIMEOUT = 10.0  # seconds that an eval waits for its worker


def start() -> None:
    """Starts the worker of the calling eval, and waits until it listens or has failed to start."""
    owner = address.promptfoo_process()
    if owner is None or connect.is_listening(address.socket_path(owner)):
        return
    try:
        process = launch.spawn(owner)
    except OSError as error:
        _warn(error.strerror)
        return
    end = time.monotonic() + START_TIMEOUT
    while not connect.is_listening(address.socket_path(owner)):
        if process.poll() is not None or time.monotonic() > end:
            _warn("run `faithfulness-assert worker` to see why")
            break
        time.sleep(0.01)
    launch.detach(process)


def _warn(why: "str | None") -> None:
    message = f"no worker was started ({why}); each assertion grades in its own process"
    print(f"faithfulness-assert: {message}", file=sys.stderr)  # noqa: T201


def stop() -> None:
    """Stops the worker of the calling eval, if it has one, and waits until it has ended."""
    owner = address.promptfoo_process()
    if owner is None:
        return
    message = json.dumps({"identity": protocol.identity(), "stop": True}).encode()
    with suppress(OSError, ValueError):  # the worker has ended, or ends when promptfoo does
        client.exchange(address.socket_path(owner), message)
