"""How the rows of an input fit the results of a run, when the input is not what it was.

A row is known by its fingerprint: what is graded in it. A result follows its row to another place
or id, new rows are graded, and a row that changed or is gone is named before anything is paid.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from ..files import temporary_database
from .data_sets import DataSet
from .rows import FinishedRows, Head, Line, Row, digest, field_digests, head_of
from .run_description import InputIs, changed_input
from .run_directory import RunDirectory

SHOWN = 5
"""Rows that are named. Of more, only the number is told."""
_TABLES = (
    "new (row INTEGER PRIMARY KEY, input TEXT, id TEXT, fields TEXT)",
    "pairs (old INTEGER PRIMARY KEY, new INTEGER UNIQUE, id TEXT)",
)


class Rest(NamedTuple):
    """What is left of a run.

    Args:
        finished: the rows that have a result.
        rows: those that have none.
        notes: what a person should know about results that were kept or moved.
    """

    finished: FinishedRows
    rows: Iterator[Row]
    notes: tuple[str, ...] = ()


def rest_of(
    directory: RunDirectory,
    data_set: DataSet,
    input_is: InputIs,
    *,
    retry: bool,
    regrade: bool,
) -> Rest:
    """The rows of a data set that have no result, after its results were fitted to it.

    Args:
        retry: grader errors that may not come again are graded again.
        regrade: so are rows that changed; results of rows that are gone are moved aside.

    Raises:
        ConfigError: rows with a result changed or are gone, and ``regrade`` is false.
    """
    finished = directory.finished(retry=retry)
    last = finished.highest
    if last and (input_is in ("other", "unknown") or all(row < last for row in data_set.numbers())):
        return _fitted(directory, data_set, finished, input_is, regrade=regrade)
    directory.clean(finished)
    return Rest(finished, data_set.rows(finished.digest, finished.has_id))


def _fitted(
    directory: RunDirectory,
    data_set: DataSet,
    finished: FinishedRows,
    input_is: InputIs,
    *,
    regrade: bool,
) -> Rest:
    """The same with an input whose rows have to be compared.

    One that can be read once is compared as far as there are results, before anything is graded.
    """
    rows, early = data_set.rows(), temporary_database("early (row TEXT)")
    with closing(Matching(directory, finished)) as matching:
        if input_is == "unknown":
            others = matching.others(islice(rows, finished.highest))
            early.executemany("INSERT INTO early VALUES (?)", ((json.dumps(r),) for r in others))
        else:
            deque(matching.others(rows), maxlen=0)
        fit = matching.fit()
        if fit.problem and not regrade:
            raise changed_input(fit.problem)
        directory.clean(finished)
        if fit.problem or fit.followed:
            matching.apply()
            now = directory.finished()
            now.again, now.damaged = finished.again, finished.damaged
            finished = now
    if input_is != "unknown":
        left = data_set.rows(finished.digest, finished.has_id)
        return Rest(finished, left, tuple(fit.notes()))
    kept = (Row(*json.loads(text)) for (text,) in early.execute("SELECT * FROM early"))
    left = (row for row in chain(kept, rows) if not finished.digest(row.number))
    return Rest(finished, left, tuple(fit.notes()))


class Fit(NamedTuple):
    """How an input fits the results.

    Args:
        followed: how many results go with their rows to another place or id.
        changed: how many rows with a result are not what they were.
        removed: how many results have no row any more.
        named: the first of what was changed or removed, in words.
    """

    followed: int
    changed: int
    removed: int
    named: tuple[str, ...]

    @property
    def problem(self) -> str:
        """What was changed or removed, in words; "" if nothing was."""
        more = self.changed + self.removed - len(self.named)
        return "; ".join([*self.named, *([f"and {more:,} more rows"] if more else [])])

    def notes(self) -> Iterator[str]:
        """What was done, if anything was."""
        if self.followed:
            yield f"{self.followed:,} results follow their rows to another place or id"
        if self.changed:
            yield f"{self.changed:,} rows that changed are graded again"
        if self.removed:
            yield f"{self.removed:,} results of rows that are gone were moved to retried.jsonl"


class Matching:
    """Compares an input with the results of a run. To be closed.

    Args:
        directory: of the run.
        finished: its rows that have a result.
    """

    def __init__(self, directory: RunDirectory, finished: FinishedRows) -> None:
        self._directory, self._finished = directory, finished
        # Results and rows that are not in the same place with the same id.
        self._db = temporary_database("old (row INTEGER PRIMARY KEY, input TEXT, id TEXT)")
        for table in _TABLES:
            self._db.execute(f"CREATE TABLE {table}")
        lines = heads_of(directory, finished.aside)
        heads = ((h.row, f"{h.input:016x}", h.case_id) for h, _ in lines)
        self._db.executemany("INSERT INTO old VALUES (?, ?, ?)", heads)

    def close(self) -> None:
        """Deletes what was kept."""
        self._db.close()

    def others(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Those of these rows that have no result in their place."""
        find = "SELECT input, id FROM old WHERE row = ?"
        for row in rows:
            told = digest(row)
            if self._db.execute(find, (row.number,)).fetchone() == (told, row.case_id):
                self._db.execute("DELETE FROM old WHERE row = ?", (row.number,))
                continue
            values = (row.number, told, row.case_id, json.dumps(field_digests(row)))
            self._db.execute("INSERT INTO new VALUES (?, ?, ?, ?)", values)
            yield row

    def fit(self) -> Fit:
        """How they fit. To be called once, after all rows were compared."""
        followed = sum(map(self._pair, ("input, id", "input, row", "input"), ("n.id",) * 3))
        changed = sum(map(self._pair, ("id", "row"), ("NULL",) * 2))
        (old,) = self._db.execute("SELECT count(*) FROM old").fetchone()
        return Fit(followed, changed, old - followed - changed, tuple(self._named()))

    def _pair(self, key: str, id: str) -> int:
        """Pairs results with rows that are the same in these columns, in their order."""
        old, new = (
            f"(SELECT *, row_number() OVER (PARTITION BY {key} ORDER BY row) AS place "  # noqa: S608 - our own text
            f"FROM {table} WHERE row NOT IN (SELECT {table} FROM pairs))"
            for table in ("old", "new")
        )
        same = " AND ".join(f"o.{column} = n.{column}" for column in [*key.split(", "), "place"])
        insert = f"INSERT INTO pairs SELECT o.row, n.row, {id} FROM {old} o JOIN {new} n ON {same}"  # noqa: S608 - our own text
        return self._db.execute(insert).rowcount

    def _named(self) -> Iterator[str]:
        """The first rows that are changed or gone, and what of them changed."""
        found = self._db.execute(
            "SELECT old.row, old.id, new.row, new.fields FROM old "
            "LEFT JOIN pairs ON pairs.old = old.row LEFT JOIN new ON new.row = pairs.new "
            "WHERE pairs.id IS NULL ORDER BY old.row LIMIT ?",
            (SHOWN,),
        ).fetchall()
        wanted = {row for row, *_ in found}
        lines = heads_of(self._directory, self._finished.aside) if wanted else ()
        before = {h.row: Line.of_json(line).fields for h, line in lines if h.row in wanted}
        for row, id, new, fields in found:
            where = f"row {row} ({id})"
            if new is None:
                yield f"{where} is gone"
            else:
                yield f"{where} {what_changed(before.get(row), json.loads(fields))}"

    def apply(self) -> None:
        """Lets results follow their rows, and moves aside those of rows that changed or are gone.

        To be called after ``RunDirectory.clean``.

        Raises:
            ConfigError: the directory cannot be written. No result is lost.
        """
        find = (
            "SELECT pairs.new, pairs.id FROM old LEFT JOIN pairs ON pairs.old = old.row "
            "WHERE old.row = ?"
        )

        def kept(_: int, text: bytes) -> bytes | None:
            head = head_of(text)
            if head is None:
                return None
            found = self._db.execute(find, (head.row,)).fetchone()
            if found is None:
                return text
            row, id = found
            return None if id is None else renumbered(text, row, id)

        self._directory.rewrite(kept)


def heads_of(directory: RunDirectory, aside: Iterable[int]) -> Iterator[tuple[Head, bytes]]:
    """The lines of results with their heads, without lines that must be moved aside."""
    if not directory.results.exists():
        return
    waiting = iter(aside)
    left_out = next(waiting, -1)
    with directory.opened(directory.results) as file:
        for number, line in enumerate(file):
            if number == left_out:
                left_out = next(waiting, -1)
            elif line.endswith(b"\n") and (head := head_of(line)):
                yield head, line


def renumbered(text: bytes, row: int, id: str) -> bytes:
    """A line for another place and id of its row."""
    line = Line.of_json(text)
    line = line._replace(row=row, case_id=id, result=replace(line.result, case_id=id))
    return line.to_json().encode("utf-8", "backslashreplace") + b"\n"


def what_changed(before: Mapping[str, str] | None, now: Mapping[str, str]) -> str:
    """Which fields of a row are not what they were, in words."""
    if not before:
        return "is not what it was"
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return f"has another {', '.join(names)}" if names else "is not what it was"
