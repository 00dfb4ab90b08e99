"""Connects to a worker, and checks that the process behind the socket belongs to this user."""

import os
import socket
import stat
import struct

from . import address, protocol


def dial(path: str) -> socket.socket:
    """A connection to the worker at ``path``, proven to be this user's.

    Raises:
        OSError: there is none.
    """
    address.check_private(os.path.dirname(path))
    if not address.UNIX:
        from . import tcp_socket

        return tcp_socket.dial(path)
    found = os.lstat(path)
    if not stat.S_ISSOCK(found.st_mode) or not address.is_mine(found):
        raise PermissionError(f"{path} is no socket of this user")
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(protocol.SILENCE)
        connection.connect(path)
        if not peer_is_mine(connection):
            raise PermissionError(f"the process behind {path} is another user's")
    except BaseException:
        connection.close()
        raise
    return connection


def peer_is_mine(connection: socket.socket) -> bool:
    """Whether the other end of a Unix socket is this user's; where the system doesn't tell, the folder's rights have seen to it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, user, _ = struct.unpack(
        "iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
    )
    return bool(user == os.geteuid())


def answers(path: str) -> bool:
    """Whether a worker listens at ``path``."""
    try:
        dial(path).close()
    except (BlockingIOError, TimeoutError):  # it is there, and has more to do than it can
        return True
    except OSError:
        return False
    return True
