"""All secrets of this process, for what shows or logs a text and does not know whose it is."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from .redaction import Secrets

MOST_KEPT = 16
"""Judges whose secrets are known after they are gone: a command tells how it went after them."""

# Without a lock: a collection of garbage may run anywhere, close a client of a judge that is gone,
# and so log, which asks for all secrets again. A lock would wait for its own thread then.
_ALIVE: WeakValueDictionary[int, Secrets] = WeakValueDictionary()
_LAST: deque[Secrets] = deque(maxlen=MOST_KEPT)


def remember(secrets: Secrets) -> None:
    """Adds the secrets of a judge: for as long as they exist, and some for longer."""
    _ALIVE[id(secrets)] = secrets
    _LAST.append(secrets)


def _known() -> set[Secrets]:
    alive = (reference() for reference in _ALIVE.valuerefs())
    return {secrets for secrets in (*alive, *_LAST.copy()) if secrets is not None}


def message_without_known(text: str) -> str:
    """``text`` of a message or a log without the secrets of any judge."""
    for secrets in _known():
        text = secrets.out_of_message(text)
    return text
