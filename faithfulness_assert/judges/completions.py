"""Reads a chat completion, in whichever field a server puts the reply."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ..records.errors import JudgeError
from ..records.judge import Outcome, Reply
from ..records.judge import finish_reason as why_ended
from ..records.usage import Usage
from ..text.strings import clean_text
from .http import Answer
from .remote.answers import bad_answer, read_failure, read_json_object, usage_of
from .remote.redaction import Secrets


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
    logprobs = choice.get("logprobs")
    sure = _confidence_of_word(text, logprobs) if logprobs else ()
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
