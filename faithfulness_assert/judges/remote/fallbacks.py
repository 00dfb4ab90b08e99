"""Fallbacks for parameters that some servers do not support.

When a server rejects a parameter, the next request leaves it out or sends it in another form. What
a server rejected is not sent to it again. ``Steps`` counts the fallback steps taken for each
parameter. Steps are never taken back, and each parameter has few of them, so adapting always ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .answers import ServerError

Steps = dict[str, int]
_REJECTING = (400, 404, 422, 500, 501)  # statuses of servers that do not support a parameter


@dataclass(frozen=True, slots=True)
class Fallback:
    """A parameter that some servers reject.

    Args:
        pattern: how their error messages name it.
        warnings: what the user reads after each step.
        part: it is a part of another parameter, so it is looked for first, and in the message.
    """

    pattern: re.Pattern[str]
    warnings: tuple[str, ...]
    part: bool = False

    @classmethod
    def of(cls, pattern: str, *warnings: str, part: bool = False) -> Fallback:
        """The parameter that error messages name so, in any case."""
        return cls(re.compile(pattern, re.IGNORECASE), warnings, part)


Fallbacks = dict[str, Fallback]


def next_steps(
    fallbacks: Fallbacks,
    steps: Steps,
    error: ServerError,
    request: Callable[[Steps], Mapping[str, Any]],
) -> Steps:
    """The steps after ``error``: one more if it names a parameter that was sent, else the same.

    Args:
        fallbacks: the parameters that may be left out or sent in another form.
        steps: the steps taken so far.
        error: what the server said.
        request: returns the parameters that are sent after given steps.
    """
    if error.status not in _REJECTING or error.too_long or error.kind == "content_filter":
        return steps
    for text, part in ((error.said, True), (error.param, False), (error.said, False)):
        for name, fallback in fallbacks.items():
            fits = fallback.part == part and fallback.pattern.search(text)
            if fits and steps[name] < len(fallback.warnings):
                more = {**steps, name: steps[name] + 1}
                if request(more) != request(steps):
                    return more
    return steps


def merge_steps(one: Steps, other: Steps) -> Steps:
    """All the steps of both."""
    return {name: max(count, other[name]) for name, count in one.items()}


def step_warnings(fallbacks: Fallbacks, steps: Steps) -> tuple[str, ...]:
    """What the user should know about these steps."""
    return tuple(fallbacks[name].warnings[count - 1] for name, count in steps.items() if count)
