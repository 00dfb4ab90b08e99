"""Lines that come as they finish, given in the order of their rows."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from ..rows import Line
from ..spool import temporary_database

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

IN_MEMORY = 1000
"""Lines that wait in memory for an earlier one."""


def in_input_order(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines in the order of their rows. A line comes as soon as all rows before it came.

    Rows without a line, such as those of a run that was stopped, hold up the rows after them until
    the end. What waits is kept on disk, if it is much.
    """
    expected = 1
    with closing(_Waiting()) as waiting:
        for line in lines:
            if line.row != expected:
                waiting.put(line)
                continue
            yield line
            expected += 1
            while (next_line := waiting.take(expected)) is not None:
                yield next_line
                expected += 1
        yield from waiting.rest()


class _Waiting:
    """Lines by their rows: the first in memory, more in a temporary database."""

    def __init__(self) -> None:
        self._lines: dict[int, Line] = {}
        self._stored = 0
        self._db = temporary_database("lines (row INTEGER, text TEXT)")
        self._db.execute("CREATE INDEX by_row ON lines (row)")

    def close(self) -> None:
        """Deletes the database."""
        self._db.close()

    def put(self, line: Line) -> None:
        """Keeps a line until its turn."""
        if len(self._lines) < IN_MEMORY and line.row not in self._lines:
            self._lines[line.row] = line
        else:
            self._db.execute("INSERT INTO lines VALUES (?, ?)", (line.row, line.to_json()))
            self._stored += 1

    def take(self, row: int) -> Line | None:
        """The line of a row, which waits no more."""
        if row in self._lines:
            return self._lines.pop(row)
        if not self._stored:
            return None
        query = "SELECT rowid, text FROM lines WHERE row = ? LIMIT 1"
        found = self._db.execute(query, (row,)).fetchone()
        if found is None:
            return None
        self._db.execute("DELETE FROM lines WHERE rowid = ?", (found[0],))
        self._stored -= 1
        return Line.of_json(found[1])

    def rest(self) -> Iterator[Line]:
        """All lines that still wait."""
        for line in self._lines.values():
            self._db.execute("INSERT INTO lines VALUES (?, ?)", (line.row, line.to_json()))
        for (text,) in self._db.execute("SELECT text FROM lines ORDER BY row, rowid"):
            yield Line.of_json(text)
