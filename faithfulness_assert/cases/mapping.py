"""What a user says about columns: which is which field, and which system's records they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..records.errors import ConfigError, suggest
from .systems import CASE_ALIASES, FIELDS, SYSTEMS

COLUMN_FIELDS = (*FIELDS, "id")
"""The fields that a column can be named for."""
MAX_PATH_CHARS = 1_000
FROM = "from"
"""The key of a mapping that names the system, for records that could be those of two."""


def parse_mapping(items: Iterable[str], system: str | None = None) -> dict[str, str]:
    """The mapping that texts such as ``answer=COLUMN`` give, with the name of the ``system``.

    Raises:
        ConfigError: a text has another form, or names a field that a case does not have.
    """
    mapping: dict[str, str] = {FROM: system} if system else {}
    for item in items:
        name, sign, column = item.partition("=")
        if not sign or not column.strip():
            raise ConfigError(f"--map: must be FIELD=COLUMN, such as answer=reply, got {item!r}")
        if name.strip() in mapping:
            raise ConfigError(f"--map: {name.strip()} is given twice")
        mapping[name.strip()] = column.strip()
    return check_mapping(mapping)


def check_mapping(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """The mapping, with our names for its fields.

    Raises:
        ConfigError: an unknown field or system, or a column that is no text.
    """
    ours = {alias: name for name, aliases in CASE_ALIASES.items() for alias in aliases}
    checked: dict[str, str] = {}
    if not isinstance(mapping, Mapping | None):
        found = type(mapping).__name__
        raise ConfigError(f"map: must be a mapping of fields to columns, got {found}")
    for name, column in (mapping or {}).items():
        if not isinstance(column, str):
            raise ConfigError(f"map: {name} must be the name of a column, got {column!r}")
        field = ours.get(name, name)
        if field == FROM and column not in SYSTEMS:
            raise ConfigError(f"from: unknown system {column!r}. Known: {', '.join(SYSTEMS)}")
        if field not in (*COLUMN_FIELDS, FROM):
            raise ConfigError(f"map: a case has no field {name!r}. {suggest(name, COLUMN_FIELDS)}")
        check_length(column)
        checked[field] = column
    return checked


def check_length(path: str) -> None:
    """Raises ``ConfigError`` for a path that is longer than anyone writes."""
    if len(path) > MAX_PATH_CHARS:
        raise ConfigError(f"map: a path may have {MAX_PATH_CHARS:,} characters, got {len(path):,}")
