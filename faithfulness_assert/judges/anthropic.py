"""The Anthropic judge: any API that is compatible with Anthropic's Messages API.

This file only contains what is specific to Anthropic: request parameters and the shape of messages.

No part of a prompt is marked for the provider's cache. Writing to that cache costs a quarter more,
and only pays off if several asks share a long context within minutes. Automatic caching is counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..records.errors import JudgeError
from ..records.judge import Ask, Outcome, Reply
from ..text.strings import clean_text
from .http import Answer
from .remote.answers import an_object, objects_in, usage_of
from .remote.needs import Fallback, Fallbacks, Steps
from .remote.remote_judge import RemoteJudge

FALLBACKS: Fallbacks = {
    "effort": Fallback(
        r"thinking|effort",
        ("a thinking effort; a thinking budget was sent", "reasoning_effort; none was sent"),
    ),
    "format": Fallback(
        r"output[_ ](?:config|format)|json[_ ]schema|\bschema\b|grammar|structured[_ ]output",
        ("a JSON Schema; none was sent",),
    ),
    "temperature": Fallback("temperature", ("this temperature; none was sent",)),
}

BUDGETS = {"minimal": 1_024, "low": 1_024, "medium": 3_072}
"""Tokens for thinking by effort, where a server takes no effort; more for any other word."""


def read_message(data: Mapping[str, Any], answer: Answer) -> Outcome:
    """The reply in a message, or the failure."""
    used = an_object(data.get("usage"))
    # ``input_tokens`` does not include tokens read from or written to the cache.
    read, written = (used.get(f"cache_{what}_input_tokens") or 0 for what in ("read", "creation"))
    parts: tuple[Any, ...] = (used.get("input_tokens"), read, written)
    prompt = sum(parts) if all(usage_of(part, 0) for part in parts) else None
    thinking = an_object(used.get("output_tokens_details")).get("thinking_tokens")
    usage = usage_of(prompt, used.get("output_tokens"), read, thinking)
    if not isinstance(data.get("content"), list):
        problem = "the judge's answer has no content: is base_url a messages API?"
        return JudgeError(problem, "server", retryable=True, usage=usage, http_status=answer.status)
    blocks = objects_in(data.get("content"))
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    text = "".join(text for text in texts if isinstance(text, str))
    calls = [block.get("input") for block in blocks if block.get("type") == "tool_use"]
    stop_reason, refusal = data.get("stop_reason"), None
    if not text.strip() and stop_reason == "tool_use":  # the reply, by a server that has no schemas
        text, stop_reason = "\n".join(json.dumps(c) for c in calls if isinstance(c, dict)), "stop"
    elif stop_reason in ("pause_turn", "tool_use"):  # not complete: as a truncated reply
        stop_reason = "length"
    elif stop_reason == "refusal":
        details = an_object(data.get("stop_details"))
        reason = details.get("explanation") or details.get("category")
        said = clean_text(reason).strip() if isinstance(reason, str) else ""
        refusal = said or "it gave no reason"
    ended = stop_reason if isinstance(stop_reason, str) else "stop"
    reasoned = any(block.get("type") in ("thinking", "redacted_thinking") for block in blocks)
    return Reply(text, usage, ended, refusal, reasoned=reasoned)


class AnthropicJudge(RemoteJudge):
    """A judge behind an Anthropic-compatible Messages API.

    Its options are those of ``RemoteJudge``; ``base_url`` ends before ``/v1``.
    """

    provider = "anthropic"
    home = "https://api.anthropic.com"
    path = "/v1/messages"
    max_temperature = 1
    fallbacks = FALLBACKS
    read_reply = staticmethod(read_message)

    @staticmethod
    def headers(key: str) -> dict[str, str]:
        """See ``RemoteJudge``."""
        return {"anthropic-version": "2026-10-21", **({"x-api-key": key} if key else {})}

    def body(self, ask: Ask, settings: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
        """See ``RemoteJudge``. A model that thinks takes no temperature."""
        schema = {"format": {"type": "json_schema", "schema": ask.schema}}
        effort = None if steps["effort"] > 1 else settings.get("reasoning_effort")
        config = {} if steps["format"] else schema
        thinking: dict[str, Any] | None = None
        if effort == "none":
            thinking = {"type": "disabled"}
        elif effort and not steps["effort"]:
            thinking, config = {"type": "adaptive"}, {**config, "effort": effort}
        elif effort:
            budget = min(BUDGETS.get(effort, 12_000), ask.max_tokens * 3 // 4)
            thinking = {"type": "enabled", "budget_tokens": max(budget, 1_024)}
        quiet = steps["temperature"] or (effort and effort != "none")
        parameters: dict[str, Any] = {
            "model": settings["model"],
            "max_tokens": ask.max_tokens,
            "system": "\n\n".join(m["content"] for m in ask.messages if m["role"] == "system")
            or None,
            "messages": [dict(m) for m in ask.messages if m["role"] != "system"],
            "output_config": config or None,
            "thinking": thinking,
            "temperature": None if quiet else settings["temperature"],
        }
        return {name: value for name, value in parameters.items() if value is not None}
