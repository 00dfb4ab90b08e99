"""Where the fields of a case are in a record: in columns, or where another system has them."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from ..conversations.events import OPENTELEMETRY
from ..records.errors import ConfigError, InputError, option
from ..text.strings import clip, lazy_pattern, names_of
from .plain_data import as_json, read_list, record_as_json
from .systems import (
    COLUMN_FIELDS,
    FIRST_MARKS,
    FROM,
    RECORDS,
    SYSTEMS,
    System,
    known_fields,
    names,
)

_PLAIN_PATH = lazy_pattern(r"[\w.-]+")
_IDS = ("id", "case_id")
_AUDIT = "last_citation_audit"
_TEXTS = ("text", "content", "page_content", "pageContent", "document", "document.content")
_ABSENT = object()
_REQUEST = ("messages", "contents", *OPENTELEMETRY)
"""What a mapping has that is a request of an API, or a span of OpenTelemetry."""
_SPEAKERS = {"question": "user", "answer": "assistant"}


class Located(NamedTuple):
    """Where the fields of a case are in a record.

    Args:
        record: the record; in an export, cells of JSON text may be read already.
        paths: for each field, by a name that a ``Case`` knows, its path in the record.
        system: the system that exported the record; None for a plain record.
    """

    record: Mapping[str, Any]
    paths: Mapping[str, str]
    system: System | None = None

    def fields(self) -> dict[str, Any]:
        """The fields of the case, with their values."""
        values = {name: value_at(self.record, path) for name, path in self.paths.items()}
        if self.system is None:
            return values
        return {name: _interpreted(name, value) for name, value in values.items()}

    def columns(self) -> dict[str, Any]:
        """The record without the fields of the case."""
        dropped = {*self.paths.values(), *(self.system.repeated if self.system else ())}
        rest = {name: value for name, value in self.record.items() if name not in dropped}
        for path in dropped.difference(self.record):
            rest = _without(rest, path)
        return rest


# ---------------------------------------------------------------- records


def read_record(
    record: Mapping[str, Any], mapping: Mapping[str, str], named: Container[str] = ()
) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The fields of a case in a row of any library, the other columns, and what is wrong or "".

    ``named``: the fields that a user named in the mapping, which must be there.
    """
    values, problems = record_as_json(record)
    located = locate(values, mapping)
    fields, columns = located.fields(), located.columns()
    for name, problem in problems.items():
        if name not in columns:  # a field is graded, so it must be what it is
            return {}, {}, f"{name}: {problem}"
    for name in ("answer", "context"):
        if name in named and name not in fields and "messages" not in fields:
            said = option("mapping", {name: mapping[name]})
            return {}, {}, f"{name}: {said} names nothing in it; it has {names_of(values)}"
    if failed := application_error(values, fields):
        return {}, {}, f"answer: missing, because the application failed: {clip(failed)}"
    for name in names("context"):
        if isinstance(value := fields.get(name), str):
            fields[name] = value = read_list(value)
        if isinstance(value, list):
            fields[name] = [
                read_list(item, of_one=True) if isinstance(item, str) else item for item in value
            ]
    return fields, columns, ""


def application_error(record: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """What a record without an answer says of the application that failed; else ""."""
    said = (fields.get(name) for name in (*names("answer"), *names("messages")))
    if any(isinstance(value, str | list) for value in said):
        return ""
    errors = (value_at(record, path) for path in ("error", "response.error"))
    return next((error for error in errors if isinstance(error, str) and error.strip()), "")


def locate(record: Mapping[str, Any], mapping: Mapping[str, str]) -> Located:
    """Where the fields of a case are in a record.

    A field of the mapping comes from its column alone. Other fields are where an export of another
    system has them, or in columns with the names of ``CASE_ALIASES``.
    """
    named = mapping.get(FROM)
    system = SYSTEMS[named] if named else _recognised(record)
    located = _in_export(record, system) if system else _in_columns(record)
    own = {field: path for field, path in mapping.items() if field not in (FROM, RECORDS)}
    if not own:
        return located
    hidden = {name for field in own for name in names(field)}
    paths = {name: path for name, path in located.paths.items() if name not in hidden}
    there = {
        field: path
        for field, path in own.items()
        if value_at(located.record, path, _ABSENT) is not _ABSENT
    }
    return located._replace(paths={**paths, **there})


def _recognised(record: Mapping[str, Any]) -> System | None:
    """The first system whose marks a record has."""
    starts = {name.partition(".")[0] for name in record}
    for system in () if starts.isdisjoint(FIRST_MARKS) else SYSTEMS.values():
        for way in system.marks:
            if way[0].split(".")[0] in starts and all(_has(record, mark) for mark in way):
                return None if any(name in record for name in system.unless) else system
    return None


def _has(record: Mapping[str, Any], at: str) -> bool:
    """Whether there is something at a path, also as columns such as ``inputs.question``."""
    start = f"{at}."
    return value_at(record, at) is not None or any(name.startswith(start) for name in record)


def _in_columns(record: Mapping[str, Any]) -> Located:
    paths = {name: name for name in known_fields(record)[0]}
    if _AUDIT in paths and _AUDIT not in record:
        paths[_AUDIT] = f"metrics.{_AUDIT}"
    if "id" not in paths:
        ids = [str(name) for name in record if str(name).casefold() in _IDS]
        if ids:
            paths["id"] = ids[0]
    return Located(record, paths)


def _in_export(record: Mapping[str, Any], system: System) -> Located:
    read: dict[str, Any] = {**record, **_read_cells(record, system.cells)}
    found: dict[str, str] = {}
    for field in COLUMN_FIELDS:
        if field == "messages" and "context" in found:
            continue  # only a system that keeps no context apart from them
        paths = system.paths.get(field, ("id",) if field == "id" else ())
        fitting = (path for path in paths if _fits(field, value_at(read, path)))
        if (path := next(fitting, None)) is not None:
            found[field] = path
    for cell in system.cells:  # JSON text without an answer inside is the answer itself
        said = cell in system.paths["answer"] and isinstance(record.get(cell), str)
        if said and "answer" not in found:
            read[cell], found["answer"] = record[cell], cell
    return Located(read, found, system)


def _fits(field: str, value: Any) -> bool:
    """Whether a value can be that of a field. A mapping is one only if it is of a known form."""
    if field == "messages":
        request = isinstance(value, Mapping) and any(value.get(name) for name in _REQUEST)
        return request or (isinstance(value, list) and bool(value) and all(map(_is_message, value)))
    if not isinstance(value, Mapping):
        return value is not None
    known = _TEXTS if field == "context" else ("content",)
    return any(key in value for key in (*known, "kwargs"))


def _read_cells(record: Mapping[str, Any], cells: Iterable[str]) -> dict[str, Any]:
    """The columns whose text is a JSON object or list, as CSV exports write them."""
    found = {}
    for cell in cells:
        text = record.get(cell)
        if isinstance(text, str) and text.lstrip().startswith(("{", "[")):
            try:
                found[cell] = as_json(json.loads(text))
            except (ValueError, RecursionError):  # also of as_json
                continue
    return found


# ---------------------------------------------------------------- values


def value_at(record: Any, path: str, default: Any = None) -> Any:
    """The value at a path, or ``default``. A column may have dots in its name.

    Raises:
        ConfigError: the path is not valid JMESPath.
    """
    if not isinstance(record, Mapping):
        return default
    if path in record:
        return record[path]
    if not _PLAIN_PATH.fullmatch(path):
        return default if (found := search(path, record)) is None else found
    first, _, rest = path.partition(".")
    inner = record.get(first) if rest else None
    return default if inner is None else value_at(inner, rest, default)


def search(path: Any, record: Any) -> Any:
    """The value at a JMESPath expression; None if there is none.

    Raises:
        ConfigError: the path is not valid.
    """
    import jmespath  # only where a path needs it

    try:
        return jmespath.search(path, record)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        is_deep = isinstance(error, RecursionError)
        problem = "too deeply nested" if is_deep else str(error).splitlines()[0]
        raise ConfigError(f"invalid JMESPath {clip(str(path))!r}: {problem}") from None


def _without(record: dict[str, Any], path: str) -> dict[str, Any]:
    """A record without the value at a path in it, and without mappings that are empty then."""
    first, _, rest = path.partition(".")
    inner = record.get(first)
    if not rest or not isinstance(inner, dict):
        return {name: value for name, value in record.items() if name != path}
    left = _without(inner, rest)
    return {n: left if n == first else v for n, v in record.items() if n != first or left}


def _interpreted(name: str, value: Any) -> Any:
    """The value of a field in an export: of messages the text. An answer of no known form stays."""
    if name not in _SPEAKERS or not isinstance(value, Mapping | list):
        return value
    from ..conversations.conversation import read_conversation  # most cases have none

    messages = [value] if isinstance(value, Mapping) else value
    if isinstance(value, Mapping) and "content" in value:
        messages = [{"role": _SPEAKERS[name], **value}]
    try:
        said = read_conversation(messages, (), has_answer=name == "question")
    except InputError:
        return value if name == "answer" else None
    return said.answer if name == "answer" else said.question or None


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and "role" in value and "content" in value
