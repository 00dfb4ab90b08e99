"""What differs between the providers of APIs, as data: each has it in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...records.ask import Ask, Outcome
from .connection import Answer
from .fallbacks import Fallbacks, Steps
from .redaction import Secrets

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Provider:
    """What differs between providers.

    Args:
        name: its name in ``JUDGES``; also of its package, and in capitals the prefix of its
            environment variables ``_API_KEY`` and ``_BASE_URL``.
        home: the address of its own API, which needs a key.
        max_temperature: the highest temperature that it allows.
        fallbacks: the parameters that some of its servers reject.
        request: returns the parameters of an ask with these settings, after these steps.
        read: returns the reply in an answer, or the failure.
        sdk: imports the package. That takes up to a second, so it is only done for an ask.
        client: the name of its client class.
        api: the attribute of a client that has the API.
        path: where the API is, under the client's address.
    """

    name: str
    home: str
    max_temperature: float
    fallbacks: Fallbacks
    request: Callable[[Ask, Settings, Steps], dict[str, Any]]
    read: Callable[[Answer, Secrets], Outcome]
    sdk: Callable[[], Any]
    client: str
    api: str
    path: str
