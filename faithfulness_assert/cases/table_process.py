"""Reads a workbook or a Parquet file in a process of its own, as a file can end it.

A workbook of 2 KB can say that it has 17 thousand million cells, a Parquet file of 30 KB that a
cell has a thousand million characters; the memory for them is asked for by code that does not come
back. This process may take ``MEMORY``, and for a workbook ``SECONDS``, and ends.

It is run as a script with the path of the file, and of a workbook which visible sheet. It prints
lines of JSON: the columns and the names of all sheets, then for each row its number and its cells.
A text is last: what is wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import date, time
from pathlib import Path
from typing import Any

MEMORY = 800_000_000
SECONDS = 7
SIZE = 150_000_000
"""Bytes that are printed of a workbook, at most."""
PACKED = 1_000
"""How many times as large as a Parquet file its rows may be, beside ``SIZE``."""
ROWS = 20
"""Rows of a Parquet file that are read at once: with the largest contexts, half of the memory."""


def limit(**most: int) -> None:
    """Sets limits of this process, where the system has any."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, value in {**most, "DATA": MEMORY, "CORE": 0}.items():
        number = getattr(resource, f"RLIMIT_{kind}")
        _, hard = resource.getrlimit(number)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, hard))


def sheet(path: str, place: int) -> Iterator[Any]:
    """A visible sheet of a workbook.

    Its columns are the cells of the first row that has any. One without a name is ``column 3``.
    """
    import python_calamine as calamine

    limit(CPU=SECONDS)
    book = calamine.CalamineWorkbook.from_path(path)
    visible, cells = calamine.SheetVisibleEnum.Visible, calamine.SheetTypeEnum.WorkSheet
    listed = book.sheets_metadata
    shown = [one.name for one in listed if one.visible == visible and one.typ == cells]
    if not shown:
        raise ValueError("it has no sheet that is visible")
    rows = book.get_sheet_by_name(shown[place]).to_python(skip_empty_area=False)
    start = next((at for at, row in enumerate(rows) if any(map(text_of, row))), len(rows))
    last = max((at for row in rows for at, cell in enumerate(row, 1) if text_of(cell)), default=0)
    names = [text_of(cell).strip() for row in rows[start : start + 1] for cell in row[:last]]
    yield [name or f"column {at}" for at, name in enumerate(names, 1)], shown
    for number, row in enumerate(rows[start + 1 :], start + 2):
        if any(texts := [text_of(cell) for cell in row[:last]]):
            yield number, texts


def text_of(cell: Any) -> str:
    """A cell as CSV would have it: 7 and not 7.0, and dates as ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return plain(cell) if cell is not None else ""


def plain(value: Any) -> Any:
    """A value that JSON does not have. Bytes that are no text are nothing that can be graded."""
    if isinstance(value, date | time):
        return value.isoformat()
    try:
        return value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError:
        return {"<bytes>": len(value)}


def parquet(path: str) -> Iterator[Any]:
    """The rows of a Parquet file."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    pyarrow.set_cpu_count(1)
    limit()
    number = 0
    with ParquetFile(path, pre_buffer=False) as table:
        yield table.schema_arrow.names, []
        for batch in table.iter_batches(batch_size=ROWS, use_threads=False):
            for row in batch.to_pylist():
                number += 1
                yield number, list(row.values())


def main(path: str, place: str) -> None:
    """Prints what is in a file."""
    is_parquet = path.lower().endswith(".parquet")
    room = SIZE + (PACKED * Path(path).stat().st_size if is_parquet else 0)
    try:
        for item in parquet(path) if is_parquet else sheet(path, int(place)):
            line = json.dumps(item, ensure_ascii=False, default=plain).encode() + b"\n"
            room -= len(line)
            if room < 0:
                sys.exit(1)
            sys.stdout.buffer.write(line)
    except MemoryError:
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - of the libraries, each of which has its own
        problem = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        sys.stdout.buffer.write(json.dumps(problem).encode() + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
