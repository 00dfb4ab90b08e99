"""How many tokens a text has: an estimate, the same on every machine.

Only a judge knows how many there are. Layout, rates and budgets need a number before it says so.
"""

from __future__ import annotations


def estimate_tokens(text: str) -> int:
    """An estimate: four ASCII characters to a token, one token for each other character."""
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_chars = len(text.encode("ascii", "ignore"))
    return (ascii_chars + 3) // 4 + len(text) - ascii_chars
