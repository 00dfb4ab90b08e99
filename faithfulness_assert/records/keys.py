"""What looks like a key or a password wherever it stands, and is never shown."""

from __future__ import annotations

import re

from ..text.strings import lazy_pattern

REDACTED = "[redacted]"
_KEY = lazy_pattern(
    r"\bsk-[\w*.+/=\-…]{4,}"
    r"|\b(?:sk_|gsk_|hf_|r8_|xai-|pplx-|nvapi-|gh[a-z]_|github_pat_|AIza|AKIA)[\w\-]{12,}"
    r"|(?<=://)[^\s/@]{1,300}@",
    re.IGNORECASE,
)


def without_keys(text: str) -> str:
    """``text`` without what begins like a provider's key, and without logins in addresses."""
    return _KEY.sub(REDACTED, text)
