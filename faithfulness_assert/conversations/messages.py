"""One message of any provider as events. ``shapes.txt`` says what the keys of each family mean.

A message of other systems is brought into one form first: those of Gemini and the ADK, Bedrock's
Converse, the AI SDK of Vercel and Mastra, pydantic-ai, Haystack, LlamaIndex, LangChain serialized,
ShareGPT. Names are written with ``_`` in place of ``-``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..records.errors import InputError
from ..text.strings import clean_text, clip, is_blank
from .events import (
    CALLS,
    RESULTS,
    ROLES,
    SHAPES,
    SILENT,
    Event,
    Kind,
    Role,
    meanings,
    role_of,
    unknown_role,
)
from .tool_data import (
    DOCUMENTS,
    TEXTS,
    Runs,
    as_plain,
    part_text,
    passed_to,
    runs_of,
    tool_texts,
    without_echoes,
)

CONTAINERS = SHAPES["containers"].split()
"""Where a mapping has its messages."""
MAX_NESTED = 5
"""Conversations inside of each other, such as those of agents that ask agents."""
_INVOCATION = ("user_content", "intermediate_data", "final_response")  # one turn of an eval case
_AROUND = ("kwargs", "data", "message")  # LangChain serialized, its dicts, an API's choices
_TEXTS = ("content", "parts", "value", "text")
_TYPE = ("type", "part_kind", "block_type")
_PARTS, _TYPES, _NAMES = map(meanings, ("types by key", "types", "names"))
_SPOKEN = {"request": "user", "response": "assistant", "gpt": "assistant", "observation": "tool"}
_CONTENT = ("content", "parts")  # the latter: OpenTelemetry, Gemini
_BY_THE_SERVER = ("_tool_result", "server_tool_call_response")  # results in an assistant's message
_CALLS_WITH_RESULTS = meanings("results in calls")
_INSTRUCTIONS = "system_prompt"  # of pydantic-ai, in a request of the user
_ASSISTANTS_TEXTS = ("output_text", "refusal")
_PAYLOADS = ("content", "output", "response", "result", "server_tool_call_response")
_IDS = ("tool_use_id", "call_id", "tool_call_id", "id")
_CALL_IDS = ("call_id", "tool_call_id", "id")
_BESIDE = SHAPES["beside"].split()


# ---------------------------------------------------------------- one form


def known_messages(message: Any) -> Iterator[Any]:
    """One message of any system as messages that the reader knows; one of no known form as it is.

    Of a turn of the ADK there are several.
    """
    message = as_plain(message)
    if not isinstance(message, Mapping):
        yield message
    elif message.keys() & set(_INVOCATION[1:]) and "user_content" in message:
        yield from _of_invocation(message)
    else:
        opened = _opened(message)
        calls = [{"type": "tool_call", **opened}] if opened.get("from") == "function_call" else []
        yield {"role": "assistant", "content": calls} if calls else opened


def known_part(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of a message with the type and the names that the reader knows."""
    type_ = next((part[key] for key in _TYPE if isinstance(part.get(key), str)), "")
    if not type_ or "toolInvocation" in part:
        for key, named in _PARTS.items():
            if isinstance(inner := as_plain(part.get(key)), Mapping):
                return known_part({**inner, **_mapping(inner.get("origin")), "type": named})
    if not type_:
        kind = "thought" if part.get("thought") else "text" if "text" in part else "without a type"
        return {**part, "type": kind}
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
    if isinstance(answer := turn.get("final_response"), Mapping):
        yield from known_messages({**answer, "role": answer.get("role") or "model"})


def _opened(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message with ``role`` and ``content``, out of what stands around it."""
    inside = dict(message)
    for key in _AROUND:
        if isinstance(inner := as_plain(inside.get(key)), Mapping) and "role" not in inside:
            kind = inside.get("type")
            inside = {**({"type": kind} if _is_role(kind) else {}), **inner}
            named = message.get("id")
            if isinstance(named, list) and named and "type" not in inner:
                role = str(named[-1]).lower().removesuffix("chunk").removesuffix("message")
                inside.setdefault("role", role)
    if isinstance(inner := as_plain(inside.get("content")), Mapping) and "parts" in inner:
        inside = {**inside, **inner, "content": inner["parts"]}  # an event of the ADK; Mastra
        inside.pop("parts")
    inside = {**_mapping(inside.get("additional_kwargs")), **inside}
    if "toolInvocations" in inside:  # the AI SDK
        text = inside.get("content")
        own = text if isinstance(text, list) else [text] if text else []
        calls = _list(inside.pop("toolInvocations"))
        inside["content"] = [*({"toolInvocation": call} for call in calls), *own]
    if inside.get("content") is None and isinstance(blocks := inside.get("blocks"), list):
        inside["content"] = [known_part(block) for block in blocks if isinstance(block, Mapping)]
    if "role" not in inside and not _is_role(inside.get("type")):
        spoken = next((inside[key] for key in ("from", "kind") if key in inside), None)
        if isinstance(spoken, str) and any(key in inside for key in _TEXTS):
            inside["role"] = _SPOKEN.get(spoken, spoken)
    if inside.get("content") is None and not isinstance(inside.get("parts"), list):
        other = next(
            (inside[key] for key in ("value", "text") if inside.get(key) is not None), None
        )
        inside.update({} if other is None else {"content": other})
    return inside


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


# ---------------------------------------------------------------- events


class MessageReader:
    """Reads messages in their order. It keeps the calls of tools, which explain their results."""

    def __init__(self, depth: int = MAX_NESTED) -> None:
        self.depth = depth
        self.calls: dict[str, tuple[str, Runs]] = {}  # by id, and by name: name, what was passed
        self.turn, self.role = 0, "assistant"

    def events(self, message: Mapping[str, Any], place: str) -> Iterator[Event]:
        """The events of the next message. One of a role that is not known is not used.

        Raises:
            InputError: it is of no known shape; the text names the place.
        """
        self.turn += 1
        speaker = ROLES.get(role_of(message) or "")
        if speaker is None:
            yield self._unused(f"{place} is not used: {unknown_role(role_of(message))}")
            return
        self.role = role = speaker
        name, content = _content(message, role, place)
        if role == "tool" and not _has_results(content):
            yield from self._result(message, content, name)
        else:
            parts = content if isinstance(content, list | tuple) else [content]
            for number, part in enumerate(parts):
                yield from self._part(part, name if parts is not content else f"{name}[{number}]")
        if role == "assistant":
            yield from self._calls_beside(message, place)
        yield from self._output("document", grounding_of(message), place)
        if retrieved := message.get("retrieval_context"):  # a turn of DeepEval
            yield from self._output("retrieval_context", retrieved, place)
        for key in _BESIDE:
            if message.get(key):
                yield self._unused(f"{place}.{key} is not used")

    def _unused(self, problem: str) -> Event:
        return Event(self.turn, "assistant", "unused", problem)

    def _part(self, part: Any, place: str) -> Iterator[Event]:
        part = as_plain(part)
        if isinstance(part, str):
            part = {"type": "text", "text": part}
        if not isinstance(part, Mapping):
            raise InputError(f"{place}: must be a mapping or a text, got {type(part).__name__}")
        part = known_part(part)
        type_ = part["type"]
        kind = _kind(type_)
        if type_ in SILENT:
            return
        if type_ in _ASSISTANTS_TEXTS and self.role in ("user", "system"):
            yield self._unused(f"{place} is not used: a part of type {type_!r} is an assistant's")
        elif kind == "text":
            text = part_text(part)
            if text is None:
                raise InputError(f"{place}.text: must be a string")
            role = "system" if type_ == _INSTRUCTIONS and self.role == "user" else self.role
            yield Event(self.turn, role, "text", text)  # type: ignore[arg-type]
        elif type_ in DOCUMENTS and self.role != "assistant":
            yield from self._output("document", [part], place)
        elif kind == "call":
            yield self._call(part)
            if (results := part.get(_CALLS_WITH_RESULTS.get(type_, ""))) is not None:
                yield from self._result(part, results, place)
        elif kind == "result" and (self.role != "assistant" or type_.endswith(_BY_THE_SERVER)):
            payload = next((part[key] for key in _PAYLOADS if part.get(key) is not None), None)
            yield from self._result(part, payload, place)
        else:
            yield self._unused(f"{place} is not used: a part of type {clip(type_, 40)!r}")

    # ------------------------------------------------------------ calls and results

    def _calls_beside(self, message: Mapping[str, Any], place: str) -> Iterator[Event]:
        """The calls that OpenAI's and LangChain's messages have beside their content."""
        for key in ("tool_calls", "function_call"):
            calls = as_plain(message.get(key)) or []
            calls = [calls] if isinstance(calls, Mapping) else calls
            plain = list(map(as_plain, calls)) if isinstance(calls, list | tuple) else [calls]
            if not all(isinstance(call, Mapping) for call in plain):
                raise InputError(f"{place}.{key}: must be a list of calls, each of them a mapping")
            yield from map(self._call, plain)

    def _call(self, call: Mapping[str, Any]) -> Event:
        """A call of a tool. It is kept for the result. In Inspect, ``function`` is its name."""
        inner = next((call[k] for k in ("function", "custom") if call.get(k) is not None), call)
        inner = (
            {"name": inner} if isinstance(inner, str) else as_plain(inner)
        )  # the former: Inspect
        inner = inner if isinstance(inner, Mapping) else {}
        name = inner.get("name")
        tool = name if isinstance(name, str) else str(call.get("type", "")).removesuffix("_call")
        id = next((call[key] for key in _CALL_IDS if call.get(key) is not None), None)
        passed = tool, passed_to({**call, **inner})
        self.calls[f"name {tool}"] = passed
        if id is not None:
            self.calls[f"id {id}"] = passed
        return Event(self.turn, "assistant", "call", tool=tool)

    def _result(self, part: Mapping[str, Any], payload: Any, place: str) -> Iterator[Event]:
        """What a tool returned, without what was passed to it."""
        id = next((str(part[key]) for key in _IDS if part.get(key) is not None), "")
        call = self.calls.get(f"id {id}")
        name = part.get("name") or (call[0] if call else "")
        if not call and (id or not name):
            named = f" {clip(id, 40)!r}" if id else ""
            yield self._unused(f"{place}: a tool result without its call{named}")
        call = call or self.calls.get(f"name {name}")
        passed = call[1] if call else passed_to(part)
        tool = clip(clean_text(str(name or "")), 60)
        yield from self._output(f"tool {tool}".strip(), payload, place, passed)

    def _output(
        self, tool: str, payload: Any, place: str, passed: Runs = frozenset()
    ) -> Iterator[Event]:
        for piece in tool_texts(payload, place):
            if piece.problem:
                yield self._unused(piece.problem)
                continue
            inside = list(self._inside(piece.messages))
            words = runs_of(event.text for event in inside if event.kind == "text")
            new = without_echoes(piece.text, passed, words)
            name = f"{tool}, {clip(piece.title, 60)}" if piece.title else tool
            if is_blank(new) and not is_blank(piece.text):
                problem = "only repeats what was passed to the tool: no evidence"
                yield self._unused(f"{place} {problem}")
            elif new or not piece.messages:
                yield Event(self.turn, "tool", "result", new, name)
            if piece.messages:
                yield self._unused(f"{place}: messages inside of it are no evidence")
            results = (without_echoes(e.text, passed) for e in inside if e.kind == "result")
            yield from (Event(self.turn, "tool", "result", text, name) for text in results)

    def _inside(self, messages: tuple[Mapping[str, Any], ...]) -> Iterator[Event]:
        """The events of messages inside a tool's data, such as a sub-agent's.

        Only what tools returned there can be evidence. What is of no known shape is not.
        """
        if self.depth:
            reader = MessageReader(self.depth - 1)
            for message in (plain for one in messages for plain in known_messages(one)):
                with suppress(InputError):
                    yield from list(reader.events(message, ""))


def _kind(type_: str) -> Kind:
    """What a part of a message is, by its type."""
    if type_ in TEXTS or type_ == _INSTRUCTIONS:
        return "text"
    if type_ not in DOCUMENTS and type_.endswith(RESULTS):
        return "result"
    return "call" if type_.endswith(CALLS) else "unused"


def _content(message: Mapping[str, Any], role: Role, place: str) -> tuple[str, Any]:
    """The content of a message, and its place."""
    for key in _CONTENT:
        content = as_plain(message.get(key))
        if content is None:
            continue
        if role != "tool" and not isinstance(content, str | list | tuple | Mapping):
            kind = type(content).__name__
            raise InputError(f"{place}.{key}: must be a string or a list of parts, got {kind}")
        return f"{place}.{key}", content
    if message.get("role") is None and message.get("type") not in ROLES:
        return place, message  # an item of the Responses API is a part by itself
    if role == "assistant":
        refusal = message.get("refusal")
        return f"{place}.refusal", refusal if isinstance(refusal, str) else []
    if role == "tool":
        return f"{place}.content", None
    raise InputError(f"{place}.content: missing")


def _has_results(content: Any) -> bool:
    """Whether a tool's message consists of results, as OpenTelemetry's and Gemini's do."""
    items = content if isinstance(content, list | tuple) else [content]
    mappings = (item for item in map(as_plain, items) if isinstance(item, Mapping))
    return any(_kind(known_part(item)["type"]) == "result" for item in mappings)
