"""The JSON that a judge must return: pydantic models, and the JSON Schema that is sent with an ask.

Key order matters: a model that writes its evidence first decides after having looked.
Imported only when a schema is needed (a judge that has an API), never on the way to the embedded judge.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

    from .model import ReplyForm


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class SentenceClaims(_Strict):
    """The claims of one sentence of the answer, each understandable alone."""

    id: int
    claims: list[str]


class ClaimsReply(_Strict):
    """The reply to an ask for claims: one entry for each sentence."""

    sentences: list[SentenceClaims]


class PassageTruths(_Strict):
    """What one passage states."""

    id: int
    truths: list[str]


class TruthsReply(_Strict):
    """The reply to an ask for truths: one entry for each passage."""

    passages: list[PassageTruths]


class ReasonReply(_Strict):
    """The reply to an ask for a reason."""

    reason: str


def _ratings_reply(form: ReplyForm) -> type[BaseModel]:
    ratings: dict[str, Any] = dict.fromkeys(form.dimensions, (float, ...))
    return create_model("RatingsReply", __base__=_Strict, **ratings, suggestions=(list[str], ...))


def _verdicts_reply(form: ReplyForm) -> type[BaseModel]:
    fields: dict[str, Any] = {"id": (int, ...)}
    if form.kind == "claims_and_verdicts":
        fields["claim"] = (str, ...)
    fields["evidence"] = (list[int], ...)
    if form.reasons:
        fields["reason"] = (str, ...)
    fields["label"] = (Literal[form.labels], ...)
    entry = create_model("VerdictEntry", __base__=_Strict, **fields)
    return create_model("VerdictsReply", __base__=_Strict, verdicts=(list[entry], ...))  # type: ignore[valid-type]


@lru_cache(maxsize=64)
def reply_model(form: ReplyForm) -> type[BaseModel]:
    """The pydantic model of a reply of this form."""
    if form.kind == "ratings":
        return _ratings_reply(form)
    fixed: dict[str, type[BaseModel]] = {"claims": ClaimsReply, "truths": TruthsReply, "reason": ReasonReply}
    return fixed.get(form.kind) or _verdicts_reply(form)


@lru_cache(maxsize=64)
def json_schema(form: ReplyForm) -> dict[str, Any]:
    """The JSON Schema of a reply of this form, without titles, descriptions and references. Do not change it in place."""
    schema = reply_model(form).model_json_schema()
    return _bare(schema, schema.pop("$defs", {}))


def _bare(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    # Titles and descriptions are annotations here, and never the name of a property of ours; a reference is followed faster by us, once.
    if "$ref" in schema:
        return _bare(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    wanted = {key: value for key, value in schema.items() if key not in ("title", "description")}
    return {key: _bare(value, definitions) if isinstance(value, dict) else value for key, value in wanted.items()}


def conforms(text: str, form: ReplyForm) -> bool:
    """Whether a reply's text is JSON that keeps to the schema that was sent. What does not is read leniently."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return bool(_validator(form).is_valid(data))


@lru_cache(maxsize=64)
def _validator(form: ReplyForm) -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json_schema(form))
