"""A conversation as a case: which of its texts are the answer, the question and the context.

- The answer is the text of the last assistant message; nothing after it counts.
- The question is the text of the last user message before it.
- The evidence is what tools returned, and documents. ``evidence_roles`` may add users' earlier
  messages, the last one, and system messages, each as a whole.

What an assistant wrote (text, reasoning, the arguments of a call) is never evidence. What is not
used and could have been meant as evidence or as the answer is told in ``notes``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, cast

from ..records.errors import InputError
from ..text.strings import clip, is_blank, names_of
from .events import (
    KEYS,
    OPENTELEMETRY,
    ROLES,
    Event,
    is_conversation,
    joined,
    kind_of,
    known_messages,
    role_of,
)
from .messages import MessageReader, unknown_role
from .plain_data import MAX_DEPTH, as_json, opened, without_fence
from .tool_data import ToolText, as_lines, is_message

MAX_MESSAGES = 100_000
MAX_NOTES = 20
"""Notes that are listed. Of more, only the number is told."""

_MORE_EVIDENCE = (
    "To take what users or the system say as evidence, name them too, such as "
    'evidence_roles=["tool", "user", "last_user", "system"]'
)


class Conversation(NamedTuple):
    """What a list of messages contains.

    ``passages`` have a text, a name, such as ``turn 3, tool search``, and a title with what the
    tool was asked for. ``notes`` tell what was not used. ``no_evidence`` says why there are no
    passages, and what can be done. ``is_answered``: the last message is an assistant's.
    """

    answer: str | None
    question: str
    passages: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]
    no_evidence: str = ""
    is_answered: bool = False


def read_conversation(
    value: object, evidence_roles: Sequence[str], *, has_answer: bool = False
) -> Conversation:
    """Answer, question and passages of a conversation.

    Args:
        value: a list of messages, its JSON text, or a mapping with ``messages`` (and ``system``),
            or with OpenTelemetry's ``gen_ai.input.messages`` and ``gen_ai.output.messages``.
        evidence_roles: what passages come from: ``tool``, ``user``, ``last_user``, ``system``.
        has_answer: whether the answer is given apart. It then comes after all messages.

    Raises:
        InputError: there is no answer in it, or a message is of no known shape; the text names the
            place, such as ``messages[3].content``.
    """
    messages = _messages(as_json(value, 2 * MAX_DEPTH), has_answer)
    if not messages and not has_answer:  # before a first answer, there may be no messages
        raise InputError("messages: the list is empty")
    if len(messages) > MAX_MESSAGES:
        raise InputError(f"messages: {len(messages):,}, and {MAX_MESSAGES:,} are read")
    reader = MessageReader()
    places = ((message, f"messages[{number}]") for number, message in enumerate(messages))
    events = [event for message, place in places for event in reader.events(message, place)]
    answer, end = (None, len(messages)) if has_answer else _answer(events, messages)
    before = [event for event in events if event.turn <= end and event.kind != "unused"]
    asked = max((e.turn for e in before if (e.role, e.kind) == ("user", "text")), default=0)
    question = joined(e.text for e in before if e.turn == asked and e.role == "user")
    passages, taken = list[tuple[str, str, str]](), Counter[str]()
    for event in before:
        is_last = (event.role, event.turn) == ("user", asked)
        is_used = ("last_user" if is_last else event.role) in evidence_roles
        if is_used and event.kind in ("text", "result") and not is_blank(event.text):
            name = f"turn {event.turn}, {event.tool or event.role}"
            taken[name] += 1
            numbered = f"{name} ({taken[name]})" if taken[name] > 1 else name
            title = f"{numbered} ({event.passed})" if event.passed else ""
            passages.append((event.text, numbered, title))
    notes = [event.text for event in events if event.kind == "unused"]
    if any(event.turn > end and event.kind != "unused" for event in events):
        notes.append(f"messages[{end}] and later are not used: they come after the answer")
    if not has_answer:
        notes += _said_before(event for event in before if asked < event.turn < end)
    if more := notes[MAX_NOTES:]:
        notes[MAX_NOTES:] = [f"and {len(more)} more parts of the messages are not used"]
    missing = f"the messages contain no evidence from {', '.join(evidence_roles) or 'nobody'}"
    missing = "" if passages else f"{missing}. {_MORE_EVIDENCE}"
    is_answered = bool(messages) and _is_assistants(messages[-1])
    return Conversation(answer, question, tuple(passages), tuple(notes), missing, is_answered)


def read_context(given: list[Any], roles: Sequence[str]) -> tuple[list[Any], Conversation | None]:
    """The passages of a context that are no messages, and what the messages among them contain.

    Messages in a JSON text are such, too. Raises ``InputError`` as ``read_conversation`` does.
    """
    items = [one for passage in given for one in _opened(passage)]
    messages = list(filter(_is_said, items))
    if not messages:
        return given, None
    is_whole = is_conversation(items) and all(isinstance(one, Mapping) for one in items)
    others = [] if is_whole else [one for one in items if not _is_said(one)]
    chat = read_conversation(messages if others else items, roles, has_answer=True)
    told = f"has messages, of which evidence are those of {', '.join(roles)}"
    return others, chat._replace(notes=tuple(f"context: {note}" for note in (told, *chat.notes)))


# ---------------------------------------------------------------- what is what


def _answer(events: Sequence[Event], messages: Sequence[Any]) -> tuple[str, int]:
    """The text of the last assistant message, and its turn."""
    turns = enumerate(messages, 1)
    last = max((turn for turn, message in turns if _is_assistants(message)), default=0)
    if not last:
        raise InputError(f"messages: {_no_answer(messages)}")
    for place, message in enumerate(messages[last:], last):
        if (role := role_of(message)) not in ROLES:
            problem = f"{unknown_role(role)}. It could be the answer, so nothing is graded"
            raise InputError(f"messages[{place}].role: {problem}")
    own = [event for event in events if event.turn == last and event.role == "assistant"]
    texts = [event.text for event in own if event.kind == "text"]
    calls = any(event.kind == "call" for event in own)
    if not texts or (calls and is_blank("".join(texts))):
        only = "only tool calls" if calls else "no text"
        problem = f"the last assistant message has {only}, so there is no answer to grade"
        raise InputError(f"messages[{last - 1}].content: {problem}")
    return joined(texts), last


def _said_before(events: Iterable[Event]) -> Iterator[str]:
    """A note for each message in which the assistant said something before the answer."""
    said = (e for e in events if (e.role, e.kind) == ("assistant", "text"))
    for turn, parts in groupby(said, lambda event: event.turn):
        if not is_blank(text := joined(part.text for part in parts)):
            graded = "only the last message of the assistant is"
            yield f"messages[{turn - 1}], “{clip(text, 80)}”, is not graded: {graded}"


def _no_answer(messages: Sequence[Any]) -> str:
    roles = names_of({str(role_of(message)) for message in messages if role_of(message)})
    there = f"the roles are {roles}" if messages else "it is missing or empty"
    return f"no assistant message, so no answer; {there}"


def _is_assistants(message: Any) -> bool:
    """Whether an assistant sent it. An item of the Responses API that only thinks is no message."""
    return ROLES.get(role_of(message) or "") == "assistant" and (
        message.get("role") is not None or kind_of(message.get("type")) != "silent"
    )


# ---------------------------------------------------------------- the list of messages


def _is_said(passage: Any) -> bool:
    """Whether a passage is a message."""
    fields = passage if isinstance(passage, Mapping) else getattr(passage, "__dict__", {})
    return any(map(is_message, known_messages(fields)))


def _opened(passage: Any) -> Sequence[Any]:
    """What is in a JSON text with messages, also in a fence: these, and the rest as a text; else
    the passage.
    """
    inside = opened(passage)
    if isinstance(passage, str) and is_conversation(inside):
        return cast("list[Any]", inside)
    data = as_lines(without_fence(passage)) if isinstance(passage, str) else ToolText("")
    return [*data.messages, *filter(None, [data.text])] if data.messages else (passage,)


def _messages(value: object, has_answer: bool) -> list[Any]:
    """The messages in a list, its text, a request of an API, or a span of OpenTelemetry.

    A span's answer is in its output alone: its input has the answers of earlier turns.
    """
    if isinstance(value := opened(value), str):
        raise InputError("messages: this text is not a JSON list of messages")
    if isinstance(value, list):
        return [plain for message in value for plain in known_messages(message)]
    if not isinstance(value, Mapping):
        raise InputError(f"messages: must be a list of messages, got {type(value).__name__}")
    if isinstance(value.get("user_content"), Mapping):
        return list(known_messages(value))
    if name := next((name for name in KEYS["containers"] if value.get(name) is not None), ""):
        system = next((value[key] for key in KEYS["prompt"] if value.get(key)), None)
        parts = system if isinstance(system, Mapping) else {"content": system}
        first = [{**parts, "role": "system"}] if system else []
        return [*first, *_messages(value[name], has_answer)]
    if all(value.get(name) is None for name in OPENTELEMETRY):
        keys = names_of(value)
        raise InputError(f"messages: must be a list of messages, got a mapping with keys {keys}")
    lists = (_messages(value.get(name) or [], has_answer) for name in OPENTELEMETRY)
    system, given, output = lists
    if not has_answer and not any(map(_is_assistants, output)):
        raise InputError(f"{OPENTELEMETRY[-1]}: {_no_answer(output)}")
    return [*([{"role": "system", "parts": system}] if system else []), *given, *output]
