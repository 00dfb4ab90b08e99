"""Where the records are in a JSON document: in a list at any depth, found by its shape.

Records are the items of a list, the values of an object (whose keys may be JSON texts with fields,
as in the cache of deepeval), the rows of lists that are parallel, or one object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ...cases.case import rows_of
from ...cases.field_names import is_expected
from ...cases.locate import find_fields
from ...cases.systems import RECORDS
from ...cases.tables import MAX_COLUMNS
from ...records.errors import ConfigError, option
from ...text.strings import parse_json

EACH = "*"
"""A step to each value of a list or an object."""
NONE, PART, FULL = 0, 1, 2
"""How much of a case records have: no answer, an answer, a context too (or messages)."""
_SAMPLE = 10
_MAX_DEPTH, _MAX_VISITS = 10, 1_000
"""Steps to a list, and lists and objects that are looked at."""
_STEP = re.compile(r'"(?:[^"\\]|\\.)*"|[^."]+')
_MAX_SHOWN = 8


class Place(NamedTuple):
    """Where the records of a document are.

    ``steps``: the names that lead there, or ``EACH``. ``form``: ``list``, ``object`` (of records),
    ``parallel`` (lists), ``one`` (record), or ``lines``: no document.
    """

    steps: tuple[str, ...]
    form: str
    likeness: int = 0

    def __str__(self) -> str:
        named = (name if re.fullmatch(r"[\w-]+|\*", name) else json.dumps(name) for name in self[0])
        return ".".join(named) or "the whole file"


def choose_place(outline: Any, mapping: Mapping[str, str], name: str) -> tuple[Place, str]:
    """Where the records are in a document, of which this is the outline; and a note or "".

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names.
    """
    places = list(_places(outline, (), mapping, iter(range(_MAX_VISITS))))
    if RECORDS in mapping:
        steps = _STEP.findall(mapping[RECORDS])
        wanted = tuple(str(json.loads(s)) if s.startswith('"') else s.strip() for s in steps)
        inside = list(_walk(outline, wanted))
        if not inside:
            wish = option("mapping", {RECORDS: mapping[RECORDS]})
            lists = ", ".join(str(place) for place in places[:_MAX_SHOWN])
            raise ConfigError(f"{name}: {wish} names nothing in it. Lists of records: {lists}")
        return Place(wanted, _form(inside[0], mapping)), ""
    best = max((place.likeness for place in places), default=0)
    likely = [place for place in places if place.likeness == best]
    if best == FULL and len(likely) > 1:
        shown = ", ".join(map(str, likely[:_MAX_SHOWN]))
        use = option("mapping", {RECORDS: str(likely[0])})
        raise ConfigError(f"{name}: has {len(likely)} lists of records: {shown}. Use {use}")
    if not likely:
        return Place((), _form(outline, mapping)), ""
    own = likely[0].steps
    others = [str(place) for place in places if place.likeness and place.steps[: len(own)] != own]
    where = f"the records are those of {str(likely[0])!r}; " if own else ""
    unread = f"{where}not read: {', '.join(others[:_MAX_SHOWN])}" if others else ""
    return likely[0], unread


def records_at(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    """The records at these steps of a value in memory."""
    for inside in _walk(value, steps):
        form = _form(inside, {})
        if form == "list":
            yield from inside
        elif form == "object":
            yield from (of_object(name, item) for name, item in inside.items())
        elif form == "parallel":
            yield from _rows(inside)
        elif isinstance(inside, Mapping):
            yield inside


def of_object(name: str, value: Any) -> Any:
    """A record that is a value of an object: its name may have fields, else it is the id."""
    if not isinstance(value, Mapping):
        return value
    if name.lstrip().startswith("{"):
        try:
            return {**parse_json(name), **value}
        except (ValueError, RecursionError, TypeError):
            pass
    return value if "id" in value else {"id": name, **value}


def _places(
    value: Any, steps: tuple[str, ...], mapping: Mapping[str, str], visits: Iterator[int]
) -> Iterator[Place]:
    """The places of records in a value, the outermost ones of a case."""
    if len(steps) > _MAX_DEPTH or next(visits, None) is None:
        return
    form = _form(value, mapping)
    sample = islice(records_at(value, ()), _SAMPLE)
    records = [item for item in sample if isinstance(item, Mapping)]
    likeness = _likeness(records, mapping, are_many=form != "one")
    if records and (likeness == FULL or form != "one"):
        yield Place(steps, form, likeness)
    if likeness == FULL:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(inner, list | Mapping):
                yield from _places(inner, (*steps, name), mapping, visits)
    else:  # lists in the items of a list: one place for all items
        inside = {p.steps: p for item in records for p in _places(item, (), mapping, visits)}
        for own, place in inside.items():
            if own and not any(map(is_expected, own)):
                yield place._replace(steps=(*steps, EACH, *own))
    if records and form == "one" and likeness:
        yield Place(steps, form, likeness)


def _form(value: Any, mapping: Mapping[str, str]) -> str:
    if isinstance(value, list):
        return "list"
    if not isinstance(value, Mapping):
        return "one"
    inner = [of_object(name, item) for name, item in islice(value.items(), _SAMPLE)]
    if inner and all(
        isinstance(item, Mapping) and _likeness([item], mapping, are_many=False) for item in inner
    ):
        return "object"
    return "parallel" if _likeness(_rows(value)[:_SAMPLE], mapping) == FULL else "one"


def _rows(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of lists of one length, or of objects with the same names, as pandas writes them."""
    lists = {name: item for name, item in value.items() if isinstance(item, list)}
    objects = {name: item for name, item in value.items() if isinstance(item, Mapping)}
    if not lists and len({tuple(item) for item in objects.values()}) == 1:
        lists = {name: list(item.values()) for name, item in objects.items()}
    one_length = len(lists) > 1 and len(set(map(len, lists.values()))) == 1
    return rows_of(lists, next(iter(lists.values()))) if one_length else []


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
    if "messages" in there or {"answer", "context"} <= there:
        return FULL
    return PART if "answer" in there else NONE


def _walk(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    if not steps:
        yield value
    elif isinstance(value, Mapping):
        for name in value if steps[0] == EACH else (steps[0],):
            if name in value:
                yield from _walk(value[name], steps[1:])
    elif isinstance(value, list) and steps[0] == EACH:
        for item in value:
            yield from _walk(item, steps[1:])
