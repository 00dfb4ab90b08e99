"""What looks like a key or a password wherever it stands, and is never shown."""

from __future__ import annotations

import re

from ..text.strings import lazy_pattern

REDACTED = "[redacted]"
# A key is random: a piece of it, without a sign inside, mixes letters and digits, or large and
# small letters, or is long; or there are signs in place of letters. "sk-2024.jsonl" is the name of
# a file, and "xai-grok-4-fast-reasoning" that of a model.
_MIXED = r"(?=[^\W_]{6})(?=\d{0,40}[^\W\d_])(?=[^\W\d_]{0,40}\d)"
_CASES = r"(?-i:[a-z]{1,40}[A-Z]{1,40}[a-z]{1,40}[A-Z])"
_RANDOM = rf"(?=[\w+/=\-]{{0,40}}(?:[*…]|\.\.|[^\W\d_]{{12}}|\d{{9}}|{_MIXED}|{_CASES}))"
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
