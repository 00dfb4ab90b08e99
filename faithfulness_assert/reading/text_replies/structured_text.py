"""Verdicts in structured text that is not JSON: tables, XML-like tags, YAML.

The first form with verdicts counts. All of them become JSON values and are read by its rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..json_replies.json_verdicts import entries
from .tables import table_parts
from .tags import tagged_parts
from .yaml_lists import yaml_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...records.model import Label
    from ..json_values import ReplyParts
    from ..raw_verdict import RawVerdict

    Labels = Mapping[str, Label] | None


def read_structured(text: str, labels: Labels) -> tuple[tuple[RawVerdict, ...], ReplyParts] | None:
    """The verdicts of a reply in one of these forms, and its parts; None if it has no such form."""
    for parts in (table_parts(text, labels), tagged_parts(text, labels), yaml_parts(text)):
        if parts and (verdicts := entries(parts, labels)):
            return verdicts, parts
    return None
