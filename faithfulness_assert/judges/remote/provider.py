"""What differs between the providers of APIs, as data, and between their servers.

When a server rejects a parameter, the next request leaves it out or sends it in another form. What
a server rejected is not sent to it again. ``Steps`` counts the fallback steps taken for each
parameter. Steps are never taken back, and each parameter has few of them, so adapting always ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...records.judge import Ask, Outcome
from ..http import Answer
from .answers import ServerError
from .redaction import Secrets

Steps = dict[str, int]
NOTHING = re.compile(r"(?!)")
REJECTING = (400, 415, 422)
"""Statuses of servers that do not support a parameter."""
QUOTING = (404, 500, 501, 502)
"""Those of servers that fail at a parameter, or of proxies that repeat another server's words."""
_OWN_KINDS = ("transport", "server")
"""Kinds of failures that a parameter may cause: not of keys, filters, limits or time."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """A parameter that some servers reject.

    Args:
        pattern: how their error messages name it.
        warnings: what the user reads after each step.
        part: it is a part of another parameter, so it is looked for first, and in the message.
        loosely: other words for it, for messages with a status of ``REJECTING`` that name nothing.
    """

    pattern: re.Pattern[str]
    warnings: tuple[str, ...]
    part: bool = False
    loosely: re.Pattern[str] = NOTHING

    @classmethod
    def of(
        cls, pattern: str, *warnings: str, part: bool = False, loosely: str = NOTHING.pattern
    ) -> Fallback:
        """The parameter that error messages name so, in any case."""
        named, spoken = (re.compile(text, re.IGNORECASE) for text in (pattern, loosely))
        return cls(named, warnings, part, spoken)


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
    parts = [(name, f) for name, f in fallbacks.items() if f.part]
    whole = [(name, f) for name, f in fallbacks.items() if not f.part]
    named = [
        *((name, f.pattern, error.said) for name, f in parts),
        *((name, f.pattern, error.param) for name, f in whole),
        *((name, f.pattern, error.said) for name, f in whole),
        *((name, f.loosely, error.said) for name, f in (*parts, *whole) if rejects),
    ]
    for name, pattern, text in named:
        if steps[name] < len(fallbacks[name].warnings) and pattern.search(text):
            more = {**steps, name: steps[name] + 1}
            if request(more) != request(steps):
                return more
    return steps


def merge_steps(one: Steps, other: Steps) -> Steps:
    """All the steps of both."""
    return {name: max(count, other[name]) for name, count in one.items()}


def step_warnings(fallbacks: Fallbacks, steps: Steps) -> tuple[str, ...]:
    """What the user should know about these steps."""
    return tuple(f.warnings[steps[name] - 1] for name, f in fallbacks.items() if steps[name])


Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Provider:
    """What differs between providers.

    Args:
        name: its name in ``JUDGES``; also of its SDK, and in capitals the prefix of its environment
            variables ``_API_KEY`` and ``_BASE_URL``.
        home: the address of its own API, which needs a key.
        path: where the API is, under the address.
        max_temperature: the highest temperature that it allows.
        fallbacks: the parameters that some of its servers reject.
        headers: returns those that a request needs, with this key, or with none.
        request: returns the parameters of an ask with these settings, after these steps.
        read: returns the reply in an answer, or the failure.
        client: the name of the class of its SDK's clients.
        api: the attribute of a client that has the API.
    """

    name: str
    home: str
    path: str
    max_temperature: float
    fallbacks: Fallbacks
    headers: Callable[[str], Mapping[str, str]]
    request: Callable[[Ask, Settings, Steps], dict[str, Any]]
    read: Callable[[Answer, Secrets], Outcome]
    client: str
    api: str
