"""The entries of a JSON reply, whatever wraps them and whatever their keys are named.

The rule: an object with a label is an entry; an object that contains entries is a wrapper. A
wrapper's own words are ignored, unless they deny what its entries say. Nothing under a key that
denies ("unsupported", "errors") is supported. The entries of all values of a reply are kept, in
order: which of two conflicting entries is meant is not decided here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..text.strings import clean_text
from . import json_keys as keys
from .json_entries import (
    NEGATIVE,
    entry_of,
    is_denied,
    is_entry,
    own_id,
    own_label,
    read_id,
    says_something,
    scalars_under,
    statement_of,
)
from .json_values import ReplyParts, find_values
from .labels import parse_label
from .raw_verdict import RawVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..records.model import Label

    Labels = Mapping[str, Label] | None

_IN_PROSE = "(prose)"  # the key of a value between prose: a bare list there is no list of verdicts
_LABEL_KEY = re.compile(
    r"""["'](?:""" + "|".join(sorted(keys.WORD_KEYS | keys.QUESTION_KEYS)) + r""")\\?["']\s*:""",
    re.IGNORECASE,
)


def entries(parts: ReplyParts, labels: Labels = None) -> tuple[RawVerdict, ...]:
    """The verdicts in the JSON of a reply; () if it contains none."""
    prose = "".join(parts.around).replace("json", "")
    key = _IN_PROSE if parts.broken or re.search(r"\w", prose) else ""
    result = [entry for value in parts.values for entry in _walk(value, key, None, labels)]
    if not result:
        result = [
            entry
            for value in parts.values
            for packed in _packed(value)
            for entry in _walk(packed, _IN_PROSE, None, labels)
        ]
    if any(entry.label or entry.id is not None or entry.statement for entry in result):
        return tuple(result)
    return ()


def lost(parts: ReplyParts) -> bool:
    """Whether the pieces that could not be parsed contain keys of labels."""
    return any(_LABEL_KEY.search(piece) for piece in (*parts.around, *parts.broken))


def _walk(value: Any, key: str, outer_id: int | None, labels: Labels) -> list[RawVerdict]:
    """The entries in ``value``, which is under ``key`` in an object numbered ``outer_id``."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, dict):
        return _from_object(value, key, outer_id, labels)
    if not isinstance(value, list):
        return []
    if _is_plain_list(value):
        return _from_plain_list(value, key, outer_id, labels)
    by_item = [_walk(item, key, outer_id, labels) for item in value]
    if not any(by_item):
        return []
    # Beside entries, an item without a label still keeps its place.
    return [
        entry
        for item, inner in zip(value, by_item, strict=True)
        for entry in inner or [entry_of(item, outer_id, None)]
    ]


def _from_object(
    value: dict[str, Any], key: str, outer_id: int | None, labels: Labels
) -> list[RawVerdict]:
    """The entries in an object; the object itself if it is an entry."""
    number = own_id(value)
    inner = _inner_entries(value, key, outer_id if number is None else number, labels)
    if len(value) == 1 and inner:
        return inner  # a wrapper without a word of its own
    inner += _from_map(value, key, labels)
    named = number is not None or statement_of(value) != ""
    if inner and not (named and own_label(value, labels)):
        return _without_labels(inner) if _is_overruled(value, inner, labels) else inner
    if inner:  # a verdict on one statement that contains verdicts: which is meant, is unknown
        return [entry_of(value, outer_id, None)]
    if not is_entry(value, named):
        return []
    label = own_label(value, labels)
    return [entry_of(value, outer_id, None if is_denied(value, label) else label)]


def _inner_entries(
    value: dict[str, Any], key: str, number: int | None, labels: Labels
) -> list[RawVerdict]:
    """The entries in an object's values."""
    return [
        entry
        for name, item in value.items()
        if isinstance(item, dict | list)
        and name not in keys.CLOSED_KEYS
        and not keys.THINKING.search(name)
        for entry in _under(name, item, key, number, labels)
    ]


def _under(
    name: str, item: Any, outer_key: str, outer_id: int | None, labels: Labels
) -> list[RawVerdict]:
    """The entries in ``item``, which is under ``name`` in an object under ``outer_key``."""
    number = read_id(name)
    if number is None:
        inner = _walk(item, name, outer_id, labels)
    else:  # {"1": ...}: the key is a number, so the key around the object tells what is in it
        inner = _walk(item, "items" if _has_verdicts(outer_key) else outer_key, number, labels)
    return _without_labels(inner) if inner and keys.DENIES.search(name) else inner


def _without_labels(inner: list[RawVerdict]) -> list[RawVerdict]:
    return [replace(entry, label=None) for entry in inner]


def _is_overruled(value: dict[str, Any], inner: list[RawVerdict], labels: Labels) -> bool:
    """Whether a wrapper says that judging failed, or the opposite of all entries in it."""
    if any(
        keys.FAILED.fullmatch(name) and isinstance(item, str | bool) and says_something(item)
        for name, item in value.items()
    ):
        return True
    kinds = {entry.label in NEGATIVE for entry in inner if entry.label in (*NEGATIVE, "supported")}
    if kinds == {False}:
        return bool(_own_words(value, labels) & NEGATIVE) or any(
            keys.DENIES.search(name) and parse_label(item) == "supported"
            for name, item in value.items()
        )
    return kinds == {True} and _own_words(value, labels) == {"supported"}


def _own_words(value: dict[str, Any], labels: Labels) -> set[Label | None]:
    """The labels that a wrapper gives itself. True under "result" is an envelope, not a label."""
    return {
        parse_label(item, labels)
        for name, item in scalars_under(value, keys.LABEL_KEYS).items()
        if isinstance(item, str) or name not in keys.WEAK_KEYS
    }


# ---------------------------------------------------------------- words without objects


def _has_verdicts(key: str) -> bool:
    """Whether bare words under ``key`` are verdicts; under a key that denies, without labels."""
    if key in keys.TEXT_KEYS:
        return False
    return key in ("", _IN_PROSE) or key in keys.LIST_KEYS or keys.DENIES.search(key) is not None


def _is_plain_list(value: list[Any]) -> bool:
    """Whether the scalars of a list are of one type, or null: ["yes", "no"], but not [1, "no"]."""
    kinds = {type(item) for item in value if item is not None}
    return len(kinds) == 1 and kinds <= {bool, str, int}


def _from_plain_list(
    value: list[Any], key: str, outer_id: int | None, labels: Labels
) -> list[RawVerdict]:
    """[true, false], ["yes", "no"], [1, 0]"""
    if key == _IN_PROSE or not _has_verdicts(key):
        return []  # a bare list between prose is a footnote, [1], or a choice, ["yes", "no"]
    has_numbers = any(
        type(item) is int or (isinstance(item, str) and item.strip().isdecimal()) for item in value
    )
    if has_numbers and key and key not in keys.NUMBERS_KEYS:
        return []
    said = [parse_label(item, labels) for item in value]
    return [RawVerdict(outer_id, label=label) for label in said] if any(said) else []


def _from_map(value: dict[str, Any], key: str, labels: Labels) -> list[RawVerdict]:
    """{"1": "yes", "2": "no"}"""
    if not _has_verdicts(key):
        return []
    said = [
        RawVerdict(number, label=parse_label(item, labels))
        for name, item in value.items()
        if not isinstance(item, dict | list) and (number := read_id(name)) is not None
    ]
    return said if any(entry.label for entry in said) else []


def _packed(value: Any, key: str = "") -> Iterator[Any]:
    """JSON inside a string, as in the arguments of a tool call."""
    if key in keys.CLOSED_KEYS or keys.THINKING.search(key) or keys.DENIES.search(key):
        return
    if isinstance(value, str) and key in keys.PACKED_KEYS and value.lstrip()[:1] in ("{", "["):
        yield from find_values(clean_text(value)).values
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _packed(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _packed(item, key)
