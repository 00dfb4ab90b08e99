"""How a server wants to be asked: servers differ in the parameters that they take.

The rule: what a server says it cannot do is not asked for again. ``Steps`` count, for each fallback, the steps taken down. They go one way
and have an end, so that asking differently has an end too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .server_errors import ServerError

Steps = dict[str, int]


@dataclass(frozen=True, slots=True)
class Fallback:
    """A parameter that some servers do not take: how they name it, and what the user is told after each step down."""

    named: re.Pattern[str]
    notes: tuple[str, ...]


Fallbacks = dict[str, Fallback]


def step_down(
    fallbacks: Fallbacks,
    steps: Steps,
    server_error: ServerError,
    request: Callable[[Steps], Mapping[str, Any]],
) -> Steps:
    """The steps after this server_error: one more where it names a parameter that was sent, else the same.

    Args:
        fallbacks: the parameters that may be left out or sent otherwise.
        steps: those taken so far.
        server_error: what the server said is wrong.
        request: the parameters that are sent after given steps.
    """
    if (
        server_error.status not in (400, 404, 422, 500, 501)
        or server_error.too_long
        or server_error.filtered
    ):
        return steps
    for text in (server_error.param, server_error.message):
        for name, fallback in fallbacks.items():
            if fallback.named.search(text) and steps[name] < len(fallback.notes):
                lower = {**steps, name: steps[name] + 1}
                if request(lower) != request(steps):
                    return lower
    return steps


def lowest(one: Steps, other: Steps) -> Steps:
    """All the steps down of both."""
    return {name: max(count, other[name]) for name, count in one.items()}


def notes(fallbacks: Fallbacks, steps: Steps) -> tuple[str, ...]:
    """What the user should know about these steps."""
    return tuple(fallbacks[name].notes[count - 1] for name, count in steps.items() if count)
