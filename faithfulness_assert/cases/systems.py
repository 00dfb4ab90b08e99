"""What other systems call the fields of a case: one table, from a system to fields to paths.

Cases, data sets, adapters and the promptfoo assertion read it. A path is a JMESPath expression. A
name may have dots: a column ``outputs.answer`` is found by the path ``outputs.answer``, as is
``answer`` in a column ``outputs``. Of the paths of a field, the first with a value counts.

A system is recognised by its ``marks``. Others have only names of their own, which a case takes as
they are (``CASE_ALIASES``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from ..conversations.events import OPENTELEMETRY
from ..records.errors import ConfigError, InputError, suggest
from ..records.option_names import option
from ..text.strings import clean_text

FIELDS = ("answer", "context", "question", "citation_audit", "messages")
"""The fields of a case that hold what is graded."""

Paths = Mapping[str, tuple[str, ...]]


class System(NamedTuple):
    """Where a system keeps the fields of a case.

    Args:
        paths: for each field, where it may be.
        marks: the ways to recognise a record: in one of them, all paths have a value. The first
            of each is one that few other records have.
        unless: a record with one of these names is another system's.
        cells: columns that may be JSON text, as CSV exports write them.
        repeated: columns that only repeat others; they are not carried along.
    """

    paths: Paths
    marks: tuple[tuple[str, ...], ...] = ()
    unless: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


_RECORDS: Mapping[str, System] = {
    "ragaliq": System({"answer": ("response",), "context": ("context",), "question": ("query",)}),
    "ragas": System(
        {
            "answer": ("response",),
            "context": ("retrieved_contexts", "contexts"),
            "question": ("user_input",),
        }
    ),
    "deepeval": System(  # test cases; in test runs and saved files, in camelCase
        {
            "answer": ("actual_output", "actualOutput"),
            "context": ("retrieval_context", "retrievalContext", "context"),
            "question": ("input",),
            "messages": ("turns",),
            "id": ("name", "id"),
        },
        marks=(("actualOutput",), ("retrievalContext",)),
        repeated=("trace", "metricsData", "order"),
    ),
    "axion": System(
        {"answer": ("actual_output",), "context": ("retrieved_content",), "question": ("query",)}
    ),
    "masis": System(
        {
            "answer": ("final_answer",),
            "context": ("evidence",),
            "question": ("user_query",),
            "citation_audit": ("last_citation_audit", "metrics.last_citation_audit"),
        }
    ),
}


def _aliases(field: str) -> tuple[str, ...]:
    """The names of a field in records of other systems, each once. In Python, they are lower."""
    paths = (path for system in _RECORDS.values() for path in system.paths.get(field, ()))
    known = (path for path in paths if path != field and path.islower() and "." not in path)
    return tuple(dict.fromkeys(known))


CASE_ALIASES: Mapping[str, tuple[str, ...]] = {field: _aliases(field) for field in FIELDS}
"""Names that a case takes for its fields, beside its own."""
_OUR_NAMES = {alias: name for name, aliases in CASE_ALIASES.items() for alias in aliases}


def names(field: str) -> tuple[str, ...]:
    """The names of a field: ours, then those of other systems."""
    return (field, *CASE_ALIASES.get(field, ()))


_CONTEXT = (
    *(*names("context"), "documents", "docs", "source_documents", "retrieved_documents"),
    *("passages", "sources"),
)
_ANSWER = (
    *(*names("answer"), "output", "text", "content", "result", "generation", "completion"),
    "messages",
)
_QUESTION = (*names("question"), "messages", "text", "content", "prompt")
NAMES_INSIDE: Paths = {"answer": _ANSWER, "context": _CONTEXT, "question": _QUESTION}
"""Names inside of what went into an application, or came out of it: more than a record has."""

_DOCUMENTS = "attributes.retrieval.documents"
_IDS = (
    *("reference_example_id", "example_id"),  # LangSmith; the same in each experiment
    *("id", "run_id", "context.span_id", "span_id", "trace_id"),
)


def _inside(places: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{place}.{name}" for place in places for name in names)


def _trace(
    given: tuple[str, ...],
    said: tuple[str, ...],
    marks: tuple[tuple[str, ...], ...],
    unless: tuple[str, ...] = (),
    context: tuple[str, ...] = (),
) -> System:
    """A system that keeps what went into an application (``given``), and what it ``said``."""
    paths = {
        "answer": (*said, *_inside(said, _ANSWER)),
        "question": (*given, *_inside(given, _QUESTION)),
        "context": (
            *(_DOCUMENTS, *names("context"), *context),
            *_inside((*said, *given, "metadata"), _CONTEXT),
        ),
        "messages": (*_inside(given, ("messages",)), *given),
        "id": _IDS,
    }
    return System(paths, marks, unless, (*given, *said, "metadata", _DOCUMENTS))


def _attributes(*names: str) -> str:
    """An object of attributes, each in the record itself or in its ``attributes``."""
    found = (f'"{name}": "{name}" || attributes."{name}"' for name in names)
    return "{" + ", ".join(found) + "}"


_GIVEN, _SAID = ("attributes.input.value", "input"), ("attributes.output.value", "output")
_PROMPTFOO = ("vars", "response.metadata", "metadata")

SYSTEMS: Mapping[str, System] = {
    **_RECORDS,
    "promptfoo": System(
        {
            "answer": ("response.output", *_inside(("response.output",), _ANSWER)),
            "context": _inside(_PROMPTFOO, _CONTEXT),
            "question": _inside(_PROMPTFOO, dict.fromkeys(("query", *names("question"), "prompt"))),
            "messages": _inside(_PROMPTFOO, ("messages",)),
            "id": ("testIdx && join('-', [to_string(testIdx), to_string(promptIdx)])", *_IDS),
        },
        marks=(("vars", "promptIdx"), ("vars", "response")),
        repeated=(
            *("testCase", "prompt", "response", "gradingResult", "tokenUsage", "promptId"),
            "id",  # another one in each run
        ),
    ),
    "opentelemetry": System(
        {"messages": (_attributes(*OPENTELEMETRY),), "id": _IDS},
        marks=tuple((place + name,) for place in ("", "attributes.") for name in OPENTELEMETRY),
    ),
    "langsmith": _trace(("inputs",), ("outputs",), (("outputs", "inputs"),)),
    "phoenix": _trace(
        _GIVEN,
        _SAID,
        (
            tuple(reversed((_GIVEN[0], _SAID[0]))),
            ("output", "input", "context.span_id"),
            ("output", "input", "context.trace_id"),
        ),
        unless=names("answer"),
        context=("reference",),
    ),
    "langfuse": _trace(("input",), ("output",), (("output", "input"),), unless=names("answer")),
}
FIRST_MARKS = {way[0].split(".")[0] for system in SYSTEMS.values() for way in system.marks}
"""Columns of which a record of a system with marks has one, or the start of its name."""


def may_have(columns: Collection[str], field: str) -> bool:
    """Whether rows with these columns may have a field; in an export, that cannot be told."""
    starts = {name.split(".")[0] for name in columns}
    return not starts.isdisjoint(FIRST_MARKS) or any(name in columns for name in names(field))


# ---------------------------------------------------------------- what a user says about columns

COLUMN_FIELDS = (*FIELDS, "id")
"""The fields that a column can be named for."""
FROM = "from"
"""The key of a mapping that names the system, for records that could be those of two."""
RECORDS = "records"
"""The key of a mapping that names the list of records in a JSON file, where there are several."""


def check_mapping(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """The mapping, with our names for its fields.

    Raises:
        ConfigError: an unknown field or system, or a column that is no text.
    """
    checked: dict[str, str] = {}
    said = option("mapping")
    if not isinstance(mapping, Mapping | None):
        found = type(mapping).__name__
        raise ConfigError(f"{said}: must be a mapping of fields to columns, got {found}")
    for name, column in (mapping or {}).items():
        if not isinstance(column, str):
            raise ConfigError(f"{said}: {name} must be the name of a column, got {column!r}")
        field = _OUR_NAMES.get(name, name)
        if field == FROM and column not in SYSTEMS:
            raise ConfigError(f"from: unknown system {column!r}. Known: {', '.join(SYSTEMS)}")
        if field not in (*COLUMN_FIELDS, FROM, RECORDS):
            near = suggest(name, COLUMN_FIELDS)
            raise ConfigError(f"{said}: a case has no field {name!r}. {near}")
        checked[field] = column
    return checked


# ---------------------------------------------------------------- fields of a record

MAX_IGNORED = 100
"""Fields that are listed."""

_KNOWN = (*CASE_ALIASES, "id", *_OUR_NAMES)
_MISSING = {"NAType", "NaTType"}  # of pandas; they cannot be compared


def is_missing(value: object) -> bool:
    """Whether a value says that there is none: None, NaN, or pandas' ``NA`` and ``NaT``."""
    if value is None or type(value).__name__ in _MISSING:
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
    """The fields of a case in a record, and the names of those that are ignored.

    A record may be of another system, with fields that are not part of a case.
    """
    fields, others = known_fields(record)
    named = (clean_text(name)[:60] for name, value in others.items() if _has_content(value))
    return fields, tuple(islice(named, MAX_IGNORED))


def known_fields(record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a case in a record, under its own names, and everything else in it."""
    fields = {str(name): value for name, value in record.items()}
    metrics = fields.get("metrics")  # a state of MASIS has its audit there
    audit = metrics.get("last_citation_audit") if isinstance(metrics, Mapping) else None
    if audit is not None:
        fields.setdefault("last_citation_audit", audit)
    others = [name for name in fields if name not in _KNOWN]
    of_deepeval = ("actual_output", "retrieval_context")
    if "context" in fields and all(fields.get(name) is not None for name in of_deepeval):
        others.insert(0, "context")  # the ideal context, not the retrieved one
    return fields, {name: fields.pop(name) for name in others}


def _has_content(value: object) -> bool:
    if isinstance(value, str | list | tuple | Mapping):
        return bool(value)
    return value is not None and value is not False
