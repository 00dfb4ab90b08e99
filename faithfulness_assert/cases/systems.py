"""What other systems call the fields of a case: ``systems.txt``, from a system to fields to paths.

Cases, data sets, adapters and the promptfoo assertion read it. A path is a JMESPath expression. A
name may have dots: a column ``outputs.answer`` is found by the path ``outputs.answer``, as is
``answer`` in a column ``outputs``. Of the paths of a field, the first with a value counts.

A system is recognised by its ``marks``. Others have only names of their own, which a case takes as
they are (``CASE_ALIASES``).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from ..conversations.plain_data import MISSING
from ..records.checks import as_mapping
from ..records.errors import ConfigError, InputError, option, suggest
from ..text.strings import clean_text, sections

FIELDS = ("answer", "context", "question", "citation_audit", "messages")
"""The fields of a case that hold what is graded."""
COLUMN_FIELDS = (*FIELDS, "id")
"""The fields that a column can be named for."""

Paths = Mapping[str, tuple[str, ...]]
_SECTIONS = sections(__file__.removesuffix("py") + "txt")


def _paths(section: str, several: Paths) -> Paths:
    """The paths of each field in a section. ``{answer}`` at the end of one stands for ``several``
    names of this kind.
    """
    found: dict[str, tuple[str, ...]] = {}
    for line in filter(None, _SECTIONS[section].splitlines()):
        field, _, paths = line.partition(": ")
        for path in paths.split("; "):
            place, _, name = path.partition("{")
            names = several.get(name.removesuffix("}"))
            each = tuple(place + one for one in names) if names else (path,)
            found[field] = tuple(dict.fromkeys(found.get(field, ()) + each))
    return found


CASE_ALIASES = _paths("names", {})
"""Names that a case takes for its fields, beside its own."""
_OUR_NAMES = {alias: name for name, aliases in CASE_ALIASES.items() for alias in aliases}


def names(field: str) -> tuple[str, ...]:
    """The names of a field: ours, then those of other systems."""
    return (field, *CASE_ALIASES.get(field, ()))


_SEVERAL = {field: names(field) for field in FIELDS}
NAMES_INSIDE = _paths("inside", _SEVERAL)
"""Names inside of what went into an application, or came out of it: more than a record has."""
_SEVERAL |= {f"in {field}": inside for field, inside in NAMES_INSIDE.items()}
SYSTEMS = {name: _paths(name, _SEVERAL) for name in _SECTIONS if name not in ("names", "inside")}
"""Where each system keeps the fields of a case, and by what it is known: see ``systems.txt``."""


FROM = "from"
"""The key of a mapping that names the system, for records that could be those of two."""
MAX_PATH = 2_000
"""Characters of a path."""
RECORDS = "records"
"""The key of a mapping that names the list of records in a JSON file, where there are several."""


def check_mapping(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """The mapping, with our names for its fields.

    Raises:
        ConfigError: an unknown field or system, or a column that is no text.
    """
    label, checked = option("mapping"), dict[str, str]()
    if not isinstance(mapping, Mapping | None):
        kind = type(mapping).__name__
        raise ConfigError(f"{label}: must be a mapping of fields to columns, got {kind}")
    for name, column in (mapping or {}).items():
        field = _OUR_NAMES.get(name, name)
        if not isinstance(column, str):
            raise ConfigError(f"{label}: {name} must be the name of a column, got {column!r}")
        if len(column) > MAX_PATH:
            problem = f"the path for {name} is longer than {MAX_PATH:,} characters"
            raise ConfigError(f"{label}: {problem}")
        if field == FROM and column not in SYSTEMS:
            raise ConfigError(f"from: unknown system {column!r}. Known: {', '.join(SYSTEMS)}")
        if field not in (*COLUMN_FIELDS, FROM, RECORDS):
            near = suggest(name, COLUMN_FIELDS)
            raise ConfigError(f"{label}: a case has no field {name!r}. {near}")
        checked[field] = column
    return checked


MAX_IGNORED = 100
"""Fields that are listed."""

_KNOWN = (*CASE_ALIASES, "id", *_OUR_NAMES)


def is_missing(value: object) -> bool:
    """Whether a value says that there is none: None, NaN, or pandas' ``NA`` and ``NaT``."""
    if value is None or type(value).__name__ in MISSING:
        return True
    return isinstance(value, float) and value != value


def by_our_names(ours: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The given fields of a case under our names; a field that is missing (NaN too) is not given.

    Raises:
        InputError: a field is unknown, or given under two names.
    """
    given = {name: value for name, value in ours.items() if not is_missing(value)}
    used = {name: name for name in given}
    for alias, value in named.items():
        name = _OUR_NAMES.get(alias)
        if name is None:
            raise InputError(f"{alias:.60}: unknown field. {suggest(alias[:60], _KNOWN)}")
        if is_missing(value):
            continue
        if name in given:
            if isinstance(value, str | list) and given[name] == value:
                continue  # two names with the same value are one
            raise InputError(f"{alias}: conflicts with {used[name]}; give only one of them")
        given[name], used[name] = value, alias
    return given


def split_record(record: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields of a case in a record, and the names of others that are filled, which are ignored.

    A record may be of another system, with fields that are not part of a case.
    """
    fields = {str(name): value for name, value in record.items()}
    metrics = as_mapping(fields.get("metrics"))  # a state of MASIS has its audit there
    if (audit := metrics.get("last_citation_audit")) is not None:
        fields.setdefault("last_citation_audit", audit)
    ignored = [name for name in fields if name not in _KNOWN]
    of_deepeval = ("actual_output", "retrieval_context")
    if "context" in fields and all(fields.get(name) is not None for name in of_deepeval):
        ignored.insert(0, "context")  # the ideal context, not the retrieved one
    dropped = {name: fields.pop(name) for name in ignored}
    sized = (str, list, tuple, Mapping)
    filled = (
        clean_text(name)[:60]
        for name, value in dropped.items()
        if (value if isinstance(value, sized) else value is not None and value is not False)
    )
    return fields, tuple(islice(filled, MAX_IGNORED))
