"""The side of promptfoo: assertions ask the worker for grades, the extension starts and stops it.

An assertion that gets no grade from a worker grades itself. Every assertion imports this file: it
uses modules that promptfoo's wrapper has already loaded.
"""

import json
import os
import sys
import time
from contextlib import suppress

from . import address, protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen
    from typing import Any

START_TIMEOUT = 10.0  # seconds that an eval waits for its worker


def ask(output: "Any", context: "Any") -> "dict[str, Any] | None":
    """The worker's reply: a ``result``, or ``raised`` with the message of a ``NotPythonError``.

    None if this process must grade: no worker exists, it has another version or environment, or it
    failed. A worker that failed is replaced for the next assertions.
    """
    try:
        path = find_socket()
        socket_file = address.file_id(path)
        request = {
            "identity": protocol.identity(),
            "eval": address.promptfoo_process(),
            "grade": [output, context],
        }
        message = json.dumps(request).encode()
    except (OSError, ValueError, TypeError, RecursionError):  # no worker, or the output isn't JSON
        return None
    if len(message) > protocol.MAX_BYTES:
        return None
    try:
        reply = exchange(path, message)
    except BlockingIOError:  # too many assertions wait already
        return None
    except (OSError, ValueError):
        _replace(path, socket_file)
        return None
    return None if "refused" in reply else reply


def find_socket() -> str:
    """The socket of the nearest ancestor that has a worker.

    Raises:
        OSError: no ancestor has a worker, or the folder of sockets is not private.
    """
    folder = address.socket_folder()
    address.check_private(folder)
    existing = set(os.listdir(folder))
    names = (f"{pid}{address.SUFFIX}" for pid in address.ancestors())
    name = next((name for name in names if name in existing), None)
    if name is None:
        raise FileNotFoundError("no process above this one has a worker")
    return os.path.join(folder, name)


def exchange(path: str, message: bytes) -> "dict[str, Any]":
    """Sends a request to the worker at ``path`` and returns its reply.

    Raises:
        OSError: the worker has ended, or was silent for too long.
        ValueError: the reply is invalid.
    """
    with address.connect(path) as connection:
        protocol.send(connection, message)
        reply = json.loads(protocol.receive(connection))
    if not isinstance(reply, dict) or not reply.keys() & {"result", "raised", "refused"}:
        raise ValueError("invalid reply from the worker")
    return reply


def _replace(path: str, socket_file: "tuple[int, int]") -> None:
    """Replaces a worker that died or hangs. Only the assertion that removes its socket does so."""
    try:
        if address.file_id(path) != socket_file:  # another assertion has replaced the worker
            return
        os.unlink(path)  # a worker that hangs notices this when it wakes up, and ends
        owner = int(os.path.basename(path).removesuffix(address.SUFFIX))
        detach(spawn(owner))
    except (OSError, ValueError):
        pass  # another assertion replaced it, or every assertion grades by itself


# ---------------------------------------------------------------- starting and stopping it


def start() -> None:
    """Starts the worker of the calling eval, and waits until it listens or has failed to start."""
    owner = address.promptfoo_process()
    if owner is None or address.is_listening(address.socket_path(owner)):
        return
    try:
        process = spawn(owner)
    except OSError as error:
        _warn(error.strerror)
        return
    end = time.monotonic() + START_TIMEOUT
    while not address.is_listening(address.socket_path(owner)):
        if process.poll() is not None or time.monotonic() > end:
            _warn("run `faithfulness-assert worker` to see why")
            break
        time.sleep(0.01)
    detach(process)


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
        exchange(address.socket_path(owner), message)


def spawn(owner: int) -> "Popen[bytes]":
    """Starts a worker for ``owner`` in the background. It ends at once if ``owner`` has one.

    Raises:
        OSError: no process can be started.
    """
    import subprocess  # few assertions start a worker

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


def detach(process: "Popen[bytes]") -> None:
    """Lets the worker outlive this process without Python's ResourceWarning."""
    process.returncode = process.returncode or 0
