"""The JSON Schema of each kind of reply, and whether a reply conforms to it.

Key order matters: a model that writes its evidence first decides after it has looked.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

    from ..records.ask import ReplyForm

Schema = dict[str, Any]

_INTEGER: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_STRING: Schema = {"type": "string"}


@lru_cache(maxsize=64)
def json_schema(form: ReplyForm) -> Schema:
    """The JSON Schema of a reply of this form. Do not change it in place."""
    if form.kind == "claims":
        return _object(sentences=_list(_object(id=_INTEGER, claims=_list(_STRING))))
    if form.kind == "truths":
        return _object(passages=_list(_object(id=_INTEGER, truths=_list(_STRING))))
    if form.kind == "reason":
        return _object(reason=_STRING)
    if form.kind == "ratings":
        return _object(**dict.fromkeys(form.dimensions, _NUMBER), suggestions=_list(_STRING))
    return _object(verdicts=_list(_verdict_entry(form)))


def _verdict_entry(form: ReplyForm) -> Schema:
    claim = {"claim": _STRING} if form.kind == "claims_and_verdicts" else {}
    reason = {"reason": _STRING} if form.reasons else {}
    label = {"enum": list(form.labels), "type": "string"}
    return _object(id=_INTEGER, **claim, evidence=_list(_INTEGER), **reason, label=label)


def _object(**properties: Schema) -> Schema:
    """An object that has exactly these properties."""
    return {
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties),
        "type": "object",
    }


def _list(items: Schema) -> Schema:
    return {"items": items, "type": "array"}


def conforms(text: str, form: ReplyForm) -> bool:
    """Whether a reply's text is JSON that conforms to the schema that was sent."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return bool(_validator(form).is_valid(data))


@lru_cache(maxsize=64)
def _validator(form: ReplyForm) -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json_schema(form))
