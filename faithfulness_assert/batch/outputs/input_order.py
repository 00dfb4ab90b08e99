"""Lines that come as they finish, given in the order of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

from ..rows import Line
from ..spool import temporary_database

IN_MEMORY = 1000
"""Lines that wait in memory for an earlier one."""


def in_input_order(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines in the order of their rows. A line comes as soon as all rows before it came.

    Rows without a line, such as those of a run that was stopped, hold up the rows after them until
    the end. What waits is kept on disk, if it is much.
    """
    expected, stored = 1, 0
    waiting: dict[int, Line] = {}
    with closing(temporary_database("lines (row INTEGER, text TEXT)")) as db:
        db.execute("CREATE INDEX by_row ON lines (row)")

        def store(line: Line) -> None:
            db.execute("INSERT INTO lines VALUES (?, ?)", (line.row, line.to_json()))

        def stored_line() -> Line | None:
            found = db.execute(
                "SELECT rowid, text FROM lines WHERE row = ?", (expected,)
            ).fetchone()
            if found is None:
                return None
            db.execute("DELETE FROM lines WHERE rowid = ?", (found[0],))
            return Line.of_json(found[1])

        for line in lines:
            if line.row == expected:
                next_line: Line | None = line
                while next_line is not None:
                    yield next_line
                    expected += 1
                    next_line = waiting.pop(expected, None)
                    if next_line is None and stored and (next_line := stored_line()):
                        stored -= 1
            elif len(waiting) < IN_MEMORY and line.row not in waiting:
                waiting[line.row] = line
            else:
                store(line)
                stored += 1
        for line in waiting.values():
            store(line)
        for (text,) in db.execute("SELECT text FROM lines ORDER BY row, rowid"):
            yield Line.of_json(text)
