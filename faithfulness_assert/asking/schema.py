"""The JSON Schema of each kind of reply, and where a reply breaks it.

Key order matters: a model that writes its evidence first decides after it has looked.

A service that answers many asks at once may return an answer under the id of another ask. So a
reply may have to repeat a token of its ask, which no other ask contains. Everything else in the
prompt stays as it is online: the token is one line at its end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from ..records.judge import Ask, ReplyForm
from ..text.strings import MAX_SHOWN, clip, one_line, visible

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

Schema = dict[str, Any]

MAX_ERRORS = 5
"""Places that are shown where a reply breaks its schema."""

MAX_EVIDENCE = 8
"""Sentences that a statement may have as evidence, where lists have bounds."""

_INTEGER: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_STRING: Schema = {"type": "string"}


@lru_cache(maxsize=256)
def json_schema(form: ReplyForm, items: int | None = None) -> Schema:
    """The JSON Schema of a reply of this form. Do not change it in place.

    With ``items``, how many items an ask has, lists have bounds: one entry for each item, and at
    most ``MAX_EVIDENCE`` sentences as evidence. A small model would fill them without end.
    """
    number = {"id": _INTEGER} if form.numbered else {}
    if form.kind == "claims":
        return _object(sentences=_list(_object(**number, claims=_list(_STRING)), items))
    if form.kind == "truths":
        return _object(passages=_list(_object(**number, truths=_list(_STRING)), items))
    if form.kind == "reason":
        return _object(reason=_STRING)
    if form.kind == "ratings":
        return _object(**dict.fromkeys(form.dimensions, _NUMBER), suggestions=_list(_STRING))
    entry = _object(**number, **_verdict(form, None if items is None else MAX_EVIDENCE))
    return _object(verdicts=_list(entry, items))


def with_echo(schema: Mapping[str, Any]) -> Schema:
    """The schema of a reply that first repeats the token of its ask; see ``echo``."""
    inner, required = schema["properties"], schema["required"]
    return {**schema, "properties": {"ask": _STRING, **inner}, "required": ["ask", *required]}


def bounded_schema(ask: Ask) -> Schema:
    """The schema of the reply to this ask, with bounds for its lists."""
    schema = json_schema(ask.form, len(ask.ids))
    return with_echo(schema) if ask.echo else schema


def _verdict(form: ReplyForm, most: int | None) -> Schema:
    """The properties of a verdict, without its number."""
    reason = {"reason": _STRING} if form.reasons else {}
    label = {"enum": list(form.labels), "type": "string"}
    evidence = _list(_INTEGER)
    if most is not None:
        evidence["maxItems"] = most
    return {"evidence": evidence, **reason, "label": label}


def _object(**properties: Schema) -> Schema:
    """An object that has exactly these properties."""
    return {
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties),
        "type": "object",
    }


def _list(items: Schema, count: int | None = None) -> Schema:
    """A list of such items: exactly ``count`` of them, or any number."""
    bounds = {} if count is None else {"minItems": count, "maxItems": count}
    return {"items": items, "type": "array", **bounds}


def schema_errors(text: str, form: ReplyForm) -> tuple[str, ...]:
    """Where a reply's text breaks the schema that was sent: at most 5 places, safe to show."""
    try:
        value = json.loads(text)
        if _fits(value, json_schema(form)):
            return ()
        errors = _validator(form).iter_errors(value)
        return tuple(_described(error) for error in islice(errors, MAX_ERRORS))
    except ValueError as error:
        return (f"the reply is not plain JSON: {clip(str(error))}",)
    except RecursionError:
        return ("the reply is nested too deeply",)


def label_problem(error: str) -> Literal["wrong", "missing", ""]:
    """Whether one of ``schema_errors`` is about a label."""
    place, _, problem = error.partition(": ")
    if place.endswith(".label"):
        return "wrong"
    return "missing" if problem.startswith("'label' is a required") else ""


_TYPES: Mapping[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
}


def _fits(value: Any, schema: Schema) -> bool:
    """Whether a value conforms, for schemas as they are made above. False may also mean doubt.

    jsonschema is slow to load, and only needed to say what is wrong.
    """
    kind = schema["type"]
    if kind == "object":
        inner = schema["properties"]
        return (
            type(value) is dict
            and value.keys() == inner.keys()
            and all(_fits(value[name], inner[name]) for name in inner)
        )
    if kind == "array":
        return type(value) is list and all(_fits(item, schema["items"]) for item in value)
    return type(value) in _TYPES[kind] and value in schema.get("enum", (value,))


def _described(error: ValidationError) -> str:
    """The place and the problem. A message begins with the wrong value and ends with the rule."""
    place = error.json_path.removeprefix("$").removeprefix(".") or "reply"
    problem = one_line(f"{place}: {error.message}")
    if len(problem) > MAX_SHOWN:
        problem = f"{problem[: MAX_SHOWN // 3]}…{problem[1 - MAX_SHOWN // 3 * 2 :]}"
    return clip(visible(problem))


@lru_cache(maxsize=64)
def _validator(form: ReplyForm) -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json_schema(form))


LETTERS = "bcdfghjkmnpqrstvwxz"
"""Without vowels and digits, so that no token is a word or a number that a reader looks for."""
LENGTH = 10
ECHO_TOKENS = 24
"""Reply tokens for the token and its key."""

_ENTRY = re.compile(r'(\s*,\s*)?"ask"\s*:\s*"(\w+)"(\s*,\s*)?')


def token_of(*parts: object) -> str:
    """The token for these parts: the same for the same parts, else another one."""
    number = int.from_bytes(blake2b(repr(parts).encode(), digest_size=16).digest(), "big")
    letters = []
    for _ in range(LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters.append(LETTERS[place])
    return "".join(letters)


def echoing(ask: Ask, token: str) -> Ask:
    """The ask, whose reply must repeat ``token`` under the key ``ask``."""
    *before, last = ask.messages
    line = f'The JSON begins with "ask":"{token}".'
    return replace(
        ask,
        messages=(*before, {**last, "content": f"{last['content']}\n\n{line}"}),
        max_tokens=ask.max_tokens + ECHO_TOKENS,
        schema=with_echo(ask.schema),
        echo=token,
    )


def without_echo(text: str, token: str) -> str:
    """The reply as it would be without the token."""
    for entry in _ENTRY.finditer(text):
        if entry[2] == token:
            comma = "," if entry[1] and entry[3] else ""
            return f"{text[: entry.start()]}{comma}{text[entry.end() :]}"
    return text
