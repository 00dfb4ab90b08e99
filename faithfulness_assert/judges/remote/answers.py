"""What an HTTP answer of a judge means: a JSON object, or a failure with what to do about it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from ...records.errors import JudgeError
from ...records.usage import Usage
from .redaction import shown
from .server_errors import ServerError, server_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...records.ask import Reply
    from .connection import Answer


@dataclass(frozen=True, slots=True)
class Failure:
    """A try that brought no reply.

    Args:
        error: what to raise if nothing can be done.
        wait: the seconds that the server wants us to wait, where it said so.
        server_error: what the server said is wrong, where it said so.
        adapted: the next try asks differently, so that it need not wait and does not count as a retry.
    """

    error: JudgeError
    wait: float | None = None
    server_error: ServerError | None = None
    adapted: bool = False


def read_object(answer: Answer, secrets: Sequence[str]) -> dict[str, Any] | Failure:
    """The JSON object in the body of a good answer. What is none, or is an error, becomes a trouble that says what to mend."""
    data = _json(answer)
    if not 200 <= answer.status < 300 or (isinstance(data, dict) and data.get("error")):
        return failure(answer, data, secrets)
    if isinstance(data, dict):
        return data
    what, retryable = _unlike_json(answer)
    return Failure(
        JudgeError(
            f"the judge answered with {what}",
            "server",
            retryable=retryable,
            http_status=answer.status,
        )
    )


def failure(answer: Answer, data: object, secrets: Sequence[str]) -> Failure:
    """The trouble that an error answer tells of. ``data`` is its JSON, or anything else where it has none."""
    found = server_error(answer.status, answer.headers, data, answer.body)
    wait, retryable = retry_after(answer.headers), found.retryable
    message = f"the judge answered HTTP {answer.status}: {shown(found.message, secrets)}".rstrip(
        "."
    )
    if wait is not None and wait > MAX_WAIT:
        message, retryable = f"{message}; it asks to wait {wait:.0f} s", False
    error = JudgeError(
        message, found.kind, retryable=retryable, http_status=answer.status, fix=found.hint
    )
    return Failure(error, wait, found)


def _json(answer: Answer) -> object:
    try:
        return json.loads(answer.body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def _unlike_json(answer: Answer) -> tuple[str, bool]:
    """What a body that holds no JSON object is, and whether the same ask may bring another."""
    start = answer.body[:1000].lstrip().lower()
    if "event-stream" in answer.headers.get("content-type", "") or start.startswith(
        (b"data:", b"event:")
    ):
        return (
            "a stream of events, though none was asked for: switch streaming off at the server",
            False,
        )
    if start.startswith(b"<"):
        return (
            "a page of HTML in place of JSON: is base_url right? For an API like OpenAI's it often ends in /v1",
            True,
        )
    try:
        answer.body.decode()
    except UnicodeDecodeError:
        return "bytes that are not UTF-8", False
    return (
        "something that is not a JSON object: is base_url right?" if start else "an empty body"
    ), True


def usage_of(
    prompt: object, completion: object, cached: object = 0, reasoning: object = 0
) -> Usage | None:
    """The usage of one answered try; None where the server did not say, or said what cannot be (it is then estimated)."""
    counts: tuple[Any, ...] = (prompt, completion, cached, reasoning, 1)
    usage = Usage(*counts)
    if usage.prompt != prompt or usage.completion != completion:
        return None
    return replace(
        usage,
        cached=min(usage.cached, usage.prompt),
        reasoning=min(usage.reasoning, usage.completion),
    )


def thought_only(reply: Reply) -> Reply:
    """``reply``, in which a model thought: with a warning where that was all it did."""
    if reply.text.strip() or reply.refusal:
        return reply
    told = "the judge spent its tokens on reasoning and said nothing; ask for less reasoning, or another model"
    return replace(reply, warnings=(*reply.warnings, told))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server wants us to wait; None where it does not say, or asks for what is past or no number."""
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


MAX_WAIT = 60.0  # seconds between two tries
