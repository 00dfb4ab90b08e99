"""The rows of a run: those of its input, and how they fit when the input is not what it was.

A row is known by its fingerprint: what is graded in it. A result follows its row to another place
or id, and so do asks that were sent for it; new rows are graded, and a row that changed or is gone
is named before anything is paid.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from ..grading import Grader
from ..records.errors import ConfigError, option
from .data_sets import DataSet
from .rows import Row
from .run_description import check_unchanged, describe_run
from .store import Store, cells_of

SHOWN = 5
"""Rows that are named. Of more, only the number is told."""
_PAIR = """
INSERT INTO pairs SELECT o.row, n.row, {same} FROM
(SELECT *, row_number() OVER (PARTITION BY {key} ORDER BY row) AS place FROM old
 WHERE row NOT IN (SELECT old FROM pairs)) o JOIN
(SELECT *, row_number() OVER (PARTITION BY {key} ORDER BY row) AS place FROM incoming
 WHERE row NOT IN (SELECT new FROM pairs)) n ON {equal} AND o.place = n.place
"""
_KEYS = ("input, case_id, row", "input, case_id", "input, row", "input", "case_id", "row")
"""What old and new rows have in common, in this order. Without ``input`` a row has changed."""


def take_input(store: Store, grader: Grader, data_set: DataSet, *, regrade: bool) -> list[str]:
    """Begins a run with all rows of a data set, or fits the run to it. To be called in a
    transaction. Returns notes on what was done.

    Raises:
        ConfigError: the run was begun with other settings; there are no cases; or rows with a
            result or an ask have changed or are gone, and ``regrade`` is false.
    """
    about, before = describe_run(grader, data_set), store.about()
    notes: list[str] = []
    if before is None:
        for row in data_set.rows():
            store.add_row(row)
    else:
        check_unchanged(before, about)
        now, was = about["input"]["fingerprint"], before.get("input")
        if not (now and isinstance(was, dict) and was.get("fingerprint") == now):
            notes = _fit(store, data_set.rows(), regrade=regrade)
    if not store.size:
        raise ConfigError(f"{data_set.name}: contains no cases")
    store.keep("about", about)
    return notes


def _fit(store: Store, rows: Iterable[Row], *, regrade: bool) -> list[str]:
    """Puts these rows in the place of those of the run. Returns notes on what was done.

    Raises:
        ConfigError: rows with a result or an ask have changed or are gone, and ``regrade`` is
            false.
    """
    db = store.db
    for table in ("old", "incoming", "pairs"):
        db.execute(f"DROP TABLE IF EXISTS temp.{table}")
    db.execute("CREATE TEMP TABLE incoming AS SELECT * FROM rows WHERE 0")
    for row in rows:
        db.execute("INSERT INTO incoming VALUES (?, ?, ?, ?, ?, ?)", cells_of(row))
    db.execute(
        "CREATE TEMP TABLE old AS SELECT * FROM rows "
        "WHERE row IN (SELECT row FROM results UNION SELECT row FROM asks)"
    )
    db.execute("CREATE TEMP TABLE pairs (old INTEGER PRIMARY KEY, new INTEGER UNIQUE, same)")
    for key in _KEYS:
        equal = " AND ".join(f"o.{column} = n.{column}" for column in key.split(", "))
        db.execute(_PAIR.format(key=key, equal=equal, same=int("input" in key)))
    changed, gone = db.execute(
        "SELECT count(new), count(*) - count(new) FROM old LEFT JOIN pairs ON old = old.row "
        "WHERE same IS NOT 1"
    ).fetchone()
    if (changed or gone) and not regrade:
        raise ConfigError(
            f"the input has changed since the run began: {_named(store, changed + gone)}. Nothing "
            "was graded, and the results are as they were. To grade these rows again: "
            f"{option('regrade_changed', True)} (what they had stays in the table earlier; that of "
            "a row that is gone, too). Else use the input as it was, or another directory"
        )
    (moved,) = db.execute(
        "SELECT count(*) FROM pairs JOIN old ON old.row = old JOIN incoming n ON n.row = new "
        "WHERE same AND (old != new OR old.case_id != n.case_id)"
    ).fetchone()
    _apply(store)
    notes = {
        "results follow their rows to another place or id": moved,
        "rows that changed are graded again": changed,
        "results of rows that are gone were moved to the table earlier": gone,
    }
    return [f"{count:,} {note}" for note, count in notes.items() if count]


def _named(store: Store, count: int) -> str:
    """The first rows that are changed or gone, in words, with the fields that changed."""
    found = store.db.execute(
        "SELECT old.row, old.case_id, new, old.fields, n.fields FROM old "
        "LEFT JOIN pairs ON old = old.row LEFT JOIN incoming n ON n.row = new "
        "WHERE same IS NOT 1 ORDER BY old.row LIMIT ?",
        (SHOWN,),
    )
    named = []
    for row, case_id, new, *texts in found:
        what = "is gone"
        if new is not None:
            before, now = (json.loads(text or "{}") for text in texts)
            names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
            what = f"has another {', '.join(names)}" if names else "is not what it was"
        named.append(f"row {row} ({case_id}) {what}")
    if count > SHOWN:
        named.append(f"and {count - SHOWN:,} more rows")
    return "; ".join(named)


def _apply(store: Store) -> None:
    """Lets results and asks follow their rows; sets those of rows that changed or are gone aside.

    Numbers are first made negative, so that no row takes that of another meanwhile.
    """
    db = store.db
    store.set_aside("row NOT IN (SELECT old FROM pairs WHERE same)")
    for table in ("results", "asks"):
        db.execute(
            f"UPDATE {table} SET row = -(SELECT new FROM pairs WHERE old = row) "  # noqa: S608 - our own text
            "WHERE row IN (SELECT old FROM pairs WHERE old != new)"
        )
        db.execute(f"UPDATE {table} SET row = -row WHERE row < 0")  # noqa: S608 - our own text
    db.execute("DELETE FROM rows")
    db.execute("INSERT INTO rows SELECT * FROM incoming")
