"""What servers of one API reject, each other things, as data.

When a server rejects a parameter, the next request leaves it out or sends it in another form. What
a server rejected is not sent to it again. ``Steps`` counts the fallback steps taken for each
parameter. Steps are never taken back, and each parameter has few of them, so adapting always ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .answers import ServerError

Steps = dict[str, int]
REJECTING = (400, 415, 422)
"""Statuses of servers that do not support a parameter."""
QUOTING = (404, 500, 501, 502)
"""Those of servers that fail at a parameter, or of proxies that repeat another server's words."""
_OWN_KINDS = ("transport", "server")
"""Kinds of failures that a parameter may cause: not of keys, filters, limits or time."""


class Fallback(NamedTuple):
    """A parameter that some servers reject.

    Args:
        pattern: how their error messages name it, in any case.
        gaps: after each step, what the server does not support, and what was sent instead.
        part: it is a part of another parameter, so it is looked for first, and in the message.
        loosely: other words for it, for messages with a status of ``REJECTING`` that name nothing.
    """

    pattern: str
    gaps: tuple[str, ...]
    part: bool = False
    loosely: str = ""


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
    rejects = error.status in REJECTING
    if not (rejects or error.status in QUOTING) or error.too_long or error.kind not in _OWN_KINDS:
        return steps
    rows = fallbacks.items()
    named = [
        *((name, row.pattern, error.said) for name, row in rows if row.part),
        *((name, row.pattern, error.param) for name, row in rows),
        *((name, row.pattern, error.said) for name, row in rows),
        *((name, row.loosely, error.said) for name, row in rows if rejects and row.loosely),
    ]
    for name, pattern, text in named:
        if steps[name] < len(fallbacks[name].gaps) and re.search(pattern, text, re.I):
            more = {**steps, name: steps[name] + 1}
            if request(more) != request(steps):
                return more
    return steps


def merge_steps(one: Steps, other: Steps) -> Steps:
    """All the steps of both."""
    return {name: max(count, other[name]) for name, count in one.items()}
