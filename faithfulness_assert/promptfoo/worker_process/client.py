"""An assertion's side of the worker: find it, ask it, and whatever goes wrong leave the grading to the assertion's own process."""

import json
import os

from . import address, connect, protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def ask(output: "Any", context: "Any") -> "dict[str, Any] | None":
    """The worker's reply to an assertion: its ``result``, or ``raised`` with the message of a ``NotPythonError``.

    None where this process must grade: there is no worker, it is another version's or has another environment, or it failed. One that
    failed is replaced, for the assertions to come.
    """
    try:
        path = find()
        mark = address.mark(path)
        request = {
            "identity": protocol.identity(),
            "eval": address.promptfoo_process(),
            "grade": [output, context],
        }
        message = json.dumps(request).encode()
    except (
        OSError,
        ValueError,
        TypeError,
        RecursionError,
    ):  # no folder, or no JSON: called by other than promptfoo
        return None
    if len(message) > protocol.MAX_BYTES:
        return None
    try:
        reply = exchange(path, message)
    except BlockingIOError:  # more wait than it can count
        return None
    except (OSError, ValueError):
        _replace(path, mark)
        return None
    return None if "refused" in reply else reply


def find() -> str:
    """The socket of the worker that serves this process: that of its nearest ancestor that has one.

    Raises:
        OSError: there is none.
    """
    folder = address.folder()
    address.check_private(folder)
    there = set(os.listdir(folder))
    names = (f"{pid}{address.SUFFIX}" for pid in address.ancestors())
    name = next((name for name in names if name in there), None)
    if name is None:
        raise FileNotFoundError("no process above this one has a worker")
    return os.path.join(folder, name)


def exchange(path: str, message: bytes) -> "dict[str, Any]":
    """The reply of the worker at ``path``.

    Raises:
        OSError: it is gone, or silent for too long.
        ValueError: its reply is none.
    """
    with connect.dial(path) as connection:
        protocol.send(connection, message)
        reply = json.loads(protocol.receive(connection))
    if not isinstance(reply, dict) or not reply.keys() & {"result", "raised", "refused"}:
        raise ValueError("the worker's reply is none")
    return reply


def _replace(path: str, mark: "tuple[int, int]") -> None:
    """Starts another worker in the place of one that died or hangs. Of many assertions that find it so, the one that clears its place."""
    from . import launch

    try:
        if address.mark(path) != mark:  # it has been replaced meanwhile
            return
        os.unlink(
            path
        )  # one that hangs sees, when it wakes, that it has no socket any more, and ends
        launch.leave(launch.spawn(int(os.path.basename(path).removesuffix(address.SUFFIX))))
    except (OSError, ValueError):
        pass  # somebody else has replaced it; or there will be none, and every assertion grades for itself
