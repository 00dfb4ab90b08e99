"""Reads an HTTP answer of a judge: it becomes a JSON object, or a failure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...records.errors import JudgeError
from ...records.usage import Usage
from .server_errors import read_failure

if TYPE_CHECKING:
    from ...records.ask import Reply
    from .connection import Answer
    from .redaction import Secrets


def read_json_object(answer: Answer, secrets: Secrets) -> dict[str, Any] | JudgeError:
    """The JSON object in the body of a good answer; anything else is a failure that says why."""
    data = secrets.json_in(answer.body)
    if isinstance(data, list) and len(data) == 1:
        data = data[0]  # Gemini's errors
    if not 200 <= answer.status < 300 or (isinstance(data, dict) and data.get("error")):
        return read_failure(answer, data, secrets)
    if isinstance(data, dict):
        return data
    problem, retryable = _describe_other_body(answer)
    return bad_answer(f"the judge answered with {problem}", answer, retryable=retryable)


def bad_answer(
    message: str, answer: Answer, *, retryable: bool = True, usage: Usage | None = None
) -> JudgeError:
    """The failure of an answer with a good status that is not a reply."""
    status = answer.status
    return JudgeError(message, "server", retryable=retryable, usage=usage, http_status=status)


def _describe_other_body(answer: Answer) -> tuple[str, bool]:
    """What a body without a JSON object is, and whether to ask again."""
    start = answer.body[:1000].lstrip().lower()
    events = "event-stream" in answer.headers.get("content-type", "")
    if events or start.startswith((b"data:", b"event:")):
        return "an event stream that was not asked for: turn off streaming on the server", False
    if start.startswith(b"<"):
        hint = "For an OpenAI-compatible API it often ends in /v1"
        return f"an HTML page instead of JSON: is base_url right? {hint}", True
    if not start:
        return "an empty body", True
    try:
        answer.body.decode()
    except UnicodeDecodeError:
        return "bytes that are not UTF-8", False
    return "something that is not a JSON object: is base_url right?", True


def usage_of(
    prompt: object, completion: object, cached: object = 0, reasoning: object = 0
) -> Usage | None:
    """The usage of one answered try; None if the server reports none, or impossible counts.

    The grader then estimates it.
    """
    counts: tuple[Any, ...] = (prompt, completion, cached, reasoning, 1)
    usage = Usage(*counts)
    if usage.prompt != prompt or usage.completion != completion:
        return None
    return replace(
        usage,
        cached=min(usage.cached, usage.prompt),
        reasoning=min(usage.reasoning, usage.completion),
    )


def warn_if_only_reasoning(reply: Reply) -> Reply:
    """``reply``, of a model that reported reasoning; with a warning if it brought nothing else."""
    if reply.text.strip() or reply.refusal:
        return reply
    warning = (
        "the judge spent its tokens on reasoning and said nothing; "
        "ask for less reasoning, or use another model"
    )
    return replace(reply, warnings=(*reply.warnings, warning))
