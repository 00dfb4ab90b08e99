"""Takes secrets out of whatever a server sent, before it is shown or kept."""

from __future__ import annotations

import base64
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


MAX_SHOWN = 300


_MAX_READ = 20_000  # of an error text; more of it is never shown


_MIN_SECRET = 6  # characters; shorter ones are placeholders such as "none"


_MIN_KEY = 16  # characters; what is shorter may be a word of a reply, too


_CREDENTIALS = re.compile(
    r"""
    \b sk- [\w*.+/=\-…]{4,}
    | (?<=://) [^\s/@]{1,300} @
    | (?P<before>
        \b bearer \s{1,9}
        | \b basic \s{1,9} (?= [\w+/=\-]{12})
        | (?: api[_\- ]?key (?:\ provided)? | passw(?:or)?d | secret | (?:access|auth)[_\-]?token | authorization )
          ["']? \s{0,9} [:=] \s{0,9} ["']? (?! bearer\b | basic\b)
      ) [^\s"',;&}]+
    """,
    re.I | re.X,
)


def redact(text: str, secrets: Iterable[str]) -> str:
    """``text`` without the ``secrets``, plain, encoded or broken up, and without anything that looks like a credential."""
    for form in _all_forms(secrets):
        text = _broken_up(form).sub("[redacted]", text)
    return _CREDENTIALS.sub(lambda m: f"{m['before'] or ''}[redacted]", text)


def without_keys(body: bytes, secrets: Iterable[str]) -> bytes:
    """A body without the keys among the ``secrets``: a reply is kept and quoted, so that it must not hold one either."""
    for form in _all_forms(secret for secret in secrets if len(secret) >= _MIN_KEY):
        body = body.replace(form.encode(), b"[redacted]")
    return body


def _all_forms(secrets: Iterable[str]) -> list[str]:
    return sorted({form for secret in secrets for form in _forms(secret)}, key=len, reverse=True)


def _forms(secret: str) -> set[str]:
    """The ways in which a secret may be written in an error text."""
    if len(secret) < _MIN_SECRET:
        return set()
    raw = secret.encode("utf-8", "replace")
    urls = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    return {
        secret,
        *urls,
        json.dumps(secret)[1:-1],
        raw.hex(),
        *(_base64(raw, before) for before in range(3)),
    }


def _base64(raw: bytes, before: int) -> str:
    """``raw`` in base64 where ``before`` bytes (modulo 3) precede it, as in ``Bearer KEY``: the characters that it alone determines."""
    encoded = base64.b64encode(bytes(before) + raw).decode().rstrip("=")
    return encoded[(0, 2, 3)[before] : len(encoded) - ((len(raw) + before) % 3 > 0)]


@lru_cache(maxsize=256)
def _broken_up(form: str) -> re.Pattern[str]:
    """A form in any case, with line ends, quotes and the like between its letters or in place of its punctuation."""
    letters = [c for c in form if c.isalnum()]
    return re.compile(
        r"[\W_]*".join(letters) if len(letters) >= _MIN_SECRET else re.escape(form), re.I
    )


def shown(text: str, secrets: Sequence[str]) -> str:
    """``text`` as a message may hold it: no secrets, on one line, printable, at most some 300 characters."""
    # Secrets go before the cut, so that it cannot leave half of one.
    for form in _all_forms(secrets):
        text = text.replace(form, "[redacted]")
    line = " ".join(redact(" ".join(text.split())[:_MAX_READ], secrets).split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line[: MAX_SHOWN + 1])
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]}..."
