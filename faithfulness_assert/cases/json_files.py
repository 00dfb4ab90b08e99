"""Reads JSON: an object on each line, or a document with a list of records somewhere in it.

In a document, records are the items of a list at any depth, found by its shape; the values of an
object (whose keys may be JSON texts with fields, as in the cache of deepeval); the rows of lists
that are parallel; or one object.

Python's own ``json`` reads each value, so that a list of records has the same meaning as the same
records on lines: NaN (which Python's ``json`` writes), escaped surrogates and large numbers too.
Files may be hostile: ``ijson`` 3.6 rejects NaN, loses all that follows a byte that is not UTF-8,
and ends the process at an integer of 4,301 digits or a list in 100,000 others. Lines may be any
number; a document is held in memory, and has a limit.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ..conversations.plain_data import opened
from ..files import open_text
from ..records.errors import ConfigError, option
from ..text.strings import parse_json
from .case import rows_of
from .data_set import MAX_COLUMNS, MAX_RECORD, Record, Source, not_utf8, record_of
from .fields import chats_at, find_fields, is_said
from .paths import quoted, search
from .systems import RECORDS

MAX_DOCUMENT = 75_000_000
"""Characters of a document, at most four bytes each."""
LONGEST_WORD = len("-Infinity")
BOM = "\ufeff"

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


def json_source(file: Path, name: str, mapping: Mapping[str, str], encoding: str) -> Source:
    """The records of a JSON file, wherever they are in it, and whatever its name.

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names; or
            the file is a document that is too large, or is not JSON.
    """
    if _has_lines(file, encoding):
        return Source(name, partial(_lines, file, encoding), lines=file)
    with open_text(file, encoding, "surrogateescape", "") as document:
        text = document.read(MAX_DOCUMENT + 1).removeprefix(BOM)
    if len(text) > MAX_DOCUMENT:
        problem = f"has more than {MAX_DOCUMENT:,} characters; save its records as JSON lines"
        raise ConfigError(f"{name}: {problem}")
    try:
        value = parse_json(text) if text.strip() else []
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name}: {_invalid(error, text, 'line {0.lineno:,}')}") from None
    found, notes = _choose(value, mapping, file.name)
    is_mixed = bool(not_utf8(text))

    def records() -> Iterator[Record]:
        for number, item in enumerate(_records(found, mapping)[1], 1):
            own = not_utf8(json.dumps(item, ensure_ascii=False)) if is_mixed else ""
            yield record_of(f"item {number}", item, own)

    return Source(name, records, notes=notes)


def _has_lines(file: Path, encoding: str) -> bool:
    """Whether a file has a value on each of several lines. One that is alone is a document.

    In ``.jsonl`` a first line that only opens a bracket, or is a whole list, begins a document; in
    ``.json`` any that is no object.
    """
    with open_text(file, encoding, "surrogateescape", "\n") as text:
        filled = filter(str.strip, iter(partial(text.readline, MAX_RECORD), ""))
        first, follows = next(filled, "").strip(), any(filled)
    with suppress(ValueError, RecursionError):
        return follows and isinstance(parse_json(first), dict)
    return follows and file.suffix.lower() != ".json" and first not in ("[", "{")


def _lines(file: Path, encoding: str, after: int = 0) -> Iterator[Record]:
    """The records of a file with an object on each line. Blank lines are passed over.

    ``after``: so many records are passed over, too.
    """
    with open_text(file, encoding, "surrogateescape", "\n") as lines:
        for number, line in enumerate(iter(partial(lines.readline, MAX_RECORD + 1), ""), 1):
            rest = line if len(line) > MAX_RECORD else ""
            while rest and not rest.endswith("\n"):
                rest = lines.readline(1 << 20)
            if after or not line.strip():
                after -= bool(line.strip())
                continue
            item, problem = None, not_utf8(line)
            if len(line) > MAX_RECORD:
                problem = f"over the limit of {MAX_RECORD:,} characters"
            elif not problem:
                try:
                    item = parse_json(line.removeprefix(BOM).rstrip())
                except (ValueError, RecursionError) as error:
                    problem = _invalid(error, line, "character {0.colno}")
            yield record_of(f"line {number}", item, problem)


def _invalid(error: Exception, text: str, place: str) -> str:
    """What is wrong with a text that is not JSON. ``place``: how its place is told."""
    if not isinstance(error, json.JSONDecodeError):
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return f"invalid JSON: {problem}"
    ends = error.pos > len(text) - LONGEST_WORD or error.msg.startswith("Unterminated")
    end = "; the file ends here, it may be cut off" if ends and text[-1:] != "\n" else ""
    return f"invalid JSON: {error.msg.removesuffix(' at')} at {place.format(error)}{end}"


# ---------------------------------------------------------------- where the records are


def _choose(document: Any, mapping: Mapping[str, str], name: str) -> tuple[Any, tuple[str, ...]]:
    """The list or object in a document that has the records, and what a person should know.

    Raises:
        ConfigError: there are several lists of records, or not the one that the mapping names.
    """
    places = dict(_places(document, (), mapping, iter(range(_MAX_KEYS))))
    if wish := mapping.get(RECORDS):
        if (found := search(wish, document)) is None:
            use, lists = option("mapping", {RECORDS: wish}), _all(places)
            raise ConfigError(f"{name}: {use} names nothing in it. Lists of records: {lists}")
        return found, ()
    best = max(places.values(), default=NONE)
    likely = [steps for steps, likeness in places.items() if likeness == best] or [()]
    own, path = likely[0], _all(likely[:1])
    use = option("mapping", {RECORDS: path})
    if best >= FULL and likely[1:]:
        has = f"has {len(likely)} lists of records: {_all(likely)}"
        raise ConfigError(f"{name}: {has}. Use {use}")
    if not own:
        return document, ()
    others = [at for at, likeness in places.items() if likeness and at[: len(own)] != own]
    use = option("mapping", {RECORDS: "PATH"})
    note = f"the records are those of {path!r}, and not of {_all(others)}: {use} names them"
    return search(path, document), (note,) if others else ()


def _all(places: Iterable[Steps]) -> str:
    """The steps to the first places, as JMESPath expressions."""
    paths = (".".join(n if n == _EACH else quoted(n) for n in steps) for steps in places)
    shown = (path.replace(f".{_EACH}", _EACH) or "the whole file" for path in paths)
    return ", ".join(islice(shown, _MAX_SHOWN))


def _records(value: Any, mapping: Mapping[str, str]) -> tuple[bool, Iterator[Any]]:
    """Whether a value is several records, and those: the items of a list, which may be lists; of
    an object its values, the rows of parallel lists, or itself alone.
    """
    if isinstance(value, list):
        lists = (
            _records(one, mapping)[1] if isinstance(one, list) and one else (one,) for one in value
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
            if own and not is_said(own, "expected"):
                yield (*steps, _EACH, *own), some
    if records and not are_many and likeness:
        yield steps, likeness


def _likeness(
    records: Sequence[Mapping[str, Any]], mapping: Mapping[str, str], *, are_many: bool = True
) -> int:
    """How much of a case the records have."""
    fields = find_fields([one for one in records if len(one) <= MAX_COLUMNS], mapping)
    there = set(fields.there)
    if not (are_many or fields.system) and any("." in path for path in fields.paths["messages"]):
        there.discard("messages")  # those of a record inside of it
    for field, paths in fields.unclear.items():
        if are_many or len({path.rpartition(".")[0] for path in paths}) == 1:
            there.add(field)  # else they are those of records inside of it
    if are_many and fields.holders and "context" in there:
        there.add("answer")  # where none can be read: what went into an application is none
    paths = fields.paths["messages"] if "messages" in there else ()
    held = (there & {*(there - fields.there), *fields.read(one)} for one in records)
    has_evidence = any(chat.passages for chat in chats_at(records, paths))
    if has_evidence or any({"answer", "context"} <= some for some in held):
        return KNOWN if "marks" in fields.system else FULL
    return PART if there & {"answer", "messages"} else NONE
