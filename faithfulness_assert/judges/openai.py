"""The OpenAI judge: any chat-completions API that is compatible with OpenAI's.

This file only contains what is specific to OpenAI: request parameters and the shape of completions.

Other servers get other parameters than OpenAI's own. Many of them ignore ``max_completion_tokens``
in silence, and small models need a schema that bounds their lists; OpenAI would compile the schema
anew for each number of statements.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import urlsplit

from ..asking.prompt import document_claim
from ..asking.schema import bounded_schema
from ..records.checks import check_number
from ..records.errors import ConfigError, JudgeError
from ..records.judge import Ask, JudgeInfo, Outcome, Reply
from ..records.judge import finish_reason as why_ended
from ..records.usage import Usage
from ..text.strings import clean_text
from .http import Answer
from .remote.answers import (
    bad_answer,
    read_failure,
    read_json_object,
    usage_of,
)
from .remote.provider import Fallback, Fallbacks, Provider, Steps
from .remote.redaction import Secrets
from .remote.remote_judge import RemoteJudge
from .remote.settings import Endpoint, hide_key

# ---------------------------------------------------------------- requests

OWN_HOSTS = ("api.openai.com", ".azure.com")
"""How the hosts end on which OpenAI's own models run."""

_FORMAT = (
    r"response[_ ]?(?:format|schema)|json[_ ](?:schema|object|mode)|grammar|additionalProperties"
    r"|structured[_ ]output|guided_|requested parameters"
)
_LOOSE_FORMAT = (
    r"schema|\bformat|keyword|\bstates\b|propert(?:y|ies)\b|constrain|xgrammar|outlines"
    r"|type: input should be|extra inputs are not permitted|unknown name|response_?mime"
)
_CAP = r"max_(?:completion_)?tokens"
_SYSTEM = (
    r"\bsystem\W{1,3}(?:role|message|prompt|instruction)|roles?\b.{0,40}\bsystem\b"
    r"|(?:support|allow).{0,20}\bsystem\b|should be '?user'? or '?assistant"
    r"|roles must alternate|only user and assistant roles|developer instruction"
)
_NO_SCHEMA = "the server does not support a JSON Schema; plain JSON was requested"
_OTHER_SCHEMA = (
    "the server does not support a JSON Schema as OpenAI does; it was sent in another form"
)
_NO_FORMAT = "the server does not support a response format; none was requested"
_OTHER_CAP = "the server does not support {}; {} was sent"
_NO_CAP = "the server does not support a limit on reply tokens; none was sent"

FALLBACKS: Fallbacks = {
    "format": Fallback.of(_FORMAT, _NO_SCHEMA, _NO_FORMAT, loosely=_LOOSE_FORMAT),
    "cap": Fallback.of(_CAP, _OTHER_CAP.format("max_completion_tokens", "max_tokens"), _NO_CAP),
    "temperature": Fallback.of(
        "temperature", "the server does not support this temperature; none was sent"
    ),
    "seed": Fallback.of(r"\bseed\b", "the server does not support a seed; none was sent"),
    "logprobs": Fallback.of(
        "log_?probs", "the server does not support logprobs; verdicts have no confidence"
    ),
    "effort": Fallback.of(
        r"reasoning[_ .]?effort", "the server does not support reasoning_effort; none was sent"
    ),
    "system": Fallback.of(
        _SYSTEM, "the server does not support a system message; it was put into the user message"
    ),
}


COMPATIBLE_FALLBACKS: Fallbacks = {
    **FALLBACKS,
    "bounds": Fallback.of(
        r"m(?:in|ax)_?items|schema contains features|too many states|too complex|schema keyword",
        "the server does not support bounds of lists in a JSON Schema; none were sent",
        part=True,
        loosely=r"keyword",
    ),
    "format": Fallback.of(_FORMAT, _OTHER_SCHEMA, _NO_SCHEMA, _NO_FORMAT, loosely=_LOOSE_FORMAT),
    "cap": Fallback.of(_CAP, _OTHER_CAP.format("max_tokens", "max_completion_tokens"), _NO_CAP),
}


def own_request(ask: Ask, settings: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
    """The body of a request for a chat completion on a server of OpenAI.

    ``settings`` has ``model``, ``temperature`` and ``seed``; None is not sent.
    """
    formats = (_strict(ask.schema), {"type": "json_object"}, None)
    cap = ("max_completion_tokens", "max_tokens", None)[steps["cap"]]
    return _request(ask, settings, steps, formats[steps["format"]], cap)


def compatible_request(ask: Ask, settings: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
    """The same on any other server."""
    schema = ask.schema if steps["bounds"] else bounded_schema(ask)
    formats = (
        _strict(schema),
        {"type": "json_object", "schema": schema},
        {"type": "json_object"},
        None,
    )
    cap = ("max_tokens", "max_completion_tokens", None)[steps["cap"]]
    return _request(ask, settings, steps, formats[steps["format"]], cap)


def _strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    strict = {"name": "verdicts", "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": strict}


def _request(
    ask: Ask,
    settings: Mapping[str, Any],
    steps: Steps,
    response_format: Mapping[str, Any] | None,
    cap: str | None,
) -> dict[str, Any]:
    messages = [dict(message) for message in ask.messages]
    parameters: dict[str, Any] = {
        "model": settings["model"],
        "messages": _without_system(messages) if steps["system"] else messages,
        "response_format": response_format,
        **({cap: ask.max_tokens} if cap else {}),
        "temperature": None if steps["temperature"] else settings["temperature"],
        "seed": None if steps["seed"] else settings["seed"],
        "reasoning_effort": None if steps["effort"] else settings.get("reasoning_effort"),
    }
    return {name: value for name, value in parameters.items() if value is not None}


def _without_system(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The messages; the text of system messages is put before the first user message."""
    system = [m["content"] for m in messages if m["role"] == "system"]
    rest = [m for m in messages if m["role"] != "system"]
    if not system or not rest:
        return [{**m, "role": "user"} for m in messages]
    return [{**rest[0], "content": "\n\n".join([*system, rest[0]["content"]])}, *rest[1:]]


def headers(key: str) -> dict[str, str]:
    """The headers of a request with this key."""
    given = {
        "authorization": f"Bearer {key}" if key else "",
        "openai-organization": os.environ.get("OPENAI_ORG_ID", ""),
        "openai-project": os.environ.get("OPENAI_PROJECT_ID", ""),
    }
    return {name: value for name, value in given.items() if value}


# ---------------------------------------------------------------- replies


def read_completion(answer: Answer, secrets: Secrets) -> Outcome:
    """The reply in a chat completion, or the failure."""
    data = read_json_object(answer, secrets)
    if isinstance(data, JudgeError):
        return data
    usage, choice = _usage(data.get("usage")), _first_choice(data.get("choices"))
    if choice.get("error"):
        return read_failure(answer, choice, secrets)
    finish_reason = choice.get("finish_reason")
    if not isinstance(finish_reason, str):
        finish_reason = "stop"
    message = choice.get("message")
    if not isinstance(message, dict):
        if why_ended(finish_reason) == "content_filter":  # Gemini then sends no message
            return Reply("", usage, finish_reason)
        problem = "the judge's answer has no message: is base_url a chat API?"
        return bad_answer(problem, answer, usage=usage)
    text, refusal = _text_of(message.get("content")), _refusal(message)
    called = "" if text else _called(message)
    if called and finish_reason in ("tool_calls", "function_call"):
        finish_reason = "stop"
    thoughts = [message.get(name) for name in ("reasoning_content", "reasoning", "thinking")]
    thought = next((t for t in thoughts if t and isinstance(t, str)), "")
    mistaken = ""
    if not (text or called or refusal) and finish_reason == "stop":
        mistaken = _json_alone(thought)
    sure = _confidence_of_word(text, choice.get("logprobs"))
    return Reply(
        text or called or mistaken,
        usage,
        finish_reason,
        refusal or None,
        confidence=sure,
        reasoned=any(thoughts) and not mistaken,
    )


def _first_choice(choices: object) -> Mapping[str, Any]:
    valid = [c for c in choices if isinstance(c, dict)] if isinstance(choices, list) else []
    return next((c for c in valid if c.get("index") == 0), valid[0] if valid else {})


def _text_of(content: object) -> str:
    """A content as text: it is one, or an object, or a list of parts. Thinking is no text."""
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    texts: list[object] = []
    for part in content:
        if isinstance(part, dict) and "type" not in part and "text" not in part:
            texts.append(_as_json(part))
        elif isinstance(part, dict) and part.get("type") in (None, "text", "output_text"):
            texts.append(part.get("text"))
        else:
            texts.append(part)
    return "".join(text for text in texts if isinstance(text, str))


def _called(message: Mapping[str, Any]) -> str:
    """A reply in another field: parsed, or the arguments of calls of functions nobody offered."""
    calls = message.get("tool_calls")
    given = (
        [call.get("function") for call in calls if isinstance(call, dict)]
        if isinstance(calls, list)
        else []
    )
    functions = [f for f in (*given, message.get("function_call")) if isinstance(f, dict)]
    said = [message.get("parsed"), *(function.get("arguments") for function in functions)]
    return "\n".join(text if isinstance(text, str) else _as_json(text) for text in said if text)


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else ""


def _json_alone(thought: str) -> str:
    """The whole of a field for thinking, if it is the JSON that a server took for thinking."""
    text = thought.strip()
    try:
        return text if isinstance(json.loads(text), dict) else ""
    except (ValueError, RecursionError):
        return ""


def _refusal(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    parts = [p for p in content if isinstance(p, dict)] if isinstance(content, list) else []
    refusals = [message.get("refusal"), *(part.get("refusal") for part in parts)]
    return clean_text(" ".join(r for r in refusals if isinstance(r, str)).strip())


def _confidence_of_word(text: str, logprobs: object) -> tuple[float, ...]:
    """The probability of a reply of one word, in any case; () if the server does not say it.

    It is what Bespoke-MiniCheck's authors take: the sum over the likeliest first tokens that are
    this word.
    """
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    likely = first.get("top_logprobs") if isinstance(first, dict) else None
    word = text.strip().strip(".").casefold()
    if not isinstance(likely, list) or not word.isalpha():
        return ()
    pairs = [(t.get("token"), t.get("logprob")) for t in likely if isinstance(t, dict)]
    same = [
        math.exp(min(chance, 0.0))
        for token, chance in pairs
        if isinstance(token, str) and isinstance(chance, int | float) and math.isfinite(chance)
        if token.strip().casefold() == word
    ]
    return (round(min(math.fsum(same), 1.0), 4),) if same else ()


def _usage(data: object) -> Usage | None:
    if not isinstance(data, dict):
        return None
    prompt, completion = (
        d if isinstance(d := data.get(f"{part}_tokens_details"), dict) else {}
        for part in ("prompt", "completion")
    )
    cached, reasoning = prompt.get("cached_tokens"), completion.get("reasoning_tokens")
    reasoning = reasoning or data.get("reasoning_tokens") or 0  # SGLang's place for it
    return usage_of(data.get("prompt_tokens"), data.get("completion_tokens"), cached, reasoning)


# ---------------------------------------------------------------- the judge

OPENAI = Provider(
    name="openai",
    home="https://api.openai.com/v1",
    path="/chat/completions",
    max_temperature=2,
    fallbacks=FALLBACKS,
    headers=headers,
    request=own_request,
    read=read_completion,
    client="OpenAI",
    api="chat",
)
COMPATIBLE = replace(OPENAI, fallbacks=COMPATIBLE_FALLBACKS, request=compatible_request)


FAMILIES = ("json", "document_claim")
LIKELIEST = 5
"""First tokens of which the probability is asked for."""


class OpenAIJudge(RemoteJudge):
    """A judge behind an OpenAI-compatible chat API.

    Its options are those of ``RemoteJudge``, and a seed.

    Args:
        base_url: default: the environment's OPENAI_BASE_URL, else OpenAI.
        api_key: default: the environment's OPENAI_API_KEY. Only OpenAI itself needs one.
        temperature: 0 to 2.
        seed: for servers that give the same reply for the same seed.
        client: an ``openai.OpenAI``, ``AsyncOpenAI``, ``AzureOpenAI`` or the like that asks.
        family: ``document_claim`` for a checker that was trained to answer a document and a claim
            with Yes or No, such as Bespoke-MiniCheck. It is asked about one statement at a time.
    """

    provider = OPENAI

    def __init__(
        self,
        model: str,
        *,
        seed: int | None = None,
        family: Literal["json", "document_claim"] = "json",
        **options: Any,
    ) -> None:
        hide_key(options)
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

    def provider_at(self, endpoint: Endpoint) -> Provider:
        """See ``RemoteJudge``: other servers than OpenAI's get other parameters."""
        own = (urlsplit(endpoint.public_url).hostname or "").endswith(OWN_HOSTS)
        return OPENAI if own else COMPATIBLE

    @property
    def info(self) -> JudgeInfo:
        """See ``RemoteJudge``. A checker only gives verdicts, and never says ``contradicted``."""
        info = super().info
        if not self._is_checker:
            return info
        return replace(info, asks=frozenset({"verdicts"}), never_contradicts=True)

    def request(self, ask: Ask, steps: Steps) -> dict[str, Any]:
        """See ``RemoteJudge``."""
        if not self._is_checker:
            return super().request(ask, steps)
        request = super().request(ask, steps)
        request.pop("response_format", None)
        more = {} if steps["logprobs"] else {"logprobs": True, "top_logprobs": LIKELIEST}
        return {**request, **more}

    def worded(self, ask: Ask) -> Ask:
        """See ``RemoteJudge``."""
        return document_claim(ask) if self._is_checker else ask
