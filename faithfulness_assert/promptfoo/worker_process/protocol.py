"""What an assertion and a worker send to each other: one request, one reply.

Every assertion imports this file. It uses the standard library only, and only modules that
promptfoo's wrapper has already loaded.
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
SILENCE = 10.0  # seconds without a sign of life after which a worker is given up

# Of the environment variables that matter.
_PREFIXES = (
    *("FAITHFULNESS_ASSERT_", "OPENAI_", "ANTHROPIC_"),
    *("SSL", "REQUESTS_", "TIKTOKEN_", "DATA_GYM_"),
)
_SUFFIXES = ("_API_KEY", "_BASE_URL", "_PROXY")


def identity() -> "dict[str, Any]":
    """What must be equal in the worker and the assertion, so that both give the same result.

    It contains API keys: send it to the socket and nowhere else.
    """
    return {**place(), "environment": that_matter(os.environ)}


def place() -> "dict[str, Any]":
    """The part of the identity without secrets: a worker tells it to whoever starts it."""
    return {
        "version": faithfulness_assert.__version__,
        "host": socket.gethostname(),  # containers may share a folder for sockets
        "python": sys.prefix,
        "folder": os.getcwd(),
    }


def that_matter(environment: "Any") -> "dict[str, str]":
    """The variables of ``environment`` that can change a grade, or the account that pays for it."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_PREFIXES) or name.upper().endswith(_SUFFIXES)
    }


def send(connection: socket.socket, message: bytes) -> None:
    """Sends one message. An empty message is a sign of life.

    Raises:
        ValueError: the message is larger than ``MAX_BYTES``.
        OSError: the other end has gone, or does not read.
    """
    _check_size(len(message))
    connection.sendall(len(message).to_bytes(4, "big") + message)


def receive(connection: socket.socket) -> bytes:
    """The next message; signs of life are skipped.

    Raises:
        ValueError: the message is larger than ``MAX_BYTES``.
        OSError: the other end has gone, or is silent.
    """
    size = 0
    while not size:
        size = int.from_bytes(receive_exactly(connection, 4), "big")
    _check_size(size)
    return receive_exactly(connection, size)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise ValueError(f"a message of {size:,} bytes is too large")


def receive_exactly(connection: socket.socket, size: int) -> bytes:
    """The next ``size`` bytes. Raises OSError if the other end has gone, or is silent."""
    received = bytearray()
    while len(received) < size:
        part = connection.recv(min(size - len(received), 1 << 20))
        if not part:
            raise ConnectionError("the other end has closed the connection")
        received += part
    return bytes(received)
