"""A policy as JSON: what a run keeps, to see whether another one is the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .policy import Policy


def policy_as_json(policy: Policy) -> dict[str, Any]:
    """All fields of a policy, as JSON."""
    told = {field.name: getattr(policy, field.name) for field in fields(policy)}
    as_json: dict[str, Any] = json.loads(json.dumps(told, default=plain))
    return as_json


def plain(value: object) -> object:
    """A value that JSON does not know as one that it knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)
