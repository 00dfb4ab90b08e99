"""Where the records are in a JSON document: in a list at any depth, found by its shape.

Records are the items of a list, the values of an object (whose keys may be JSON texts with fields,
as in the cache of deepeval), the rows of lists that are parallel, or one object.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ...cases.case import rows_of
from ...cases.fields import find_fields, has_evidence, is_expected
from ...cases.paths import opened, search
from ...cases.systems import RECORDS
from ...cases.tables import MAX_COLUMNS
from ...records.errors import ConfigError, option

NONE, PART, FULL, KNOWN = range(4)
"""How much of a case records have: no answer, an answer, a context too (or messages); and these are
records of a system that is known by its keys, beside which its settings may look like cases.
"""
_SAMPLE = 10
_MAX_DEPTH, _MAX_KEYS = 10, 100_000
"""Steps to a list, and keys of lists and objects that are looked at."""
_OWN_KEYS = 10
"""What a list or an object counts beside its keys."""
_EACH = "[]"
"""A step to each item of a list."""
_MAX_SHOWN = 8
Steps = tuple[str, ...]


def choose_records(
    document: Any, mapping: Mapping[str, str], name: str
) -> tuple[Any, tuple[str, ...]]:
    """The list or object in a document that has the records, and what a person should know.

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names.
    """
    places = dict(_places(document, (), mapping, iter(range(_MAX_KEYS))))
    if wish := mapping.get(RECORDS):
        if (found := search(wish, document)) is None:
            use = option("mapping", {RECORDS: wish})
            raise ConfigError(
                f"{name}: {use} names nothing in it. Lists of records: {_all(places)}"
            )
        return found, ()
    best = max(places.values(), default=NONE)
    likely = [steps for steps, likeness in places.items() if likeness == best]
    if best >= FULL and len(likely) > 1:
        use = option("mapping", {RECORDS: _all(likely[:1])})
        has = f"has {len(likely)} lists of records: {_all(likely)}"
        raise ConfigError(f"{name}: {has}. Use {use}")
    own = next(iter(likely), ())
    if not own:
        return document, ()
    path = _all([own])
    others = [at for at, likeness in places.items() if likeness and at[: len(own)] != own]
    note = f"the records are those of {path!r}; not read: {_all(others)}"
    return search(path, document), (note,) if others else ()


def records_of(value: Any, mapping: Mapping[str, str]) -> Iterator[Any]:
    """The records that a list or an object is."""
    return _records(value, mapping)[1]


def _all(places: Iterable[Steps]) -> str:
    """The steps to the first places, as JMESPath expressions."""
    shown = []
    for steps in islice(places, _MAX_SHOWN):
        plain = (n if re.fullmatch(r"[A-Za-z_]\w*|\[]", n) else json.dumps(n) for n in steps)
        shown.append(".".join(plain).replace(f".{_EACH}", _EACH) or "the whole file")
    return ", ".join(shown)


def _records(value: Any, mapping: Mapping[str, str]) -> tuple[bool, Iterator[Any]]:
    """Whether a value is several records, and those: the items of a list, which may be lists; of
    an object its values, the rows of parallel lists, or itself alone.
    """
    if isinstance(value, list):
        lists = (
            records_of(one, mapping) if one and isinstance(one, list) else (one,) for one in value
        )
        return True, (item for items in lists for item in items)
    if not isinstance(value, Mapping):
        return False, iter([value])
    inner = [_of_object(name, item) for name, item in islice(value.items(), _SAMPLE)]
    if inner and all(
        isinstance(item, Mapping) and _likeness([item], mapping, are_many=False) for item in inner
    ):
        return True, (_of_object(name, item) for name, item in value.items())
    # lists of one length, or objects with the same names, as pandas writes them
    columns = {name: item for name, item in value.items() if isinstance(item, list)}
    objects = {name: item for name, item in value.items() if isinstance(item, Mapping)}
    if not columns and len({tuple(item) for item in objects.values()}) == 1:
        columns = {name: list(item.values()) for name, item in objects.items()}
    if len(columns) > 1 and len(set(map(len, columns.values()))) == 1:
        rows = rows_of(columns, next(iter(columns.values())))
        are_records = all(isinstance(item[0], Mapping) for item in columns.values() if item)
        if not are_records and _likeness(rows[:_SAMPLE], mapping) >= FULL:
            return True, iter(rows)
    return False, iter([value])


def _of_object(name: str, value: Any) -> Any:
    """A record that is a value of an object: its name may have fields, else it is the id."""
    if not isinstance(value, Mapping):
        return value
    if isinstance(fields := opened(name), Mapping):
        return {**fields, **value}
    return value if "id" in value else {"id": name, **value}


def _places(
    value: Any, steps: Steps, mapping: Mapping[str, str], room: Iterator[int]
) -> Iterator[tuple[Steps, int]]:
    """The steps to records in a value, the outermost ones of a case; and what these have of one."""
    if len(steps) > _MAX_DEPTH or next(room, None) is None:
        return
    are_many, items = _records(value, mapping)
    records = [item for item in islice(items, _SAMPLE) if isinstance(item, Mapping)]
    deque(islice(room, _OWN_KEYS + sum(map(len, records))), 0)
    likeness = _likeness(records, mapping, are_many=are_many)
    if records and (likeness >= FULL or are_many):
        yield steps, likeness
    if likeness >= FULL:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(inner, list | Mapping):
                yield from _places(inner, (*steps, name), mapping, room)
    else:  # lists in the items of a list: one place for all items
        inside = {at: some for item in records for at, some in _places(item, (), mapping, room)}
        for own, some in inside.items():
            if own and not any(map(is_expected, own)):
                yield (*steps, _EACH, *own), some
    if records and not are_many and likeness:
        yield steps, likeness


def _likeness(
    records: Sequence[Mapping[str, Any]], mapping: Mapping[str, str], *, are_many: bool = True
) -> int:
    """How much of a case the records have."""
    own = {field: path for field, path in mapping.items() if field != RECORDS}
    fields = find_fields([one for one in records if len(one) <= MAX_COLUMNS], own)
    there = set(fields.there)
    if not (are_many or fields.system) and any("." in path for path in fields.paths["messages"]):
        there.discard("messages")  # those of a record inside of it
    for field, paths in fields.unclear.items():
        if are_many or len({path.rpartition(".")[0] for path in paths}) == 1:
            there.add(field)  # else they are those of records inside of it
    chats = "messages" in there and has_evidence(records, fields.paths["messages"])
    if chats or {"answer", "context"} <= there:
        return KNOWN if fields.system and fields.system.marks else FULL
    return PART if there & {"answer", "messages"} else NONE
