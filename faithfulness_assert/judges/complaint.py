"""What a server says when it refuses: read from any shape of error body, named in our words, shown without secrets.

The rule: nothing that a server sent is shown before :func:`shown` has cleaned it.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..errors import JudgeErrorKind

MAX_SHOWN = 300
_MAX_READ = 20_000  # of an error text; more of it is never shown
_MIN_SECRET = 6  # shorter ones are placeholders such as "none"

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
_TAG = re.compile(r"<[^<>]{0,300}>")

_FILTERED = re.compile(r"content_filter|content_policy|responsibleaipolicy|content management policy", re.I)
_NO_MONEY = re.compile(r"insufficient_quota|billing_(?:not_active|hard_limit)", re.I)
_TOO_LONG = re.compile(r"context_length_exceeded|context (?:length|size|window)|prompt is too long|too many tokens", re.I)


def redact(text: str, secrets: Iterable[str]) -> str:
    """``text`` without the ``secrets``, plain or encoded, and without anything that looks like a credential."""
    return _CREDENTIALS.sub(lambda m: f"{m['before'] or ''}[redacted]", _hide(text, secrets))


def _hide(text: str, secrets: Iterable[str]) -> str:
    for form in sorted({form for secret in secrets for form in _forms(secret)}, key=len, reverse=True):
        text = text.replace(form, "[redacted]")
    return text


def _forms(secret: str) -> set[str]:
    """The ways in which a secret may be written in an error text."""
    if len(secret) < _MIN_SECRET:
        return set()
    raw = secret.encode("utf-8", "replace")
    encoded = {encode(raw).decode().rstrip("=") for encode in (base64.b64encode, base64.urlsafe_b64encode)}
    return {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1], *encoded}


def shown(text: str, secrets: Iterable[str]) -> str:
    """``text`` as a message may hold it: no secrets, on one line, printable, at most some 300 characters."""
    # Secrets go before the cut, so that it cannot leave half of one.
    line = " ".join(redact(_hide(text, secrets)[:_MAX_READ], ()).split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line[: MAX_SHOWN + 1])
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]}..."


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server says is wrong: its text is as it came, so show it by :func:`shown` only.

    Args:
        status: the HTTP status, or the one that an error inside a good answer names.
        message: its words.
        code: its code, type and inner code, joined by spaces.
        param: the parameter that it names.
        said_retry: what it says about a retry in so many words; None where it does not.
    """

    status: int
    message: str
    code: str = ""
    param: str = ""
    said_retry: bool | None = None

    @property
    def too_long(self) -> bool:
        """The prompt does not fit the model."""
        return bool(_TOO_LONG.search(f"{self.code} {self.message}"))

    @property
    def filtered(self) -> bool:
        """A content filter stopped the ask."""
        return self.status < 500 and bool(_FILTERED.search(f"{self.code} {self.message}"))

    @property
    def kind(self) -> JudgeErrorKind:
        """The kind of ``JudgeError`` that it is."""
        if self.filtered:
            return "content_filter"
        named: dict[int, JudgeErrorKind] = {401: "auth", 403: "auth", 408: "timeout", 429: "rate_limit"}
        return named.get(self.status, "transport" if 300 <= self.status < 500 else "server")

    @property
    def retryable(self) -> bool:
        """Whether the same ask may succeed soon."""
        if self.filtered or _NO_MONEY.search(self.code):
            return False
        if self.said_retry is not None:
            return self.said_retry
        return self.status in (408, 409, 425, 429) or not 300 <= self.status < 500

    @property
    def hint(self) -> str:
        """What the user can do."""
        if self.too_long or self.status == 413:
            return "Lower max_prompt_tokens."
        if 300 <= self.status < 400:
            return "Redirects are not followed: set base_url to the address that answers."
        return {401: "Check api_key.", 403: "Check api_key.", 404: "Check the model's name and base_url."}.get(self.status, "")


def complaint(status: int, headers: Mapping[str, str], data: object, body: bytes) -> Complaint:
    """Reads an error answer.

    Args:
        status: its HTTP status.
        headers: its headers, in lower case.
        data: its JSON, or None.
        body: its bytes, for one that has no JSON.
    """
    said = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
    if 300 <= status < 400:
        return Complaint(status, f"redirect to {headers.get('location', 'nowhere')}", said_retry=said)
    if not isinstance(data, dict):
        text = _TAG.sub(" ", body.decode("utf-8", "replace"))
        return Complaint(status, text if text.strip() else "(no text)", said_retry=said)
    error = data.get("error")
    found: Mapping[str, Any] = error if isinstance(error, dict) else data
    inner = found.get("innererror")
    codes = (found.get("code"), found.get("type"), inner.get("code") if isinstance(inner, dict) else None)
    code = " ".join(_text(c)[:100] for c in codes if c)
    message = error if isinstance(error, str) else next((_text(found[k]) for k in ("message", "detail") if found.get(k)), _text(found))
    return Complaint(_status(status, found.get("code")), message, code, _text(found.get("param") or "")[:100], said)


def _status(status: int, code: object) -> int:
    """An error inside a good answer (gateways send these) names its true status as its code."""
    inside = int(code) if isinstance(code, int) or (isinstance(code, str) and re.fullmatch(r"[45]\d\d", code, re.A)) else 0
    return inside if 200 <= status < 300 and 400 <= inside < 600 else status


def _text(value: object) -> str:
    """A value of an error body as text. Validation errors come as a list; the input that they repeat is left out."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, dict) and "msg" in item for item in value):
        return "; ".join(f"{_path(item.get('loc'))}: {item['msg']}" for item in value[:20])
    try:
        return json.dumps(value)
    except RecursionError:
        return "(nested too deeply)"


def _path(location: object) -> str:
    steps: Sequence[object] = location if isinstance(location, list) else [location]
    return ".".join(str(step) for step in steps)
