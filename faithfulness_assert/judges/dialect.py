"""How a chat-completions server wants to be asked: servers differ in the parameters that they take.

The rule: what a server says it cannot do is not asked for again. ``steps`` counts, for each ladder, the steps taken down. They go one
way and have an end, so that asking differently has an end too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model import Ask
    from .complaint import Complaint

Steps = dict[str, int]


@dataclass(frozen=True, slots=True)
class Ladder:
    """A parameter that some servers do not take: how they name it, and what the user is told after each step down."""

    named: re.Pattern[str]
    notes: tuple[str, ...]


LADDERS = {
    "format": Ladder(
        re.compile(r"response[_ ]?format|json[_ ](?:schema|object|mode)|grammar|structured[_ ]output|guided_|requested parameters", re.I),
        ("the server takes no JSON Schema; plain JSON was asked for", "the server takes no response format; none was asked for"),
    ),
    "cap": Ladder(
        re.compile(r"max_(?:completion_)?tokens", re.I),
        ("the server takes no max_completion_tokens; max_tokens was sent", "the server takes no cap on reply tokens; none was sent"),
    ),
    "temperature": Ladder(re.compile("temperature", re.I), ("the server does not take this temperature; none was sent",)),
    "seed": Ladder(re.compile(r"\bseed\b", re.I), ("the server takes no seed; none was sent",)),
    "system": Ladder(
        re.compile(
            r"\bsystem\W{1,3}(?:role|message|prompt|instruction)|roles?\b.{0,40}\bsystem\b|(?:support|allow).{0,20}\bsystem\b"
            r"|roles must alternate|only user and assistant roles|developer instruction",
            re.I,
        ),
        ("the server takes no system message; it was sent inside the user message",),
    ),
}

NO_STEPS: Steps = dict.fromkeys(LADDERS, 0)


def chat_request(ask: Ask, settings: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
    """The parameters of a chat completion after ``steps``. ``settings``: ``model``, ``temperature`` and ``seed``; None is not sent."""
    messages = [dict(m) for m in ask.messages]
    schema = {"type": "json_schema", "json_schema": {"name": "verdicts", "strict": True, "schema": ask.schema}}
    wanted: dict[str, Any] = {
        "model": settings["model"],
        "messages": _without_system(messages) if steps["system"] else messages,
        "response_format": (schema, {"type": "json_object"}, None)[steps["format"]],
        "max_completion_tokens": (ask.max_tokens, None, None)[steps["cap"]],
        "max_tokens": (None, ask.max_tokens, None)[steps["cap"]],
        "temperature": None if steps["temperature"] else settings["temperature"],
        "seed": None if steps["seed"] else settings["seed"],
    }
    return {name: value for name, value in wanted.items() if value is not None}


def step_down(ask: Ask, settings: Mapping[str, Any], steps: Steps, complaint: Complaint) -> Steps:
    """The steps after this complaint: one more where it names a parameter that was sent, else the same."""
    if complaint.status not in (400, 404, 422, 500, 501) or complaint.too_long or complaint.filtered:
        return steps
    for text in (complaint.param, complaint.message):
        for name, ladder in LADDERS.items():
            if ladder.named.search(text) and steps[name] < len(ladder.notes):
                lower = {**steps, name: steps[name] + 1}
                if chat_request(ask, settings, lower) != chat_request(ask, settings, steps):
                    return lower
    return steps


def lowest(one: Steps, other: Steps) -> Steps:
    """All the steps down of both."""
    return {name: max(one[name], other[name]) for name in LADDERS}


def notes(steps: Steps) -> tuple[str, ...]:
    """What the user should know about these steps."""
    return tuple(LADDERS[name].notes[count - 1] for name, count in steps.items() if count)


def _without_system(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The messages with those of the system put before the first one of the user."""
    system = [m["content"] for m in messages if m["role"] == "system"]
    rest = [m for m in messages if m["role"] != "system"]
    if not system or not rest:
        return [{**m, "role": "user"} for m in messages]
    return [{**rest[0], "content": "\n\n".join([*system, rest[0]["content"]])}, *rest[1:]]
