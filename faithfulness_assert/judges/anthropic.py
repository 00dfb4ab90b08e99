"""The Anthropic judge: any API that is compatible with Anthropic's Messages.

The rule: this file only says what is Anthropic's own, its parameters and the shape of its messages; the rest is shared with other judges.

No part of a prompt is marked for the provider's cache: what is written there costs a quarter more, and comes back only where several
asks share a long context within minutes. What a server caches by itself is counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..records.ask import Reply
from ..records.errors import JudgeError
from ..text.strings import clean_text
from .remote.answers import Failure, read_object, thought_only, usage_of
from .remote.fallbacks import Fallback, Fallbacks, Steps
from .remote.remote_judge import Provider, RemoteJudge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records.ask import Ask
    from ..records.usage import Usage
    from .remote.connection import Answer

# ---------------------------------------------------------------- what is asked

FALLBACKS: Fallbacks = {
    "format": Fallback(
        re.compile(
            r"output[_ ](?:config|format)|json[_ ]schema|\bschema\b|grammar|structured[_ ]output",
            re.I,
        ),
        ("the server takes no JSON Schema; none was sent",),
    ),
    "temperature": Fallback(
        re.compile("temperature", re.I),
        ("the server does not take this temperature; none was sent",),
    ),
}


def message_request(ask: Ask, settings: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
    """The parameters of a message. ``settings``: ``model`` and ``temperature``; None is not sent."""
    temperature = None if steps["temperature"] else settings["temperature"]
    wanted: dict[str, Any] = {
        "model": settings["model"],
        "max_tokens": ask.max_tokens,
        "system": "\n\n".join(m["content"] for m in ask.messages if m["role"] == "system"),
        "messages": [dict(m) for m in ask.messages if m["role"] != "system"],
        "output_config": {}
        if steps["format"]
        else {"format": {"type": "json_schema", "schema": ask.schema}},
        # Newer SDKs know no temperature, as newer models take none; others do.
        "extra_body": {} if temperature is None else {"temperature": temperature},
    }
    return {name: value for name, value in wanted.items() if value}


def _sdk() -> Any:
    import anthropic

    return anthropic


def _send(client: Any, request: dict[str, Any], seconds: float) -> Any:
    return client.messages.with_raw_response.create(**request, timeout=seconds)


# ---------------------------------------------------------------- what is answered


def read_message(answer: Answer, secrets: Sequence[str]) -> Reply | Failure:
    """The reply in a message, or the trouble with it."""
    data = read_object(answer, secrets)
    if isinstance(data, Failure):
        return data
    usage, content = _usage(data.get("usage")), data.get("content")
    if not isinstance(content, list):
        what = "the judge's answer holds no content: is base_url a messages API?"
        return Failure(
            JudgeError(what, "server", retryable=True, usage=usage, http_status=answer.status)
        )
    blocks = [block for block in content if isinstance(block, dict)]
    text = "".join(
        b["text"] for b in blocks if b.get("type") == "text" and isinstance(b.get("text"), str)
    )
    ended = data.get("stop_reason")
    reply = Reply(
        text, usage, _finish_reason(ended), _refusal(data) if ended == "refusal" else None
    )
    return (
        thought_only(reply)
        if any(b.get("type") in ("thinking", "redacted_thinking") for b in blocks)
        else reply
    )


def _finish_reason(ended: object) -> str:
    """A turn that was paused or handed to a tool is not at its end, so that it is no more to be scored than a truncated one."""
    return (
        "length"
        if ended in ("pause_turn", "tool_use")
        else ended
        if isinstance(ended, str)
        else "stop"
    )


def _refusal(data: Mapping[str, Any]) -> str:
    details = data.get("stop_details")
    said = (
        details.get("explanation") or details.get("category") if isinstance(details, dict) else None
    )
    return (clean_text(said).strip() if isinstance(said, str) else "") or "it gave no reason"


def _usage(data: object) -> Usage | None:
    """What is read from the cache or written to it is not in ``input_tokens``."""
    if not isinstance(data, dict):
        return None
    read, written = (data.get(f"cache_{what}_input_tokens") or 0 for what in ("read", "creation"))
    parts: tuple[Any, ...] = (data.get("input_tokens"), read, written)
    prompt = sum(parts) if all(usage_of(part, 0) for part in parts) else None
    details = data.get("output_tokens_details")
    return usage_of(
        prompt,
        data.get("output_tokens"),
        read,
        details.get("thinking_tokens") if isinstance(details, dict) else 0,
    )


# ---------------------------------------------------------------- the judge

ANTHROPIC = Provider(
    name="anthropic",
    install="pip install faithfulness-assert[anthropic]",
    home="https://api.anthropic.com",
    max_temperature=1,
    fallbacks=FALLBACKS,
    request=message_request,
    read=read_message,
    sdk=_sdk,
    client="Anthropic",
    send=_send,
)


class AnthropicJudge(RemoteJudge):
    """A judge behind an Anthropic-compatible Messages API. It needs the extra ``anthropic``; its options are those of :class:`RemoteJudge`.

    Args:
        base_url: without ``/v1``; default: the environment's ANTHROPIC_BASE_URL, else Anthropic.
        api_key: default: the environment's ANTHROPIC_API_KEY. Only Anthropic itself cannot do without.
        temperature: 0 to 1. A model that takes none costs one more request in the life of a judge; None spares it.
    """

    provider = ANTHROPIC
