"""Data sets in: files, frames, exports of other systems, and iterables, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ...records.errors import ConfigError
from ...text.strings import names_of
from .data_set import DataSet, Source
from .record_columns import check_mapping, parse_mapping
from .sources import file_source, object_source

__all__ = ["DataSet", "open_data_set", "parse_mapping"]


def open_data_set(source: Any, *, mapping: Mapping[str, str] | None = None) -> DataSet:
    """The data set in a file, a table or any iterable of records.

    Args:
        source: the path of a file (``.jsonl``, ``.ndjson``, ``.json``, ``.csv``, ``.tsv``,
            ``.parquet``; ``"-"`` is standard input: JSON, or JSON lines), a pandas or polars frame,
            a Hugging Face data set, or an iterable of mappings or ``Case``.
        mapping: columns for the fields of a case, such as ``{"answer": "reply"}`` or, in nested
            records, ``{"answer": "outputs.text"}``. Other fields are found by their names, see
            ``CASE_ALIASES``, or where an export of another system has them.

    Raises:
        ConfigError: the source cannot be read or is empty, or lacks a column that a case needs, or
            the mapping names an unknown field.
    """
    mapping = check_mapping(mapping)
    data_set = DataSet(_source(source, mapping), mapping)
    data_set.check()
    return data_set


def _source(source: Any, mapping: dict[str, str]) -> Source:
    if isinstance(source, str | PathLike):
        return file_source(Path(source), mapping)
    if isinstance(source, Mapping):
        found = f"a mapping with {names_of(source)}"
        raise ConfigError(f"data set: got {found}; pass a list, or one of its values")
    if isinstance(source, bytes) or not isinstance(source, Iterable):
        raise ConfigError(f"data set: must be a path or an iterable, got {type(source).__name__}")
    return object_source(source, mapping)
