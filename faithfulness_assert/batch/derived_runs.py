"""Runs that are made from others, which stay: merged, or scored again. Nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..options import check_names, taken_by
from ..plan.results import weighed_again
from ..policy.load import find_policy
from ..policy.policy import Policy, asking_otherwise, policy_as_json
from ..records.checks import check_mapping
from ..records.errors import ConfigError
from ..settings import AnyPolicy
from ..text.strings import clip
from .local_run import RunOutcome
from .run_description import changes, how_graded, policy_in
from .store import NAME, Store, reading, writing

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..options import GraderOptions

SHOWN = 3
"""Ids that a message names."""
VALUE = 60
"""Characters of a value that a message shows."""


@contextmanager
def _new_run(path: str | PathLike[str], about: Mapping[str, Any]) -> Iterator[Store]:
    """A run that is there as a whole at the end, or not at all.

    Raises:
        ConfigError: the directory has a run, or cannot be written.
    """
    with writing(path) as store:
        if store.about() is not None:
            raise ConfigError(f"{path}: has a run already; use another directory")
        with store.transaction():
            store.keep("about", about)
            store.secret()
            yield store


def _copy(kept: Store, made: Store, table: str, first: int = 0) -> None:
    """Copies the rows of a table, of which the number of the first one grows by ``first``."""
    width = len(made.db.execute(f"PRAGMA table_info({table})").fetchall())
    places = ", ".join("?" * width)
    rows = kept.db.execute(f"SELECT * FROM {table}")  # noqa: S608 - our own text
    numbered = ((number + first, *rest) for number, *rest in rows)
    made.db.executemany(f"INSERT INTO {table} VALUES ({places})", numbered)  # noqa: S608 - our own text


# ---------------------------------------------------------------- merge


class _Part(NamedTuple):
    """One of the runs, with ``rows`` rows, which follow the ``first`` ones of those before it."""

    path: str
    about: dict[str, Any]
    input: dict[str, Any]
    rows: int
    first: int


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
    parts: list[_Part] = []
    for path in sources:
        parts.append(_part(path, parts))
    total = parts[-1].first + parts[-1].rows
    data = ", ".join(str(part.input.get("name") or part.path) for part in parts)
    about = {
        **parts[0].about,
        "input": {"name": data, "fingerprint": ""},
    }
    with _new_run(directory, about) as made:
        for part in parts:
            with reading(part.path) as kept:
                for table in ("rows", "results", "earlier"):
                    _copy(kept, made, table, part.first)
        notes = []
        if _shared_ids(made):
            notes.append("cases without an id have the number of their row in all shards as id")
            for part in parts:
                made.db.execute(
                    "UPDATE rows SET case_id = CAST(row AS TEXT) "
                    "WHERE row > ? AND row <= ? AND case_id = CAST(row - ? AS TEXT)",
                    (part.first, part.first + part.rows, part.first),
                )
        if shared := _shared_ids(made):
            problem = f"cases with the same id are in several runs, such as {shared}"
            raise ConfigError(f"merge: {problem}; each case must be in one run only")
    return RunOutcome(Path(directory), total, notes=tuple(notes))


def _part(path: str | PathLike[str], earlier: Sequence[_Part]) -> _Part:
    """A run that fits those before it, and is finished."""
    with reading(path) as store:
        about, rows, finished = how_graded(store), store.size, store.finished
    told = about.get("input")
    data = told if isinstance(told, dict) else {}
    mark = data.get("fingerprint")
    for other in earlier:
        same = Path(other.path).resolve() == Path(path).resolve()
        if same or (mark and mark == other.input.get("fingerprint")):
            problem = f"has the same data as {other.path} ({data.get('name')})"
            raise ConfigError(f"{path}: {problem}; a shard can be merged once")
    if earlier and (changed := changes(earlier[0].about, about)):
        raise ConfigError(
            f"{path}: was graded otherwise than {earlier[0].path}: {'; '.join(changed)}. Only runs "
            "that were graded alike can be merged; `rescore` gives a run another policy"
        )
    if rows != finished:
        how = "go on with it (`batch` with the same settings) before it is merged"
        raise ConfigError(f"{path}: is not finished: {how}")
    first = earlier[-1].first + earlier[-1].rows if earlier else 0
    return _Part(str(path), about, data, rows, first)


def _shared_ids(made: Store) -> str:
    """Some ids that several rows have; "" if none."""
    found = made.db.execute(
        "SELECT case_id FROM rows GROUP BY case_id HAVING count(*) > 1 LIMIT ?", (SHOWN,)
    )
    return ", ".join(case_id for (case_id,) in found)


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
    with reading(source) as kept:
        about = how_graded(kept)
        old = policy_in(about, kept.path)
        new = _wanted(old, policy, threshold, dict(options))
        if names := asking_otherwise(old, new):
            was, now = policy_as_json(old), policy_as_json(new)
            told = (
                f"{name} (was {clip(repr(was[name]), VALUE)}, is {clip(repr(now[name]), VALUE)})"
                for name in names
            )
            raise ConfigError(
                f"{kept.path}: needs new asks for {', '.join(told)}. Leave that as it was, or "
                "grade with `batch` into another directory"
            )
        with _new_run(directory, {**about, "policy": policy_as_json(new)}) as made:
            _copy(kept, made, "rows")
            for line in kept.lines():
                result = weighed_again(line.result, old, new)
                if result is None:
                    raise ConfigError(
                        f"{kept.path / NAME}: row {line.row} ({line.case_id}): its verdicts do not "
                        "give its result under the run's own policy. It was changed, or graded by "
                        "a version that kept less (the run has version "
                        f"{about.get('version')}). Grade with `batch` into another directory"
                    )
                made.add(line._replace(result=result))
            total, unfinished = made.size, made.finished < made.size
    notes = ("the run is not finished: what it has is scored",) if unfinished else ()
    return RunOutcome(Path(directory), total, notes=notes)


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
