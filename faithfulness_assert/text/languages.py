"""Which language a text is in: its script tells it, or else its small words."""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache

from .strings import lazy_pattern, word_lists

FIND = "auto"
"""Stands for the language that a text seems to be in."""
ENOUGH = 600
"""Characters of a text that tell its language."""

# A script that only one language here has. Japanese has Chinese signs too, so it comes first.
_SCRIPTS = {
    "ja": "\u3040-\u30ff",
    "zh": "\u3400-\u9fff",
    "ko": "\uac00-\ud7a3",
    "ru": "\u0400-\u04ff",
    "ar": "\u0600-\u06ff",
    "th": "\u0e00-\u0e7f",
    "hi": "\u0900-\u097f",
    "bn": "\u0980-\u09ff",
    "ta": "\u0b80-\u0bff",
    "he": "\u0590-\u05ff",
    "el": "\u0370-\u03ff",
    "hy": "\u0530-\u058f",
    "ka": "\u10a0-\u10ff",
    "my": "\u1000-\u109f",
    "km": "\u1780-\u17ff",
    "bo": "\u0f00-\u0fff",
}
_SIGN = {code: lazy_pattern(f"[{signs}]") for code, signs in _SCRIPTS.items()}
_WORD = lazy_pattern(r"[^\W\d_]{2,}|[àèéêóyíоиюя]")


@cache
def _small_words() -> dict[str, tuple[str, ...]]:
    """The languages of each small word."""
    found: dict[str, list[str]] = {}
    for code, words in word_lists("languages").items():
        for word in words.split():
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


def language_of(text: str, given: str) -> str:
    """The code of a language that is given, or else found in the text."""
    return find_language(text) if given == FIND else given


@lru_cache(maxsize=64)
def find_language(text: str) -> str:
    """The ISO 639-1 code of a text's language; English where nothing tells another one.

    A name in another script does not tell it: most of the letters do.
    """
    text = text[:ENOUGH]
    if not text.isascii():
        for code, sign in _SIGN.items():
            count = len(sign.findall(text))
            if count > 1 and 2 * count > sum(map(str.isalpha, text)) - (
                count if code == "ja" else 0
            ):
                return code
    words = set(_WORD.findall(text.lower()))
    counts = Counter(code for word in words for code in _small_words().get(word, ()))
    best = max(counts, key=lambda code: (counts[code], code == "en", code), default="en")
    return best if counts[best] > max(counts["en"], 1) else "en"
