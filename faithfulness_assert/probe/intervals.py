"""Exact intervals of a share, and how surely it is over another one."""

from __future__ import annotations

from ..batch.paired_tests import at_most

TAIL = 0.025
STEPS = 60


def interval(wrong: int, asked: int) -> tuple[float, float]:
    """The exact 95 % interval of a share (Clopper and Pearson, 1934); [0, 1] if none was asked."""
    if not asked:
        return 0.0, 1.0
    return _lower(wrong, asked), 1 - _lower(asked - wrong, asked)


def is_surely_over(wrong: int, asked: int, share: float, tail: float) -> bool:
    """Whether the one-sided lower limit with this tail is over ``share``."""
    return wrong > 0 and _at_least(wrong, asked, share) < tail


def _lower(wrong: int, asked: int) -> float:
    low, high = 0.0, 1.0 if wrong else 0.0
    for _ in range(STEPS):  # the share under which so many are just as unlikely as the tail
        middle = (low + high) / 2
        low, high = (middle, high) if _at_least(wrong, asked, middle) < TAIL else (low, middle)
    return low


def _at_least(wrong: int, asked: int, share: float) -> float:
    """The chance of so many wrong ones or more."""
    if not 0 < share < 1:
        return 1.0 if wrong == 0 or share == 1 else 0.0
    return 1 - at_most(wrong - 1, asked, share)
