"""How sure a server's model is of a reply of one word, by the probabilities of first tokens."""

from __future__ import annotations

import math


def confidence_of_word(text: str, logprobs: object) -> tuple[float, ...]:
    """The probability of a reply of one word, in any case; () if the server does not say it.

    It is what Bespoke-MiniCheck's authors take: the sum over the likeliest first tokens that are
    this word.
    """
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    likely = first.get("top_logprobs") if isinstance(first, dict) else None
    word = text.strip().strip(".").casefold()
    if not isinstance(likely, list) or not word.isalpha():
        return ()
    pairs = [(t.get("token"), t.get("logprob")) for t in likely if isinstance(t, dict)]
    same = [
        math.exp(min(chance, 0.0))
        for token, chance in pairs
        if isinstance(token, str) and isinstance(chance, int | float) and math.isfinite(chance)
        if token.strip().casefold() == word
    ]
    return (round(min(math.fsum(same), 1.0), 4),) if same else ()
