"""Reads a sheet in a process of its own, because a file can end the process that reads it.

A workbook of 2 KB can say that it has 17 thousand million cells; the memory for them is asked for
by code that does not come back. This process may take ``MEMORY`` and ``SECONDS``, may print
``SIZE`` bytes, and ends.

It is run as a script with the path of a workbook. It prints a line of JSON with the names of the
visible sheets, then one for each row of the first, or one text: what is wrong.
"""

from __future__ import annotations

import json
import sys
from datetime import date, time
from typing import Any

MEMORY = 800_000_000
SECONDS = 7
SIZE = 150_000_000


def text_of(cell: Any) -> str:
    """A cell as CSV would have it: 7 and not 7.0, and dates as ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell) if cell is not None else ""


def limit() -> None:
    """Sets the limits of this process, where the system has any."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in (("AS", MEMORY), ("CPU", SECONDS), ("CORE", 0)):
        number = getattr(resource, f"RLIMIT_{kind}")
        _, hard = resource.getrlimit(number)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(number, (most, hard))


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

    limit()
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


if __name__ == "__main__":
    print_sheet(sys.argv[1])
