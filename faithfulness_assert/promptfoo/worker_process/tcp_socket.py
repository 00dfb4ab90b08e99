"""The worker's socket where Unix sockets don't exist: TCP on the loopback address.

The file at the worker's address holds the port and a secret token. Any user of the machine may
connect to the port, or listen on it once the worker has ended. So before any text is sent, each end
proves that it has read the file, without showing the token.
"""

import hmac
import json
import os
import socket

from ...files import new_file, open_text
from . import protocol

PROOF_BYTES = 32


def listen(path: str) -> socket.socket:
    """Listens on a free port, and writes the port and a new token to ``path``. Raises OSError."""
    listener = socket.create_server(("127.0.0.1", 0))
    try:
        listener.setblocking(False)
        port, token = listener.getsockname()[1], os.urandom(PROOF_BYTES)
        with new_file(path, private=True) as file:
            file.write(json.dumps([port, token.hex()]).encode())
    except BaseException:
        listener.close()
        raise
    return listener


def connect(path: str) -> socket.socket:
    """A connection to the worker that wrote ``path``. Raises OSError if it does not answer."""
    port, token = _port_and_token(path)
    connection = socket.create_connection(("127.0.0.1", port), protocol.SILENCE)
    try:
        challenge = os.urandom(PROOF_BYTES)
        connection.sendall(challenge)
        _expect(connection, _proof(token, b"worker", challenge))
        worker_challenge = protocol.receive_exactly(connection, PROOF_BYTES)
        connection.sendall(_proof(token, b"assertion", worker_challenge))
    except BaseException:
        connection.close()
        raise
    return connection


def check_peer(connection: socket.socket, path: str) -> None:
    """The worker's part of ``connect``. Raises OSError if the peer doesn't know the token."""
    _, token = _port_and_token(path)
    peer_challenge = protocol.receive_exactly(connection, PROOF_BYTES)
    connection.sendall(_proof(token, b"worker", peer_challenge))
    challenge = os.urandom(PROOF_BYTES)
    connection.sendall(challenge)
    _expect(connection, _proof(token, b"assertion", challenge))


def _port_and_token(path: str) -> "tuple[int, bytes]":
    with open_text(path, "ascii") as file:
        try:
            port, token = json.load(file)
            return int(port), bytes.fromhex(token)
        except (ValueError, TypeError):
            message = f"{path} does not hold a worker's port and token"
            raise ConnectionRefusedError(message) from None


def _proof(token: bytes, sender: bytes, challenge: bytes) -> bytes:
    return hmac.digest(token, sender + challenge, "sha256")


def _expect(connection: socket.socket, proof: bytes) -> None:
    received = protocol.receive_exactly(connection, PROOF_BYTES)
    if not hmac.compare_digest(received, proof):
        raise PermissionError("the other end does not know the token")
