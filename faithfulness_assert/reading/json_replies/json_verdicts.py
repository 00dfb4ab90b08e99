"""The entries of a JSON reply, whatever wraps them and whatever their keys are named.

The rule: an object with a label is an entry; an object that contains entries is a wrapper. What a
wrapper says itself, at any depth and in any place, is a remark on the entries: it may contradict
them (see ``remarks.py``). Nothing under a key that denies ("unsupported", "errors") is supported.
The entries of all values of a reply are kept, in order: which of two conflicting entries is meant
is not decided here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ...text.strings import clean_text
from ..contradictions import polarity
from ..contradictions.polarity import NEGATIVE
from ..contradictions.remark_readers import remarks_of
from ..contradictions.remarks import Remark, on_whole, without_contradicted
from ..json_values import ReplyParts, find_values
from ..labels import parse_label
from ..statement_ids import read_id
from . import json_keys as keys
from .json_entries import (
    entry_of,
    is_about_all,
    is_denied,
    is_entry,
    own_id,
    own_label,
    scalars_under,
    statement_of,
)
from .word_lists import (
    IN_PROSE,
    from_map,
    from_numbers_by_label,
    from_plain_list,
    is_denial,
    is_plain_list,
    may_be_verdicts,
    sorts_by_label,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...records.model import Label
    from ..raw_verdict import RawVerdict

    Labels = Mapping[str, Label] | None

_LABEL_KEY = re.compile(
    r"""["'](?:""" + "|".join(sorted(keys.WORD_KEYS | keys.QUESTION_KEYS)) + r""")\\?["']\s*:""",
    re.IGNORECASE,
)


class Said(NamedTuple):
    """What a JSON value says.

    Args:
        entries: its verdicts.
        summaries: verdicts on the whole reply. They are entries only if there are no others.
        remarks: what it says beside its verdicts.
    """

    entries: list[RawVerdict]
    summaries: list[RawVerdict]
    remarks: list[Remark]


_NOTHING = Said([], [], [])


def entries(parts: ReplyParts, labels: Labels = None) -> tuple[RawVerdict, ...]:
    """The verdicts in the JSON of a reply; () if it contains none.

    Positive verdicts that the JSON itself contradicts have no label.
    """
    prose = "".join(parts.around).replace("json", "")
    key = IN_PROSE if parts.broken or re.search(r"\w", prose) else ""
    said = _joined([_walk(value, key, None, labels) for value in parts.values])
    if not said.entries and not said.summaries:
        packed = [piece for value in parts.values for piece in _packed(value)]
        said = _joined([_walk(piece, IN_PROSE, None, labels) for piece in packed])
    if not said.entries and len(parts.values) == 1 and is_denial(parts.values[0], labels):
        said = Said(from_numbers_by_label(parts.values[0], labels), [], said.remarks)
    remarks = [*said.remarks, *_of_loose_verdicts(said)]
    result = without_contradicted(said.entries or said.summaries, remarks)
    if any(entry.label or entry.id is not None or entry.statement for entry in result):
        return result
    return ()


def lost(parts: ReplyParts) -> bool:
    """Whether the pieces that could not be parsed contain keys of labels."""
    return any(_LABEL_KEY.search(piece) for piece in (*parts.around, *parts.broken))


def _of_loose_verdicts(said: Said) -> list[Remark]:
    """The remarks of verdicts that are not on one statement: summaries, and some unnumbered ones.

    Among numbered verdicts, one that has neither a number nor a text is on the whole reply.
    """
    loose = said.summaries if said.entries else []
    if any(entry.id is not None for entry in said.entries):
        unnamed = [entry for entry in said.entries if entry.id is None and not entry.statement]
        loose = [*loose, *unnamed]
    return [remark for entry in loose for remark in on_whole(entry.label)]


def _joined(pieces: list[Said]) -> Said:
    if len(pieces) == 1:
        return pieces[0]
    return Said(
        [entry for piece in pieces for entry in piece.entries],
        [entry for piece in pieces for entry in piece.summaries],
        [remark for piece in pieces for remark in piece.remarks],
    )


# ---------------------------------------------------------------- lists


def _walk(value: Any, key: str, outer_id: int | None, labels: Labels) -> Said:
    """What ``value`` says, which is under ``key`` in an object numbered ``outer_id``."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, dict):
        return _from_object(value, key, outer_id, labels)
    if not isinstance(value, list):
        return _NOTHING
    if is_plain_list(value):
        return Said(from_plain_list(value, key, outer_id, labels), [], [])
    by_item = [_walk(item, key, outer_id, labels) for item in value]
    said = _joined(by_item)
    if not said.entries:
        return said
    # Beside entries, an item without a label still keeps its place.
    placed = [
        entry
        for item, inner in zip(value, by_item, strict=True)
        for entry in inner.entries or _placeholder(item, inner, outer_id)
    ]
    return Said(placed, said.summaries, [*said.remarks, *_of_strings(value, labels)])


def _placeholder(item: Any, inner: Said, outer_id: int | None) -> list[RawVerdict]:
    """An entry without a label for an item that is not a verdict, nor on the whole reply."""
    return [] if inner.summaries else [entry_of(item, outer_id, None)]


def _of_strings(items: list[Any], labels: Labels) -> list[Remark]:
    """The remarks of the strings in a list of entries."""
    strings = [item for item in items if isinstance(item, str)]
    return [remark for text in strings for remark in remarks_of("comment", text, labels)]


# ---------------------------------------------------------------- objects


def _from_object(value: dict[str, Any], key: str, outer_id: int | None, labels: Labels) -> Said:
    """What an object says: it is a verdict, contains verdicts, or only has remarks."""
    number = own_id(value)
    named = number is not None or statement_of(value) != ""
    inner = _inside(value, key, outer_id if number is None else number, labels)
    if len(value) == 1 and inner.entries:
        return inner  # a wrapper without a word of its own
    found = [*inner.entries, *from_map(value, key, labels)]
    if not any(map(_is_named, found)) and sorts_by_label(value, labels):
        found = from_numbers_by_label(value, labels)
    if found and named and own_label(value, labels):
        # A verdict on one statement that contains verdicts: which one is meant, is unknown.
        return Said([entry_of(value, outer_id, None)], [], inner.remarks)
    if not found and is_entry(value, named):
        return _entry(value, outer_id, labels)
    remarks = [*inner.remarks, *_own_remarks(value, labels)]
    if not found:
        return Said([], inner.summaries, remarks)
    checked = without_contradicted(_unless_overruled(value, found, labels), remarks)
    return Said(list(checked), inner.summaries, [])


def _entry(value: dict[str, Any], outer_id: int | None, labels: Labels) -> Said:
    """The verdict that an object is, on one statement or on the whole reply."""
    label = own_label(value, labels)
    entry = entry_of(value, outer_id, None if is_denied(value, label, labels) else label)
    if is_about_all(value):
        return Said([], [entry._replace(label=None)], on_whole(label))
    return Said([entry], [], [])


def _inside(value: dict[str, Any], key: str, number: int | None, labels: Labels) -> Said:
    """What the objects and lists in an object say."""
    pieces = [
        _under(name, item, key, number, labels)
        for name, item in value.items()
        if isinstance(item, dict | list)
        and item
        and name not in keys.CLOSED_KEYS
        and not keys.THINKING.search(name)
    ]
    return _joined(pieces)


def _under(name: str, item: Any, outer_key: str, outer_id: int | None, labels: Labels) -> Said:
    """What ``item`` says, which is under ``name`` in an object under ``outer_key``."""
    number = read_id(name)
    if number is None:
        said = _walk(item, name, outer_id, labels)
    else:  # {"1": ...}: the key is a number, so the key around the object tells what is in it
        said = _walk(item, "items" if may_be_verdicts(outer_key) else outer_key, number, labels)
    if not said.entries and not said.summaries:
        return said
    if polarity.kind_of(name) == "denying":
        return said._replace(entries=[entry._replace(label=None) for entry in said.entries])
    if polarity.is_summary(name) and not any(map(_is_named, said.entries)):
        return Said([], [*said.summaries, *said.entries], said.remarks)
    return said


def _is_named(entry: RawVerdict) -> bool:
    return entry.id is not None or entry.statement != ""


def _own_remarks(value: dict[str, Any], labels: Labels) -> list[Remark]:
    """What a wrapper says under its own keys."""
    counts = [name for name, item in value.items() if polarity.is_count(name) and type(item) is int]
    if counts:  # {"supported": 1, "total": 2}: the 1 is a count too, not "yes"
        value = {f"{name}count" if item == 1 else name: item for name, item in value.items()}
    return [
        remark
        for name, item in value.items()
        if name not in keys.SILENT_KEYS
        and (name in keys.REASON_KEYS or not keys.THINKING.search(name))
        and read_id(name) is None
        for remark in remarks_of(name, item, labels)
    ]


def _unless_overruled(
    value: dict[str, Any], found: list[RawVerdict], labels: Labels
) -> list[RawVerdict]:
    """The entries, without labels if their wrapper says that judging failed, or "supported".

    The latter takes back verdicts that are all negative.
    """
    failed = any(
        polarity.is_failure(name) and isinstance(item, str | bool) and polarity.says_something(item)
        for name, item in value.items()
    )
    said = {entry.label for entry in found if entry.label in (*NEGATIVE, "supported")}
    own = {
        parse_label(item, labels)
        for name, item in scalars_under(value, keys.LABEL_KEYS).items()
        if isinstance(item, str) or name not in keys.WEAK_KEYS
    }
    if failed or (said and said <= NEGATIVE and own == {"supported"}):
        return [entry._replace(label=None) for entry in found]
    return found


# ---------------------------------------------------------------- JSON inside strings


def _packed(value: Any, key: str = "") -> Iterator[Any]:
    """JSON inside a string, as in the arguments of a tool call."""
    if key in keys.CLOSED_KEYS or keys.THINKING.search(key) or polarity.kind_of(key) == "denying":
        return
    if isinstance(value, str) and key in keys.PACKED_KEYS and value.lstrip()[:1] in ("{", "["):
        yield from find_values(clean_text(value)).values
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _packed(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _packed(item, key)
