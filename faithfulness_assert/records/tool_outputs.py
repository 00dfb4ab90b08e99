"""What a tool returned, as texts: content blocks, documents, and JSON data, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..text.strings import clip, is_blank, one_line
from .errors import InputError

TEXTS = ("text", "input_text", "output_text", "refusal")
"""Types of parts that are texts."""
KEPT_OUT = ("thinking", "redacted_thinking", "reasoning", "reasoning_content", "thought")
"""Types of parts with an assistant's reasoning: neither answer nor evidence."""
CALLS = ("_call", "_use")
"""How the types of calls end."""
ASSISTANT = ("assistant", "ai", "model")
"""Roles of an assistant."""
MAX_DEPTH = 50
"""Lists and mappings inside each other."""

_DOCUMENTS = ("document", "search_result")
_MEDIA = ("image", "audio", "video", "file", "blob", "uri", "screenshot", "binary", "media")
_MCP = {"content", "structuredContent", "isError", "_meta"}  # Model Context Protocol
_MAX_NAME = 80


class _TooDeepError(ValueError):
    pass


def as_plain(value: Any) -> Any:
    """A pydantic model, such as a message of a client, as a mapping; an array as a list."""
    if isinstance(value, str | list | Mapping | None):
        return value
    for way in ("model_dump", "tolist"):
        if callable(convert := getattr(value, way, None)):
            return convert()
    return value


def part_text(part: Mapping[str, Any]) -> str | None:
    """The text of a part that is one; None if it is none."""
    texts = (part.get(key) for key in ("text", "content", "refusal"))
    return next((text for text in texts if isinstance(text, str)), None)


def output_texts(payload: Any, place: str) -> Iterator[tuple[str, str | None]]:
    """The texts of a tool's output, each with the title of its document.

    A part that cannot be read is a note in place of the title, and None.

    Raises:
        InputError: it is nested too deeply.
    """
    payload = as_plain(payload)
    if isinstance(payload, Mapping) and payload.keys() <= _MCP and payload.get("content"):
        payload = payload["content"]
    items = [as_plain(item) for item in payload] if isinstance(payload, list | tuple) else [payload]
    of_texts = isinstance(payload, list | tuple) and all(isinstance(item, str) for item in items)
    if not of_texts and not any(_is_part(item) for item in items):
        if payload is not None:
            yield "", readable(payload, place)
        return
    for item in items:
        yield from _item_texts(item, place)


def _is_part(item: Any) -> bool:
    """Whether an item of an output is a block of content, and not the tool's own data."""
    if not isinstance(item, Mapping) or not isinstance(kind := item.get("type"), str):
        return False
    if kind in TEXTS:
        return part_text(item) is not None
    if kind == "search_result" or (kind == "document" and not isinstance(item.get("text"), str)):
        return bool(item.get("source") or item.get("content"))
    return kind in KEPT_OUT or _is_assistants(item) or _is_media(item, kind)


def _is_assistants(item: Mapping[str, Any]) -> bool:
    """Whether a block is a call of a tool, or an assistant's message, such as a sub-agent's."""
    if str(item["type"]).endswith(CALLS):
        return any(key in item for key in ("arguments", "input", "function"))
    role = item.get("role")
    return isinstance(role, str) and role.strip().lower() in ASSISTANT and "content" in item


def _is_media(item: Mapping[str, Any], kind: str) -> bool:
    keys = ("source", "image_url", "data", "file", "file_id", "uri", "url", "input_audio", "blob")
    media = any(word in kind for word in _MEDIA) and any(item.get(key) for key in keys)
    return media or "encrypted_content" in item


def _item_texts(item: Any, place: str) -> Iterator[tuple[str, str | None]]:
    if not _is_part(item):
        yield "", readable(item, place)
        return
    kind = item["type"]
    if kind in KEPT_OUT:
        return
    if _is_assistants(item):
        what = f"a part of type {clip(kind, 40)!r} by an assistant is no evidence"
        yield f"{place}: {what}", None
    elif kind in TEXTS:
        yield "", readable(part_text(item), place)
    elif kind in _DOCUMENTS:
        yield from _document(item, place)
    else:
        yield f"{place}: a part of type {clip(kind, 40)!r} is not read", None


def _document(item: Mapping[str, Any], place: str) -> Iterator[tuple[str, str | None]]:
    """A document or a search result of Anthropic's."""
    source = as_plain(item.get("source"))
    content = item.get("content")
    if content is None and isinstance(source, Mapping):
        text_kind = source.get("type") in ("text", "content")
        content = source.get("data") or source.get("content") if text_kind else None
    title = item.get("title") or (source if isinstance(source, str) else "")
    parts = content if isinstance(content, list | tuple) else [content]
    found = [part if isinstance(part, str) else part_text(as_plain(part) or {}) for part in parts]
    texts = [text for text in (item.get("context"), *found) if isinstance(text, str)]
    if all(text is None for text in found):
        yield f"{place}: a {item['type']} without a text is not read", None
    else:
        yield str(title), "\n\n".join(texts)


# ---------------------------------------------------------------- data


def readable(value: Any, place: str = "") -> str:
    """A text as it is; JSON data, also as a text, with a line for each value.

    Such as ``rooms[1].price: 120``. Numbers in a JSON text stay as they are written.

    Raises:
        InputError: data (not text) that is nested more than ``MAX_DEPTH`` deep.
    """
    if isinstance(value, str):
        return _of_text(value)
    try:
        return _joined(value)
    except _TooDeepError:
        problem = f"nested more than {MAX_DEPTH} deep; give it as JSON text"
        raise InputError(f"{place}: {problem}") from None


def _of_text(text: str) -> str:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        pairs = json.loads(
            text,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
            object_pairs_hook=_Pairs,
        )
        return _joined(pairs)
    except (ValueError, RecursionError):
        return text


def _joined(value: Any) -> str:
    return "\n\n".join(_lines(value, "", MAX_DEPTH))  # a blank line ends a sentence


class _Pairs(list[tuple[str, Any]]):
    """The names and values of an object; a name may be there twice."""


def _lines(value: Any, name: str, depth: int) -> Iterator[str]:
    """A line for each value, with the names that lead to it."""
    if isinstance(value, Mapping):
        value = _Pairs(value.items())
    if not depth:
        raise _TooDeepError
    if not isinstance(value, list | tuple) or not value:
        yield _line(name, _shown(value))
    elif isinstance(value, _Pairs):
        for key, item in value:
            word = one_line(str(key))
            if len(word) > _MAX_NAME:
                yield word
            yield from _lines(as_plain(item), _path(name, f".{word}"), depth - 1)
    elif not any(isinstance(item, list | tuple | Mapping) for item in value):
        yield _line(name, ", ".join(map(_shown, value)))
    else:
        for number, item in enumerate(value, 1):
            yield from _lines(as_plain(item), _path(name, f"[{number}]"), depth - 1)


def _path(name: str, more: str) -> str:
    """A name of limited length, so that deep data does not become much longer than it is."""
    path = f"{name}{more}".removeprefix(".")
    return path if len(path) <= _MAX_NAME else f"…{path[1 - _MAX_NAME :]}"


def _line(name: str, text: str) -> str:
    return f"{name}: {text}" if name and not is_blank(name) else text


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "{}" if isinstance(value, _Pairs) else "[]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
