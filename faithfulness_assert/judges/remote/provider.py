"""What differs between the providers of APIs, as data: each has it in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...records.ask import Ask, Outcome
from ..http import Answer
from .fallbacks import Fallbacks, Steps
from .redaction import Secrets

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
