"""Reads a server's error report, whatever its shape, and names it in our words.

The text of an error is kept as it came: only show it after ``redaction.safe_text``.
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
_UNPAID = re.compile(
    r"insufficient_quota|billing_(?:not_active|hard_limit|error)|credit balance is too low", re.I
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|size|window|limit)"
    r"|prompt is too long|input tokens exceed|maximum (?:allowed|model) length"
    r"|must be <= \d+\. given|request too large for",
    re.I,
)
_TOO_MANY_TOKENS = re.compile(r"too many tokens|maximum number of tokens", re.I)
"""With status 429 those of all asks together are meant: waiting helps."""
_KINDS: dict[int, JudgeErrorKind] = {401: "auth", 403: "auth", 408: "timeout", 429: "rate_limit"}
_HINTS = {
    401: "Check api_key.",
    403: "Check api_key.",
    404: "Check the model's name and base_url.",
}
_STATUS_BY_CODE = {  # for errors inside an answer with status 200
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
    """What a server says is wrong.

    Args:
        status: the HTTP status, or the one that an error inside a good answer names.
        message: its text, as it came.
        code: its code, type and inner code, separated by spaces.
        param: the parameter that it names.
        should_retry: what it says about a retry; None if it says nothing.
    """

    status: int
    message: str
    code: str = ""
    param: str = ""
    should_retry: bool | None = None

    @property
    def too_long(self) -> bool:
        """The prompt, or prompt and reply together, are too long for the model."""
        if self.filtered or self.unpaid:
            return False
        said = f"{self.code} {self.message}"
        if self.status == 413 or _TOO_LONG.search(said):
            return True
        return self.status != 429 and bool(_TOO_MANY_TOKENS.search(said))

    @property
    def filtered(self) -> bool:
        """A content filter blocked the ask."""
        return self.status < 500 and bool(_FILTERED.search(f"{self.code} {self.message}"))

    @property
    def unpaid(self) -> bool:
        """The account has no credit or quota left; waiting does not help."""
        return self.status == 402 or bool(_UNPAID.search(f"{self.code} {self.message}"))

    @property
    def kind(self) -> JudgeErrorKind:
        """The kind of ``JudgeError`` that it becomes."""
        if self.filtered:
            return "content_filter"
        if self.unpaid:
            return "rate_limit"
        return _KINDS.get(self.status, "transport" if 300 <= self.status < 500 else "server")

    @property
    def retryable(self) -> bool:
        """Whether the same ask may succeed soon."""
        if self.filtered or self.unpaid:
            return False
        if self.should_retry is not None:
            return self.should_retry
        return self.status in (408, 409, 425, 429) or not 300 <= self.status < 500

    @property
    def hint(self) -> str:
        """What the user can do."""
        if self.unpaid:
            return "Check the credit of the account."
        if 300 <= self.status < 400:
            return "Redirects are not followed: set base_url to the final address."
        return _HINTS.get(self.status, "")


def read_server_error(
    status: int, headers: Mapping[str, str], data: object, body: bytes
) -> ServerError:
    """Reads an error answer.

    Args:
        status: its HTTP status.
        headers: its headers, with lower-case names.
        data: its JSON, or None.
        body: its bytes, used if there is no JSON object.
    """
    should_retry = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
    if 300 <= status < 400:
        target = headers.get("location", "nowhere")
        return ServerError(status, f"redirect to {target}", should_retry=should_retry)
    if not isinstance(data, dict):
        text = _TAG.sub(" ", body.decode("utf-8", "replace"))
        message = text if text.strip() else "(no text)"
        return ServerError(status, message, should_retry=should_retry)
    error = data.get("error")
    fields: Mapping[str, Any] = error if isinstance(error, dict) else data
    codes = _codes(fields)
    return ServerError(
        _true_status(status, codes),
        error if isinstance(error, str) else _message(fields),
        " ".join(_as_text(code)[:100] for code in codes if code),
        _as_text(fields.get("param") or "")[:100],
        should_retry,
    )


def _codes(fields: Mapping[str, Any]) -> list[object]:
    inner = fields.get("innererror")
    inner_code = inner.get("code") if isinstance(inner, dict) else None
    return [fields.get("code"), fields.get("type"), inner_code]


def _message(fields: Mapping[str, Any]) -> str:
    texts = (fields[name] for name in ("message", "detail") if fields.get(name))
    text, size = _as_text(next(texts, fields)), fields.get("n_ctx")  # llama.cpp's context size
    return f"{text} (context size {size})" if isinstance(size, int) else text


def _true_status(status: int, codes: Iterable[object]) -> int:
    """The status. If a good answer contains an error (from some gateways), its code's status."""
    for code in map(str, codes if 200 <= status < 300 else ()):
        if re.fullmatch(r"[45]\d\d", code, re.A):
            return int(code)
        if code in _STATUS_BY_CODE:
            return _STATUS_BY_CODE[code]
    return status


def _as_text(value: object) -> str:
    """A value of an error body as text. The input that validation errors repeat is left out."""
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
