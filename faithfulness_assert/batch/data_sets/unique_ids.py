"""Ids that are unique in a data set of any size."""

from __future__ import annotations

import sqlite3


class UniqueIds:
    """Gives each id once: the second ``a`` becomes ``a#2``.

    The ids are in a temporary database that SQLite moves to disk when it grows, because a set of a
    hundred million ids does not fit into memory.
    """

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for command in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-32000"):
            self._db.execute(f"PRAGMA {command}")
        self._db.execute("CREATE TABLE seen (id TEXT PRIMARY KEY, times INTEGER) WITHOUT ROWID")
        self._db.execute("BEGIN")

    def take(self, id: str) -> str:
        """``id``, or with a number if it was taken before."""
        unique = id
        while not self._add(unique):
            unique = f"{id}#{self._count(id)}"
        return unique

    def close(self) -> None:
        """Deletes the database."""
        self._db.close()

    def _add(self, id: str) -> bool:
        return self._db.execute("INSERT OR IGNORE INTO seen VALUES (?, 1)", (id,)).rowcount == 1

    def _count(self, id: str) -> int:
        """How often this id was asked for, this time included."""
        self._db.execute("UPDATE seen SET times = times + 1 WHERE id = ?", (id,))
        (times,) = self._db.execute("SELECT times FROM seen WHERE id = ?", (id,)).fetchone()
        return int(times)
