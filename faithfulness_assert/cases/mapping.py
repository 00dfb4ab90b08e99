"""What a user says about columns: which is which field, and which system's records they are."""

from __future__ import annotations

from collections.abc import Mapping

from ..records.errors import ConfigError, suggest
from ..records.option_names import option
from .systems import CASE_ALIASES, FIELDS, SYSTEMS

COLUMN_FIELDS = (*FIELDS, "id")
"""The fields that a column can be named for."""
MAX_PATH_CHARS = 1_000
FROM = "from"
"""The key of a mapping that names the system, for records that could be those of two."""


def check_mapping(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """The mapping, with our names for its fields.

    Raises:
        ConfigError: an unknown field or system, or a column that is no text.
    """
    ours = {alias: name for name, aliases in CASE_ALIASES.items() for alias in aliases}
    checked: dict[str, str] = {}
    if not isinstance(mapping, Mapping | None):
        found = type(mapping).__name__
        raise ConfigError(f"{_name()}: must be a mapping of fields to columns, got {found}")
    for name, column in (mapping or {}).items():
        if not isinstance(column, str):
            raise ConfigError(f"{_name()}: {name} must be the name of a column, got {column!r}")
        field = ours.get(name, name)
        if field == FROM and column not in SYSTEMS:
            raise ConfigError(f"from: unknown system {column!r}. Known: {', '.join(SYSTEMS)}")
        if field not in (*COLUMN_FIELDS, FROM):
            near = suggest(name, COLUMN_FIELDS)
            raise ConfigError(f"{_name()}: a case has no field {name!r}. {near}")
        check_length(column)
        checked[field] = column
    return checked


def check_length(path: str) -> None:
    """Raises ``ConfigError`` for a path that is longer than anyone writes."""
    if len(path) > MAX_PATH_CHARS:
        limit = f"a path may have {MAX_PATH_CHARS:,} characters"
        raise ConfigError(f"{_name()}: {limit}, got {len(path):,}")


def _name() -> str:
    return option("mapping")
