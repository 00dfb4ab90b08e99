"""How many tokens a session has spent, in all its processes on this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class TokenLimit:
    """Counts tokens in a file that all workers of a session share.

    Each process appends a line for each grade. It is one write, so that lines do not mix.

    Args:
        most: after how many tokens nothing is graded any more.
        file: the shared file.
    """

    def __init__(self, most: int, file: Path) -> None:
        self.most = most
        self._file = file

    def spent(self) -> int:
        """The tokens of all grades that have ended."""
        try:
            lines = self._file.read_bytes().split()
        except FileNotFoundError:
            return 0
        return sum(int(line) for line in lines if line.isdigit())

    def add(self, tokens: int) -> None:
        """Counts the tokens of a grade."""
        if tokens:
            self._file.parent.mkdir(parents=True, exist_ok=True)  # a worker on another machine
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            handle = os.open(self._file, flags, 0o600)
            try:
                os.write(handle, b"%d\n" % tokens)
            finally:
                os.close(handle)
