"""Values as other systems write them: chat messages and documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...cases.fields import CASE_ALIASES

_QUESTION = {"question", *CASE_ALIASES["question"]}
_CONTEXT = {"context", *CASE_ALIASES["context"]}
_ASKERS = ("user", "human")
_TELLERS = ("assistant", "ai")


def field_value(name: str, value: Any) -> Any:
    """The value of a field of a case. What is of no known form stays as it is."""
    if name == "messages":
        return value
    if name in _CONTEXT:
        return [_passage(item) for item in value] if isinstance(value, list) else _passage(value)
    if isinstance(value, Mapping | list):
        if name in _QUESTION:  # a question may be missing, so one of unknown form is left out
            return _message_text(value, _ASKERS)
        text = _message_text(value, _TELLERS)
        return value if text is None else text
    return value


def _message_text(value: Any, roles: tuple[str, ...]) -> str | None:
    """The text of a chat message, or of the last one in a list that has one of these roles."""
    if isinstance(value, Mapping):
        content = value.get("content")
        if isinstance(content, list):  # parts: {"type": "text", "text": ...}
            parts = [part.get("text") for part in content if isinstance(part, Mapping)]
            return "\n".join(part for part in parts if isinstance(part, str)) or None
        return content if isinstance(content, str) else None
    messages = [m for m in value if isinstance(m, Mapping)]
    own = [m for m in messages if str(m.get("role", m.get("type", ""))).lower() in roles]
    return _message_text(own[-1], roles) if own else None


def _passage(item: Any) -> Any:
    """A document of LangChain or OpenInference as a passage."""
    if not isinstance(item, Mapping):
        return item
    if isinstance(kwargs := item.get("kwargs"), Mapping):  # LangChain, serialized
        return _passage(kwargs)
    document = item.get("document")
    flat = {k.removeprefix("document."): v for k, v in item.items() if k.startswith("document.")}
    found = document if isinstance(document, Mapping) else flat or item
    text = found.get("content", found.get("page_content"))
    if not isinstance(text, str):
        return item
    id = found.get("id")
    return {"text": text} if id is None else {"text": text, "id": id}
