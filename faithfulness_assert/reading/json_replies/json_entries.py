"""One JSON object of a reply as an entry: its number, statement, label, evidence and reason.

The rule: an object has a label only if all of its keys agree on it. Any key that speaks against
support ("unsupported": true, "verified": false, "nli": "contradiction") takes the label "supported"
back, at any depth, and so does a key that says that judging failed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...text.strings import clean_text
from ..contradictions import polarity
from ..contradictions.polarity import NEGATIVE
from ..contradictions.remark_readers import MAX_CHARS, prose_remarks
from ..json_values import key_of
from ..labels import parse_label
from ..raw_verdict import RawVerdict
from ..statement_ids import read_id
from . import json_keys as keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...records.model import Label

    Labels = Mapping[str, Label] | None

_NUMBERS = re.compile(r"[\[(]?\s*[Ss]?\d{1,9}(?:\s?[,;]\s?[Ss]?\d{1,9})*\s*[\])]?")
_NAMING_KEYS = frozenset(keys.ID_KEYS + keys.STATEMENT_KEYS)
_MATERIAL_KEYS = keys.EVIDENCE_KEYS + keys.QUOTE_KEYS
_NAMED_MATERIAL = frozenset(_MATERIAL_KEYS)
_NAME_CAP = 20  # characters: "Overall", "All statements"
_QUIET_KEYS = _NAMING_KEYS | keys.CLOSED_KEYS | frozenset(_MATERIAL_KEYS)


def entry_of(value: Any, outer_id: int | None, label: Label | None) -> RawVerdict:
    """The entry that ``value`` is, with this label. ``outer_id`` is the number around it."""
    if not isinstance(value, dict):
        return RawVerdict(outer_id)
    own = own_id(value)
    statement = statement_of(value)
    if own is None and not statement and any(value.get(name) is not None for name in keys.ID_KEYS):
        label = None  # it has a number that we cannot read: its place in the list may differ
    numbers, quotes = _evidence(value) if not _NAMED_MATERIAL.isdisjoint(value) else ((), "")
    number = outer_id if own is None else own
    reason = _first_string(value, keys.REASON_KEYS)
    return RawVerdict(number, statement, label, numbers, reason, quotes)


def own_id(value: dict[str, Any]) -> int | None:
    """The object's number, which may be given in place of the statement's text."""
    if _NAMING_KEYS.isdisjoint(value):
        return None
    given = [value[name] for name in keys.ID_KEYS if value.get(name) is not None]
    if given:
        return read_id(given[0])
    numbers = (read_id(value[name]) for name in keys.STATEMENT_KEYS if name in value)
    return next((number for number in numbers if number is not None), None)


def statement_of(value: dict[str, Any]) -> str:
    """The statement that the object repeats, or ""."""
    return _first_string(value, keys.STATEMENT_KEYS)


def is_entry(value: dict[str, Any], named: bool) -> bool:
    """Whether an object that contains no entries is one. ``named``: it has a number or a text."""
    said = scalars_under(value, keys.LABEL_KEYS)
    if named or not said:
        return bool(said)
    # Without a number or a text, {"supported": 1} may be a count, {"status": true} an envelope,
    # and a word beside an empty list the sum of nothing.
    clear = any(
        name in keys.WORD_KEYS
        or isinstance(item, str)
        or (isinstance(item, bool) and name in keys.QUESTION_KEYS)
        for name, item in said.items()
    )
    return clear and not any(
        isinstance(item, dict | list)
        and name not in keys.EVIDENCE_KEYS
        and name not in keys.CLOSED_KEYS
        for name, item in value.items()
    )


def scalars_under(value: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Those of the object's keys that are in ``names`` and have a scalar value."""
    return {
        name: item
        for name, item in value.items()
        if name in names and not isinstance(item, dict | list)
    }


def own_label(value: dict[str, Any], labels: Labels) -> Label | None:
    """The one label that the object's keys agree on, or None."""
    words, answers, weak = (
        {parse_label(item, labels) for item in scalars_under(value, names).values()}
        for names in (keys.WORD_KEYS, keys.QUESTION_KEYS, keys.WEAK_KEYS)
    )
    said = words | (weak - {None})
    if words or answers or weak:
        said |= _other_labels(value, labels)
    # Beside a word, the answer "no" to the question whether it is supported adds nothing.
    if not (words and answers == {"not_enough_info"} and "supported" not in said):
        said |= answers
    return said.pop() if len(said) == 1 else None


def _other_labels(value: dict[str, Any], labels: Labels) -> set[Label | None]:
    """The labels of keys that only count against another: "corrected_label", "correct"."""
    others = {
        name: parse_label(item, labels)
        for name, item in value.items()
        if name not in keys.LABEL_KEYS and keys.OTHER_LABEL.fullmatch(name)
    }
    return {
        label
        for name, label in others.items()
        if label in NEGATIVE or keys.LATER_LABEL.fullmatch(name)
    }


def is_about_all(value: dict[str, Any]) -> bool:
    """Whether an entry's number or statement is "overall", or another name of the whole reply."""
    names = [value.get(name) for name in (*keys.ID_KEYS, *keys.STATEMENT_KEYS)]
    texts = [name for name in names if isinstance(name, str) and len(name) < _NAME_CAP]
    return any(polarity.is_summary(key_of(text)) for text in texts)


# ---------------------------------------------------------------- what speaks against a label


def is_denied(value: dict[str, Any], label: Label | None, labels: Labels) -> bool:
    """Whether something in the object denies its label, or says that judging failed."""
    if label is None or _says_that_judging_failed(value):
        return True
    if label in NEGATIVE:
        return False
    pairs = _pairs(value)
    if label == "partially_supported":
        return any(_denies_partial(name, item, labels) for name, item in pairs)
    return any(_denies(name, item, labels) for name, item in pairs)


def _says_that_judging_failed(value: dict[str, Any]) -> bool:
    return any(
        polarity.is_failure(name) and polarity.says_something(item)
        for name, item in value.items()
        if name not in _QUIET_KEYS
    )


def _pairs(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The object's keys that are not its parts, with those of the objects in it."""
    for name, item in value.items():
        is_reason = name in keys.REASON_KEYS
        if is_reason or (name not in _QUIET_KEYS and not keys.THINKING.search(name)):
            yield name, item
            for inner in item if isinstance(item, list) else [item]:
                if isinstance(inner, dict):
                    yield from _pairs(inner)


def _denies(name: str, item: Any, labels: Labels) -> bool:
    """Whether a key and its value deny that the entry is supported."""
    if polarity.speaks_against(name, item, labels):
        return True
    if not isinstance(item, str) or not polarity.is_remark(name):
        return False
    return bool(prose_remarks(_ends_of(item), labels))


def _ends_of(text: str) -> str:
    """The beginning and the end of a text that is too long to be read: a judge concludes there."""
    half = MAX_CHARS // 2
    return text if len(text) < MAX_CHARS else f"{text[: half - 1]}\n{text[-half:]}"


def _denies_partial(name: str, item: Any, labels: Labels) -> bool:
    """The same for one that is partially supported: it may well have unsupported parts."""
    if polarity.kind_of(name) == "denying":
        return "part" not in name and parse_label(item) == "supported"
    if polarity.kind_of(name) == "affirming" or not polarity.speaks_against(name, item, labels):
        return False
    return parse_label(item, labels) != "partially_supported"


# ---------------------------------------------------------------- evidence


def _first_string(value: dict[str, Any], names: tuple[str, ...]) -> str:
    return clean_text(next((value[name] for name in names if isinstance(value.get(name), str)), ""))


def _evidence(value: dict[str, Any]) -> tuple[tuple[int, ...], str]:
    """The numbers that the object points at, and what it quotes, one quote per line."""
    numbers: list[int] = []
    quotes: list[str] = []
    for item in _scalars([value[name] for name in _MATERIAL_KEYS if name in value]):
        if isinstance(item, int) and not isinstance(item, bool):
            numbers.append(item)
        elif isinstance(item, str) and _NUMBERS.fullmatch(item.strip()):
            numbers += map(int, re.findall(r"\d+", item))
        elif isinstance(item, str) and item.strip():
            quotes.append(" ".join(item.split()))
    return tuple(numbers), clean_text("\n".join(quotes))


def _scalars(value: Any) -> Iterator[Any]:
    """All scalars in a value, at any depth."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _scalars(item)
    else:
        yield value
