"""The assertion's side: asks the worker for a grade; if that fails, the assertion grades itself."""

import json
import os

from . import address, connect, protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def ask(output: "Any", context: "Any") -> "dict[str, Any] | None":
    """The worker's reply: a ``result``, or ``raised`` with the message of a ``NotPythonError``.

    None if this process must grade: no worker exists, it has another version or environment, or it
    failed. A worker that failed is replaced for the next assertions.
    """
    try:
        path = find_socket()
        socket_file = address.file_id(path)
        message = _grade_request(output, context)
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


def _grade_request(output: "Any", context: "Any") -> bytes:
    request = {
        "identity": protocol.identity(),
        "eval": address.promptfoo_process(),
        "grade": [output, context],
    }
    return json.dumps(request).encode()


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
    with connect.connect(path) as connection:
        protocol.send(connection, message)
        reply = json.loads(protocol.receive(connection))
    if not isinstance(reply, dict) or not reply.keys() & {"result", "raised", "refused"}:
        raise ValueError("invalid reply from the worker")
    return reply


def _replace(path: str, socket_file: "tuple[int, int]") -> None:
    """Replaces a worker that died or hangs. Only the assertion that removes its socket does so."""
    from . import launch

    try:
        if address.file_id(path) != socket_file:  # another assertion has replaced the worker
            return
        os.unlink(path)  # a worker that hangs notices this when it wakes up, and ends
        owner = int(os.path.basename(path).removesuffix(address.SUFFIX))
        launch.detach(launch.spawn(owner))
    except (OSError, ValueError):
        pass  # another assertion replaced it, or every assertion grades by itself
