"""A run on disk: one SQLite file, ``RUN/run.sqlite``. All that is known of a run is asked of it.

One process at a time changes a run, others may read it meanwhile. What is written is there as a
whole or not at all, whatever was killed. A database may come from anywhere: its tables must be
those of ``tables.sql`` to the letter, so that no view and no trigger of a crafted one is ever run.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from ..files import open_database, open_file, open_text
from ..records.checks import as_mapping
from ..records.errors import ConfigError
from ..records.result import GradingResult
from .rows import Line, Row, as_text, digest
from .summary import Counted, Summary

NAME = "run.sqlite"
BATCH_API = "batch"
"""Under which name a run over a batch API keeps what, beside its policy, makes its grader again."""
FORMAT = 1
"""Of the tables. It grows when an older version could no longer read them."""
APPLICATION = 0x66616974
"""Marks our databases among those of other programs."""
SECONDS = 1.0
"""How long results wait until a disk has them."""
PAGE_SIZE = 8192
"""Bytes. A page of SQLite's usual 4,096 has room for one or two results, and much stays empty."""
PAGE = 100
SERVER_ERRORS = frozenset({"transport", "auth", "rate_limit", "timeout", "server", "not_stored"})
"""Errors for which the judge's server is at fault. A key, a credit, an address can be put right."""
_ROWS = "SELECT row, case_id, fields, columns, problem FROM rows"
_INSERT_ROW = "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?)"
_INSERT = f"INSERT OR REPLACE INTO results VALUES (?{', ?' * 16})"  # noqa: S608 - our own text
_ALIKE = "status, pass, score, error, message, estimated, notes"
_SPENT = "sum(prompt), sum(completion), sum(cached), sum(reasoning), sum(requests), sum(cost)"
_GROUPS = f"SELECT {_ALIKE}, {_SPENT}, count(*) FROM {{}} GROUP BY {_ALIKE}, cost IS NULL"  # noqa: S608 - our own text
_COPY = "copy the directory of the run once more, as a whole, if it was copied"
_ADVICE = {
    "full": "make room, then go on",
    "malformed": f"it is damaged: {_COPY}; else sqlite3's .recover saves what can be read",
    "not a database": f"it is damaged: {_COPY}",
    "locked": "another process works on this run; wait for it, or use another directory",
    "locking protocol": "on a network file system, keep the run on a disk of this machine",
    "readonly": "it or its folder is read-only: copy it to where you may write",
    "disk I/O error": "is the disk full, or a network file system? Keep the run on a local disk",
}


class Store:
    """An open run. See ``reading`` and ``writing``.

    Attributes:
        path: the directory.
    """

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self.db, self.path = db, path
        self._lock, self._due = threading.Lock(), 0.0

    # ------------------------------------------------------------ writing

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What is written inside is kept as a whole, or not at all."""
        self.db.execute("BEGIN IMMEDIATE")
        with self.db:
            yield

    def _write(self, command: str, lines: Iterable[tuple[Any, ...]]) -> None:
        """Writes lines, also from several threads. What a killed process wrote is there; what a
        machine without power did, but for the last second.
        """
        with self._lock:
            waits = time.monotonic() < self._due and not self.db.in_transaction
            if waits:
                self.db.execute("PRAGMA synchronous=NORMAL")
            self.db.executemany(command, lines)
            if waits:
                self.db.execute("PRAGMA synchronous=FULL")
            else:
                self._due = time.monotonic() + SECONDS

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Adds rows of the data set. Of many, to be called in a transaction."""
        self._write(_INSERT_ROW, map(cells_of, rows))

    def add(self, line: Line) -> Counted:
        """Adds the result of a row that is there. Returns what is counted of it."""
        result, counted = line.result, Counted.of(line.result)
        retryable = bool(result.error and result.error.retryable)
        text = result.model_dump_json()
        values = (line.row, time.time(), *counted[:5], retryable, *counted[5:-1], text)
        self._write(_INSERT, [values])
        return counted

    def keep(self, name: str, value: Any) -> None:
        """Keeps a value of the run under a name."""
        self.db.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (name, as_text(value)))

    def note(self, event: str) -> None:
        """Notes that something happened, now."""
        self._write("INSERT INTO events VALUES (?, ?)", [(time.time(), event)])

    def set_aside(self, which: str) -> int:
        """Moves results that fulfil a condition to the earlier ones. Returns how many."""
        these = f"FROM results WHERE row IN (SELECT row FROM results WHERE {which})"  # noqa: S608 - our own text
        self.db.execute(f"INSERT INTO earlier SELECT * {these}")
        return self.db.execute(f"DELETE {these}").rowcount

    def retry_errors(self, retry: bool | None = None) -> int:
        """Sets errors aside: by default those that may not come again. Returns how many.

        ``retry``: whether all of them, or none.
        """
        if retry is not None:
            return self.set_aside("error IS NOT NULL") if retry else 0
        kinds = ", ".join(f"'{kind}'" for kind in sorted(SERVER_ERRORS))
        return self.set_aside(f"retryable OR error IN ({kinds})")

    def failed_so(self, row: int, error: str) -> bool:
        """Whether a row had this kind of error before."""
        query = "SELECT 1 FROM earlier WHERE row = ? AND error = ?"
        return self.db.execute(query, (row, error)).fetchone() is not None

    def secret(self) -> bytes:
        """The secret of the run, from which controls and tags of asks follow. It is made once."""
        if self.value("secret") is None:
            self.keep("secret", secrets.token_hex(32))
        with self._read("the secret of the run"):
            return bytes.fromhex(self.value("secret"))

    # ------------------------------------------------------------ reading

    def value(self, name: str) -> Any:
        """What was kept under a name; None if nothing was."""
        cells = self.db.execute("SELECT value FROM run WHERE name = ?", (name,)).fetchone()
        with self._read(f"{name} in the table run"):
            return None if cells is None else json.loads(cells[0])

    def about(self) -> Mapping[str, Any]:
        """What is graded with what; empty in a run that was not begun."""
        return as_mapping(self.value("about"))

    @property
    def size(self) -> int:
        """How many rows there are: all of the data set."""
        return int(self.db.execute("SELECT count(*) FROM rows").fetchone()[0])

    @property
    def finished(self) -> int:
        """How many of them have a result."""
        return int(self.db.execute("SELECT count(*) FROM results").fetchone()[0])

    def rows(self) -> Iterator[Row]:
        """All rows."""
        return map(self._row, self.db.execute(f"{_ROWS} ORDER BY row"))

    def rest(self, which: str = "") -> Iterator[Row]:
        """The rows without a result. Results may be added meanwhile. ``which``: our own SQL."""
        open_rows = f"NOT EXISTS (SELECT 1 FROM results WHERE results.row = rows.row) {which}"  # noqa: S608 - our own text
        page, last = f"{_ROWS} WHERE row > ? AND {open_rows} ORDER BY row LIMIT ?", 0
        while cells := self.db.execute(page, (last, PAGE)).fetchall():
            yield from map(self._row, cells)
            last = cells[-1][0]

    def graded(
        self, *, texts: bool = True, which: str = "ORDER BY row"
    ) -> Iterator[tuple[Row, Line]]:
        """The rows that have a result, each with it, in their order; without ``texts``, faster.

        ``which``: the end of the query, our own SQL.

        Raises:
            ConfigError: one cannot be read.
        """
        fields = "fields" if texts else "NULL"
        query = (
            f"SELECT row, case_id, {fields}, columns, problem, input, result "  # noqa: S608 - ours
            f"FROM results JOIN rows USING (row) {which}"
        )
        for *cells, fingerprint, text in self.db.execute(query):
            row = self._row(cells)
            with self._read(f"the result of row {row.number} (delete it, and it is graded again)"):
                result = GradingResult.model_validate_json(text)
                if result.case_id != row.case_id:
                    result = replace(result, case_id=row.case_id)
                line = Line(row.case_id, row.number, str(fingerprint or ""), row.columns, result)
            yield row, line

    def lowest(self) -> Line | None:
        """The failed result with the lowest score, by an index; None if there is none."""
        failed = "status = 'graded' AND pass = 0 AND score IS NOT NULL"
        which = f"WHERE {failed} ORDER BY score LIMIT 1"
        return next((line for _, line in self.graded(texts=False, which=which)), None)

    def _row(self, cells: Sequence[Any]) -> Row:
        number, case_id, fields, columns, problem = cells
        with self._read(f"row {number}"):
            given, carried = (as_mapping(json.loads(text or "{}")) for text in (fields, columns))
            return Row(number, str(case_id), given, carried, str(problem or ""))

    @contextmanager
    def _read(self, what: str) -> Iterator[None]:
        """Whatever is odd about values from the database is a ``ConfigError``."""
        try:
            yield
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            problem = str(error).partition("\n")[0]
            place = self.path / NAME
            raise ConfigError(f"{place}: {what} cannot be read: {problem}") from None

    def summary(self) -> Summary:
        """What was found so far, and all that was spent, also on results that others replaced."""
        with self._read("the table results"):
            summary = self.replaced()
            for group in self.db.execute(_GROUPS.format("results")):
                summary.add_counted(Counted(*group))
            for name in summary.found:
                first = "SELECT case_id FROM results JOIN rows USING (row) WHERE instr(notes, ?)"
                (case_id,) = self.db.execute(f"{first} LIMIT 1", (json.dumps(name),)).fetchone()
                summary.first[name] = str(case_id)
            return summary

    def replaced(self) -> Summary:
        """What was spent on results that others replaced, without what was found."""
        with self._read("the table earlier"):
            summary = Summary(self.size)
            for group in self.db.execute(_GROUPS.format("earlier")):
                summary.add_spent(Counted(*group))
            return summary


def cells_of(row: Row) -> tuple[Any, ...]:
    """A row of the data set as the table ``rows`` has it."""
    columns = as_text(row.columns) if row.columns else None
    return (row.number, row.case_id, digest(row), as_text(row.fields), columns, row.problem)


def commands(name: str) -> list[str]:
    """The commands of a file of SQL beside this one."""
    with open_text(Path(__file__).with_name(f"{name}.sql")) as lines:
        text = "".join(line for line in lines if not line.startswith("--"))
    return [command.strip() for command in text.split(";")]


# ---------------------------------------------------------------- opening


@contextmanager
def reading(path: str | PathLike[str]) -> Iterator[Store]:
    """The run in a directory, to be read. Another process may go on with it meanwhile.

    Raises:
        ConfigError: there is none, or it cannot be read.
    """
    folder = Path(path)
    if not is_run(folder):
        raise ConfigError(f"{path}: must be the directory of a run; it has no {NAME}")
    with _opened(folder / NAME, writes=False) as db:
        _check(db, folder / NAME)
        yield Store(db, folder)


@contextmanager
def writing(path: str | PathLike[str]) -> Iterator[Store]:
    """The run in a directory, made if there is none, to be changed by this process alone.

    Raises:
        ConfigError: another process works on it, or it cannot be used.
    """
    folder = Path(path)
    # A process that was killed just now may not be gone yet.
    with _opened(folder / "lock", writes=True, timeout=2.0) as lock:
        lock.execute("BEGIN EXCLUSIVE")  # held until the end, or until this process is gone
        with _opened(folder / NAME, writes=True) as db:
            store = Store(db, folder)
            if db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                db.execute(f"PRAGMA page_size={PAGE_SIZE}")
                with store.transaction():
                    for command in commands("tables"):
                        db.execute(command)
                    db.execute(f"PRAGMA application_id={APPLICATION}")
                    db.execute(f"PRAGMA user_version={FORMAT}")
            _check(db, folder / NAME)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            try:
                yield store
            finally:
                with suppress(sqlite3.Error):  # readers go on with the two files
                    db.execute("PRAGMA journal_mode=DELETE")


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Raises ``ConfigError`` if a database has not our tables, and nothing else."""
    mark, version = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if mark == APPLICATION and version > FORMAT:
        raise ConfigError(
            f"{path}: made by a newer version of faithfulness-assert (format {version}, this "
            f"version knows {FORMAT}): install that version, or newer"
        )
    made = db.execute("SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    ours = {(sql.split()[1].lower(), sql) for sql in commands("tables")}
    if mark != APPLICATION or version != FORMAT or set(made) != ours:
        raise ConfigError(f"{path}: is not the database of a run, or was changed: use another")


@contextmanager
def _opened(path: Path, *, writes: bool, timeout: float = 30.0) -> Iterator[sqlite3.Connection]:
    """A database of a run. What is wrong with it is a ``ConfigError`` that says what to do."""
    try:
        try:
            if writes:
                path.parent.mkdir(parents=True, exist_ok=True)
            db = open_database(path, writes=writes, timeout=timeout)
        except OSError as error:
            what, where = "written" if writes else "read", error.filename or path
            raise ConfigError(f"{where}: cannot be {what}: {error.strerror or error}") from None
        with closing(db):
            yield db
    except sqlite3.Error as error:
        place = path.with_name(NAME)
        raise ConfigError(f"{place}: cannot be used: {problem_of(error)}") from None


def problem_of(error: sqlite3.Error) -> str:
    """What is wrong with a database, and what to do."""
    advice = next((advice for word, advice in _ADVICE.items() if word in str(error)), "")
    return f"{error}; {advice}" if advice else str(error)


def is_run(path: str | PathLike[str]) -> bool:
    """Whether a directory has a run. A process that was killed at once leaves an empty file."""
    with suppress(OSError):
        return os.lstat(Path(path) / NAME).st_size > 0
    return False


# ---------------------------------------------------------------- what others take from a run


def not_finished(done: int, total: int) -> str:
    """What to say of a run of which only a part has a result; "" if all has."""
    note = f"the run is not finished: it has results for {done:,} of {total:,} cases"
    return note if done < total else ""


def lines_of(path: str | PathLike[str]) -> Iterator[Line]:
    """The results of a run directory, in the order of their rows, or of a file (JSON lines)."""
    if Path(path).is_dir():
        with reading(path) as store:
            yield from (line for _, line in store.graded(texts=False))
        return
    number = 0
    try:
        with open_file(path) as texts:
            for text in texts:
                number += 1
                if text.strip():
                    yield Line.of_json(text, number)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        problem = str(error).partition("\n")[0]
        advice = "not results of a run; name its directory, or its results as .jsonl"
        first = "what is not graded yet goes through batch first"
        raise ConfigError(f"{path}, line {number}: {advice}; {first}: {problem}") from None
