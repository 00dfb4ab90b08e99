"""Runs that are made from others, which stay: merged, or scored again. Nobody is asked."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..files import append_file, new_file, temporary_database, to_disk
from ..options import check_names, taken_by
from ..plan.results import weighed_again
from ..policy.load import find_policy
from ..policy.policy import Policy, asking_otherwise, policy_as_json
from ..records.checks import check_mapping
from ..records.errors import ConfigError
from ..settings import AnyPolicy
from .changed_rows import heads_of, renumbered
from .local_run import RunOutcome
from .progress import Counts
from .provider_batches import KeptRows, is_begun
from .rows import FinishedRows, Head
from .run_description import changes, described_run, policy_in
from .run_directory import RunDirectory

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..options import GraderOptions

SHOWN = 3
"""Ids that a message names."""
VALUE = 60
"""Characters of a value that a message shows."""


def rows_of(run: RunDirectory, about: Mapping[str, Any]) -> int | None:
    """How many rows the data of a run has; None if it never came to their end."""
    if is_begun(run):  # a run over a batch API copies its data first
        return sum(1 for _ in KeptRows(run).rows())
    rows = about.get("rows")
    return rows if isinstance(rows, int) else None


@contextmanager
def derived(directory: RunDirectory, about: Mapping[str, Any]) -> Iterator[Callable[[bytes], Any]]:
    """Gives a function that writes a line, with its line break, into a run that begins.

    Results are there before what is about them: half a run is never taken for one without results.

    Raises:
        ConfigError: the directory has a run, or cannot be written.
    """
    with directory.locked():
        if directory.about() is not None:
            raise ConfigError(f"{directory.path}: has a run already; use another directory")
        try:
            with new_file(directory.results, private=True) as file:
                yield file.write
                to_disk(file)
        except OSError as error:
            said = error.strerror or error
            raise ConfigError(f"{directory.path}: cannot be written: {said}") from None
        directory.write_about(about)
        directory.secret()


# ---------------------------------------------------------------- merge


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
        return heads_of(self.run, self.finished.aside)


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
                id = _new_id(head, part.first) if renumber else head.case_id
                write(renumbered(line, head.row + part.first, id) if part.first else line)
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


def _keep_retried(parts: Sequence[_Part], made: RunDirectory) -> None:
    """What was moved aside was paid, and counts for budgets."""
    for part in parts:
        if part.run.retried.exists():
            with part.run.opened(part.run.retried) as old, append_file(made.retried) as new:
                shutil.copyfileobj(old, new)


# ---------------------------------------------------------------- rescore


def rescore(
    source: str | PathLike[str],
    directory: str | PathLike[str],
    *,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    **options: Unpack[GraderOptions],
) -> RunOutcome:
    """Scores a run again under another policy, without an ask, into a new run.

    Each result is what grading under that policy would have given with the same replies. The new
    run can be reported and compared as any other, and goes on with that policy. The first one stays
    as it is. Tokens and costs are those of the asks that were paid for the first one.

    Args:
        source: the directory of the run. What it has is scored, also if it is not finished.
        directory: where the new run is kept. It must not have a run.
        policy: see ``faithfulness_assert.Grader``; None for that of the run.
        threshold, options: change fields of the policy, as for ``Grader``.

    Raises:
        ConfigError: the judge would have to be asked again for the policy, and the message names
            the fields; the results cannot be read, or are not those of the run's own policy (of
            another version, or changed); or the directory cannot be used.
    """
    kept, about = described_run(source)
    old = policy_in(about, kept.path)
    new = _wanted(old, policy, threshold, dict(options))
    _check_asks(old, new, kept)
    made = RunDirectory(directory)
    counts = Counts(FinishedRows(), rows_of(kept, about))
    told = {
        **about,
        "rows": counts.total,
        "policy": policy_as_json(new),
        "made_from": [kept.path.resolve().name],
    }
    with derived(made, told) as write:
        for line in kept.lines():
            result = weighed_again(line.result, old, new)
            if result is None:
                raise ConfigError(
                    f"{kept.results}: row {line.row} ({line.case_id}): its verdicts do not give "
                    "its result under the run's own policy. It was changed, or graded by a version "
                    f"that kept less (the run has version {about.get('version')}). Grade with "
                    "`batch` into another directory"
                )
            line = line._replace(result=result)
            write(line.to_json().encode("utf-8", "backslashreplace") + b"\n")
            counts.now.add(line)
    unfinished = counts.now.cases != counts.total
    notes = ("the run is not finished: what it has is scored",) if unfinished else ()
    outcome = RunOutcome(made, counts, notes=notes)
    outcome.keep_summary()
    return outcome


def _wanted(
    old: Policy, policy: AnyPolicy | None, threshold: float | None, options: dict[str, Any]
) -> Policy:
    check_names(options)
    changes = taken_by("policy", options)
    if other := [name for name in options if name not in {*changes, "policy_options"}]:
        problem = "nobody is asked, so only options of the policy can be given"
        raise ConfigError(f"{other[0]}: {problem}; leave it out")
    if threshold is not None:
        changes["threshold"] = threshold
    source_options = check_mapping("policy_options", options.get("policy_options"))
    new = find_policy(old if policy is None else policy, changes, source_options)
    return replace(new, controls=old.controls) if new.controls == "auto" else new


def _check_asks(old: Policy, new: Policy, run: RunDirectory) -> None:
    """Raises ``ConfigError`` if the judge would be asked otherwise, with the fields."""
    if names := asking_otherwise(old, new):
        told = policy_as_json(old), policy_as_json(new)
        changes = (
            f"{name} (was {_shown(told[0][name])}, is {_shown(told[1][name])})" for name in names
        )
        raise ConfigError(
            f"{run.path}: needs new asks for {', '.join(changes)}. Leave that as it was, or grade "
            "with `batch` into another directory"
        )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= VALUE else f"{text[: VALUE - 3]}..."
