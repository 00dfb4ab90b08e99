"""Messages of other systems in the form that the reader of messages knows. ``shapes.txt`` says how.

Gemini and the ADK, Bedrock's Converse, the AI SDK of Vercel and Mastra, pydantic-ai, Haystack,
LlamaIndex, LangChain serialized, ShareGPT. Names are written with ``_`` in place of ``-``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .events import ROLES, SHAPES, meanings
from .tool_data import as_plain

CONTAINERS = SHAPES["containers"].split()
"""Where a mapping has its messages."""
_INVOCATION = ("user_content", "intermediate_data", "final_response")  # one turn of an eval case
_AROUND = ("kwargs", "data", "message")  # LangChain serialized, its dicts, an API's choices
_CONTENT = ("content", "parts", "value", "text")
_TYPE = ("type", "part_kind", "block_type")
_PARTS, _TYPES, _NAMES = map(meanings, ("types by key", "types", "names"))
SPEAKERS = ROLES.keys() | {"gpt", "observation", "function_call", "developer"}
_SPOKEN = {"request": "user", "response": "assistant", "gpt": "assistant", "observation": "tool"}


def known_messages(message: Any) -> Iterator[Any]:
    """One message of any system as messages that the reader knows; one of no known form as it is.

    Of a turn of the ADK there are several.
    """
    message = as_plain(message)
    if not isinstance(message, Mapping):
        yield message
    elif message.keys() & set(_INVOCATION[1:]) and "user_content" in message:
        yield from _of_invocation(message)
    elif "toolInvocations" in message:
        calls = [{"toolInvocation": call} for call in _list(message["toolInvocations"])]
        text = message.get("content")
        own = list(text) if isinstance(text, list) else [text] if text else []
        rest = {key: value for key, value in message.items() if key != "toolInvocations"}
        yield {**rest, "content": [*calls, *own]}
    else:
        found = _opened(message)
        calls = [{"type": "tool_call", **found}] if found.get("from") == "function_call" else []
        yield {"role": "assistant", "content": calls} if calls else found


def known_part(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of a message with the type and the names that the reader knows."""
    type_ = next((part[key] for key in _TYPE if isinstance(part.get(key), str)), "")
    if not type_ or "toolInvocation" in part:
        for key, named in _PARTS.items():
            if isinstance(inner := as_plain(part.get(key)), Mapping):
                return known_part({**inner, **_mapping(inner.get("origin")), "type": named})
    if not type_:
        said = "thought" if part.get("thought") else "text" if "text" in part else "without a type"
        return {**part, "type": said}
    word = type_.replace("-", "_") if "-" in type_ or type_ in _TYPES else type_
    if word.startswith("tool_") and ("state" in part or "toolCallId" in part) and "output" in part:
        name = word.removeprefix("tool_")
        part = part if name == "result" else {"name": name, **part}
        word = "tool_result" if name == "result" else "finished_call"
    renamed = {_NAMES.get(key, key): value for key, value in part.items()}
    for key in ("content", "output", "result"):
        if key in renamed:
            renamed[key] = _payload(renamed[key])
    if word in ("finished_call", "tool_invocation") and "output" not in renamed:
        renamed["output"] = renamed.get("result")
    return {**renamed, "type": _TYPES.get(word, word)}


def grounding_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The documents that Gemini says it used. Pages of the web have no text."""
    given = _mapping(message.get("groundingMetadata") or message.get("grounding_metadata"))
    chunks = _list(given.get("groundingChunks") or given.get("grounding_chunks"))
    sources = (_mapping(next(iter(_mapping(chunk).values()), None)) for chunk in chunks)
    return [
        {"type": "document", "source": True, "content": one.get("text"), "title": one.get("title")}
        for one in sources
    ]


def _of_invocation(turn: Mapping[str, Any]) -> Iterator[Any]:
    """A turn of an eval case of the ADK: what was asked, what tools returned, the answer."""
    yield from known_messages({**_mapping(turn["user_content"]), "role": "user"})
    between = _mapping(turn.get("intermediate_data"))
    calls = [{"function_call": call} for call in _list(between.get("tool_uses"))]
    results = [{"function_response": result} for result in _list(between.get("tool_responses"))]
    if calls:
        yield {"role": "model", "parts": calls}
    if results:
        yield {"role": "user", "parts": results}
    for event in _list(between.get("invocation_events")):
        yield from known_messages(event)
    if isinstance(said := turn.get("final_response"), Mapping):
        yield from known_messages({**said, "role": said.get("role") or "model"})


def _opened(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message with ``role`` and ``content``, out of what stands around it."""
    found = dict(message)
    for key in _AROUND:
        if isinstance(inner := as_plain(found.get(key)), Mapping) and "role" not in found:
            kind = found.get("type")
            found = {**({"type": kind} if _is_role(kind) else {}), **inner}
            named = message.get("id")
            if isinstance(named, list) and named and "type" not in inner:
                role = str(named[-1]).lower().removesuffix("chunk").removesuffix("message")
                found.setdefault("role", role)
    if isinstance(inner := as_plain(found.get("content")), Mapping) and "parts" in inner:
        found = {**found, **inner, "content": inner["parts"]}  # an event of the ADK; Mastra
        found.pop("parts")
    found = {**_mapping(found.get("additional_kwargs")), **found}
    if found.get("content") is None and isinstance(blocks := found.get("blocks"), list):
        found["content"] = [known_part(block) for block in blocks if isinstance(block, Mapping)]
    if "role" not in found and not _is_role(found.get("type")):
        spoken = next((found[key] for key in ("from", "kind") if key in found), None)
        if isinstance(spoken, str) and any(key in found for key in _CONTENT):
            found["role"] = _SPOKEN.get(spoken, spoken)
    if found.get("content") is None and not isinstance(found.get("parts"), list):
        other = next((found[key] for key in ("value", "text") if found.get(key) is not None), None)
        found.update({} if other is None else {"content": other})
    return found


def _payload(value: Any) -> Any:
    """What a tool returned, out of what the AI SDK or Bedrock puts around it."""
    if isinstance(value, Mapping) and value.keys() == {"type", "value"}:
        return value["value"]
    items = [item for item in _list(value) if isinstance(item, Mapping)]
    if items and len(items) == len(value) and any(item.keys() == {"json"} for item in items):
        return [item.get("json", {"type": "text", **item}) for item in items]
    return value


def _is_role(value: Any) -> bool:
    return isinstance(value, str) and value in ROLES


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value := as_plain(value), Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
