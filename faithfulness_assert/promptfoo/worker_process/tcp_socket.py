"""The worker's line where there are no Unix sockets: loopback TCP. The file at the address holds the port and a token.

Anybody on the machine may call the port, or take it once the worker is gone: before a text is sent each end proves that it has read the
file, without showing the token.
"""

import hmac
import json
import os
import socket

from . import protocol

PROOF = 32  # bytes


def listen(path: str) -> socket.socket:
    """A listener on a free port, with its address in a new file at ``path``. Raises OSError where there can be none."""
    listener = socket.create_server(("127.0.0.1", 0))
    try:
        listener.setblocking(False)
        port, token = listener.getsockname()[1], os.urandom(PROOF)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii") as file:
            json.dump([port, token.hex()], file)
    except BaseException:
        listener.close()
        raise
    return listener


def dial(path: str) -> socket.socket:
    """A connection to the worker whose address is at ``path``. Raises OSError where none answers that has written it."""
    port, token = _read(path)
    connection = socket.create_connection(("127.0.0.1", port), protocol.SILENCE)
    try:
        challenge = os.urandom(PROOF)
        connection.sendall(challenge)
        _expect(connection, _proof(token, b"worker", challenge))
        connection.sendall(_proof(token, b"assertion", protocol.exactly(connection, PROOF)))
    except BaseException:
        connection.close()
        raise
    return connection


def welcome(connection: socket.socket, path: str) -> None:
    """The worker's end of :func:`dial`. Raises OSError where the other end cannot have read the address."""
    _, token = _read(path)
    connection.sendall(_proof(token, b"worker", protocol.exactly(connection, PROOF)))
    challenge = os.urandom(PROOF)
    connection.sendall(challenge)
    _expect(connection, _proof(token, b"assertion", challenge))


def _read(path: str) -> "tuple[int, bytes]":
    with open(path, encoding="ascii") as file:
        try:
            port, token = json.load(file)
            return int(port), bytes.fromhex(token)
        except (ValueError, TypeError):
            raise ConnectionRefusedError(f"{path} is no address of a worker") from None


def _proof(token: bytes, who: bytes, challenge: bytes) -> bytes:
    return hmac.digest(token, who + challenge, "sha256")


def _expect(connection: socket.socket, proof: bytes) -> None:
    if not hmac.compare_digest(protocol.exactly(connection, PROOF), proof):
        raise PermissionError("the other end does not know the token")
