"""What happens in a conversation: one record for every text, call and result in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

from ..records.errors import ConfigError
from ..text.strings import clip, sections

Role = Literal["assistant", "user", "system", "tool"]
Kind = Literal["text", "call", "result", "unused"]

SHAPES = sections(__file__.removesuffix("events.py") + "shapes.txt")


def meanings(section: str) -> dict[str, str]:
    """What the words in a section of ``shapes.txt`` mean."""
    lines = (line.split(": ") for line in SHAPES[section].splitlines() if line)
    return {word: meaning for meaning, words in lines for word in words.split()}


ROLES = cast("dict[str, Role]", meanings("roles"))
SPEAKERS = ROLES.keys() | {"function_call"}
"""Who may speak in a list of messages; a call is of ShareGPT."""
CALLS = ("_call", "_use")
"""How types of calls end: OpenAI, OpenTelemetry; Anthropic."""
RESULTS = ("_result", "_output", "_response")
"""How types of results end: Anthropic; OpenAI; OpenTelemetry, Gemini."""
SILENT = tuple(SHAPES["silent"].split())
OPENTELEMETRY = ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages")
"""The attributes of a span that have messages, in their order."""
MESSAGE_ROLES = ("tool", "user", "last_user", "system")
EVIDENCE_ROLES = ("tool",)
"""Whose messages are evidence, if nothing else is said."""


class Event(NamedTuple):
    """A text of a message at ``turn`` (from 1), or a call.

    ``role`` says whose words they are; ``tool`` names what a result is from, such as ``tool
    search`` or ``document, Prices``. The text of an ``unused`` event says what is not read.
    """

    turn: int
    role: Role
    kind: Kind
    text: str = ""
    tool: str = ""


def role_of(message: Any) -> str | None:
    """The role of a message; None if it has none that is a text."""
    if not isinstance(message, Mapping):
        return None
    role = message.get("role")
    kind = message.get("type")
    if role is None and isinstance(kind, str):  # LangChain's messages; items of the Responses API
        if kind in ROLES or kind == "message":
            return kind
        if kind.endswith(RESULTS):
            return "tool"
        return "assistant" if kind.endswith(CALLS) or kind in SILENT else None
    return role.strip().lower() if isinstance(role, str) else None


def unknown_role(role: str | None) -> str:
    """What is wrong with the role of a message."""
    roles = "assistant, user, tool, system and developer"
    return f"unknown role {clip(role or '', 40)!r}; known are {roles}"


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
        never = "; what the assistant says is never evidence" if "assistant" in str(value) else ""
        raise ConfigError(f"evidence_roles: must be a list of {names}, got {value!r:.80}{never}")
    return tuple(map(str, roles))
