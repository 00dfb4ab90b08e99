"""Exports of other systems, known by their shape: where the fields of a case are in a record.

promptfoo (results), deepeval (test runs), LangSmith (runs, experiments), Langfuse (traces,
observations), Phoenix (spans, questions with contexts) and OpenTelemetry (spans). Records of ragas
need nothing: their columns have names of ``CASE_ALIASES``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ...cases.fields import CASE_ALIASES
from .field_paths import Located, value_at
from .plain_values import plain

EXTRA_NAMES = {
    "answer": ("output", "text", "content", "result", "generation", "completion", "messages"),
    "context": ("documents", "docs", "source_documents", "retrieved_documents"),
    "question": ("messages", "text", "content", "prompt"),
}
"""Names that mean a field only inside of what went into a system, or came out of it."""

_SIDES = (
    ("inputs", "outputs"),  # LangSmith
    ("attributes.input.value", "attributes.output.value"),  # Phoenix, spans
    ("input", "output"),  # Langfuse, Phoenix
)
MARKS = {"vars", "actualOutput", "retrievalContext", "outputs", "output", "attributes", "gen_ai"}
"""Columns of which an export has at least one, or as the first part of a name with dots."""
_OTEL = ("system_instructions", "input.messages", "output.messages")
_CONVERSATION = "gen_ai conversation"  # a column that we add
_DOCUMENTS = "attributes.retrieval.documents"
_PHOENIX_IDS = ("context.span_id", "context.trace_id")
_IDS = (
    *("reference_example_id", "example_id"),  # LangSmith; the same in each experiment
    *("id", "run_id", "context.span_id", "span_id", "trace_id"),
)


def find_export(record: Mapping[str, Any]) -> Located | None:
    """Where an export has its fields; None if the record is not of a known export."""
    if isinstance(record.get("vars"), Mapping) and ("response" in record or "promptIdx" in record):
        return _promptfoo(record)
    if "actualOutput" in record or "retrievalContext" in record:
        return _deepeval(record)
    if conversation := _otel_messages(record):
        paths = {"messages": _CONVERSATION, **_id(record)}
        return Located({**record, _CONVERSATION: conversation}, paths, "otel")
    for given, said in _SIDES:
        if _has(record, given) and _has(record, said):
            named = given == "input" and any(name in record for name in _names("answer"))
            return None if named else _trace(record, given, said)
    return None


def _promptfoo(record: Mapping[str, Any]) -> Located:
    places = ("vars", "response.metadata", "metadata")
    paths = {
        **_find(record, places, "context"),
        **_find(record, ("vars",), "question"),
        **_said(record, "response.output"),
    }
    if "testIdx" in record and "promptIdx" in record:
        # its own id is another one in each run
        record = {**record, "id": f"{record['testIdx']}-{record['promptIdx']}"}
    repeated = ("testCase", "prompt", "response", "gradingResult", "tokenUsage", "promptId")
    return Located(record, {**paths, **_id(record)}, "promptfoo", repeated)


def _deepeval(record: Mapping[str, Any]) -> Located:
    paths = {"actual_output": "actualOutput", "input": "input", "id": "name"}
    retrieved = record.get("retrievalContext") is not None
    paths["retrieval_context"] = "retrievalContext" if retrieved else "context"
    found = {name: path for name, path in paths.items() if record.get(path) is not None}
    return Located(record, found, "deepeval", ("trace", "metricsData", "order"))


def _trace(record: Mapping[str, Any], given: str, said: str) -> Located:
    """A record of what went into a system (``given``), and what it said."""
    read = {**record, **_read_cells(record, (given, said, "metadata"))}
    answer = _said(read, said)
    if not answer and isinstance(record.get(said), str):  # JSON text, but the answer itself
        read[said], answer = record[said], {"answer": said}
    context = _trace_context(read, given, said) or _history(read, given)
    paths = {**answer, **_asked(read, given), **context, **_id(read)}
    return Located(read, paths, "trace")


def _trace_context(record: Mapping[str, Any], given: str, said: str) -> dict[str, str]:
    if value_at(record, _DOCUMENTS) is not None:
        return {"context": _DOCUMENTS}
    for name in _names("context"):
        if isinstance(record.get(name), str | list):
            return {"context": name}
    if "reference" in record and any(id in record for id in _PHOENIX_IDS):
        return {"context": "reference"}
    return _find(record, (said, given, "metadata"), "context")


def _history(record: Mapping[str, Any], at: str) -> dict[str, str]:
    """Where the messages are that went into a system that keeps no context apart from them."""
    for path in (f"{at}.messages", at):
        value = value_at(record, path)
        if isinstance(value, list) and value and all(map(_is_message, value)):
            return {"messages": path}
    return {}


def _otel_messages(record: Mapping[str, Any]) -> dict[str, Any]:
    """The messages of a span, from its attributes; empty if it has none."""
    attributes = record.get("attributes")
    places = [record, *([attributes] if isinstance(attributes, Mapping) else [])]
    found = {f"gen_ai.{name}": [p.get(f"gen_ai.{name}") for p in places] for name in _OTEL}
    values = {name: next((v for v in given if v), None) for name, given in found.items()}
    return {name: value for name, value in values.items() if value}


def _said(record: Mapping[str, Any], at: str) -> dict[str, str]:
    value = value_at(record, at)
    if isinstance(value, str | list) or _is_message(value):
        return {"answer": at}
    return _find(record, (at,), "answer")


def _asked(record: Mapping[str, Any], at: str) -> dict[str, str]:
    value = value_at(record, at)
    return {"question": at} if isinstance(value, str | list) else _find(record, (at,), "question")


def _id(record: Mapping[str, Any]) -> dict[str, str]:
    found = next((path for path in _IDS if value_at(record, path) is not None), None)
    return {"id": found} if found else {}


def _find(record: Mapping[str, Any], places: Iterable[str], field: str) -> dict[str, str]:
    """Where a field is: the first of its names at the first place that has one of them."""
    for place in places:
        for name in (*_names(field), *EXTRA_NAMES[field]):
            if value_at(record, f"{place}.{name}") is not None:
                return {field: f"{place}.{name}"}
    return {}


def _names(field: str) -> tuple[str, ...]:
    return (field, *CASE_ALIASES[field])


def _has(record: Mapping[str, Any], at: str) -> bool:
    """Whether there is something at a path, also as columns such as ``inputs.question``."""
    start = f"{at}."
    return value_at(record, at) is not None or any(name.startswith(start) for name in record)


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and "role" in value and "content" in value


def _read_cells(record: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
    """The columns whose text is a JSON object or list, as CSV exports write them."""
    found = {}
    for column in (*columns, _DOCUMENTS):
        text = record.get(column)
        if isinstance(text, str) and text.lstrip().startswith(("{", "[")):
            try:
                found[column] = plain(json.loads(text))
            except (ValueError, RecursionError):  # also of plain()
                continue
    return found
