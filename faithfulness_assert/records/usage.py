"""What an ask cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TOO_MANY = 10**12
"""Tokens and requests that nobody has."""
_COUNTS = ("prompt", "completion", "cached", "reasoning", "num_requests")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and requests. A count that is not a finite, non-negative integer becomes 0.

    Args:
        prompt, completion: tokens sent and received.
        cached: tokens of ``prompt`` that came from the provider's cache.
        reasoning: tokens of ``completion`` that the judge spent on thinking.
        num_requests: requests, failed ones too.
        estimated: whether we counted a part of the tokens, because the judge did not report it.
        total: always ``prompt + completion``.
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0
    num_requests: int = 0
    estimated: bool = False
    total: int = field(default=0)

    def __post_init__(self) -> None:
        for name in _COUNTS:
            count: object = getattr(self, name)
            is_count = isinstance(count, int) and not isinstance(count, bool)
            if not (is_count and 0 <= count < TOO_MANY):  # type: ignore[operator]
                object.__setattr__(self, name, 0)
        object.__setattr__(self, "total", self.prompt + self.completion)

    def __add__(self, other: Usage) -> Usage:
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Usage(**counts, estimated=self.estimated or other.estimated)

    def cost(self, prices: Mapping[str, float]) -> float:
        """What it cost at these prices per million tokens."""
        prompt = prices.get("prompt", 0.0)
        uncached = max(self.prompt - self.cached, 0) * prompt
        cached = self.cached * prices.get("cached", prompt)
        return (uncached + cached + self.completion * prices.get("completion", 0.0)) / 1e6
