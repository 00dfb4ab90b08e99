"""The OpenAI judge: any chat-completions API that is compatible with OpenAI's.

This file only contains what is specific to OpenAI: request parameters and the shape of completions.

Other servers get other parameters than OpenAI's own. Many of them ignore ``max_completion_tokens``
in silence, and small models need a schema that bounds their lists; OpenAI would compile the schema
anew for each number of statements.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from ..asking.prompt import document_claim
from ..asking.schema import json_schema
from ..reading.unwrapping import is_complete
from ..records.checks import check_number
from ..records.errors import ConfigError, JudgeError
from ..records.judge import Ask, JudgeInfo, Outcome, Reply
from ..records.judge import finish_reason as why_ended
from ..text.strings import clean_text
from .http import Answer
from .remote.answers import an_object, objects_in, read_failure, usage_of
from .remote.needs import Fallback, Fallbacks, Steps
from .remote.remote_judge import RemoteJudge

# ---------------------------------------------------------------- requests

_FORMAT = (
    r"response_?format|json[_ ](?:object|mode)|grammar|additionalProperties|structured[_ ]output"
    r"|guided_|requested parameters|schema|\bformat|\bstates\b|propert(?:y|ies)\b|constrain"
    r"|outlines|type: input should be|extra inputs are not permitted|unknown name|response_?mime"
)
_SYSTEM = (
    r"\bsystem\W{1,3}(?:role|message|prompt|instruction)|roles?\b.{0,40}\bsystem\b"
    r"|(?:support|allow).{0,20}\bsystem\b|should be '?user'? or '?assistant"
    r"|roles must alternate|only user and assistant roles|developer instruction"
)
FALLBACKS: Fallbacks = {
    "bounds": Fallback(
        r"m(?:in|ax)_?items|schema contains features|too many states|too complex|keyword",
        ("bounds of lists in a JSON Schema; none were sent",),
    ),
    "cap": Fallback(
        r"max_(?:completion_)?tokens",
        ("max_tokens; max_completion_tokens was sent", "a limit on reply tokens; none was sent"),
    ),
    "temperature": Fallback("temperature", ("this temperature; none was sent",)),
    "seed": Fallback(r"\bseed\b", ("a seed; none was sent",)),
    "effort": Fallback(r"reasoning[_ .]?effort", ("reasoning_effort; none was sent",)),
    "system": Fallback(_SYSTEM, ("a system message; it was put into the user message",)),
    "format": Fallback(
        _FORMAT,
        (
            "a JSON Schema as OpenAI does; it was sent in another form",
            "a JSON Schema; plain JSON was requested",
            "a response format; none was requested",
        ),
    ),
}

JSON = {"type": "json_object"}
CAPS = ("max_tokens", "max_completion_tokens", "")


# ---------------------------------------------------------------- replies


def read_completion(data: Mapping[str, Any], answer: Answer) -> Outcome:
    """The reply in a chat completion, in whichever field a server puts it, or the failure."""
    used = an_object(data.get("usage"))
    prompt, completion = (
        an_object(used.get(f"{part}_tokens_details")) for part in ("prompt", "completion")
    )
    thinking = completion.get("reasoning_tokens") or used.get("reasoning_tokens")  # SGLang's place
    cached = prompt.get("cached_tokens")
    usage = usage_of(used.get("prompt_tokens"), used.get("completion_tokens"), cached, thinking)
    choices = objects_in(data.get("choices"))
    choice = min(choices, key=lambda one: one.get("index") != 0, default={})
    if choice.get("error"):
        return read_failure(answer, choice)
    ended = choice.get("finish_reason")
    finish_reason = ended if isinstance(ended, str) else "stop"
    message = choice.get("message")
    if not isinstance(message, dict):
        if why_ended(finish_reason) == "content_filter":  # Gemini then sends no message
            return Reply("", usage, finish_reason)
        problem = "the judge's answer has no message: is base_url a chat API?"
        return JudgeError(problem, "server", retryable=True, usage=usage, http_status=answer.status)
    content = message.get("content")
    text = content if isinstance(content, str) else _text_of(content)
    refusals = [one.get("refusal") for one in (message, *objects_in(content))]
    refusal = clean_text(" ".join(r for r in refusals if isinstance(r, str)).strip())
    called = "" if text else _called(message)
    if called and finish_reason in ("tool_calls", "function_call"):
        finish_reason = "stop"
    text = text or called
    thoughts = [message.get(name) for name in ("reasoning_content", "reasoning", "thinking")]
    reasoned = any(thoughts)
    if not (text or refusal) and finish_reason == "stop":
        # JSON alone, which a server took for thinking
        thought = next((t for t in thoughts if t and isinstance(t, str)), "")
        if thought.lstrip().startswith("{") and is_complete(thought):
            text, reasoned = thought, False
    return Reply(text, usage, finish_reason, refusal or None, reasoned=reasoned)


def _text_of(content: object) -> str:
    """A content that is an object, or a list of parts, as text. Thinking is no text."""
    texts: list[object] = []
    for part in content if isinstance(content, list) else [content]:
        if not isinstance(part, dict):
            texts.append(part)
        elif "type" not in part and "text" not in part:
            texts.append(json.dumps(part, ensure_ascii=False))
        elif part.get("type") in (None, "text", "output_text"):
            texts.append(part.get("text"))
    return "".join(text for text in texts if isinstance(text, str))


def _called(message: Mapping[str, Any]) -> str:
    """A reply in another field: parsed, or the arguments of calls of functions nobody offered."""
    functions = [call.get("function") for call in objects_in(message.get("tool_calls"))]
    called = objects_in([*functions, message.get("function_call")])
    found = [message.get("parsed"), *(function.get("arguments") for function in called)]
    texts = [
        one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
        for one in found
        if one and isinstance(one, str | dict | list)
    ]
    return "\n".join(texts)


# ---------------------------------------------------------------- the judge

FAMILIES = ("json", "document_claim")


class OpenAIJudge(RemoteJudge):
    """A judge behind an OpenAI-compatible chat API.

    Its other options are those of ``RemoteJudge``.

    Args:
        seed: for servers that give the same reply for the same seed.
        family: ``document_claim`` for a checker that was trained to answer a document and a claim
            with Yes or No, such as Bespoke-MiniCheck. It is asked about one statement at a time.
    """

    provider = "openai"
    home = "https://api.openai.com/v1"
    path = "/chat/completions"
    max_temperature = 2
    fallbacks = FALLBACKS
    own_hosts = ("api.openai.com", ".azure.com")
    own_steps: ClassVar = {"bounds": 1, "cap": 1}
    read_reply = staticmethod(read_completion)

    def __init__(
        self,
        model: str,
        *,
        seed: int | None = None,
        family: Literal["json", "document_claim"] = "json",
        **options: Any,
    ) -> None:
        if family not in FAMILIES:
            raise ConfigError(f"family: must be one of {', '.join(FAMILIES)}, got {family!r:.40}")
        if family == "document_claim":
            options["max_statements"] = 1
        super().__init__(model, **options)
        self._is_checker = family == "document_claim"
        if self._is_checker:
            self._settings["family"] = family
        check_number("seed", seed, -(2**63), 2**63 - 1, whole=True, optional=True)
        self._settings["seed"] = seed

    @property
    def info(self) -> JudgeInfo:
        """See ``RemoteJudge``. A checker only gives verdicts, and never says ``contradicted``."""
        info = super().info
        if not self._is_checker:
            return info
        return replace(info, asks=frozenset({"verdicts"}), never_contradicts=True)

    def worded(self, ask: Ask) -> Ask:
        """See ``RemoteJudge``."""
        return document_claim(ask) if self._is_checker else ask

    @staticmethod
    def headers(key: str) -> dict[str, str]:
        """See ``RemoteJudge``."""
        given = {
            "authorization": f"Bearer {key}" if key else "",
            "openai-organization": os.environ.get("OPENAI_ORG_ID", ""),
            "openai-project": os.environ.get("OPENAI_PROJECT_ID", ""),
        }
        return {name: value for name, value in given.items() if value}

    def body(self, ask: Ask, settings: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
        """See ``RemoteJudge``."""
        schema = ask.schema if steps["bounds"] else json_schema(ask.form, len(ask.ids))
        named = {"name": "verdicts", "strict": True, "schema": schema}
        strict = {"type": "json_schema", "json_schema": named}
        formats = (strict, {**JSON, "schema": schema}, JSON, None)
        messages = [dict(message) for message in ask.messages]
        if steps["system"]:
            texts = [message["content"] for message in messages]
            messages = [{"role": "user", "content": "\n\n".join(texts)}]
        parameters: dict[str, Any] = {
            "model": settings["model"],
            "messages": messages,
            "response_format": None if self._is_checker else formats[steps["format"]],
            CAPS[steps["cap"]]: ask.max_tokens,
            "temperature": None if steps["temperature"] else settings["temperature"],
            "seed": None if steps["seed"] else settings["seed"],
            "reasoning_effort": None if steps["effort"] else settings.get("reasoning_effort"),
        }
        return {name: v for name, v in parameters.items() if name and v is not None}
