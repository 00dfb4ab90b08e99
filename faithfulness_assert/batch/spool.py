"""What a stream has to keep, but may be too much for the memory."""

from __future__ import annotations

import sqlite3


def temporary_database(table: str) -> sqlite3.Connection:
    """A database with this table, in memory first and on disk when it grows. It ends when closed.

    Nothing of it survives, so it writes no journal, and all of it is one transaction.
    """
    db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    for command in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-32000"):
        db.execute(f"PRAGMA {command}")
    db.execute(f"CREATE TABLE {table}")
    db.execute("BEGIN")
    return db
