"""Data sets in: files, frames, exports of other systems, and iterables, as rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ...records.case import Case
from ...records.errors import ConfigError
from .data_set import DataSet, Record, Source, head_of
from .json_lines import json_lines
from .record_columns import check_mapping, parse_mapping

__all__ = ["DataSet", "open_data_set", "parse_mapping"]


def open_data_set(source: Any, *, mapping: Mapping[str, str] | None = None) -> DataSet:
    """The data set in a file, a frame, a Hugging Face data set or any iterable.

    Args:
        source: a path (``.jsonl`` or ``.ndjson``), or an iterable of mappings or :class:`Case`.
        mapping: columns for the fields of a case, such as ``{"answer": "reply"}``. Other fields
            are found by their names, see ``CASE_ALIASES``.

    Raises:
        ConfigError: the source cannot be read, or the mapping names an unknown field.
    """
    mapping = check_mapping(mapping)
    if isinstance(source, str | Path):
        return DataSet(_file(Path(source), mapping), mapping)
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise ConfigError(f"data set: must be a path or an iterable, got {type(source).__name__}")
    return DataSet(_iterable(source), mapping)


def _file(path: Path, mapping: Mapping[str, str]) -> Source:
    if not path.is_file():
        raise ConfigError(f"{path}: cannot be read: there is no such file")
    records = partial(json_lines, path)
    return Source(str(path), records, head_of(records), partial(_fingerprint, path, mapping))


def _fingerprint(path: Path, mapping: Mapping[str, str]) -> str:
    told = json.dumps(mapping, sort_keys=True).encode()
    digest = hashlib.sha256(told)
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def _iterable(source: Iterable[Any]) -> Source:
    name = type(source).__name__
    if isinstance(source, Iterator):  # it cannot be read twice, so nothing of it is shown before
        return Source(name, lambda: _records(source), list, str)
    records = partial(_records, source)
    return Source(name, records, head_of(records), str)


def _records(source: Iterable[Any]) -> Iterator[Record]:
    for number, item in enumerate(source, 1):
        place = f"row {number}"
        if isinstance(item, Case):
            yield Record(place, _case_fields(item))
        elif isinstance(item, Mapping):
            yield Record(place, item)
        else:
            problem = f"must be a Case or a mapping, got {type(item).__name__}"
            yield Record(place, None, problem)


def _case_fields(case: Case) -> dict[str, Any]:
    fields = {name: getattr(case, name) for name in ("answer", "context", "citation_audit")}
    question = "input" if case.question_missing else "question"
    return {**fields, question: case.question or None, "id": case.id or None}
