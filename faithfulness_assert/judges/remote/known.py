"""All secrets of this process, for what shows or logs a text and does not know whose it is."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from .redaction import Secrets

MOST_KEPT = 16
"""Judges whose secrets are known after they are gone: a command tells how it went after them."""

_LOCK = threading.Lock()
_KNOWN: WeakSet[Secrets] = WeakSet()
_LAST: deque[Secrets] = deque(maxlen=MOST_KEPT)


def remember(secrets: Secrets) -> None:
    """Adds the secrets of a judge: for as long as they exist, and some for longer."""
    with _LOCK:
        _KNOWN.add(secrets)
        _LAST.append(secrets)


def _known() -> set[Secrets]:
    with _LOCK:
        return {*_KNOWN, *_LAST}


def without_known(text: str) -> str:
    """``text`` without the secrets of any judge, but with what may as well be a word of it."""
    for secrets in _known():
        text = secrets.out_of(text)
    return text


def message_without_known(text: str) -> str:
    """``text`` of a message or a log without the secrets of any judge."""
    for secrets in _known():
        text = secrets.out_of_message(text)
    return text
