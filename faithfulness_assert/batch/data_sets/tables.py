"""Reads tables in files: CSV and TSV, Excel (the extra ``excel``), and Parquet (``parquet``).

Excel is read by python-calamine, which is released often and has no dependency. openpyxl's last
release is older than Python 3.13. Parquet is written here too.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from ...cases.systems import COLUMN_FIELDS, names
from ...cases.tables import check_columns
from ...files import open_text
from ...records.errors import ConfigError, pip_install
from ...text.strings import counted
from . import table_process
from .data_set import MAX_RECORD, NOT_UTF8, Record, Source, hint, not_utf8

SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
WRITTEN = 10_000
"""Rows that are written at once."""


# ---------------------------------------------------------------- CSV


def csv_source(file: Path, name: str, mapping: Mapping[str, str], encoding: str) -> Source:
    """The records of a file, whatever separates its cells, and whatever its name.

    It is what gives the columns of a case; if nothing does, or several do, more columns; else
    commas (in TSV tabs). A column without a name is called ``column 3``, by its place.

    Raises:
        ConfigError: the first row cannot be read, or begins as JSON does.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))  # the module's own, for all
    usual = {*mapping.values(), *(one for field in COLUMN_FIELDS for one in names(field))}
    forms, problem = list[tuple[int, int, str, list[str]]](), ""
    for delimiter in "\t,;" if file.suffix.lower() == ".tsv" else ",;\t":
        try:
            header: list[str] = next(_reader(file, delimiter, encoding), [])
            not_text = not_utf8("".join(header))
        except csv.Error as error:
            not_text, header = str(error), []
        if not_text:
            problem = problem or not_text + f". {hint()}" * not_text.startswith(NOT_UTF8)
            continue
        check_columns(range(len(header)), str(file))  # before they have names
        if header and header[0].lstrip().startswith(("[", "{")):
            advice = "give the file a name that ends in .json or .jsonl"
            raise ConfigError(f"{file}: begins as JSON does, and not as a table: {advice}")
        columns = [name.strip() or f"column {place}" for place, name in enumerate(header, 1)]
        forms.append((len(usual.intersection(columns)), len(columns), delimiter, columns))
    if not forms:
        raise ConfigError(f"{file}: the first row cannot be read: {problem}")
    *_, delimiter, columns = max(forms, key=lambda form: form[:2])
    return Source(name, partial(_csv_records, file, encoding, delimiter, columns), columns)


def _csv_records(
    file: Path, encoding: str, delimiter: str, columns: Sequence[str]
) -> Iterator[Record]:
    """The records of a file.

    A row that cannot be read, or has another number of cells than there are columns, is a problem.
    """
    rows = _reader(file, delimiter, encoding)
    next(rows, None)
    while True:
        first, cells, problem = rows.line_num + 1, [], ""
        try:
            cells = next(rows)
            problem = not_utf8("".join(cells))
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"invalid CSV: {error}"
        if cells and len(cells) != len(columns):
            given = counted(len(cells), "cell")
            problem = f"{given}, but the file has {counted(len(columns), 'column')}"
        last = rows.line_num
        place = f"line {first}" if last <= first else f"lines {first} to {last}"
        if problem:
            yield Record(place, None, problem)
        elif cells:
            yield Record(place, dict(zip(columns, cells, strict=True)))


def _reader(file: Path, delimiter: str, encoding: str) -> Any:
    """Strict, so that a text after a closing quote, or a quote that stays open, is an error."""

    def lines() -> Iterator[str]:
        with open_text(file, encoding, "surrogateescape", "") as text:
            yield text.readline(MAX_RECORD).removeprefix("\ufeff")
            yield from iter(partial(text.readline, MAX_RECORD), "")

    return csv.reader(lines(), delimiter=delimiter, strict=True)


# ---------------------------------------------------------------- Excel, Parquet


def table_source(path: Path) -> Source:
    """The first visible sheet of a workbook, or the rows of a Parquet file.

    Raises:
        ConfigError: the package is not installed, or the file cannot be read.
    """
    kind = "a Parquet file" if path.suffix.lower() == ".parquet" else "a file of Excel"
    if kind == "a Parquet file":
        load_pyarrow()
    elif find_spec("python_calamine") is None:
        advice = pip_install(extra="excel")
        raise ConfigError(f"Excel files need python-calamine. Run: {advice}")
    first = next(_printed(path))
    if isinstance(first, str):
        raise ConfigError(f"{path}: is not {kind} that can be read: {first}")
    columns, sheets = first
    more = ", ".join(map(repr, sheets[1:]))
    notes = (f"{path}: read is the sheet {sheets[0]!r}, not {more}",) if more else ()

    def records() -> Iterator[Record]:
        for number, cells in islice(_printed(path), 1, None):
            yield Record(f"row {number}", dict(zip(columns, cells, strict=True)))

    return Source(str(path), records, columns, notes)


def _printed(path: Path) -> Iterator[Any]:
    """What ``table_process`` prints. Raises ``ConfigError`` where it does not succeed."""
    command = [sys.executable, table_process.__file__, str(path)]
    more = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "RUST_BACKTRACE": "0"}
    env = {**os.environ, **more, "ARROW_DEFAULT_MEMORY_POOL": "system"}  # it reserves no memory
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(  # noqa: S603 - a script of our own
        command, stdin=nowhere, stdout=subprocess.PIPE, stderr=nowhere, env=env
    ) as process:
        try:
            yield from map(json.loads, cast("IO[bytes]", process.stdout))
            failed = process.wait()
        finally:
            process.kill()
    if failed == table_process.NOT_READ:
        raise ConfigError(f"{path}: cannot be read, from a place in it on")
    if failed:
        most = f"{table_process.MEMORY // 10**6} MB of memory"
        limits = f"takes more than {most} or {table_process.SECONDS} seconds to read"
        raise ConfigError(
            f"{path}: {limits}; delete what is far below or beside, or save it as CSV"
        )


# ---------------------------------------------------------------- Parquet that is written


def write_parquet(
    rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type], file: IO[bytes]
) -> None:
    """Writes rows to a new file. ``columns`` has the type of each: str, int, float or bool."""
    pyarrow = load_pyarrow()
    types = {str: "string", int: "int64", float: "float64", bool: "bool"}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    waiting = iter(rows)
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while part := list(islice(waiting, WRITTEN)):
            writer.write_batch(pyarrow.RecordBatch.from_pylist(part, schema=schema))


def load_pyarrow() -> Any:
    """The package. Raises ``ConfigError`` if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(
            f"Parquet files need pyarrow. Run: {pip_install(extra='parquet')}"
        ) from None
    return pyarrow
