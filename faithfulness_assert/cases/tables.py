"""Reads tables in files: CSV and TSV, Excel (the extra ``excel``), and Parquet (``parquet``).

Excel is read by python-calamine, which is released often and has no dependency. openpyxl's last
release is older than Python 3.13. Parquet is written here too.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ..files import lines_of_script, open_text
from ..records.errors import ConfigError, pip_install
from ..text.strings import counted
from . import table_process
from .data_set import MAX_RECORD, SAMPLE, Record, Source, not_utf8, record_of
from .fields import find_fields

SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
SHEETS = 20
"""Sheets that are looked at."""
WRITTEN = 10_000
"""Rows that are written at once."""


def csv_source(file: Path, name: str, encoding: str) -> Source:
    """The records of a file, whatever separates its cells, and whatever its name.

    It is what gives the most columns; else commas (in TSV tabs). A column without a name is called
    ``column 3``, by its place.

    Raises:
        ConfigError: the first row cannot be read, or begins as JSON does.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))  # the module's own, for all
    separators = "\t,;|" if file.suffix.lower() == ".tsv" else ",;\t|"
    forms = [(one, *_next(_reader(file, one, encoding))) for one in separators]
    readable = [(one, header or []) for one, header, problem in forms if not problem]
    if not readable:
        raise ConfigError(f"{file}: the first row cannot be read: {forms[0][2]}")
    delimiter, header = max(readable, key=lambda form: len(form[1]))
    if header and header[0].lstrip().startswith(("[", "{")):
        advice = "give the file a name that ends in .json or .jsonl"
        raise ConfigError(f"{file}: begins as JSON does, and not as a table: {advice}")
    columns = [name.strip() or f"column {place}" for place, name in enumerate(header, 1)]
    return Source(name, partial(_csv_records, file, encoding, delimiter, columns), columns)


def _csv_records(
    file: Path, encoding: str, delimiter: str, columns: Sequence[str]
) -> Iterator[Record]:
    """The records of a file.

    A row that cannot be read, or has another number of cells than there are columns, is a problem.
    """
    rows = _reader(file, delimiter, encoding)
    _next(rows)
    while True:
        first = rows.line_num + 1
        cells, problem = _next(rows)
        if cells is None:
            return
        if cells and len(cells) != len(columns):
            given, names = counted(len(cells), "cell"), counted(len(columns), "column")
            problem = f"{given}, but the first line names {names}: delete any line above the "
            problem += f"names, and put a text with {delimiter!r} in it into quotes"
        place = f"line {first}"
        if rows.line_num > first:
            place = f"lines {first} to {rows.line_num}"
        if problem or cells:
            yield record_of(place, dict(zip(columns, cells, strict=not problem)), problem)


def _next(rows: Any) -> tuple[list[str] | None, str]:
    """The cells of the next row, None at the end; and what is wrong with it, or ""."""
    try:
        cells = next(rows, None)
    except csv.Error as error:
        return [], f"invalid CSV: {error}"
    return cells, not_utf8("".join(cells or ()))


def _reader(file: Path, delimiter: str, encoding: str) -> Any:
    """Strict, so that a text after a closing quote, or a quote that stays open, is an error."""

    def lines() -> Iterator[str]:
        with open_text(file, encoding, "surrogateescape", "") as text:
            yield text.readline(MAX_RECORD).removeprefix("\ufeff")
            yield from iter(partial(text.readline, MAX_RECORD), "")

    return csv.reader(lines(), delimiter=delimiter, strict=True)


def table_source(path: Path, mapping: Mapping[str, str]) -> Source:
    """The rows of a Parquet file, or of the first visible sheet of a workbook that has cases, or
    else of the first.

    Raises:
        ConfigError: the package is not installed, or the file cannot be read.
    """
    if path.suffix.lower() == ".parquet":
        load_pyarrow()
    elif find_spec("python_calamine") is None:
        advice = pip_install(extra="excel")
        raise ConfigError(f"Excel files need python-calamine. Run: {advice}")
    first, count = _sheet(path, 0)
    for place in range(min(count, SHEETS) if count > 1 else 0):
        source = _sheet(path, place)[0] if place else first
        fields = find_fields([one.values for one in islice(source.records(), SAMPLE)], mapping)
        if fields.lacking() in ("", *fields.unclear):
            return source
    return first


def _sheet(path: Path, place: int) -> tuple[Source, int]:
    """The rows of a sheet, and how many sheets there are."""
    columns, sheets = next(_printed(path, place))
    more = ", ".join(map(repr, (name for name in sheets if name != sheets[place])))
    notes = (f"read is the sheet {sheets[place]!r}, not {more}",) if more else ()

    def records() -> Iterator[Record]:
        for number, cells in islice(_printed(path, place), 1, None):
            yield record_of(f"row {number}", dict(zip(columns, cells, strict=True)))

    return Source(str(path), records, columns, notes), len(sheets)


def _printed(path: Path, place: int) -> Iterator[Any]:
    """What ``table_process`` prints. Raises ``ConfigError`` where it does not succeed."""
    kind = "a Parquet file" if path.suffix.lower() == ".parquet" else "a file of Excel"
    try:
        for item in map(json.loads, lines_of_script(table_process.__file__, path, str(place))):
            if isinstance(item, str):
                raise ConfigError(f"{path}: is not {kind} that can be read: {item}")
            yield item
    except ChildProcessError:
        most = f"{table_process.MEMORY // 10**6} MB of memory or {table_process.SECONDS} seconds"
        fix = "delete what is far below or beside, or save it as CSV"
        raise ConfigError(f"{path}: takes more than {most} to read; {fix}") from None


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
