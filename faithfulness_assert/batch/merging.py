"""Runs over the parts of a data set, made into one run over all of it. Nobody is asked."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..files import append_file
from ..records.errors import ConfigError
from .changed_rows import lines_of, renumbered
from .derived_runs import derived, rows_of
from .finished_runs import described_run
from .local_run import RunOutcome
from .progress import Counts
from .run_description import changes
from .run_directory import RunDirectory
from .spool import temporary_database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from .finished_rows import FinishedRows, Head

SHOWN = 3
"""Ids that a message names."""


class _Part(NamedTuple):
    """One of the runs. ``first``: how many rows those before it have, which its rows follow."""

    run: RunDirectory
    about: dict[str, Any]
    finished: FinishedRows
    first: int

    @property
    def name(self) -> str:
        return str(self.run.path)

    @property
    def input(self) -> dict[str, Any]:
        told = self.about.get("input")
        return told if isinstance(told, dict) else {}

    def heads(self) -> Iterator[tuple[Head, bytes]]:
        return lines_of(self.run, self.finished.aside)


def merge(sources: Sequence[str | PathLike[str]], directory: str | PathLike[str]) -> RunOutcome:
    """Makes the runs over several shards of a data set into one, without an ask.

    Rows are numbered as if the shards stood in one file, in the order of ``sources``. The runs that
    are merged stay as they are.

    Args:
        sources: the directories of two or more finished runs, each over its own shard.
        directory: where the new run is kept. It must not have a run.

    Raises:
        ConfigError: a run was graded otherwise than the first one (its judge, policy, prompts or
            version), is not finished, has the same data or a case with the same id as another; or a
            directory cannot be used.
    """
    if len(sources) < 2:
        raise ConfigError("merge: give two runs or more")
    parts = list(_parts(sources))
    data = ", ".join(str(part.input.get("name") or part.name) for part in parts)
    about = {
        **parts[0].about,
        "input": {"name": data, "fingerprint": "", "bytes": 0},
        "rows": sum(part.finished.count for part in parts),
        "made_from": [Path(part.name).resolve().name for part in parts],
    }
    made = RunDirectory(directory)
    with closing(
        temporary_database("ids (id BLOB PRIMARY KEY, part INTEGER) WITHOUT ROWID")
    ) as ids:
        renumber = bool(_shared_ids(ids, parts))
        if renumber and (shared := _shared_ids(ids, parts, renumber=True)):
            raise ConfigError(f"merge: {shared}; each case must be in one run only")
    with derived(made, about) as write:
        for part in parts:
            for head, line in part.heads():
                write(_moved(head, line, part.first, renumber=renumber))
        _keep_retried(parts, made)
    notes = ["cases without an id have the number of their row in all shards as id"] * renumber
    outcome = RunOutcome(made, Counts(made.finished(), about["rows"]), notes=tuple(notes))
    outcome.keep_summary()
    return outcome


def _parts(sources: Sequence[str | PathLike[str]]) -> Iterator[_Part]:
    """The runs, each of which fits the first one and is finished."""
    earlier: list[_Part] = []
    rows = 0
    for path in sources:
        run, about = described_run(path)
        part = _Part(run, about, run.finished(), rows)
        for other in earlier:
            _check_other_data(other, part)
        if earlier and (changed := changes(earlier[0].about, about)):
            raise ConfigError(
                f"{path}: was graded otherwise than {earlier[0].name}: {'; '.join(changed)}. Only "
                "runs that were graded alike can be merged; `rescore` gives a run another policy"
            )
        finished = part.finished
        if finished.highest != finished.count or rows_of(run, about) != finished.count:
            raise ConfigError(
                f"{path}: is not finished: go on with it (`batch` with the same settings) before "
                "it is merged"
            )
        rows += finished.count
        earlier.append(part)
        yield part


def _check_other_data(first: _Part, second: _Part) -> None:
    told = first.input.get("fingerprint")
    same = first.run.path.resolve() == second.run.path.resolve()
    if same or (told and told == second.input.get("fingerprint")):
        raise ConfigError(
            f"{second.name}: has the same data as {first.name} ({second.input.get('name')}); a "
            "shard can be merged once"
        )


def _shared_ids(ids: sqlite3.Connection, parts: Sequence[_Part], *, renumber: bool = False) -> str:
    """Which ids several runs have, in words; "" if none."""
    ids.execute("DELETE FROM ids")
    doubled: list[str] = []
    for number, part in enumerate(parts):
        for head, _ in part.heads():
            id = _new_id(head, part.first) if renumber else head.case_id
            key = id.encode("utf-8", "surrogatepass")
            if ids.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", (key, number)).rowcount == 1:
                continue
            (other,) = ids.execute("SELECT part FROM ids WHERE id = ?", (key,)).fetchone()
            doubled.append(f"the case {id} is in {parts[other].name} and in {part.name}")
            if len(doubled) == SHOWN or not renumber:
                return "; ".join(doubled)
    return "; ".join(doubled)


def _new_id(head: Head, first: int) -> str:
    """The id of a case in the merged run: of one without an own id, the number of its row."""
    return str(head.row + first) if head.case_id == str(head.row) else head.case_id


def _moved(head: Head, line: bytes, first: int, *, renumber: bool) -> bytes:
    """A line whose row stands behind so many others."""
    id = _new_id(head, first) if renumber else head.case_id
    return line if not first else renumbered(line, head.row + first, id)


def _keep_retried(parts: Sequence[_Part], made: RunDirectory) -> None:
    """What was moved aside was paid, and counts for budgets."""
    for part in parts:
        if part.run.retried.exists():
            with part.run.opened(part.run.retried) as old, append_file(made.retried) as new:
                shutil.copyfileobj(old, new)
