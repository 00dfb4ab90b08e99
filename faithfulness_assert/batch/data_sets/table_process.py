"""Reads a workbook or a Parquet file in a process of its own, as a file can end it.

A workbook of 2 KB can say that it has 17 thousand million cells, a Parquet file of 30 KB that a
cell has a thousand million characters; the memory for them is asked for by code that does not come
back. This process may take ``MEMORY``, and for a workbook ``SECONDS``, and ends.

It is run as a script with the path of the file. Of a workbook it prints a line of JSON with the
names of the visible sheets, then one for each row of the first, at most ``SIZE`` bytes; or one
text: what is wrong. Of a Parquet file it prints the rows as a stream of Arrow.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import date, time
from typing import Any

MEMORY = 800_000_000
SECONDS = 7
SIZE = 150_000_000
PACKED = 1_000
"""How many times as large as a Parquet file its rows may be, beside ``2 * ROOM``."""
NOT_READ = 3
"""The exit code for a Parquet file that is broken, and not too large."""
ROWS = 200
"""Rows that are read at once, at most."""
ROOM = 100_000_000
"""Bytes that rows may take that are read at once. In a Parquet file a value that many rows have
stands once: each of them may be as large as its column.
"""


def text_of(cell: Any) -> str:
    """A cell as CSV would have it: 7 and not 7.0, and dates as ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell) if cell is not None else ""


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


def say(value: Any, room: int = SIZE) -> int:
    """Prints a line of JSON if there is room for it, and tells the room that is left."""
    line = json.dumps(value) + "\n"
    if len(line) > room:
        sys.exit(1)
    sys.stdout.write(line)
    return room - len(line)


def print_sheet(path: str) -> None:
    """Prints the first visible sheet of a workbook."""
    import python_calamine as calamine

    limit(CPU=SECONDS)
    try:
        book = calamine.CalamineWorkbook.from_path(path)
        visible, cells = calamine.SheetVisibleEnum.Visible, calamine.SheetTypeEnum.WorkSheet
        listed = book.sheets_metadata
        shown = [one.name for one in listed if one.visible == visible and one.typ == cells]
        room = say(shown)
        if shown:
            for row in book.get_sheet_by_name(shown[0]).to_python(skip_empty_area=False):
                room = say([text_of(cell) for cell in row], room)
    except (OSError, calamine.CalamineError) as error:
        problem = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        say(problem)


def print_batches(path: str) -> None:
    """Prints the rows of a Parquet file."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    pyarrow.set_cpu_count(1)
    limit()
    with ParquetFile(path, pre_buffer=False) as table:
        groups = [table.metadata.row_group(n) for n in range(table.metadata.num_row_groups)]
        chunks = (group.column(place) for group in groups for place in range(group.num_columns))
        largest = max((chunk.total_uncompressed_size for chunk in chunks), default=0)
        rows = max(1, min(ROWS, ROOM // max(1, largest)))
        room = 2 * ROOM + PACKED * os.path.getsize(path)
        with pyarrow.ipc.new_stream(sys.stdout.buffer, table.schema_arrow) as stream:
            for batch in table.iter_batches(batch_size=rows, use_threads=False):
                room -= batch.nbytes
                if batch.nbytes > 2 * ROOM or room < 0:
                    sys.exit(1)
                stream.write_batch(batch)


if __name__ == "__main__":
    if sys.argv[1].lower().endswith(".parquet"):
        try:
            print_batches(sys.argv[1])
        except (OSError, ValueError):  # which most errors of Arrow are, but not those of memory
            sys.exit(NOT_READ)
    else:
        print_sheet(sys.argv[1])
