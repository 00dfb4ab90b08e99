"""What a tool returned, as texts: content blocks, documents, and JSON data, line by line.

What it gives back of what the assistant passed to it are the assistant's words, and no evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..records.checks import as_mapping, mappings_in
from ..records.errors import InputError
from ..text.strings import clip, is_blank, one_line, parse_json, words_in
from .events import KEYS, KINDS_OF_MESSAGES, ROLES, is_conversation, kind_of
from .plain_data import MAX_DEPTH

_TEXTS = ("content", "parts", "blocks", "text", "tool_calls", "toolInvocations")
_SAID: Mapping[str, tuple[Iterable[str], Sequence[str]]] = {
    "role": (ROLES, _TEXTS),
    "type": (("ai", "human"), _TEXTS),  # LangChain
    "kind": (KINDS_OF_MESSAGES, ("parts",)),  # pydantic-ai
    "from": (("human", "gpt", "function_call"), ("value",)),  # ShareGPT
}
"""Who speaks in a message, by the key that says it, and where the text stands beside it."""
_MAX_NAME = 80


class ToolText(NamedTuple):
    """A text of a tool's output, with the title of its document.

    ``problem`` says why a part is not read. ``messages`` are those that the data contains: what
    somebody said in them is not in the text.
    """

    text: str
    title: str = ""
    problem: str = ""
    messages: tuple[Mapping[str, Any], ...] = ()


def part_text(part: Mapping[str, Any]) -> str | None:
    """The text of a part that is one; None if it is none."""
    texts = (part.get(key) for key in ("text", "content", "refusal"))
    return next((text for text in texts if isinstance(text, str)), None)


def tool_texts(payload: Any, place: str) -> Iterator[ToolText]:
    """The texts of a tool's output.

    Raises:
        InputError: it is nested too deeply.
    """
    if isinstance(payload, Mapping) and not payload.keys() - KEYS["around an output"]:
        payload = payload.get("content") or payload
    elif isinstance(payload, Mapping) and payload.keys() == {"type", "value"}:  # the AI SDK
        payload = payload["value"]
    items = payload if isinstance(payload, list) else [] if payload is None else [payload]
    if any(item.keys() == {"json"} for item in mappings_in(items)):  # Bedrock
        payload = items = [one.get("json", {"type": "text", **one}) for one in mappings_in(items)]
    if not any(map(_kind, items)) and not all(isinstance(item, str) for item in items):
        items = [payload]
    for item in items:
        kind = _kind(item)
        if kind in ("text", ""):
            yield as_lines(part_text(item) if kind else item, place)
        elif kind == "document":
            yield _document(item, place)
        elif kind != "silent":
            what = f"{place}: a part of type {clip(item['type'], 40)!r}"
            own = "by an assistant is no evidence" if kind == "call" else "is not read"
            yield ToolText("", problem=f"{what} {own}")


def _kind(item: Any) -> str:
    """What a block of content in an output is; "" for the tool's own data."""
    type_ = item.get("type") if isinstance(item, Mapping) else None
    if not isinstance(type_, str):
        return ""
    kind = kind_of(type_) or "media" * any(word in type_ for word in KEYS["media"])
    if kind == "text":
        return kind if part_text(item) is not None else ""
    if kind == "document" and isinstance(item.get("text"), str):
        return ""
    if kind == "silent" or any(item.get(key) is not None for key in KEYS.get(f"a {kind} at", ())):
        return kind
    return "media" if "encrypted_content" in item else ""


def _document(item: Mapping[str, Any], place: str) -> ToolText:
    """A document or a search result of Anthropic's."""
    source, content = item.get("source"), item.get("content")
    inside = as_mapping(source)
    if content is None and inside.get("type") in ("text", "content"):
        content = inside.get("data") or inside.get("content")
    title = item.get("title") or (source if isinstance(source, str) else "")
    parts = content if isinstance(content, list) else [content]
    pieces = [part if isinstance(part, str) else part_text(as_mapping(part)) for part in parts]
    texts = [text for text in (item.get("context"), *pieces) if isinstance(text, str)]
    if all(text is None for text in pieces):
        return ToolText("", problem=f"{place}: a {item['type']} without a text is not read")
    return ToolText("\n\n".join(texts), str(title))


# ---------------------------------------------------------------- data


def as_lines(value: Any, place: str = "") -> ToolText:
    """A text as it is; JSON data, also as a text, with a line for each value.

    Such as ``rooms[1].price: 120``. Numbers in a JSON text stay as they are written. Messages in
    the data are left out.

    Raises:
        InputError: data (not text) that is nested more than ``MAX_DEPTH`` deep.
    """
    data, messages = _opened(value, ""), list[Mapping[str, Any]]()
    if isinstance(data, str):
        return ToolText(data)
    try:
        lines = list(_lines(data, "", MAX_DEPTH, messages))
    except ValueError:
        if isinstance(value, str):
            return ToolText(value)
        problem = f"nested more than {MAX_DEPTH} deep; give it as JSON text"
        raise InputError(f"{place}: {problem}") from None
    return ToolText("\n\n".join(lines), messages=tuple(messages))  # a blank line ends a sentence


def _opened(value: Any, has: str = '"role"') -> Any:
    """A JSON text as its data, with its numbers as they are written; else the value.

    ``has``: what it must have in it, such as a key of messages.
    """
    if isinstance(value, str) and has in value and value.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            return parse_json(value, parse_int=str, parse_float=str, parse_constant=str)
    return value


def _lines(value: Any, name: str, depth: int, messages: list[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each value, with the names that lead to it. Messages go into ``messages``.

    Raises:
        ValueError: it is nested too deeply.
    """
    if not depth:
        raise ValueError("nested too deeply")
    if isinstance(value, Mapping) and is_message(value):
        messages.append(value)
    elif isinstance(value, Mapping) and value:
        for key, item in value.items():
            word = one_line(str(key))
            if len(word) > _MAX_NAME:
                yield word
            item = _opened(item)
            if key in KEYS["messages inside"] and is_conversation(item):
                messages += item
            else:
                yield from _lines(item, _path(name, f".{word}"), depth - 1, messages)
    elif isinstance(value, list) and any(isinstance(_opened(i), list | Mapping) for i in value):
        for number, item in enumerate(value, 1):
            yield from _lines(_opened(item), _path(name, f"[{number}]"), depth - 1, messages)
    else:
        items = value if value and isinstance(value, list) else [value]
        text = ", ".join(map(_shown, items))
        yield f"{name}: {text}" if name and not is_blank(name) else text


def is_message(item: Mapping[str, Any]) -> bool:
    """Whether an object in data is what somebody said, such as a sub-agent."""
    return any(
        str(item.get(key)).strip().lower() in speakers and any(text in item for text in texts)
        for key, (speakers, texts) in _SAID.items()
    )


def _path(name: str, more: str) -> str:
    """A name of limited length, so that deep data does not become much longer than it is."""
    path = f"{name}{more}".removeprefix(".")
    return path if len(path) <= _MAX_NAME else f"…{path[1 - _MAX_NAME :]}"


def _shown(value: Any) -> str:
    """A value that has no others in it, as JSON has it; a text and a number as they are."""
    return json.dumps(value) if isinstance(value, bool | list | Mapping | None) else str(value)


# ---------------------------------------------------------------- echoes

Runs = frozenset[tuple[str, ...]]

MIN_WORDS = 4
"""Fewer words that come back, such as the name of a town, are no claim."""
MAX_PREFIX = 6
"""Words of the tool's own before what it gives back, such as ``OK, NOTE STORED:``."""

_NAMED = re.compile(r"^\S{1,80}: ")  # a value of JSON data, see as_lines
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*(?=\S)")


class Passed(NamedTuple):
    """What an assistant passed to a tool. It is never evidence.

    ``shown`` has what is too short for a claim: of which town a tool tells the weather.
    """

    runs: Runs = frozenset()
    shown: str = ""


def passed_in(call: Mapping[str, Any]) -> Passed:
    """What is passed to a tool in a call of it."""
    texts = list[str]()
    for value in (call[key] for key in KEYS["passed"] if call.get(key) is not None):
        with suppress(InputError):  # too deep
            texts.append(as_lines(value).text)
    lines = (line for text in texts for line in text.splitlines())
    short = (line for line in lines if 0 < len(words_in(_NAMED.sub("", line))) < MIN_WORDS)
    return Passed(runs_of(texts), ", ".join(short))


def runs_of(texts: Iterable[str]) -> Runs:
    """All runs of ``MIN_WORDS`` words in these texts."""
    return frozenset(run for text in texts for run in _runs(words_in(text)))


def without_echoes(text: str, *passed: Runs) -> str:
    """A tool's output, without the lines and sentences that only give back what was ``passed``.

    These are the ones of which each run of words was passed, apart from a short prefix without a
    number.
    """
    if not any(passed):
        return text

    def is_echo(text: str) -> bool:
        words = words_in(text)
        runs = list(_runs(words))
        at = len(runs)
        while at and any(runs[at - 1] in some for some in passed):  # most texts end here
            at -= 1
        own = "".join(words[:at])  # what is before the runs that were passed
        return at < len(runs) and at <= MAX_PREFIX and not any(map(str.isdigit, own))

    def new(line: str) -> str:
        if is_echo(line) or is_echo(_NAMED.sub("", line)):
            return ""
        sentences = _SENTENCE_END.split(line)
        own = [sentence for sentence in sentences if not is_echo(sentence)]
        return line if len(own) == len(sentences) else " ".join(own)

    lines = text.splitlines(keepends=True)
    left = [new(line) for line in lines]
    return text if left == lines else "".join(left).strip()


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(MIN_WORDS)), strict=False)
