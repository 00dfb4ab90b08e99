"""What a server says when it refuses: read from any shape of error body, named in our words, shown without secrets.

The rule: nothing that a server sent is shown before :func:`shown` has cleaned it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...records.errors import JudgeErrorKind


_TAG = re.compile(r"<[^<>]{0,300}>")

_FILTERED = re.compile(
    r"content_filter|content_policy|responsibleaipolicy|content management policy", re.I
)
_NO_MONEY = re.compile(
    r"insufficient_quota|billing_(?:not_active|hard_limit|error)|credit balance is too low", re.I
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|context (?:length|size|window)|prompt is too long|too many tokens",
    re.I,
)

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


@dataclass(frozen=True, slots=True)
class ServerError:
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
        named: dict[int, JudgeErrorKind] = {
            401: "auth",
            403: "auth",
            408: "timeout",
            429: "rate_limit",
        }
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
        return {
            401: "Check api_key.",
            403: "Check api_key.",
            404: "Check the model's name and base_url.",
        }.get(self.status, "")


def server_error(status: int, headers: Mapping[str, str], data: object, body: bytes) -> ServerError:
    """Reads an error answer.

    Args:
        status: its HTTP status.
        headers: its headers, in lower case.
        data: its JSON, or None.
        body: its bytes, for one that has no JSON.
    """
    said = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
    if 300 <= status < 400:
        return ServerError(
            status, f"redirect to {headers.get('location', 'nowhere')}", said_retry=said
        )
    if not isinstance(data, dict):
        text = _TAG.sub(" ", body.decode("utf-8", "replace"))
        return ServerError(status, text if text.strip() else "(no text)", said_retry=said)
    error = data.get("error")
    found: Mapping[str, Any] = error if isinstance(error, dict) else data
    inner = found.get("innererror")
    codes = (
        found.get("code"),
        found.get("type"),
        inner.get("code") if isinstance(inner, dict) else None,
    )
    code = " ".join(_text(c)[:100] for c in codes if c)
    message = (
        error
        if isinstance(error, str)
        else next((_text(found[k]) for k in ("message", "detail") if found.get(k)), _text(found))
    )
    return ServerError(
        _status(status, codes), message, code, _text(found.get("param") or "")[:100], said
    )


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
