"""How many tokens a text has."""

from __future__ import annotations

from collections.abc import Callable

CountTokens = Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """An estimate: four ASCII characters to a token, one token for each other character."""
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_chars = len(text.encode("ascii", "ignore"))
    return (ascii_chars + 3) // 4 + len(text) - ascii_chars


def exact_counter() -> CountTokens | None:
    """tiktoken's count, if its ranks are on this machine, else None. It never downloads them."""
    import tiktoken

    names = [name for name in tiktoken.list_encoding_names() if name.endswith("_offline")]
    if not names:
        return None
    encoding = tiktoken.get_encoding(names[0])
    return lambda text: len(encoding.encode(text, disallowed_special=()))
