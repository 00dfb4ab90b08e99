"""A conversation as a case: which of its texts are the answer, the question and the context.

Messages have the shapes of OpenAI (chat and responses), Anthropic or OpenTelemetry. Each is read
into the texts that it contains, with who said them. From these:

- the answer is the text of the last assistant message; nothing after it counts;
- the question is the text of the last user message before it;
- passages are tool results and documents, what users stated in earlier messages, and with
  ``evidence_roles`` also the last user message or system messages.

What an assistant wrote (text, reasoning, the arguments of a call) is never in a passage. What is
not used and could have been meant as evidence is told in ``notes``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..text.strings import clip, is_blank, names_of
from .errors import InputError
from .message_parts import ROLES, Call, MessageReader, Who, role_of
from .tool_outputs import KEPT_OUT, as_plain
from .user_statements import stated

MAX_NOTES = 20
"""Notes that are listed. Of more, only the number is told."""

_OUTPUT = "gen_ai.output.messages"
_OTEL = {
    "gen_ai.system_instructions": "system",
    "gen_ai.input.messages": "",
    _OUTPUT: "",
}


class Conversation(NamedTuple):
    """What a list of messages contains.

    ``passages`` are pairs of a name, such as ``turn 3, tool search``, and a text. ``notes`` tell
    what was not used.
    """

    answer: str | None
    question: str
    passages: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


class Found(NamedTuple):
    """A text of a message: at ``turn`` (from 1), by whom. ``what`` goes into a passage's name."""

    turn: int
    who: Who
    what: str
    text: str


def read_messages(
    value: object,
    evidence_roles: Sequence[str],
    *,
    has_answer: bool = False,
    has_context: bool = False,
) -> Conversation:
    """Answer, question and passages of a conversation.

    Args:
        value: a list of messages, its JSON text, or a mapping with ``messages`` (and ``system``),
            or with OpenTelemetry's ``gen_ai.input.messages`` and ``gen_ai.output.messages``.
        evidence_roles: what passages come from: ``tool``, ``user``, ``last_user``, ``system``.
        has_answer: whether the answer is given apart. It then comes after all messages.
        has_context: whether passages are given apart. Then none are missed in the messages.

    Raises:
        InputError: there is no answer in it, or a message is of no known shape; the text names the
            place, such as ``messages[3].content``.
    """
    messages = _messages(value, has_answer)
    if not messages and not has_answer:  # before a first answer, there may be no messages
        raise InputError("messages: the list is empty")
    found = list(_found(messages))
    answer, end = (None, len(messages)) if has_answer else _answer(found, messages)
    before = [text for text in found if text.turn <= end]
    asked = max((text.turn for text in before if text.who == "user"), default=0)
    question = _joined(t.text for t in before if t.who == "user" and t.turn == asked)
    passages = tuple(_named(_evidence(before, asked, evidence_roles)))
    notes = [text.text for text in found if text.who == "note"]
    if any(text.turn > end and text.who != "note" for text in found):
        notes.append(f"messages[{end}] and later are not used: they come after the answer")
    if not passages and before and not has_context:
        notes.append(_no_evidence(evidence_roles))
    return Conversation(answer, question, passages, _short(notes))


def end_with_assistant(value: object) -> bool:
    """Whether the last message is an assistant's.

    Raises:
        InputError: see ``read_messages``.
    """
    messages = _messages(value, False)
    return bool(messages) and isinstance(messages[-1], Mapping) and _is_assistants(messages[-1])


# ---------------------------------------------------------------- what is what


def _answer(found: Sequence[Found], messages: Sequence[Any]) -> tuple[str, int]:
    """The text of the last assistant message, and its turn."""
    turns = enumerate(messages, 1)
    last = max((turn for turn, message in turns if _is_assistants(message)), default=0)
    if not last:
        raise InputError(f"messages: {_no_answer(messages)}")
    for place, message in enumerate(messages[last:], last):
        if (role := role_of(message)) not in ROLES:
            problem = f"{_unknown(role)}. It could be the answer, so nothing is graded"
            raise InputError(f"messages[{place}].role: {problem}")
    texts = [text.text for text in found if text.turn == last and text.who == "assistant"]
    calls = any(text.turn == last and text.who == "call" for text in found)
    if not texts or (calls and is_blank("".join(texts))):
        only = "only tool calls" if calls else "no text"
        problem = f"the last assistant message has {only}, so there is no answer to grade"
        raise InputError(f"messages[{last - 1}].content: {problem}")
    return _joined(texts), last


def _no_answer(messages: Sequence[Any]) -> str:
    roles = names_of({str(role_of(message)) for message in messages if role_of(message)})
    there = f"the roles are {roles}" if messages else "it is missing or empty"
    return f"no assistant message, so no answer; {there}"


def _unknown(role: str | None) -> str:
    known = "assistant, user, tool, system and developer"
    return f"unknown role {clip(role or '', 40)!r}; known are {known}"


def _is_assistants(message: Any) -> bool:
    """Whether an assistant sent it. An item of the Responses API that only thinks is no message."""
    return ROLES.get(role_of(message) or "") == "assistant" and (
        message.get("role") is not None or message.get("type") not in KEPT_OUT
    )


def _evidence(found: Iterable[Found], asked: int, roles: Sequence[str]) -> Iterator[Found]:
    """The texts that are evidence. ``asked``: the turn of the last user message."""
    for text in found:
        role = "last_user" if text.who == "user" and text.turn == asked else text.who
        if role not in roles:
            continue
        said = stated(text.text) if text.who == "user" else text.text
        if not is_blank(said):
            yield text._replace(text=said)


def _named(found: Iterable[Found]) -> Iterator[tuple[str, str]]:
    """The texts with names that differ."""
    taken: dict[str, int] = {}
    for text in found:
        name = f"turn {text.turn}, {text.what}"
        taken[name] = taken.get(name, 0) + 1
        yield (name if taken[name] == 1 else f"{name} ({taken[name]})"), text.text


def _joined(texts: Iterable[str]) -> str:
    """Blocks of one message as a text. A sentence with citations may go over several blocks."""
    joined = ""
    for text in texts:
        new = joined.rstrip("\"'”’»)]")[-1:] in (".", "!", "?", "。", ":")
        joined += ("\n" if new and text[:1].strip() else "") + text
    return joined


def _no_evidence(roles: Sequence[str]) -> str:
    return (
        f"the messages contain no evidence from {', '.join(roles) or 'nobody'}. If the context is "
        "in the system message or in the last user message, add system or last_user to "
        "evidence_roles"
    )


def _short(notes: Sequence[str]) -> tuple[str, ...]:
    more = len(notes) - MAX_NOTES
    rest = (f"and {more} more parts of the messages are not used",) if more > 0 else ()
    return (*notes[:MAX_NOTES], *rest)


# ---------------------------------------------------------------- the list of messages


def _messages(value: object, has_answer: bool) -> list[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise InputError("messages: this text is not a JSON list of messages") from None
    value = as_plain(value)
    if isinstance(value, Mapping):
        value = _of_mapping(value, has_answer)
    if not isinstance(value, list | tuple):
        kind = type(value).__name__
        raise InputError(f"messages: must be a list of messages, got {kind}")
    return [as_plain(message) for message in value]


def _of_mapping(value: Mapping[str, Any], has_answer: bool) -> list[Any]:
    """The messages of a request of an API, or of a span of OpenTelemetry.

    A span's answer is in its output alone: its input has the answers of earlier turns.
    """
    if value.get("messages") is not None:
        system = value.get("system")
        first = [{"role": "system", "content": system}] if system else []
        return [*first, *_messages(value["messages"], has_answer)]
    if all(value.get(name) is None for name in _OTEL):
        keys = names_of(value)
        raise InputError(f"messages: must be a list of messages, got a mapping with keys {keys}")
    messages: list[Any] = []
    for name, role in _OTEL.items():
        items = _messages(value[name], has_answer) if value.get(name) else []
        messages += [{"role": role, "parts": items}] if role and items else items
    if not has_answer and not any(map(_is_assistants, items)):  # the last ones are the output
        raise InputError(f"{_OUTPUT}: {_no_answer(items)}")
    return messages


def _found(messages: Iterable[Any]) -> Iterator[Found]:
    calls: dict[str, Call] = {}
    for number, message in enumerate(messages):
        place = f"messages[{number}]"
        if not isinstance(message, Mapping):
            kind = type(message).__name__
            raise InputError(f"{place}: must be a mapping with role and content, got {kind}")
        role = role_of(message)
        if role is None:
            keys = names_of(message)
            raise InputError(f"{place}.role: missing, or not a text; the message has {keys}")
        if role not in ROLES:
            yield Found(number + 1, "note", "", f"{place} is not used: {_unknown(role)}")
            continue
        reader = MessageReader(place, ROLES[role], message, calls)
        yield from (Found(number + 1, *text) for text in reader.texts())
