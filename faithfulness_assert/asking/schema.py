"""The JSON Schema of each kind of reply, and where a reply breaks it.

Key order matters: a model that writes its evidence first decides after it has looked.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..records.judge import ReplyForm
from ..text.strings import clip, lazy_pattern, visible

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

Schema = dict[str, Any]

MAX_ERRORS = 5
"""Places that are shown where a reply breaks its schema."""

MAX_EVIDENCE = 8
"""Sentences that a statement may have as evidence, where lists have bounds."""

_NO_LABEL = lazy_pattern(r"\.label: (?:'([^']{1,80})' is not one of )?|: 'label' is a required")
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
        answer = {"sentences": _list(_object(**number, claims=_list(_STRING)), items)}
    elif form.kind == "truths":
        answer = {"passages": _list(_object(**number, truths=_list(_STRING)), items)}
    elif form.kind == "reason":
        answer = {"reason": _STRING}
    elif form.kind == "ratings":
        answer = {**dict.fromkeys(form.dimensions, _NUMBER), "suggestions": _list(_STRING)}
    else:
        evidence = _list(_INTEGER)
        if items is not None:
            evidence["maxItems"] = MAX_EVIDENCE
        reason = {"reason": _STRING} if form.reasons != "none" else {}
        label = {"enum": list(form.labels), "type": "string"}
        entry = _object(**number, evidence=evidence, **reason, label=label)
        answer = {"verdicts": _list(entry, items)}
    return _object(ask=_STRING, **answer)


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
    """Where a reply's text breaks the schema that was sent: at most 5 places, safe to show.

    What may be empty may be left out: the key of the ask, and reasons for what is supported.
    """
    try:
        value = json.loads(text)
        if type(value) is dict:
            value = {"ask": "", **value}
            entries = value.get("verdicts") if form.reasons == "problems" else None
            for entry in entries if type(entries) is list else ():
                if type(entry) is dict:
                    entry.setdefault("reason", "")
        errors = _validator(form).iter_errors(value)
        return tuple(_described(error) for error in islice(errors, MAX_ERRORS))
    except ValueError as error:
        return (f"the reply is not plain JSON: {clip(str(error))}",)
    except RecursionError:
        return ("the reply is nested too deeply",)


def wrong_label(error: str) -> str | None:
    """The word that one of ``schema_errors`` says is no label.

    "" if there is no word; None if the error is about something else.
    """
    match = _NO_LABEL.search(error)
    return match and (match[1] or "")


def _described(error: ValidationError) -> str:
    """The place and the problem."""
    place = error.json_path.removeprefix("$").removeprefix(".") or "reply"
    return clip(visible(f"{place}: {error.message}"))


@lru_cache(maxsize=64)
def _validator(form: ReplyForm) -> Validator:
    # It is slow to load, and most replies are exact (see ``reading/rows.py``).
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json_schema(form))
