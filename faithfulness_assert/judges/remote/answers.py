"""Reads an HTTP answer of a judge: it becomes a JSON object, or a failure in our words."""

from __future__ import annotations

import json
import re
import time
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any

from ...records.errors import JudgeError, JudgeErrorKind, Remedy
from ...records.usage import Usage
from ...text.strings import lazy_pattern
from ..http import Answer
from .redaction import redact

MAX_WAIT = 60.0  # seconds between two tries

_TAG = lazy_pattern(r"<[^<>]{0,300}>")
_FILTERED = lazy_pattern(
    r"content_filter|content_?policy|responsibleaipolicy|content management policy"
    r"|requires moderation|input was flagged",
    re.I,
)
_UNPAID = lazy_pattern(
    r"insufficient_quota|billing_(?:not_active|hard_limit|error)|credit balance is too low", re.I
)
_NO_KEY = lazy_pattern(
    r"(?:incorrect|invalid) api[ _]key|api[ _]key (?:not valid|expired)"
    r"|(?:missing|invalid) authorization header",
    re.I,
)
_GONE = lazy_pattern(
    r"model_(?:not_found|decommissioned|deprecated)|deploymentnotfound|invalid model\b"
    r"|unknown[ _]model|not a valid model id|model identifier is invalid|does not support the '?/"
    r"|model [^\n]{0,100}(?:does not exist|not found|decommissioned|no longer (?:available|supp))",
    re.I,
)
"""Some servers say this with status 400."""
_TOO_LONG = lazy_pattern(
    r"context_length_exceeded|exceed_context_size|context ?(?:length|size|window|limit)"
    r"|(?:prompt|input) is too long|input tokens exceed|maximum (?:allowed|model) length"
    r"|must be <= \d+\. given|request too large for",
    re.I,
)
_TOO_MANY_TOKENS = lazy_pattern(r"too many tokens|maximum number of tokens", re.I)
"""With status 429 those of all asks together are meant: waiting helps."""
_KINDS: dict[int, JudgeErrorKind] = {401: "auth", 403: "auth", 408: "timeout", 429: "rate_limit"}
_CHECK_KEY = "Check the key."
_CHECK_URL = "Check base_url: for an OpenAI-compatible API it often ends in /v1."
_HINTS = {
    401: _CHECK_KEY,
    403: _CHECK_KEY,
    404: "Check the model's name and base_url (for an OpenAI-compatible API it often ends in /v1).",
}
_CODES = {  # of errors inside an answer with status 200, by the status that they mean
    400: "invalid_request_error request_too_large 2013",  # the numbers are MiniMax's
    401: "authentication_error permission_error invalid_api_key 1004",
    402: "billing_error 1008",
    404: "not_found_error model_not_found",
    429: "rate_limit_error rate_limit_exceeded insufficient_quota 1002 1039",
}
_STATUS_BY_CODE = {code: status for status, codes in _CODES.items() for code in codes.split()}


def read_json_object(answer: Answer) -> dict[str, Any] | JudgeError:
    """The JSON object in the body of a good answer; anything else is a failure that says why.

    Messages of failures may contain secrets: whoever reads an answer takes them out.
    """
    try:
        # Not by the codec utf-8-sig: that is a file, and descriptors may have run out by now.
        data = json.loads(answer.body.removeprefix(BOM_UTF8).decode())
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, list) and len(data) == 1:
        data = data[0]  # Gemini's errors
    base_response = an_object(an_object(data).get("base_resp"))  # MiniMax's errors
    if code := base_response.get("status_code"):
        data["error"] = {"code": code, "message": base_response.get("status_msg")}
    if not 200 <= answer.status < 300 or an_object(data).get("error"):
        return read_failure(answer, data)
    if isinstance(data, dict):
        return data
    problem = f"the judge answered with no JSON object in UTF-8: {_page(answer)}"
    status = answer.status
    return JudgeError(problem, "server", retryable=True, http_status=status, fix=_CHECK_URL)


def _page(answer: Answer) -> str:
    """A body that is no JSON as text."""
    text = _TAG.sub(" ", answer.body.decode("utf-8", "replace"))
    return text if text.strip() else "(no text)"


def an_object(value: object) -> Mapping[str, Any]:
    """An object of JSON; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def objects_in(value: object) -> list[Mapping[str, Any]]:
    """The objects in a list of JSON; none in anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def usage_of(
    prompt: object, completion: object, cached: object = 0, reasoning: object = 0
) -> Usage | None:
    """The usage of one answered try; None if the server reports none, or impossible counts.

    The grader then estimates it.
    """
    counts: tuple[Any, ...] = (prompt, completion, cached, reasoning, 1)
    usage = Usage(*counts)
    if (usage.prompt, usage.completion) != (prompt, completion):
        return None
    of_prompt, of_reply = min(usage.cached, usage.prompt), min(usage.reasoning, usage.completion)
    return replace(usage, cached=of_prompt, reasoning=of_reply)


# ---------------------------------------------------------------- what a server says is wrong


class ServerError(JudgeError):
    """What a server says is wrong.

    Args:
        status: the HTTP status, or the one that an error inside a good answer names.
        said: its whole text.
        param: the parameter that it names.
        too_long: the prompt, or prompt and reply together, are too long for the model.
    """

    status = 0
    said = param = ""
    too_long = False


def read_failure(answer: Answer, data: object) -> ServerError:
    """The failure that an error answer reports. ``data`` is its JSON; None if it has none."""
    status, text, codes, param = _report(answer, data)
    searched = f"{codes} {text}"
    kind = _KINDS.get(status, "transport" if 300 <= status < 500 else "server")
    hint = _HINTS.get(status, "")
    retryable = status in (408, 409, 425, 429) or not 300 <= status < 500
    too_long = bool(
        status == 413
        or _TOO_LONG.search(searched)
        or (status != 429 and _TOO_MANY_TOKENS.search(searched))
    )
    if status < 500 and _FILTERED.search(searched):
        kind, retryable, hint, too_long = "content_filter", False, "", False
    elif status == 402 or _UNPAID.search(searched):
        kind, retryable, too_long = "rate_limit", False, False
        hint = "Check the credit of the account."
    elif 300 <= status < 400:
        hint = "Redirects are not followed: set base_url to the final address."
    elif status == 400 and _NO_KEY.search(searched):
        kind, hint = "auth", _CHECK_KEY
    elif status == 400 and _GONE.search(searched):
        hint = _HINTS[404]
    # Where we have a hint, a person must act; what else helps, the kind says.
    remedy: Remedy | None = "repair" if hint or status in (405, 410) else None
    if status in (400, 415, 422) and kind == "transport" and not hint:
        where = f"look at {redact(param)!r} in it" if param else "it says above why"
        hint = f"The server does not take the request: {where}."
    wait, asks = retry_after(answer.headers), ""
    if wait is not None and wait > MAX_WAIT:
        retryable, asks = False, f", and asks to wait {wait:.0f} s"
    error = ServerError(
        f"the judge answered HTTP {answer.status}{asks}: {text}".rstrip("."),
        kind,
        retryable=retryable,
        http_status=answer.status,
        fix=hint,
        retry_after=wait,
        remedy=remedy,
    )
    error.status, error.param, error.said, error.too_long = status, param, text, too_long
    return error


def _report(answer: Answer, data: object) -> tuple[int, str, str, str]:
    """The status, text, codes and parameter of an error answer."""
    status = answer.status
    if 300 <= status < 400:
        return status, f"redirect to {answer.headers.get('location', 'nowhere')}", "", ""
    if not isinstance(data, dict):
        return status, _page(answer), "", ""
    error = data.get("error")
    fields: Mapping[str, Any] = error if isinstance(error, dict) else data
    codes = [fields.get("code"), fields.get("type")]
    for code in map(str, codes if 200 <= status < 300 else ()):  # some gateways' good answers
        if re.fullmatch(r"[45]\d\d", code, re.A) or code in _STATUS_BY_CODE:
            status = _STATUS_BY_CODE.get(code) or int(code)
            break
    names = ("message", "detail", "Message", "errors", "msg")
    said = error if isinstance(error, str) else next(filter(None, map(fields.get, names)), fields)
    text, size = _as_text(said), fields.get("n_ctx")  # llama.cpp's context size
    cause = an_object(fields.get("metadata")).get("raw")  # OpenRouter's
    text = f"{text}: {cause}" if isinstance(cause, str) else text
    text = f"{text} (context size {size})" if isinstance(size, int) else text
    shown = " ".join(_as_text(code)[:100] for code in codes if code)
    return status, text, shown, _as_text(fields.get("param") or "")[:100]


def _as_text(value: object) -> str:
    """A value of an error body as text. The input that validation errors repeat is left out."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("detail"), list):
        value = value["detail"]
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        value = [{name: one[name] for name in one if name != "input"} for one in value[:20]]
    try:
        return json.dumps(value)
    except RecursionError:
        return "(nested too deeply)"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks us to wait; None if it names no time, or one in the past."""
    value = headers.get("retry-after", "")
    for text, unit in ((headers.get("retry-after-ms", ""), 0.001), (value, 1.0)):
        try:
            seconds = float(text) * unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, IndexError, OverflowError, OSError):
        return None
    return seconds if seconds > 0 else None
