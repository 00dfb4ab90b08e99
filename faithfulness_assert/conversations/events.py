"""What happens in a conversation: one record for every text, call and result in it.

``shapes.txt`` says what the words and keys of each system mean. A message is brought into one form,
a mapping with ``role`` and ``content``, whatever its system puts around it, and a part has a type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..records.checks import as_mapping, mappings_in
from ..records.errors import ConfigError
from ..text.strings import sections

_SHAPES = sections(__file__.removesuffix("events.py") + "shapes.txt")


def _rows(section: str) -> list[tuple[str, list[str]]]:
    """The rows of a section of ``shapes.txt``, each a name with its words."""
    rows = (line.split(": ") for line in _SHAPES[section].splitlines() if line)
    return [(name, words.split()) for name, words in rows]


KEYS = dict(_rows("keys"))
ROLES, KINDS_OF_MESSAGES, _TYPES, _ENDINGS, TYPES_BY_KEY, BESIDE = (
    {word: name for name, words in _rows(section) for word in words}
    for section in ("roles", "kinds of messages", "types", "endings", "types by key", "beside")
)
OPENTELEMETRY = ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages")
"""The attributes of a span that have messages, in their order."""
MESSAGE_ROLES = ("tool", "user", "last_user", "system")
EVIDENCE_ROLES = ("tool",)
"""Whose messages are evidence, if nothing else is said."""
LOOK = 200
"""Messages that are looked at, to say what a list has."""
_BULLETS = ("-", "*", "•", "#", "|", ">")


class Event(NamedTuple):
    """A text of a message at ``turn`` (from 1), or a call: ``kind`` is text, call, result, unused.

    ``role`` says whose words they are; ``tool`` names what a result is from, such as ``tool
    search`` or ``document, Prices``, and ``passed`` what it was asked for. The text of an
    ``unused`` event says what is not read.
    """

    turn: int
    role: str
    kind: str
    text: str = ""
    tool: str = ""
    passed: str = ""


def kind_of(type_: object) -> str:
    """What a part of this type is: ``text, document, silent, call, result``; "" if not known."""
    word = type_.replace("-", "_") if isinstance(type_, str) else ""
    ends = (kind for end, kind in _ENDINGS.items() if word.endswith(end))
    return _TYPES.get(word) or next(ends, "")


def role_of(message: Any) -> str | None:
    """The role of a message; None if it has none that is a text."""
    if not isinstance(message, Mapping):
        return None
    role, type_ = message.get("role"), message.get("type")
    if role is not None or not isinstance(type_, str):
        return role.strip().lower() if isinstance(role, str) else None
    if type_ in ROLES or type_ == "message":  # LangChain's messages
        return type_
    # An item of the Responses API is a part by itself.
    return {"result": "tool", "call": "assistant", "silent": "assistant"}.get(kind_of(type_))


def joined(texts: Iterable[str]) -> str:
    """The parts of a text, of which a sentence may go over several. Others are paragraphs."""
    said = ""
    for text in texts:
        first = text.lstrip()[:1]
        ends = said[-20:].rstrip("\"'”’»)] ").endswith((".", "!", "?", "。", ":"))
        if said[-1:].isspace() or text[:1].isspace():
            said += text
        elif not said or ends or first.isupper() or first in _BULLETS:
            said += f"\n\n{text}" if said else text
        else:  # scripts without capital letters have no spaces either
            said += f" {text}" if first.islower() or first.isdigit() else text
    return said


def check_evidence_roles(value: object) -> tuple[str, ...]:
    """``value`` as roles whose messages are evidence; None: the default.

    Raises:
        ConfigError: it is not a list of ``MESSAGE_ROLES``.
    """
    if value is None:
        return EVIDENCE_ROLES
    roles = (value,) if isinstance(value, str) else value
    if not isinstance(roles, list | tuple) or not set(map(str, roles)) <= set(MESSAGE_ROLES):
        names = ", ".join(MESSAGE_ROLES)
        raise ConfigError(f"evidence_roles: must be a list of {names}, got {value!r:.80}")
    return tuple(map(str, roles))


def known_messages(message: Any) -> Iterator[Any]:
    """One message of any system as messages with ``role`` and ``content``; what is none, as it is.

    Of a turn of an eval case of the ADK there are several: the question, calls, results, an answer.
    """
    if not isinstance(message, Mapping):
        yield message
    elif isinstance(message.get("user_content"), Mapping):
        between = as_mapping(message.get("intermediate_data"))
        calls = [{"function_call": call} for call in mappings_in(between.get("tool_uses"))]
        results = [{"function_response": one} for one in mappings_in(between.get("tool_responses"))]
        yield from known_messages({**message["user_content"], "role": "user"})
        yield from ({"role": r, "parts": p} for r, p in (("model", calls), ("user", results)) if p)
        for event in mappings_in(between.get("invocation_events")):
            yield from known_messages(event)
        if isinstance(answer := message.get("final_response"), Mapping):
            yield from known_messages({**answer, "role": answer.get("role") or "model"})
    elif message.get("from") == "function_call":  # ShareGPT
        yield {"role": "assistant", "content": [{**message, "type": "tool_call"}]}
    elif message.get("content") is not None or message.keys().isdisjoint(KEYS["of an event"]):
        yield _opened(message)


def is_conversation(value: Any) -> bool:
    """Whether a value is a list of messages: each says whose it is, and one whom we know."""
    items = value[:LOOK] if isinstance(value, list) else []
    roles = [role_of(message) for item in items for message in known_messages(item)]
    return all(roles) and not ROLES.keys().isdisjoint(roles)


def _opened(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message out of what stands around it."""
    inside = dict(message)
    for key in KEYS["around"]:
        inner = inside.get(key)
        if isinstance(inner, Mapping) and (
            "parts" in inner if key == "content" else "role" not in inside
        ):
            inside = {**inside, key: None, **inner}
    for key in KEYS["merged"]:
        inside = {**as_mapping(inside.get(key)), **inside}
    content = inside.get("content")
    if content is None and not isinstance(inside.get("parts"), list):
        content = key_at(inside, "text")
        if content is not None and content is inside.get("blocks"):  # also in what a tool returned
            content = list(map(known_part, content if isinstance(content, list) else ()))
    if "role" not in inside and str(inside.get("type")) not in ROLES:
        spoken = key_at(inside, "speaker")
        if isinstance(spoken, str) and (content is not None or "parts" in inside):
            inside["role"] = KINDS_OF_MESSAGES.get(spoken, spoken)
    return inside if content is None else {**inside, "content": content}


def known_part(part: Any) -> Mapping[str, Any]:
    """A part of a message with its type; "" for what is none."""
    if not isinstance(part, Mapping):
        return {"type": "text", "text": part} if isinstance(part, str) else {"type": ""}
    type_ = next((part[key] for key in KEYS["type"] if isinstance(part.get(key), str)), "")
    if not type_ or "toolInvocation" in part:
        for key, named in TYPES_BY_KEY.items():
            if isinstance(inner := part.get(key), Mapping):
                return {**inner, **as_mapping(inner.get("origin")), "type": named}
    if not type_:
        type_ = "thought" if part.get("thought") else "text" if "text" in part else "without a type"
    word = type_.replace("-", "_")
    is_typed = word.startswith("tool_") and word != "tool_result"
    if is_typed and "toolCallId" in part and "output" in part:  # the AI SDK: ``tool-search``
        part, word = {"name": word.removeprefix("tool_"), **part}, "dynamic_tool"
    return {**part, "type": word}


def key_at(part: Mapping[str, Any], name: str) -> Any:
    """What a message or a part has under the first of the keys with this meaning."""
    return next((part[key] for key in KEYS[name] if part.get(key) is not None), None)
