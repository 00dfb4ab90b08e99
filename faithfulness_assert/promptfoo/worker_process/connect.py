"""Connects to a worker, and checks that the process behind the socket belongs to this user."""

import os
import socket
import stat
import struct

from . import address, protocol


def connect(path: str) -> socket.socket:
    """A connection to the worker at ``path``. The worker belongs to this user.

    Raises:
        OSError: no worker listens there, or it belongs to another user.
    """
    address.check_private(os.path.dirname(path))
    if not address.UNIX:
        from . import tcp_socket

        return tcp_socket.connect(path)
    status = os.lstat(path)
    if not stat.S_ISSOCK(status.st_mode) or not address.is_mine(status):
        raise PermissionError(f"{path} is not a socket of this user")
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(protocol.SILENCE)
        connection.connect(path)
        if not peer_is_mine(connection):
            raise PermissionError(f"the process behind {path} belongs to another user")
    except BaseException:
        connection.close()
        raise
    return connection


def peer_is_mine(connection: socket.socket) -> bool:
    """Whether the process at the other end of a Unix socket belongs to this user.

    True where the system doesn't say: the folder's permissions keep other users out.
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("iII")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, user, _ = struct.unpack("iII", credentials)
    return bool(user == os.geteuid())


def is_listening(path: str) -> bool:
    """Whether a worker listens at ``path``."""
    try:
        connect(path).close()
    except (BlockingIOError, TimeoutError):  # it exists and is overloaded
        return True
    except OSError:
        return False
    return True
