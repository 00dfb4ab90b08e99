"""Paths such as ``outputs.answer`` into the values of a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Located(NamedTuple):
    """Where the fields of a case are in a record.

    Args:
        record: the record; in an export, cells of JSON text may be read already.
        paths: for each field, by a name that a ``Case`` knows, its path in the record.
        system: the system that exported the record; "" for a plain record.
        dropped: columns that only repeat others; they are not carried along.
        raw: fields that the user named a column for; their values are not interpreted.
    """

    record: Mapping[str, Any]
    paths: Mapping[str, str]
    system: str = ""
    dropped: tuple[str, ...] = ()
    raw: frozenset[str] = frozenset()

    def value(self, name: str) -> Any:
        """The value of a field."""
        value = value_at(self.record, self.paths[name])
        if not self.system or name in self.raw:
            return value
        from .export_values import field_value  # only exports have values of their own kinds

        return field_value(name, value)


_ABSENT = object()


def value_at(record: Any, path: str, default: object = None) -> Any:
    """The value at a path, or ``default``. A column may have dots in its name."""
    if not isinstance(record, Mapping):
        return default
    if path in record:
        return record[path]
    first, _, rest = path.partition(".")
    return value_at(record.get(first), rest, default) if rest else default


def exists(record: Any, path: str) -> bool:
    """Whether there is a value at a path, be it None."""
    return value_at(record, path, _ABSENT) is not _ABSENT


def take(located: Located) -> dict[str, Any]:
    """The record without the fields of the case."""
    rest = {k: value for k, value in located.record.items() if k not in located.dropped}
    for path in located.paths.values():
        rest = _without(rest, path)
    return rest


def _without(record: dict[str, Any], path: str) -> dict[str, Any]:
    """A record without the value at a path, and without mappings that are empty then."""
    if path in record:
        return {name: value for name, value in record.items() if name != path}
    first, _, rest = path.partition(".")
    inner = record.get(first)
    if not rest or not isinstance(inner, dict):
        return record
    left = _without(inner, rest)
    return {n: left if n == first else v for n, v in record.items() if n != first or left}
