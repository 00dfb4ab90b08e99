"""What happens in a conversation: one record for every text, call and result in it.

``shapes.txt`` says what the words and keys of each system mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from ..records.errors import ConfigError
from ..text.strings import sections

Kind = Literal["text", "call", "result", "unused"]

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
_BULLETS = ("-", "*", "•", "#", "|", ">")


class Event(NamedTuple):
    """A text of a message at ``turn`` (from 1), or a call.

    ``role`` says whose words they are; ``tool`` names what a result is from, such as ``tool
    search`` or ``document, Prices``, and ``passed`` what it was asked for. The text of an
    ``unused`` event says what is not read.
    """

    turn: int
    role: str
    kind: Kind
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
        never = "; what the assistant says is never evidence" if "assistant" in str(value) else ""
        raise ConfigError(f"evidence_roles: must be a list of {names}, got {value!r:.80}{never}")
    return tuple(map(str, roles))
