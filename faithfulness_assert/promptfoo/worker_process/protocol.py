"""How an assertion and the worker find each other and talk: a socket in a private folder, one request and one reply.

A worker serves the descendants of one process, its owner (promptfoo), and its socket is named after that process: whoever was started
by promptfoo looks for the worker of its nearest ancestor.

The rule: the standard library alone, and only modules that promptfoo's wrapper has loaded anyway; every assertion imports this file.
"""

import os
import socket
import sys

import faithfulness_assert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 32 << 20  # of a request, and of a reply
IDLE = 900.0  # seconds without an assertion after which a worker ends
SILENCE = 10.0  # seconds without a sign of life after which a worker is taken for dead


# A grade may depend on these: a worker that has others grades differently, perhaps for another user's account.
_BEGIN = (
    "FAITHFULNESS_ASSERT_",
    "OPENAI_",
    "ANTHROPIC_",
    "SSL",
    "REQUESTS_",
    "TIKTOKEN_",
    "DATA_GYM_",
)
_END = ("_API_KEY", "_BASE_URL", "_PROXY")


def identity() -> "dict[str, Any]":
    """What a worker and an assertion must have in common to give the same result. It holds keys: it goes to the socket and nowhere else."""
    read = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(_BEGIN) or name.upper().endswith(_END)
    }
    place = {
        "host": socket.gethostname(),
        "python": sys.prefix,
        "folder": os.getcwd(),
    }  # containers may share a place for sockets
    return {"version": faithfulness_assert.__version__, **place, "environment": read}


# ---------------------------------------------------------------- whose


# ---------------------------------------------------------------- where


# ---------------------------------------------------------------- the wire


def send(connection: socket.socket, message: bytes) -> None:
    """Sends one message; an empty one is a sign of life.

    Raises:
        ValueError: it is larger than :data:`MAX_BYTES`.
        OSError: the other end is gone, or does not read.
    """
    if len(message) > MAX_BYTES:
        raise ValueError(f"a message of {len(message):,} bytes is too large")
    connection.sendall(len(message).to_bytes(4, "big") + message)


def receive(connection: socket.socket) -> bytes:
    """The next message that is no sign of life.

    Raises:
        ValueError: it is larger than :data:`MAX_BYTES`.
        OSError: the other end is gone, or silent.
    """
    size = 0
    while not size:
        size = int.from_bytes(exactly(connection, 4), "big")
    if size > MAX_BYTES:
        raise ValueError(f"a message of {size:,} bytes is too large")
    return exactly(connection, size)


def exactly(connection: socket.socket, size: int) -> bytes:
    """The next ``size`` bytes. Raises OSError where the other end is gone, or silent."""
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise ConnectionError("the other end has closed the connection")
        parts += part
    return bytes(parts)
