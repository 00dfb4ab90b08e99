"""Data sets in: files, tables in memory, exports of other systems, and iterables, as rows."""

from __future__ import annotations

import atexit
import codecs
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...cases.case import Case
from ...cases.systems import check_mapping
from ...cases.tables import check_columns, items_of, read_table
from ...files import new_file, open_file, open_text
from ...records.errors import ConfigError, option
from ...text.strings import names_of
from . import tables
from .data_set import DataSet, Record, Source
from .json_files import json_source

__all__ = ["DataSet", "open_data_set"]

JSON = (".jsonl", ".ndjson", ".json")
TEXTS = (*JSON, ".csv", ".tsv")
SUFFIXES = (*TEXTS, ".parquet", *tables.SPREADSHEETS)
PART = 1 << 20
"""Bytes that are read at once."""


def open_data_set(
    source: Any, *, mapping: Mapping[str, str] | None = None, encoding: str | None = None
) -> DataSet:
    """The data set in a file, a table or any iterable of records.

    Args:
        source: the path of a file (``.jsonl``, ``.ndjson``, ``.json``, ``.csv``, ``.tsv``,
            ``.parquet``, ``.xlsx`` and others of Excel; ``"-"`` is standard input: JSON, or JSON
            lines), a table in memory (a pandas or polars frame, a pyarrow table, a Hugging Face
            data set), or an iterable of mappings, pydantic records (such as a ragas data set) or
            ``Case``.
        mapping: columns for the fields of a case, such as ``{"answer": "reply"}`` or, in nested
            records, ``{"answer": "outputs.text"}`` (JMESPath). Other fields are found by their
            names, or where an export of another system has them; ``{"from": "langsmith"}`` says
            which system that is.
        encoding: that of a text file, such as ``"cp1252"``; by default UTF-8.

    Raises:
        ConfigError: the source cannot be read or is empty, or lacks a column that a case needs, or
            the mapping names an unknown field or system; the encoding is unknown, the source is
            not in it, or is no text file.
    """
    mapping = check_mapping(mapping)
    if isinstance(source, str | PathLike):
        return DataSet(open_table(source, encoding, mapping), mapping)
    if encoding is not None:
        raise ConfigError(f"{option('encoding')}: only for a file")
    if isinstance(source, Mapping):
        raise ConfigError(f"data set: got {names_of(source)}; pass a list, or one of its values")
    return DataSet(_object(source), mapping)


# ---------------------------------------------------------------- files


def open_table(
    path: str | PathLike[str],
    encoding: str | None = None,
    mapping: Mapping[str, str] = MappingProxyType({}),
) -> Source:
    """The records of a file, which need not be cases: a sheet of labels. ``-``: standard input.

    Raises:
        ConfigError: it cannot be read or is empty, or two columns have the same name.
    """
    path = Path(path)
    name = str(path)
    if name == "-":  # a data set is read more than once
        name, path = "standard input", _copy_of_input()
    suffix = path.suffix.lower()
    if path.is_dir():
        what = "the folder of a run" if (path / "run.sqlite").is_file() else "a folder"
        raise ConfigError(f"{name}: is {what}, and a file belongs here")
    note = _check_encoding(path, name, encoding)  # it says if there is no such file
    if suffix not in SUFFIXES:
        raise ConfigError(f"{name}: unknown kind of file. Known: {', '.join(SUFFIXES)}")
    if suffix not in TEXTS:
        source = tables.table_source(path)
    else:
        read = json_source if suffix in JSON else tables.csv_source
        source = read(path, name, mapping, encoding or "utf-8")
    check_columns(source.columns or (), name)
    if next(source.records(), None) is None:
        raise ConfigError(f"{name}: contains no cases")
    return source._replace(notes=(*filter(None, [note]), *source.notes))


def _check_encoding(path: Path, name: str, encoding: str | None) -> str:
    """A note if a file seems to be in another encoding than the named one; else "".

    Without a name, a row that is not UTF-8 says so itself.

    Raises:
        ConfigError: the encoding is unknown, or the file is not in it or cannot be read.
    """
    try:
        with open_file(path) as file:
            start = file.read(PART)
        if encoding is not None and path.suffix.lower() in TEXTS:
            with open_text(path, encoding, newline="") as text:
                while text.read(PART):
                    pass
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeError as error:
        problem = getattr(error, "reason", error)
        raise ConfigError(f"{name}: is not {encoding} text: {problem}") from None
    except (LookupError, TypeError, ValueError):
        examples = "such as utf-8, cp1252 or utf-16"
        raise ConfigError(f"{option('encoding')}: unknown {encoding!r}; {examples}") from None
    if encoding is None:
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            use = option("encoding", "utf-16")
            raise ConfigError(f"{name}: is UTF-16 text; save it as UTF-8, or use {use}")
        return ""
    if path.suffix.lower() not in TEXTS:
        raise ConfigError(f"{option('encoding')}: only for text files, and {name} is none")
    with suppress(UnicodeError):
        as_utf8 = codecs.getincrementaldecoder("utf-8-sig")().decode(start)
        if not (as_utf8.isascii() or as_utf8 in start.decode(encoding, "replace")):
            use = option("encoding", encoding)
            return f"{name}: is UTF-8 text as well. If letters are wrong, leave out {use}"
    return ""


def _copy_of_input() -> Path:
    """Standard input as a file in a folder of its own, which is deleted at exit."""
    folder = tempfile.TemporaryDirectory(prefix="faithfulness-assert-")
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "input.json"
    with new_file(path, private=True) as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


# ---------------------------------------------------------------- objects


def _object(source: Any) -> Source:
    """The records of a table, or of any iterable."""
    name, table = type(source).__name__, read_table(source)
    if isinstance(source, bytes) or not (table or isinstance(source, Iterable)):
        raise ConfigError(f"data set: must be a path or an iterable, got {name}")
    columns = table[0] if table else None
    check_columns(columns or (), name)
    records, again = partial(_records, source), bool(table) or isinstance(source, Sequence)
    if again or iter(source) is not source:  # a stream, of which reading it twice costs much
        return Source(name, records, columns, again=again)
    waiting = [records]

    def once() -> Iterator[Record]:
        if not waiting:
            raise ConfigError("data set: an iterator can be read only once; pass a list or a file")
        return waiting.pop()()

    return Source(name, once, again=False)


def _records(source: Iterable[Any]) -> Iterator[Record]:
    for number, item in enumerate(items_of(source), 1):
        place = f"row {number}"
        if isinstance(item, Case):
            fields = {name: getattr(item, name) for name in ("answer", "context", "citation_audit")}
            question = "input" if item.question_missing else "question"
            fields |= {question: item.question or None, "id": item.id or None}
            notes = [note for note in (*item.notes, item.no_evidence) if note]
            yield Record(place, fields | ({"notes": notes} if notes else {}))
        elif isinstance(item, Mapping):
            yield Record(place, item)
        else:
            problem = f"must be a Case or a mapping, got {type(item).__name__}"
            yield Record(place, None, problem)
