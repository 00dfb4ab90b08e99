"""An event loop whose clock jumps to the next timer instead of waiting. Only for code without I/O."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

STEP = 1e-6
"""Seconds that each step of the loop takes: code may wait for a clock that always moves."""


class _Jump(selectors.DefaultSelector):
    """A selector that moves the clock on by the time that it should wait."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("everything waits, and no timer is set")
        self.now += max(timeout, 0.0) + STEP
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop on which hours pass in milliseconds."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._jump.now


def run_virtually(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work`` on a new loop with a virtual clock."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
