"""What a run over a batch API keeps: its settings, its rows, each ask and what came back for it.

All of it is in one SQLite database, ``rounds/run.sqlite``, so that whatever belongs together is
there as a whole or not at all, wherever a process was killed. The requests of the round that waits
for answers are in files beside it, because somebody may have to carry them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ...files import open_database, private_folder
from ...reading.rows import KEY_CHARS
from ...records.errors import ConfigError
from ..changed_rows import SHOWN, what_changed
from ..data_sets import DataSet
from ..data_sets.data_set import Known, Taken, unknown
from ..rows import Row, digest, field_digests
from ..run_description import changed_input
from ..run_directory import RunDirectory
from .service import Rejection, Said

MOST_ANSWERS = 8
"""To one ask, that differ. If there are more, none of them is believed."""
_TABLES = """
CREATE TABLE IF NOT EXISTS settings (place INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, row TEXT);
CREATE TABLE IF NOT EXISTS rounds (
    number INTEGER PRIMARY KEY, steps TEXT, files TEXT, answered INTEGER
);
CREATE TABLE IF NOT EXISTS asks (
    id TEXT PRIMARY KEY, round INTEGER, file TEXT, row INTEGER, key TEXT, steps TEXT
);
CREATE INDEX IF NOT EXISTS asks_of_rows ON asks (row);
CREATE TABLE IF NOT EXISTS answers (id TEXT, said TEXT);
CREATE INDEX IF NOT EXISTS answers_to_asks ON answers (id);
"""


class Try(NamedTuple):
    """An ask that was sent, and what came back.

    Args:
        key: which ask of the plan it is.
        steps: the fallbacks with which it was sent; those without steps are left out.
        answers: status and body, or the word of a problem; all that differ, if several came.
    """

    round: int
    key: str
    steps: Mapping[str, int]
    answers: Sequence[list[Any] | str]


class Round(NamedTuple):
    """A round that was written.

    Args:
        number: from 1.
        steps: the fallbacks with which it was sent.
        files: how each file of requests stands: name, lines, batch and so on.
        answered: whether all that will come back for it is known.
    """

    number: int
    steps: Mapping[str, int]
    files: Sequence[dict[str, Any]]
    answered: bool = False


class Store:
    """The database of a run. See ``opened``."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.executescript(_TABLES)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What is written inside is kept as a whole, or not at all."""
        self._db.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    # ------------------------------------------------------------ settings and rows

    def begin(self, settings: Mapping[str, Any], rows: Iterable[Row]) -> None:
        """Begins a run with these rows."""
        with self.transaction():
            for row in rows:
                self._put(row)
            self.keep_settings(settings)

    def settings(self) -> dict[str, Any] | None:
        """The settings of the run; None if it was not begun."""
        found = self._db.execute("SELECT text FROM settings").fetchone()
        return found and dict(json.loads(found[0]))

    def keep_settings(self, settings: Mapping[str, Any]) -> None:
        """Puts settings in the place of those that there are."""
        self._db.execute("INSERT OR REPLACE INTO settings VALUES (1, ?)", (json.dumps(settings),))

    def rows(self) -> Iterator[Row]:
        """All rows of the run."""
        for (text,) in self._db.execute("SELECT row FROM rows ORDER BY number"):
            yield Row(*json.loads(text))

    def take_rows(
        self, rows: Iterable[Row], aside: Callable[[Collection[int]], None], *, regrade: bool
    ) -> None:
        """Takes these rows in place of those of the run; those that are added are asked about.

        ``aside``: is given the rows that changed or are gone, to move their results aside.

        Raises:
            ConfigError: there are such rows, and ``regrade`` is false. Nothing was changed.
        """
        source, named = iter(rows), dict[int, str]()
        with self.transaction():
            for kept in [*self.rows()]:
                row = next(source, None)
                if row is None:
                    named[kept.number] = f"row {kept.number} ({kept.case_id}) is gone"
                    self._db.execute("DELETE FROM rows WHERE number = ?", (kept.number,))
                elif digest(kept) != digest(row):
                    changed = what_changed(field_digests(kept), field_digests(row))
                    named[kept.number] = f"row {row.number} ({row.case_id}) {changed}"
                    self._put(row)
            for row in source:
                self._put(row)
            if named and not regrade:
                more = [f"and {len(named) - SHOWN:,} more rows"] if len(named) > SHOWN else []
                raise changed_input("; ".join([*islice(named.values(), SHOWN), *more]))
            aside(named)

    def _put(self, row: Row) -> None:
        self._db.execute("INSERT OR REPLACE INTO rows VALUES (?, ?)", (row.number, json.dumps(row)))

    # ------------------------------------------------------------ rounds

    def last_round(self) -> Round | None:
        """The round that was written last."""
        found = self._db.execute("SELECT * FROM rounds ORDER BY number DESC").fetchone()
        if found is None:
            return None
        number, steps, files, answered = found
        return Round(number, json.loads(steps), json.loads(files), bool(answered))

    def save(self, current: Round) -> None:
        """Keeps a round, and how its files stand."""
        number, steps, files, answered = current
        values = number, json.dumps(steps), json.dumps(files), answered
        self._db.execute("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?)", values)

    def forget(self, current: Round) -> None:
        """Removes a round, whose asks are then sent again."""
        with self.transaction():
            asks = "SELECT id FROM asks WHERE round = ?"
            self._db.execute(f"DELETE FROM answers WHERE id IN ({asks})", (current.number,))  # noqa: S608 - our own text
            self._db.execute("DELETE FROM asks WHERE round = ?", (current.number,))
            self._db.execute("DELETE FROM rounds WHERE number = ?", (current.number,))

    def add_ask(
        self, id: str, number: int, file: str, row: int, key: str, steps: Mapping[str, int]
    ) -> None:
        """Notes whose ask is in a file of a round."""
        taken = {name: count for name, count in steps.items() if count}
        values = id, number, file, row, key, json.dumps(taken)
        self._db.execute("INSERT INTO asks VALUES (?, ?, ?, ?, ?, ?)", values)

    def has_ask(self, number: int, file: str, id: str) -> bool:
        """Whether a file of a round has an ask with this id."""
        found = self._db.execute("SELECT round, file FROM asks WHERE id = ?", (id,)).fetchone()
        return bool(found == (number, file))

    def tries(self, row: int, until: int) -> list[Try]:
        """What was sent for a row until this round, and what came back, in the order of sending."""
        tries: dict[str, Try] = {}
        found = self._db.execute(
            "SELECT id, round, key, steps, said FROM asks JOIN answers USING (id) "
            "WHERE row = ? AND round <= ? GROUP BY id, said "
            "ORDER BY asks.rowid, min(answers.rowid)",
            (row, until),
        )
        for id, number, key, steps, said in found:
            new = Try(number, key, json.loads(steps), [])
            answers = tries.setdefault(id, new).answers
            if len(answers) <= MOST_ANSWERS:
                answers.append(json.loads(said))  # type: ignore[attr-defined]
        return list(tries.values())

    # ------------------------------------------------------------ answers

    def add_answer(self, number: int, said: Said) -> bool:
        """Keeps what came back for an ask. Returns whether the round has such an ask."""
        if not said.custom_id.isascii():
            return False
        answer = json.dumps(said.problem or [said.status, said.body])
        insert = "INSERT INTO answers SELECT id, ? FROM asks WHERE id = ? AND round = ?"
        return self._db.execute(insert, (answer, said.custom_id, number)).rowcount > 0

    def reject(self, number: int, file: str, why: Rejection) -> None:
        """Keeps that the provider refused a line of a file, as the answer to its ask."""
        asks = "SELECT id FROM asks WHERE round = ? AND file = ? ORDER BY rowid LIMIT 1 OFFSET ?"
        error = {"message": why.message, "code": why.code, "param": why.param}
        for (id,) in self._db.execute(asks, (number, file, why.line - 1)).fetchall():
            self.add_answer(number, Said(id, 400, {"error": error}))

    def add_missing(self, number: int, file: str, word: str) -> None:
        """Notes for the asks of a file that have no answer why that is so."""
        self._db.execute(
            "INSERT INTO answers SELECT id, ? FROM asks WHERE round = ? AND file = ? "
            "AND id NOT IN (SELECT id FROM answers)",
            (json.dumps(word), number, file),
        )

    def odd_answers(self, number: int) -> dict[str, int]:
        """What is odd about the answers of a round, and how often."""
        unnamed, without, doubled, differing = self._db.execute(
            "SELECT sum(unnamed), sum(without), sum(times - 1), sum(kinds > 1) FROM ("
            "SELECT max(said LIKE '[200,%' AND instr(said, substr(id, ?)) = 0) AS unnamed, "
            "min(said LIKE '\"%') AS without, count(*) AS times, count(DISTINCT said) AS kinds "
            "FROM asks JOIN answers USING (id) WHERE round = ? GROUP BY id)",
            (-KEY_CHARS, number),
        ).fetchone()
        return {
            "answers that do not name their ask, and are not used": unnamed,
            "asks without an answer": without,
            "doubled lines": doubled,
            "asks with several answers that are not the same; they are read together": differing,
        }


class KeptRows(DataSet):
    """The rows with which a run over a batch API began, as its directory keeps them."""

    def __init__(self, directory: RunDirectory) -> None:
        about = (directory.about() or {}).get("input")
        self.name = str(about.get("name") if isinstance(about, dict) else directory.path)
        self.notes = []
        self._directory = directory

    def rows(self, known: Known = unknown, taken: Taken = unknown) -> Iterator[Row]:  # noqa: ARG002 - ids are kept
        """See ``DataSet``."""
        with opened(self._directory) as store:
            yield from (row for row in store.rows() if not known(row.number))


def path_of(directory: RunDirectory) -> Path:
    """Where the database of a run is."""
    return directory.path / "rounds" / "run.sqlite"


@contextmanager
def opened(directory: RunDirectory) -> Iterator[Store]:
    """The database of a run, made if there is none. ``ConfigError`` if it cannot be used."""
    path = path_of(directory)
    try:
        private_folder(path.parent)
        with closing(open_database(path)) as db:
            yield Store(db)
    except OSError as error:
        raise ConfigError(f"{error.filename or path}: cannot be used: {error.strerror}") from None
    except sqlite3.Error as error:
        advice = "if the directory of the run was copied, copy it once more, as a whole"
        raise ConfigError(f"{path}: cannot be used: {error}; {advice}") from None
