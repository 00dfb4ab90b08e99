"""Which column of a record is which field of a case."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...cases.fields import CASE_ALIASES, known_fields
from ...records.errors import ConfigError, suggest
from .exports import MARKS, find_export
from .field_paths import Located, exists, take

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

FIELDS = (*CASE_ALIASES, "id")
"""The fields that a column can be named for."""

_AUDIT = "last_citation_audit"


def parse_mapping(items: Iterable[str]) -> dict[str, str]:
    """The mapping that texts such as ``answer=COLUMN`` give.

    Raises:
        ConfigError: a text has another form, or names a field that a case does not have.
    """
    mapping: dict[str, str] = {}
    for item in items:
        name, sign, column = item.partition("=")
        if not sign or not column.strip():
            raise ConfigError(f"--map: must be FIELD=COLUMN, such as answer=reply, got {item!r}")
        if name.strip() in mapping:
            raise ConfigError(f"--map: {name.strip()} is given twice")
        mapping[name.strip()] = column.strip()
    return check_mapping(mapping)


def check_mapping(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """The mapping, with our names for its fields. Raises ``ConfigError`` for an unknown field."""
    ours = {alias: name for name, aliases in CASE_ALIASES.items() for alias in aliases}
    checked: dict[str, str] = {}
    if not isinstance(mapping, Mapping | None):
        found = type(mapping).__name__
        raise ConfigError(f"map: must be a mapping of fields to columns, got {found}")
    for name, column in (mapping or {}).items():
        if not isinstance(column, str):
            raise ConfigError(f"map: {name} must be the name of a column, got {column!r}")
        field = ours.get(name, name)
        if field not in FIELDS:
            raise ConfigError(f"map: a case has no field {name!r}. {suggest(name, FIELDS)}")
        checked[field] = column
    return checked


def names(field: str) -> tuple[str, ...]:
    """The names that a column with this field may have."""
    return (field, *CASE_ALIASES.get(field, ()))


def locate(record: Mapping[str, Any], mapping: Mapping[str, str]) -> Located:
    """Where the fields of a case are in a record.

    A field of the mapping comes from its column alone. Other fields are where an export of another
    system has them, or in columns with the names of ``CASE_ALIASES``.
    """
    located = find_export(record) or _known(record)
    if not mapping:
        return located
    hidden = {name for field in mapping for name in names(field)}
    paths = {name: path for name, path in located.paths.items() if name not in hidden}
    mapped = {field: path for field, path in mapping.items() if exists(located.record, path)}
    return located._replace(paths={**paths, **mapped}, raw=frozenset(mapped))


def has_column(columns: Collection[str], field: str, mapping: Mapping[str, str]) -> bool:
    """Whether rows with these columns may have a field; in an export, that cannot be told."""
    starts = {name.split(".")[0] for name in columns}
    if field in mapping:
        return mapping[field] in columns or mapping[field].split(".")[0] in starts
    return any(name in columns for name in names(field)) or not starts.isdisjoint(MARKS)


def _known(record: Mapping[str, Any]) -> Located:
    fields, _ = known_fields(record)
    paths = {name: name for name in fields}
    if _AUDIT in paths and _AUDIT not in record:
        paths[_AUDIT] = f"metrics.{_AUDIT}"
    return Located(record, paths)


@lru_cache(maxsize=1000)
def _plain_fields(columns: tuple[str, ...]) -> tuple[str, ...] | None:
    """The fields of all records with these columns; None if it depends on what is in them."""
    if any(name.split(".")[0] in MARKS for name in columns) or "metrics" in columns:
        return None
    if "context" in columns and "retrieval_context" in columns:
        return None
    fields, _ = known_fields(dict.fromkeys(columns))
    return tuple(fields)


def split_columns(
    record: Mapping[str, Any], mapping: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a case in a record, and the columns that are not."""
    known = None if mapping else _plain_fields(tuple(record))
    if known is not None:
        fields = {name: record[name] for name in known}
        return fields, {name: value for name, value in record.items() if name not in fields}
    located = locate(record, mapping)
    fields = {name: located.value(name) for name in located.paths}
    return fields, take(located)
