"""Reads a chat completion, in whichever field a server puts the reply."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ..reading.unwrapping import is_complete
from ..records.judge import Outcome, Reply
from ..records.judge import finish_reason as why_ended
from ..records.usage import Usage
from ..text.strings import clean_text
from .http import Answer
from .remote.answers import an_object, bad_answer, objects_in, read_failure, usage_of
from .remote.redaction import Secrets


def read_completion(data: Mapping[str, Any], answer: Answer, secrets: Secrets) -> Outcome:
    """The reply in a chat completion, or the failure."""
    usage, choices = _usage(an_object(data.get("usage"))), objects_in(data.get("choices"))
    choice = min(choices, key=lambda one: one.get("index") != 0, default={})
    if choice.get("error"):
        return read_failure(answer, choice, secrets)
    ended = choice.get("finish_reason")
    finish_reason = ended if isinstance(ended, str) else "stop"
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
        # JSON alone, which a server took for thinking
        mistaken = thought if thought.lstrip().startswith("{") and is_complete(thought) else ""
    logprobs = choice.get("logprobs")
    confidence = _confidence_of_word(text, logprobs) if logprobs else ()
    return Reply(
        text or called or mistaken,
        usage,
        finish_reason,
        refusal or None,
        confidence=confidence,
        reasoned=any(thoughts) and not mistaken,
    )


def _text_of(content: object) -> str:
    """A content as text: it is one, or an object, or a list of parts. Thinking is no text."""
    if isinstance(content, str):
        return content
    texts: list[object] = []
    for part in content if isinstance(content, list) else [content]:
        if not isinstance(part, dict):
            texts.append(part)
        elif "type" not in part and "text" not in part:
            texts.append(_as_json(part))
        elif part.get("type") in (None, "text", "output_text"):
            texts.append(part.get("text"))
    return "".join(text for text in texts if isinstance(text, str))


def _called(message: Mapping[str, Any]) -> str:
    """A reply in another field: parsed, or the arguments of calls of functions nobody offered."""
    functions = [call.get("function") for call in objects_in(message.get("tool_calls"))]
    called = objects_in([*functions, message.get("function_call")])
    candidates = [message.get("parsed"), *(function.get("arguments") for function in called)]
    return "\n".join(
        text if isinstance(text, str) else _as_json(text) for text in candidates if text
    )


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else ""


def _refusal(message: Mapping[str, Any]) -> str:
    refusals = [one.get("refusal") for one in (message, *objects_in(message.get("content")))]
    return clean_text(" ".join(r for r in refusals if isinstance(r, str)).strip())


def _confidence_of_word(text: str, logprobs: object) -> tuple[float, ...]:
    """The probability of a reply of one word, in any case; () if the server does not say it.

    It is what Bespoke-MiniCheck's authors take: the sum over the likeliest first tokens that are
    this word.
    """
    first, *_ = objects_in(an_object(logprobs).get("content")) or [{}]
    likely = objects_in(first.get("top_logprobs"))
    word = text.strip().strip(".").casefold()
    if not word.isalpha():
        return ()
    pairs = [(one.get("token"), one.get("logprob")) for one in likely]
    same = [
        math.exp(min(chance, 0.0))
        for token, chance in pairs
        if isinstance(token, str) and isinstance(chance, int | float) and math.isfinite(chance)
        if token.strip().casefold() == word
    ]
    return (round(min(math.fsum(same), 1.0), 4),) if same else ()


def _usage(data: Mapping[str, Any]) -> Usage | None:
    parts = ("prompt", "completion")
    prompt, completion = (an_object(data.get(f"{part}_tokens_details")) for part in parts)
    cached, reasoning = prompt.get("cached_tokens"), completion.get("reasoning_tokens")
    reasoning = reasoning or data.get("reasoning_tokens") or 0  # SGLang's place for it
    return usage_of(data.get("prompt_tokens"), data.get("completion_tokens"), cached, reasoning)
