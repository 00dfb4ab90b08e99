"""What tests use: ``assert_faithful``, and the plugin of pytest, which begins in ``hooks``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

running: list[Callable[[], Any]] = []
"""What gives the checks of the test that pytest runs; empty where none runs.

The last one counts: a test may run pytest itself. ``assert_faithful`` grades with it.
"""
