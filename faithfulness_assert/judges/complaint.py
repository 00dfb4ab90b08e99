"""What a server says when it refuses: read from any shape of error body, named in our words, shown without secrets.

The rule: nothing that a server sent is shown before :func:`shown` has cleaned it.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..errors import JudgeErrorKind

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
_TAG = re.compile(r"<[^<>]{0,300}>")

_FILTERED = re.compile(r"content_filter|content_policy|responsibleaipolicy|content management policy", re.I)
_NO_MONEY = re.compile(r"insufficient_quota|billing_(?:not_active|hard_limit|error)|credit balance is too low", re.I)
_TOO_LONG = re.compile(r"context_length_exceeded|context (?:length|size|window)|prompt is too long|too many tokens", re.I)

# What an error inside a good answer would have had as its status, by the words that name it.
_STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}


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
    return {secret, *urls, json.dumps(secret)[1:-1], raw.hex(), *(_base64(raw, before) for before in range(3))}


def _base64(raw: bytes, before: int) -> str:
    """``raw`` in base64 where ``before`` bytes (modulo 3) precede it, as in ``Bearer KEY``: the characters that it alone determines."""
    encoded = base64.b64encode(bytes(before) + raw).decode().rstrip("=")
    return encoded[(0, 2, 3)[before] : len(encoded) - ((len(raw) + before) % 3 > 0)]


@lru_cache(maxsize=256)
def _broken_up(form: str) -> re.Pattern[str]:
    """A form in any case, with line ends, quotes and the like between its letters or in place of its punctuation."""
    letters = [c for c in form if c.isalnum()]
    return re.compile(r"[\W_]*".join(letters) if len(letters) >= _MIN_SECRET else re.escape(form), re.I)


def shown(text: str, secrets: Sequence[str]) -> str:
    """``text`` as a message may hold it: no secrets, on one line, printable, at most some 300 characters."""
    # Secrets go before the cut, so that it cannot leave half of one.
    for form in _all_forms(secrets):
        text = text.replace(form, "[redacted]")
    line = " ".join(redact(" ".join(text.split())[:_MAX_READ], secrets).split())
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
    def unpaid(self) -> bool:
        """The account has no money or quota left, which waiting does not mend."""
        return self.status == 402 or bool(_NO_MONEY.search(f"{self.code} {self.message}"))

    @property
    def kind(self) -> JudgeErrorKind:
        """The kind of ``JudgeError`` that it is."""
        if self.filtered:
            return "content_filter"
        if self.unpaid:
            return "rate_limit"
        named: dict[int, JudgeErrorKind] = {401: "auth", 403: "auth", 408: "timeout", 429: "rate_limit"}
        return named.get(self.status, "transport" if 300 <= self.status < 500 else "server")

    @property
    def retryable(self) -> bool:
        """Whether the same ask may succeed soon."""
        if self.filtered or self.unpaid:
            return False
        if self.said_retry is not None:
            return self.said_retry
        return self.status in (408, 409, 425, 429) or not 300 <= self.status < 500

    @property
    def hint(self) -> str:
        """What the user can do."""
        if self.too_long or self.status == 413:
            return "Lower max_prompt_tokens."
        if self.unpaid:
            return "Check the credit of the account."
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
    return Complaint(_status(status, codes), message, code, _text(found.get("param") or "")[:100], said)


def _status(status: int, codes: Iterable[object]) -> int:
    """An error inside a good answer (gateways send these) names its true status as a code, or by a word."""
    for code in map(str, codes if 200 <= status < 300 else ()):
        if re.fullmatch(r"[45]\d\d", code, re.A):
            return int(code)
        if code in _STATUS_OF:
            return _STATUS_OF[code]
    return status


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
