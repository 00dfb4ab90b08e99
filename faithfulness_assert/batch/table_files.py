"""Excel files, with python-calamine (the extra ``excel``), and Parquet, with pyarrow (``parquet``).

Calamine is released often and has no dependency. openpyxl's last release is older than Python 3.13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import date, time
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ..files import open_file
from ..records.errors import ConfigError, pip_install

SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
ROWS = 200
"""Rows that are read at once."""
WRITTEN = 10_000
"""Rows that are written at once."""


# ---------------------------------------------------------------- Excel


class Sheet:
    """The first visible sheet of a workbook. Reading takes memory for all of its cells.

    Attributes:
        columns: the cells of the first row that has any. One without a name is ``column 3``.
        note: which sheet that is, if there are others.

    Raises:
        ConfigError: the package is not installed, or the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        book, calamine = _opened_book(path)
        visible, cells = calamine.SheetVisibleEnum.Visible, calamine.SheetTypeEnum.WorkSheet
        listed = book.sheets_metadata
        shown = [one.name for one in listed if one.visible == visible and one.typ == cells]
        if not shown:
            raise ConfigError(f"{path}: has no sheet that is visible")
        try:
            found = book.get_sheet_by_name(shown[0])
            self._rows = [list(row) for row in found.to_python(skip_empty_area=False)]
        except calamine.CalamineError as error:
            raise ConfigError(f"{path}: the sheet {shown[0]!r} cannot be read: {error}") from None
        others = ", ".join(map(repr, shown[1:]))
        self.note = f"{path}: read is the sheet {shown[0]!r}, not {others}" if others else ""
        self._first = next((n for n, row in enumerate(self._rows) if any(map(_text, row))), 0)
        header = [_text(cell).strip() for cell in self._rows[self._first]] if self._rows else []
        used = {place for row in self._rows for place, cell in enumerate(row) if _text(cell)}
        self._width = max(used, default=-1) + 1
        named = enumerate(header[: self._width], 1)
        self.columns = [name or f"column {place}" for place, name in named]

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """The number of each row that is not empty, and its cells as texts."""
        for number, row in enumerate(self._rows[self._first + 1 :], self._first + 2):
            cells = [_text(cell) for cell in row[: self._width]]
            if any(cells):
                yield number, dict(zip(self.columns, cells, strict=True))


def _text(cell: Any) -> str:
    """A cell as CSV would have it: 7 and not 7.0, and dates as ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell) if cell is not None else ""


def _opened_book(path: Path) -> tuple[Any, Any]:
    """A workbook, and the package."""
    try:
        import python_calamine
    except ImportError:
        advice = pip_install(extra="excel")
        raise ConfigError(f"Excel files need python-calamine. Run: {advice}") from None
    try:
        with open_file(path) as file:
            opened = python_calamine.CalamineWorkbook.from_filelike(file)
    except (OSError, python_calamine.CalamineError) as error:
        problem = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise ConfigError(f"{path}: is not a file of Excel that can be read: {problem}") from None
    return opened, python_calamine


# ---------------------------------------------------------------- Parquet


def parquet_columns(file: Path) -> list[str]:
    """The names of the columns. Raises ``ConfigError`` if the file cannot be read."""
    with _opened_table(file) as table:
        return list(table.schema_arrow.names)


def parquet_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows, a few at a time. Raises ``ConfigError`` if the file cannot be read."""
    with _opened_table(file) as table:
        for batch in table.iter_batches(batch_size=ROWS):
            yield from batch.to_pylist()


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


@contextmanager
def _opened_table(path: Path) -> Iterator[Any]:
    pyarrow = load_pyarrow()
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open_file(path))
            table = stack.enter_context(pyarrow.parquet.ParquetFile(file))
        except (OSError, pyarrow.ArrowException) as error:
            problem = getattr(error, "strerror", None) or str(error).partition("\n")[0]
            said = f"is not a Parquet file that can be read: {problem}"
            raise ConfigError(f"{path}: {said}") from None
        yield table
