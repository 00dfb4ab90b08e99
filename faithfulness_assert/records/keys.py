"""What looks like a key or a password wherever it stands, and is never shown."""

from __future__ import annotations

import re

from ..text.strings import lazy_pattern

REDACTED = "[redacted]"
# A key has digits, many letters in a row, or signs in place of letters. A file called
# "sk-answers.jsonl", or a model called "hf_small", has none of these.
_RANDOM = r"(?=[\w+/=\-]{0,40}(?:[\d*…]|\.\.|[^\W\d_]{12}))"
_KEY = lazy_pattern(
    rf"\bsk-{_RANDOM}[\w*.+/=\-…]{{4,}}"
    r"|\b(?:sk_|gsk_|hf_|r8_|xai-|pplx-|nvapi-|gh[a-z]_|github_pat_|AIza|AKIA)"
    rf"{_RANDOM}[\w\-]{{12,}}"
    r"|(?<=://)[^\s/@]{1,300}@",
    re.IGNORECASE,
)


def without_keys(text: str) -> str:
    """``text`` without what begins like a provider's key, and without logins in addresses."""
    return _KEY.sub(REDACTED, text)
