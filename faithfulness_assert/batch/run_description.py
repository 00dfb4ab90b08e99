"""What shapes the results of a run, as it says about itself; and how it goes on with its input.

A row is known by its fingerprint: what is graded in it. A result follows its row to another place
or id, and so do asks that were sent for it; new rows are graded, and a row that changed or is gone
is named before anything is paid.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from .. import __version__
from ..asking.prompt import prompts_fingerprint
from ..cases.data_set import SAMPLE, DataSet
from ..grading import Grader
from ..policy.policy import TAKES, Policy, plain, policy_as_json
from ..records.checks import as_mapping
from ..records.errors import ConfigError, option
from ..records.judge import described
from ..text.strings import clip, counted
from .rows import Row
from .store import Store, cells_of, commands

MAY_CHANGE = ("input.", "judge.base_url")
"""What may change while a run goes on. A server that was started again has another address, which
must be named: the environment's may be that of a shell where it is not set.
"""
NAME = "judge.name"
SHOWN = 5
"""Rows that are named. Of more, only the number is told."""


def describe_run(grader: Grader, name: str = "", fingerprint: str = "") -> dict[str, Any]:
    """What the results of a run depend on; ``name`` and ``fingerprint`` are those of its data set.
    It contains no key and no password.

    Options that only decide how fast or at what price results come (``timeout``, ``max_retries``,
    ``deadline``, ``cache``, ``prices``) are left out: they may change while a run goes on.
    """
    about = {
        "version": __version__,
        "prompts": prompts_fingerprint(),
        "judge": described(grader.judge),
        "policy": policy_as_json(grader.policy),
        "options": grader.shaping,
        "input": {"name": name, "fingerprint": fingerprint},
    }
    as_json: dict[str, Any] = json.loads(json.dumps(about, default=plain))
    return as_json


def policy_in(store: Store) -> Policy:
    """The policy with which a run was graded, from what it says about itself.

    Raises:
        ConfigError: it has other fields than here, or values that no policy has.
    """
    about = store.about()
    data = as_mapping(about.get("policy"))
    if data.keys() != TAKES.keys():
        made = f"it was made by version {about.get('version')}"
        raise ConfigError(f"{store.path}: its policy has other fields than here; {made}: use that")
    try:
        return Policy(**{name: TAKES[name].from_data(value, {}) for name, value in data.items()})
    except ConfigError as error:
        raise ConfigError(f"{store.path}: {error}") from None


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is graded in another way, in words; nothing of ``MAY_CHANGE``.

    The name of another judge says enough of it.
    """
    old, new = (dict(_flat(about, "")) for about in (before, now))
    names = [
        name
        for name in {**old, **new}
        if old.get(name) != new.get(name) and not name.startswith(MAY_CHANGE)
    ]
    if NAME in names:
        names = [name for name in names if name == NAME or not name.startswith("judge.")]
    was, is_now = (
        [clip(json.dumps(values.get(name), ensure_ascii=False), 60) for name in names]
        for values in (old, new)
    )
    return [f"{name}: was {a}, is {b}" for name, a, b in zip(names, was, is_now, strict=True)]


def check_unchanged(store: Store, grader: Grader) -> None:
    """Raises ``ConfigError`` if a run would go on in another way, but for ``MAY_CHANGE``."""
    before, now = store.about(), describe_run(grader)
    if changed := changes(before, now):
        fix = "Use these settings as they were, or another directory"
        if all(change.startswith("policy.") for change in changed):
            command = f"faithfulness-assert rescore {shlex.quote(str(store.path))} --run NEW"
            fix += f"; what it has can be scored under another policy: {command}"
        raise ConfigError(
            "the run was begun with other settings, and results of both would not compare. "
            f"Changed: {'; '.join(changed)}. {fix}"
        )
    begun, here = (str(about["judge"].get("base_url")).rstrip("/") for about in (before, now))
    if begun != here and not grader.has_address:  # such as one with a password
        problem = f"was begun at {begun}, and would go on at {here}"
        name = f"{grader.judge_name.partition(':')[0].upper()}_BASE_URL"
        raise ConfigError(f"{store.path}: {problem}. Set {name} as it was, or the option base_url")


def _flat(value: object, name: str) -> Iterator[tuple[str, object]]:
    """The values inside mappings, with names such as ``policy.weights.supported``."""
    if not isinstance(value, Mapping):
        yield name, value
        return
    for key, inner in value.items():
        yield from _flat(inner, f"{name}.{key}" if name else str(key))


# ---------------------------------------------------------------- the rows of its input


def take_input(store: Store, grader: Grader, data_set: DataSet, *, regrade: bool) -> list[str]:
    """Begins a run with all rows of a data set, or fits the run to it. To be called in a
    transaction. Returns notes on what was done.

    Raises:
        ConfigError: the run was begun with other settings; there are no cases; or rows with a
            grade or an ask have changed or are gone, and ``regrade`` is false.
    """
    before, size = store.about(), store.size
    was = str(as_mapping(before.get("input")).get("fingerprint") or "")
    start, whole = data_set.fingerprints(size, was)
    about = describe_run(grader, data_set.name, whole)
    notes: list[str] = []
    if not before:
        store.add_rows(data_set.rows())
    else:
        check_unchanged(store, grader)
        if not was or was not in (start, whole) or size < SAMPLE:  # which shows where fields are
            notes += _fit(store, data_set.rows(), regrade=regrade)
        elif was != whole:  # it only grew
            ids = (id for (id,) in store.db.execute("SELECT case_id FROM rows"))
            store.add_rows(data_set.rows(size, ids))
    if not store.size:
        raise ConfigError(f"{data_set.name}: contains no cases")
    store.keep("about", about)
    return notes


def _fit(store: Store, rows: Iterable[Row], *, regrade: bool) -> list[str]:
    """Puts these rows in the place of those of the run. Returns notes on what was done.

    Raises:
        ConfigError: rows with a grade or an ask have changed or are gone, and ``regrade`` is false.
    """
    db = store.db
    db.execute("CREATE TEMP TABLE incoming AS SELECT * FROM rows WHERE 0")
    begun = "row IN (SELECT row FROM results) OR row IN (SELECT row FROM asks)"
    stored, last = db.execute(f"SELECT *, {begun} FROM rows ORDER BY row"), 0  # noqa: S608 - ours
    for row in rows:  # those that were begun and are as they were need nothing, and are most
        if (*(cells := cells_of(row)), 1) != stored.fetchone():
            db.execute("INSERT INTO incoming VALUES (?, ?, ?, ?, ?, ?)", cells)
        last = row.number
    stored.close()
    for command in commands("fit"):
        db.execute(command, {"last": last})
    changed, gone = db.execute("SELECT count(now), count(*) - count(now) FROM lost").fetchone()
    if (changed or gone) and not regrade:
        loss = f"; {counted(gone, 'row')} would lose the result" if gone else ""
        raise ConfigError(
            f"the input has changed since the run began: {_lost(store, changed + gone)}. Nothing "
            "was graded, and the results are as they were. Use the input as it was, or another "
            f"directory. To grade what changed again: {option('regrade_changed', True)} (what it "
            f"had stays in the table earlier{loss})"
        )
    store.set_aside("row IN (SELECT row FROM other WHERE row NOT IN (SELECT old FROM pairs))")
    for command in commands("move"):
        db.execute(command, {"last": last})
    (moved,) = db.execute("SELECT count(*) FROM pairs WHERE moved").fetchone()
    (without,) = db.execute("SELECT count(*) FROM gone").fetchone()
    notes = {
        "moved or have another id, and keep their results": moved,
        "changed, and are graded again": changed,
        "are gone, and whose results were moved to the table earlier": gone,
        "are gone, and had no grade": without,
    }
    return [f"rows that {note}: {count:,}" for note, count in notes.items() if count]


def _lost(store: Store, count: int) -> str:
    """The first rows that are changed or gone, in words, with the fields that changed."""
    named = []
    for row, case_id, *texts in store.db.execute(
        "SELECT * FROM lost ORDER BY row LIMIT ?", (SHOWN,)
    ):
        what = "is gone"
        if texts[1] is not None:
            before, now = (as_mapping(json.loads(text or "{}")) for text in texts)
            names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
            what = f"has another {', '.join(names)}" if names else "is not what it was"
        named.append(f"row {row} ({case_id}) {what}")
    more = [f"and {count - SHOWN:,} more rows"] if count > SHOWN else []
    return "; ".join([*named, *more])


# ---------------------------------------------------------------- a run that is only read


def data_sets_of(store: Store) -> list[str]:
    """The names of what a run was graded from, as they were given."""
    given = as_mapping(store.about().get("input"))
    return str(given["name"]).split(", ") if "name" in given else []


def policy_changes(before: Store, after: Store) -> list[str]:
    """What the policies of two runs differ in, in words."""
    old, new = ({"policy": store.about().get("policy")} for store in (before, after))
    return changes(old, new)


def names_of(before: str | PathLike[str], after: str | PathLike[str]) -> tuple[str, str]:
    """What two runs are called: by the names of their directories or files; if these are the same,
    as they were given.
    """
    first, second = (Path(path).resolve().name.removesuffix(".jsonl") for path in (before, after))
    return (first, second) if first != second else (str(before), str(after))
