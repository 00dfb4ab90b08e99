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
from typing import TYPE_CHECKING

from ..files import first_file, read_text
from ..records.errors import ConfigError
from ..text.strings import lazy_pattern

if TYPE_CHECKING:
    from pathlib import Path

NAME, OLD_NAME = "controls-seed", "secret"
"""Of the file in a folder of stored replies, now and in earlier versions."""
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


def stored_secret(folder: Path) -> bytes | None:
    """The secret that a folder keeps; None if it keeps none, or none that can be read."""
    try:
        secret = bytes.fromhex(read_text(_place(folder), most=4 * SIZE))
    except (OSError, ValueError):
        return None
    return secret if len(secret) == SIZE else None


def _place(folder: Path) -> Path:
    old = folder / OLD_NAME
    return old if old.exists() else folder / NAME


def kept_secret(folder: Path, seed: int | None = None) -> bytes:
    """The secret that a folder keeps. It is made at the first call, for this user alone to read.

    ``seed``: what it is made of; None to draw it.

    Raises:
        ConfigError: it cannot be written, or is damaged.
    """
    path = _place(folder)
    try:
        if not path.exists():
            new = os.urandom(SIZE) if seed is None else secret_of(seed)
            first_file(path, f"{new.hex()}\n".encode("ascii"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from None
    if (stored := stored_secret(folder)) is None:
        raise ConfigError(f"{path}: is damaged; remove it, and stored replies are asked for again")
    return stored
