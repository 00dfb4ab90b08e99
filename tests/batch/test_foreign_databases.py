"""The database of a run that somebody else made: SQLite does nothing for it that a run of ours would not ask for."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from faithfulness_assert.batch.provider_batches import is_begun
from faithfulness_assert.batch.provider_batches.store import opened, path_of
from faithfulness_assert.batch.run_directory import RunDirectory
from faithfulness_assert.records.errors import ConfigError

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x FROM n"
CRAFTED = {
    "a view in place of a table": f"DROP TABLE settings; CREATE VIEW settings (place, text) AS {ENDLESS}",
    "a rule": "CREATE TRIGGER t AFTER INSERT ON settings BEGIN DELETE FROM rows; END",
    "a column that computes": "DROP TABLE settings; CREATE TABLE settings (place INTEGER PRIMARY KEY, "
    "text TEXT GENERATED ALWAYS AS (hex(zeroblob(400000000))))",
    "a virtual table": "DROP TABLE rows; CREATE VIRTUAL TABLE rows USING fts5(number, row)",
    "another table": "CREATE TABLE more (a)",
}


def made(tmp_path: Path) -> RunDirectory:
    directory = RunDirectory(tmp_path / "run")
    directory.path.mkdir()
    with opened(directory) as store:
        store.keep_settings({"run": "1"})
    assert is_begun(directory)
    return directory


@pytest.mark.parametrize("script", CRAFTED.values(), ids=CRAFTED.keys())
def test_a_database_with_other_tables_than_ours_is_refused(script: str, tmp_path: Path) -> None:
    directory = made(tmp_path)
    with closing(sqlite3.connect(path_of(directory))) as db:
        db.executescript(script)
    with pytest.raises(ConfigError, match="has other tables than a run of ours"):
        is_begun(directory)
