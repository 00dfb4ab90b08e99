"""The secret from which controls, tags and keys follow, so that no author of a text foresees them.

The same secret makes the same ask the same text, which caches find again: those of providers and
gateways, and stored replies. It is, in this order, that of a seed; that which the directory of a
run or the folder of stored replies keeps; what follows from the API key, which no author of a text
knows; else one that each process draws.
"""

from __future__ import annotations

import os
import re
from functools import cache

from ..text.strings import lazy_pattern

SIZE = 32
LEAST_KEY = 20
"""Characters of a key that nobody guesses."""
LEAST_VARIED = 10
"""Different characters of such a key."""

_DUMMY = lazy_pattern(
    r"empty|ollama|dummy|fake|test|none|unused|placeholder|change.?me|example|required|needed"
    r"|your.|local|api.?key|studio|vllm|secret|1234|abcd",
    re.IGNORECASE,
)


def secret_of_key(key: str) -> bytes | None:
    """The secret that an API key gives; None for one that may be guessed, such as "EMPTY"."""
    if len(key) < LEAST_KEY or len(set(key)) < LEAST_VARIED or _DUMMY.search(key):
        return None
    import hmac  # a promptfoo assertion may be a fresh process, which may not need it

    return hmac.digest(key.encode(), b"faithfulness-assert", "sha256")


@cache
def process_secret() -> bytes:
    """The secret of this process."""
    return os.urandom(SIZE)


def secret_of(seed: int) -> bytes:
    """The secret that a seed gives: whoever knows the seed knows it."""
    import hashlib  # a promptfoo assertion may be a fresh process, which needs neither

    return hashlib.sha256(f"faithfulness-assert:{seed}".encode()).digest()
