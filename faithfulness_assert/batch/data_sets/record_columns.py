"""Which column of a record is which field of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...records.case_fields import CASE_ALIASES, known_fields
from ...records.errors import ConfigError, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FIELDS = (*CASE_ALIASES, "id")
"""The fields that a column can be named for."""


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
    for name, column in (mapping or {}).items():
        field = ours.get(name, name)
        if field not in FIELDS:
            raise ConfigError(f"map: a case has no field {name!r}. {suggest(name, FIELDS)}")
        checked[field] = column
    return checked


def split_columns(
    record: Mapping[str, Any], mapping: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a case in a record, and the columns that are not.

    A field of the mapping comes from its column alone; what else has a name of that field is an
    ordinary column then. Other fields are found by the names of ``CASE_ALIASES``.
    """
    if not mapping:
        return known_fields(record)
    rest = dict(record)
    fields = {name: _take(rest, column) for name, column in mapping.items()}
    shadowed = {name: rest.pop(name) for field in mapping for name in names(field) if name in rest}
    known, columns = known_fields(rest)
    return {**known, **fields}, {**shadowed, **columns}


def names(field: str) -> tuple[str, ...]:
    """The names that a column with this field may have."""
    return (field, *CASE_ALIASES.get(field, ()))


def _take(record: dict[str, Any], column: str) -> Any:
    """Takes a column out of a record. ``outputs.answer`` is ``answer`` in the column ``outputs``.

    None if the record does not have it.
    """
    if column in record:
        return record.pop(column)
    value: Any = record
    for part in column.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value
