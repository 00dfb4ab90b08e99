"""promptfoo's way in: ``get_assert`` for a ``python`` assertion."""

from .hook import get_assert

__all__ = ["get_assert"]
