"""Verdicts in JSON that are bare words: ["yes", "no"], {"1": "yes"}, {"supported": [1], ...}."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..contradictions import polarity
from ..json_values import key_of
from ..label_words import LABEL_WORDS
from ..labels import parse_label
from ..raw_verdict import RawVerdict
from ..statement_ids import read_id
from . import json_keys as keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...records.model import Label

    Labels = Mapping[str, Label] | None

IN_PROSE = "(prose)"  # the key of a value between prose: a bare list there is not of verdicts


def may_be_verdicts(key: str) -> bool:
    """Whether bare words under ``key`` are verdicts; under a key that denies, without labels."""
    if key in keys.TEXT_KEYS:
        return False
    return key in ("", IN_PROSE) or key in keys.LIST_KEYS or polarity.kind_of(key) == "denying"


def is_plain_list(value: list[Any]) -> bool:
    """Whether the scalars of a list are of one type, or null: ["yes", "no"], but not [1, "no"]."""
    kinds = {type(item) for item in value if item is not None}
    return len(kinds) == 1 and kinds <= {bool, str, int}


def from_plain_list(
    value: list[Any], key: str, outer_id: int | None, labels: Labels
) -> list[RawVerdict]:
    """[true, false], ["yes", "no"], [1, 0]"""
    if key == IN_PROSE or not may_be_verdicts(key):
        return []  # a bare list between prose is a footnote, [1], or a choice, ["yes", "no"]
    has_numbers = any(
        type(item) is int or (isinstance(item, str) and item.strip().isdecimal()) for item in value
    )
    if has_numbers and key and key not in keys.NUMBERS_KEYS:
        return []
    said = [parse_label(item, labels) for item in value]
    return [RawVerdict(outer_id, label=label) for label in said] if any(said) else []


def from_map(value: dict[str, Any], key: str, labels: Labels) -> list[RawVerdict]:
    """{"1": "yes", "2": "no"}"""
    if not may_be_verdicts(key):
        return []
    said = [
        RawVerdict(number, label=parse_label(item, labels))
        for name, item in value.items()
        if not isinstance(item, dict | list) and (number := read_id(name)) is not None
    ]
    return said if any(entry.label for entry in said) else []


def from_numbers_by_label(value: dict[str, Any], labels: Labels) -> list[RawVerdict]:
    """{"supported": [1, 3], "contradicted": [2]}: lists of numbers only."""
    lists = _lists_by_label(value, labels)
    numbers = [read_id(item) for items in lists.values() for item in items]
    if not numbers or None in numbers:
        return []
    return [
        RawVerdict(read_id(item), label=_label_of_key(name, labels))
        for name, items in lists.items()
        for item in items
    ]


def sorts_by_label(value: dict[str, Any], labels: Labels) -> bool:
    """Whether an object has a list for each of several labels: what is in them is not a verdict."""
    return len(_lists_by_label(value, labels)) > 1


def is_denial(value: Any, labels: Labels) -> bool:
    """Whether an object is {"contradicted": [1, 3]}: one list, of different numbers.

    {"supported": [1, 3]} may as well name evidence, and {"unsupported": [1, 0]} may be flags.
    """
    lists = _lists_by_label(value, labels) if isinstance(value, dict) else {}
    if not len(lists) == len(value) == 1:
        return False
    ((name, items),) = lists.items()
    numbers = {read_id(item) for item in items}
    distinct = len(numbers) == len(items) and numbers.isdisjoint({None, 0})
    return distinct and _label_of_key(name, labels) in polarity.NEGATIVE


def _lists_by_label(value: dict[str, Any], labels: Labels) -> dict[str, list[Any]]:
    if list not in map(type, value.values()):
        return {}
    return {
        name: item
        for name, item in value.items()
        if isinstance(item, list) and _label_of_key(name, labels) is not None
    }


def _label_of_key(name: str, labels: Labels) -> Label | None:
    """The label that a key is: "notsupported" is "not_supported", without its gap."""
    for word, label in (labels or {}).items():
        if key_of(word) == name:
            return label
    return _labels_by_key().get(name)


@cache
def _labels_by_key() -> dict[str, Label]:
    """The label words as keys; without those that answer a question: "yes", "no"."""
    return {
        key_of(word): label
        for label, listed in LABEL_WORDS.items()
        for word in listed.split()
        if len(key_of(word)) > 3 or not word.isascii()
    }
