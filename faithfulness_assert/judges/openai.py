"""The OpenAI judge: any chat-completions API that is compatible with OpenAI's.

The rule: this file only says what is OpenAI's own, its parameters and the shape of its completions; the rest is shared with other judges.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..records.ask import Reply
from ..records.errors import JudgeError
from ..text.strings import clean_text
from .remote.answers import Failure, failure, read_object, thought_only, usage_of
from .remote.fallbacks import Fallback, Fallbacks, Steps
from .remote.remote_judge import Provider, RemoteJudge
from .remote.settings import check_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records.ask import Ask
    from ..records.usage import Usage
    from .remote.connection import Answer

# ---------------------------------------------------------------- what is asked

FALLBACKS: Fallbacks = {
    "format": Fallback(
        re.compile(
            r"response[_ ]?format|json[_ ](?:schema|object|mode)|grammar|structured[_ ]output|guided_|requested parameters",
            re.I,
        ),
        (
            "the server takes no JSON Schema; plain JSON was asked for",
            "the server takes no response format; none was asked for",
        ),
    ),
    "cap": Fallback(
        re.compile(r"max_(?:completion_)?tokens", re.I),
        (
            "the server takes no max_completion_tokens; max_tokens was sent",
            "the server takes no cap on reply tokens; none was sent",
        ),
    ),
    "temperature": Fallback(
        re.compile("temperature", re.I),
        ("the server does not take this temperature; none was sent",),
    ),
    "seed": Fallback(re.compile(r"\bseed\b", re.I), ("the server takes no seed; none was sent",)),
    "system": Fallback(
        re.compile(
            r"\bsystem\W{1,3}(?:role|message|prompt|instruction)|roles?\b.{0,40}\bsystem\b|(?:support|allow).{0,20}\bsystem\b"
            r"|roles must alternate|only user and assistant roles|developer instruction",
            re.I,
        ),
        ("the server takes no system message; it was sent inside the user message",),
    ),
}


def chat_request(ask: Ask, settings: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
    """The parameters of a chat completion. ``settings``: ``model``, ``temperature`` and ``seed``; None is not sent."""
    messages = [dict(m) for m in ask.messages]
    schema = {
        "type": "json_schema",
        "json_schema": {"name": "verdicts", "strict": True, "schema": ask.schema},
    }
    wanted: dict[str, Any] = {
        "model": settings["model"],
        "messages": _without_system(messages) if steps["system"] else messages,
        "response_format": (schema, {"type": "json_object"}, None)[steps["format"]],
        "max_completion_tokens": (ask.max_tokens, None, None)[steps["cap"]],
        "max_tokens": (None, ask.max_tokens, None)[steps["cap"]],
        "temperature": None if steps["temperature"] else settings["temperature"],
        "seed": None if steps["seed"] else settings["seed"],
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _without_system(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The messages with those of the system put before the first one of the user."""
    system = [m["content"] for m in messages if m["role"] == "system"]
    rest = [m for m in messages if m["role"] != "system"]
    if not system or not rest:
        return [{**m, "role": "user"} for m in messages]
    return [{**rest[0], "content": "\n\n".join([*system, rest[0]["content"]])}, *rest[1:]]


def _sdk() -> Any:
    import openai

    return openai


def _send(client: Any, request: dict[str, Any], seconds: float) -> Any:
    return client.chat.completions.with_raw_response.create(**request, timeout=seconds)


# ---------------------------------------------------------------- what is answered


def read_completion(answer: Answer, secrets: Sequence[str]) -> Reply | Failure:
    """The reply in a chat completion, or the trouble with it."""
    data = read_object(answer, secrets)
    if isinstance(data, Failure):
        return data
    usage = _usage(data.get("usage"))
    choice = _first_choice(data.get("choices"))
    if choice.get("error"):
        return failure(answer, choice, secrets)
    message = choice.get("message")
    if not isinstance(message, dict):
        what = "the judge's answer holds no message: is base_url a chat API?"
        return Failure(
            JudgeError(what, "server", retryable=True, usage=usage, http_status=answer.status)
        )
    text, refusal = _said(message)
    ended = choice.get("finish_reason")
    reply = Reply(text, usage, ended if isinstance(ended, str) else "stop", refusal or None)
    return (
        thought_only(reply)
        if message.get("reasoning") or message.get("reasoning_content")
        else reply
    )


def _first_choice(choices: object) -> Mapping[str, Any]:
    found = [c for c in choices if isinstance(c, dict)] if isinstance(choices, list) else []
    return next((c for c in found if c.get("index") == 0), found[0] if found else {})


def _said(message: Mapping[str, Any]) -> tuple[str, str]:
    """The text of a message and its refusal. The content is a string or a list of parts."""
    content, refusal = message.get("content"), message.get("refusal")
    parts = [p for p in content if isinstance(p, dict)] if isinstance(content, list) else []
    text = (
        content
        if isinstance(content, str)
        else "".join(p["text"] for p in parts if isinstance(p.get("text"), str))
    )
    refusals = [refusal, *(p.get("refusal") for p in parts)]
    return text, clean_text(" ".join(r for r in refusals if isinstance(r, str)).strip())


def _usage(data: object) -> Usage | None:
    if not isinstance(data, dict):
        return None
    prompt, completion = (
        d if isinstance(d := data.get(f"{part}_tokens_details"), dict) else {}
        for part in ("prompt", "completion")
    )
    cached, reasoning = prompt.get("cached_tokens"), completion.get("reasoning_tokens")
    return usage_of(data.get("prompt_tokens"), data.get("completion_tokens"), cached, reasoning)


# ---------------------------------------------------------------- the judge

OPENAI = Provider(
    name="openai",
    install="pip install openai",
    home="https://api.openai.com/v1",
    max_temperature=2,
    fallbacks=FALLBACKS,
    request=chat_request,
    read=read_completion,
    sdk=_sdk,
    client="OpenAI",
    send=_send,
)


class OpenAIJudge(RemoteJudge):
    """A judge behind an OpenAI-compatible chat API. Its options are those of :class:`RemoteJudge`, and a seed.

    Args:
        base_url: default: the environment's OPENAI_BASE_URL, else OpenAI.
        api_key: default: the environment's OPENAI_API_KEY. Only OpenAI itself cannot do without.
        temperature: 0 to 2.
        seed: for servers that promise the same reply to the same seed.
    """

    provider = OPENAI

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
        temperature: float | None = 0.0,
        seed: int | None = None,
        max_prompt_tokens: int = 100_000,
        max_statements: int = 40,
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            max_retries=max_retries,
            temperature=temperature,
            max_prompt_tokens=max_prompt_tokens,
            max_statements=max_statements,
        )
        if seed is not None:
            check_number("seed", seed, -(2**63), 2**63 - 1, whole=True)
        self._settings["seed"] = seed
