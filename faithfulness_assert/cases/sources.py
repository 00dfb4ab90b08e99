"""Data sets: files, tables in memory, exports of other systems, and iterables, as rows."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..files import new_file, open_text
from ..records.errors import ConfigError, InputError, option
from ..text.strings import names_of
from . import tables
from .case import NEEDED, Case
from .data_set import MAX_COLUMNS, DataSet, Record, Source, record_of
from .json_files import json_source
from .systems import check_mapping

if TYPE_CHECKING:
    from os import PathLike

JSON = (".jsonl", ".ndjson", ".json")
TEXTS = (*JSON, ".csv", ".tsv")
SUFFIXES = (*TEXTS, ".parquet", *tables.SPREADSHEETS)
PART = 1 << 20
"""Characters that are read at once."""
_RENAME = ". Rename the column that holds it"
"""What to do where nobody can map columns."""


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
    if isinstance(source, DataSet):
        return source
    mapping = check_mapping(mapping)
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        return DataSet(open_table(source, encoding, mapping), mapping)
    if encoding is not None:
        raise ConfigError(f"{option('encoding')}: only for a file")
    if isinstance(source, Mapping):
        raise ConfigError(f"data set: got {names_of(source)}; pass a list, or one of its values")
    return DataSet(_object(source, type(source).__name__), mapping)


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
    name, suffix = str(path), path.suffix.lower()
    if name == "-":  # a data set is read more than once
        folder = tempfile.TemporaryDirectory(prefix="faithfulness-assert-")
        atexit.register(folder.cleanup)
        name, path, suffix = "standard input", Path(folder.name) / "input.json", ".json"
        with new_file(path, private=True) as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
    if path.is_dir():
        what = "the folder of a run" if (path / "run.sqlite").is_file() else "a folder"
        raise ConfigError(f"{name}: is {what}, and a file belongs here")
    _check_encoding(path, name, encoding)  # it says if there is no such file
    if suffix not in SUFFIXES:
        raise ConfigError(f"{name}: unknown kind of file. Known: {', '.join(SUFFIXES)}")
    if suffix in JSON:
        source = json_source(path, name, mapping, encoding or "utf-8")
    elif suffix in TEXTS:
        source = tables.csv_source(path, name, encoding or "utf-8")
    else:
        source = tables.table_source(path, mapping)
    _check_columns(source.columns, name)
    if next(source.records(), None) is None:
        raise ConfigError("; ".join((f"{name}: contains no cases", *source.notes)))
    return source


def _check_encoding(path: Path, name: str, encoding: str | None) -> None:
    """Raises ``ConfigError`` if a file cannot be read, or is not in its encoding.

    Without one, a row that is not UTF-8 says so itself.
    """
    try:
        with open_text(path, "latin-1" if encoding is None else encoding, newline="") as text:
            start = text.read(4)
            deque(iter(partial(text.read, PART), "") if encoding else (), 0)
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeError as error:
        problem = getattr(error, "reason", error)
        raise ConfigError(f"{name}: is not {encoding} text: {problem}") from None
    except (LookupError, TypeError, ValueError):
        examples = "such as utf-8, cp1252 or utf-16"
        raise ConfigError(f"{option('encoding')}: unknown {encoding!r}; {examples}") from None
    if encoding is not None and path.suffix.lower() not in TEXTS:
        raise ConfigError(f"{option('encoding')}: only for text files, and {name} is none")
    if path.suffix.lower() in TEXTS and start == "PK\3\4":
        raise ConfigError(f"{name}: is a workbook or an archive; a workbook's name ends in .xlsx")
    if encoding is None and start[:2] in ("\xff\xfe", "\xfe\xff"):
        use = option("encoding", "utf-16")
        raise ConfigError(f"{name}: is UTF-16 text; save it as UTF-8, or use {use}")


def _check_columns(columns: Sequence[str] | None, where: str) -> None:
    """Raises ``ConfigError`` if a table has too many columns, or two of them one name."""
    if columns and len(columns) > MAX_COLUMNS:
        raise ConfigError(f"{where}: has {len(columns):,} columns, and {MAX_COLUMNS:,} are read")
    if twice := [name for name, times in Counter(columns).items() if times > 1]:
        fix = "rename one, or take the same data as JSON"
        raise ConfigError(f"{where}: two columns have the name {twice[0]!r}; {fix}")


# ---------------------------------------------------------------- objects


def read_table(table: Any) -> tuple[list[str] | None, Iterator[dict[str, Any]]] | None:
    """The columns of a table of any library, and its rows one at a time; None if it is no table.

    A table is known by its methods, so that no library needs to be installed. The columns are None
    if they show only in the rows, as in a stream. The index of a pandas frame is one, if it has a
    name: it may be the id.
    """
    rows: Iterable[Any]
    if isinstance(table, Mapping):
        return None
    if hasattr(table, "to_pylist") and hasattr(table, "schema"):  # a table or a batch of pyarrow
        columns = table.schema.names
        batches = table.to_batches() if hasattr(table, "to_batches") else (table,)
        rows = (row for batch in batches for row in batch.to_pylist())
    elif hasattr(table, "itertuples"):
        index = getattr(getattr(table, "index", None), "names", ())
        new = [name for name in index if name is not None and name not in table.columns]
        frame = table.reset_index(new) if new else table
        columns, values = frame.columns, frame.itertuples(index=False, name=None)
        rows = (dict(zip(map(str, columns), row, strict=True)) for row in values)
    elif hasattr(table, "iter_rows"):
        columns, rows = table.columns, table.iter_rows(named=True)
    elif hasattr(table, "column_names"):  # of Hugging Face; without a format, or rows are frames
        columns = table.column_names
        rows = table.with_format(None) if hasattr(table, "with_format") else table
    else:
        return None
    return (None if columns is None else list(map(str, columns))), iter(rows)


def _items(source: Any) -> Iterator[Any]:
    """The items of a table or an iterable: records, such as a sample of ragas, as mappings, and
    what is none as it is.
    """
    table = read_table(source)
    for item in table[1] if table else source:
        to_mapping = getattr(item, "_asdict", None) or getattr(item, "model_dump", None)
        if isinstance(item, Mapping | Case):
            yield item
        elif hasattr(item, "keys"):
            yield dict(item)
        else:  # a row of pandas' itertuples(), a record of pydantic
            record = to_mapping() if callable(to_mapping) else None
            yield record if isinstance(record, Mapping) else item


def _object(source: Any, name: str) -> Source:
    """The records of a table, or of any iterable. A stream is not read twice: it may cost much."""
    table = read_table(source)
    if isinstance(source, bytes) or not (table or isinstance(source, Iterable)):
        raise ConfigError(f"data set: must be a path or an iterable, got {name}")
    columns = table[0] if table else None
    _check_columns(columns, name)
    is_stream, begun = not table and iter(source) is source, list[bool]()

    def records() -> Iterator[Record]:
        if begun and is_stream:
            raise ConfigError("data set: an iterator can be read only once; pass a list or a file")
        begun.append(True)
        for number, item in enumerate(_items(source), 1):
            values = _fields_of(item) if isinstance(item, Case) else item
            yield record_of(f"row {number}", values)._replace(item=item)

    return Source(name, records, columns, again=bool(table) or isinstance(source, Sequence))


def _fields_of(case: Case) -> dict[str, Any]:
    """A case as a record."""
    fields = {name: getattr(case, name) for name in ("answer", "context", "citation_audit")}
    notes = [note for note in (*case.notes, case.no_evidence) if note]
    fields |= {"question": case.question, "id": case.id, "notes": notes}
    fields = {name: value for name, value in fields.items() if value or name in NEEDED}
    return fields | ({"input": None} if case.question_missing else {})


class Given:
    """What is graded, one at a time: ``Case`` records, mappings, or what is neither, as it is.

    A row of a table that cannot be read is the ``InputError`` that says why.

    ``notes`` tell which columns are read, where their names are not the usual ones.

    Args:
        source: a table, or any iterable of cases.
        keep: whether ``rows`` gets the columns of each case, as they were given.

    Raises:
        ConfigError: it is no iterable of cases, a table lacks a column that a case needs, or
            several may be one that it needs.
    """

    def __init__(self, source: Any, *, keep: bool = False) -> None:
        is_table = read_table(source) is not None
        if not (is_table or isinstance(source, Iterable)) or isinstance(source, str | Mapping):
            got = f"got {type(source).__name__}; put it into a list, or see `batch.run` for a file"
            raise ConfigError(f"cases: must be an iterable of cases or a table, {got}")
        self._keep, self._is_table = keep, is_table
        self._data_set = DataSet(_object(source, "cases"), {}, _RENAME)
        self.notes = self._data_set.fields.notes if is_table else ()
        self.rows: list[Mapping[str, Any]] = []

    def __iter__(self) -> Iterator[object]:
        for (*_, item), fields, _, problem in self._data_set.read():
            row = item if isinstance(item, Mapping) else {}
            if isinstance(item, Case):
                row = {name: getattr(item, name) for name in ("id", "question", "answer")}
                row |= {"context": [passage.text for passage in item.context]}
            self.rows += [row] * self._keep
            error = InputError(problem)
            error.case_id = fields.get("id")
            yield item if not self._is_table else error if problem else fields


def row_labels(source: Any) -> list[Any]:
    """The index of a pandas frame, by which what is made of its rows is put beside them again."""
    return list(source.index) if hasattr(source, "itertuples") else []
