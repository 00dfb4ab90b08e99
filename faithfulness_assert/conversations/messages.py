"""One message of any system as events.

Of a part, ``shapes.txt`` says by its type what it is, and where its id, its name and its texts
stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..records.checks import as_mapping, mappings_in
from ..records.errors import InputError
from ..text.strings import clip, is_blank, names_of
from .events import BESIDE, KEYS, ROLES, Event, key_at, kind_of, known_messages, known_part, role_of
from .tool_data import Passed, part_text, passed_in, runs_of, tool_texts, without_echoes

MAX_NESTED = 5
"""Conversations inside of each other, such as those of agents that ask agents."""
NOTHING = Passed()
_BY_THE_SERVER = ("_tool_result", "server_tool_call_response")  # results in an assistant's message


class MessageReader:
    """Reads messages in their order. It keeps the calls of tools, which explain their results."""

    def __init__(self, depth: int = MAX_NESTED) -> None:
        self.depth = depth
        self.calls: dict[str, tuple[str, Passed]] = {}  # by id, and by name: name, what was passed
        self.turn = 0
        self.role = "assistant"

    def events(self, message: Any, place: str) -> Iterator[Event]:
        """The events of the next message. One of a role that is not known is not used.

        Raises:
            InputError: it is of no known shape; the text names the place.
        """
        self.turn += 1
        if not isinstance(message, Mapping):
            kind = type(message).__name__
            raise InputError(f"{place}: must be a mapping with role and content, got {kind}")
        if (role := role_of(message)) is None:
            keys = names_of(message)
            raise InputError(f"{place}.role: missing, or not a text; the message has {keys}")
        if (speaker := ROLES.get(role)) is None:
            yield self._unused(f"{place} is not used: {unknown_role(role)}")
            return
        self.role = speaker
        name, content = _content(message, speaker, place)
        parts = content if isinstance(content, list) else [content]
        types = [kind_of(known_part(part)["type"]) for part in parts]
        if speaker == "tool" and "result" not in types:
            yield from self._result(message, content, name)
        else:
            for number, part in enumerate(parts):
                yield from self._part(part, f"{name}[{number}]" if parts is content else name)
        for key in filter(message.get, BESIDE):
            yield from self._beside(BESIDE[key], message[key], f"{place}.{key}")

    def _beside(self, type_: str, given: Any, place: str) -> Iterator[Event]:
        """What a message has beside its content, as parts of this type."""
        items = mappings_in(given if isinstance(given, list) else [given])
        if type_ == "retrieved":  # by a turn of DeepEval
            yield from self._output("retrieval_context", given, place)
        elif type_ == "chunks":
            yield from self._output("document", _documents(items), place)
        elif type_ == "unread" or not items:
            yield self._unused(f"{place} is not used")
        else:
            for item in items:
                yield from self._part({**item, "type": type_}, place)

    def _unused(self, problem: str) -> Event:
        return Event(self.turn, "assistant", "unused", problem)

    def _part(self, given: Any, place: str) -> Iterator[Event]:
        part = known_part(given)
        type_, kind = part["type"], kind_of(part["type"])
        if not type_:
            raise InputError(f"{place}: must be a mapping or a text, got {type(given).__name__}")
        if kind == "text":
            text = part_text(part)
            if text is None:
                raise InputError(f"{place}.text: must be a string")
            is_system = type_ == "system_prompt" and self.role == "user"  # of pydantic-ai
            yield Event(self.turn, "system" if is_system else self.role, "text", text)
        elif kind == "document" and self.role != "assistant":
            yield from self._output("document", [part], place)
        elif kind == "call":
            yield self._call(part)
            if type_ in KEYS["finished"] and (returned := key_at(part, "inline")) is not None:
                yield from self._result(part, returned, place)
        elif kind == "result" and (self.role != "assistant" or type_.endswith(_BY_THE_SERVER)):
            yield from self._result(part, key_at(part, "returned"), place)
        elif kind != "silent":
            yield self._unused(f"{place} is not used: a part of type {clip(type_, 40)!r}")

    def _call(self, call: Mapping[str, Any]) -> Event:
        """A call of a tool. It is kept for the result. In Inspect, ``function`` is its name."""
        inner = next((call[k] for k in ("function", "custom") if call.get(k) is not None), call)
        inner = {"name": inner} if isinstance(inner, str) else as_mapping(inner)
        name = key_at(inner, "name")
        tool = name if isinstance(name, str) else str(call.get("type", "")).removesuffix("_call")
        passed = tool, passed_in({**call, **inner})
        self.calls[f"name {tool}"] = passed
        if (id := key_at(call, "id")) is not None:
            self.calls[f"id {id}"] = passed
        return Event(self.turn, "assistant", "call", tool=tool)

    def _result(self, part: Mapping[str, Any], payload: Any, place: str) -> Iterator[Event]:
        """What a tool returned, without what was passed to it."""
        id = "" if (given := key_at(part, "id")) is None else str(given)
        call = self.calls.get(f"id {id}")
        name = key_at(part, "name") or (call[0] if call else "")
        if not call and (id or not name):
            named = f" {clip(id, 40)!r}" if id else ""
            yield self._unused(f"{place}: a tool result without its call{named}")
        call = call or self.calls.get(f"name {name}") or ("", passed_in(part))
        tool = clip(str(name or ""), 60)
        yield from self._output(f"tool {tool}".strip(), payload, place, call[1])

    def _output(
        self, tool: str, payload: Any, place: str, passed: Passed = NOTHING
    ) -> Iterator[Event]:
        for piece in tool_texts(payload, place):
            if piece.problem:
                yield self._unused(piece.problem)
                continue
            inside, reader = list[Event](), MessageReader(self.depth - 1)
            for one in piece.messages if self.depth else ():  # such as a sub-agent's
                for message in known_messages(one):
                    with suppress(InputError):
                        inside += list(reader.events(message, ""))
            words = runs_of(event.text for event in inside if event.kind == "text")
            new = without_echoes(piece.text, passed.runs, words)
            name = f"{tool}, {clip(piece.title, 60)}" if piece.title else tool
            if is_blank(new) and not is_blank(piece.text):
                problem = "only repeats what was passed to the tool: no evidence"
                yield self._unused(f"{place} {problem}")
            elif new or not piece.messages:
                yield Event(self.turn, "tool", "result", new, name, passed.shown)
            if piece.messages:
                yield self._unused(f"{place}: messages inside of it are no evidence")
            results = (without_echoes(e.text, passed.runs) for e in inside if e.kind == "result")
            yield from (Event(self.turn, "tool", "result", text, name) for text in results)


def unknown_role(role: str | None) -> str:
    """What is wrong with the role of a message."""
    roles = "assistant, user, tool, system and developer"
    return f"unknown role {clip(role or '', 40)!r}; known are {roles}"


def _content(message: Mapping[str, Any], role: str, place: str) -> tuple[str, Any]:
    """The content of a message, and its place. Gemini has parts."""
    key = "parts" if message.get("content") is None and message.get("parts") else "content"
    content, inside = message.get(key), f"{place}.{key}"
    if content is None and message.get("role") is None and str(message.get("type")) not in ROLES:
        return place, message  # an item of the Responses API is a part by itself
    if content is None and role in ("user", "system"):
        raise InputError(f"{inside}: missing")
    if role != "tool" and not isinstance(content, str | list | Mapping | None):
        kind = type(content).__name__
        raise InputError(f"{inside}: must be a string or a list of parts, got {kind}")
    if content is None and role == "assistant":
        content = message.get("refusal") or []
    return inside, content


def _documents(chunks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The documents that Gemini says it used, as parts. Pages of the web have no text."""
    inside = [as_mapping(one) for chunk in chunks for one in chunk.values()]
    return [
        {**one, "type": "document", "source": True, "content": one.get("text"), "text": None}
        for one in inside
    ]
