"""Removes secrets from whatever a server sent, before it is shown or stored."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_SHOWN = 300  # characters of a server's text that a message quotes
MAX_SEARCHED = 20_000  # characters that are searched for credentials: more than is ever shown
_MIN_SECRET = 6  # characters; shorter secrets are placeholders such as "none"
_MIN_KEY = 16  # characters; a shorter secret may also be a normal word of a reply
_REDACTED = "[redacted]"

_CREDENTIALS = re.compile(
    r"""
    \b sk- [\w*.+/=\-…]{4,}
    | (?<=://) [^\s/@]{1,300} @
    | (?P<before>
        \b bearer \s{1,9}
        | \b basic \s{1,9} (?= [\w+/=\-]{12})
        | (?: api[_\- ]?key (?:\ provided)? | passw(?:or)?d | secret
            | (?:access|auth)[_\-]?token | authorization )
          ["']? \s{0,9} [:=] \s{0,9} ["']? (?! bearer\b | basic\b)
      ) [^\s"',;&}]+
    """,
    re.I | re.X,
)


def safe_text(text: str, secrets: Sequence[str]) -> str:
    """``text`` as messages quote it: no secrets, one printable line, about 300 characters."""
    # Secrets are removed before the text is cut: a cut could leave half of one.
    start = " ".join(without_secrets(text, secrets).split())[:MAX_SEARCHED]
    line = " ".join(redact(start, secrets).split())
    cut = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line[: MAX_SHOWN + 1])
    return cut if len(cut) <= MAX_SHOWN else f"{cut[:MAX_SHOWN]}..."


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """``text`` without the ``secrets``, word for word."""
    for form in _written_forms(secrets):
        text = text.replace(form, _REDACTED)
    return text


def redact(text: str, secrets: Iterable[str]) -> str:
    """``text`` without the ``secrets``, and without anything that looks like a credential."""
    for form in _written_forms(secrets):
        text = _loose_pattern(form).sub(_REDACTED, text)
    return _CREDENTIALS.sub(lambda match: f"{match['before'] or ''}{_REDACTED}", text)


def without_keys(body: bytes, secrets: Iterable[str]) -> bytes:
    """A body without the keys among ``secrets``: replies are stored and quoted too."""
    for form in _written_forms(secret for secret in secrets if len(secret) >= _MIN_KEY):
        body = body.replace(form.encode(), _REDACTED.encode())
    return body


def _written_forms(secrets: Iterable[str]) -> list[str]:
    """The secrets as servers write them (plain, URL-quoted, JSON-escaped), the longest first."""
    long_enough = (secret for secret in secrets if len(secret) >= _MIN_SECRET)
    return sorted({form for one in long_enough for form in _forms_of(one)}, key=len, reverse=True)


@lru_cache(maxsize=256)
def _forms_of(secret: str) -> tuple[str, ...]:
    quoted = (quote(secret, safe=""), quote(secret), quote_plus(secret))
    return (secret, *quoted, json.dumps(secret)[1:-1])


@lru_cache(maxsize=256)
def _loose_pattern(form: str) -> re.Pattern[str]:
    """Finds ``form`` in upper or lower case, also with line breaks, spaces or quotes inside it."""
    letters = [c for c in form if c.isalnum()]
    long_enough = len(letters) >= _MIN_SECRET
    return re.compile(r"[\W_]*".join(letters) if long_enough else re.escape(form), re.I)
