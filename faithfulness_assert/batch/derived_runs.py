"""Runs that are made from others, which stay: merged, or scored again. Nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..options import check_names, taken_by
from ..plan.weighing import weigh_again
from ..policy.load import find_policy
from ..policy.policy import Policy, asking_otherwise, policy_as_json
from ..records.checks import as_mapping, check_mapping
from ..records.errors import ConfigError
from ..settings import AnyPolicy
from .local_run import RunOutcome
from .run_description import changes, policy_in
from .store import NAME, Store, reading, writing

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..options import GraderOptions


@contextmanager
def _new_run(path: str | PathLike[str], about: Mapping[str, Any]) -> Iterator[Store]:
    """A run that is there as a whole at the end, or not at all.

    Raises:
        ConfigError: the directory has a run, or cannot be written.
    """
    with writing(path) as store:
        if store.about():
            raise ConfigError(f"{path}: has a run already; use another directory")
        with store.transaction():
            store.keep("about", about)
            store.secret()
            yield store


def _copy(source: Store, made: Store, table: str, first: int = 0) -> None:
    """Copies the rows of a table, of which the number of the first one grows by ``first``."""
    rows = source.db.execute(f"SELECT * FROM {table}")  # noqa: S608 - our own text
    places = ", ".join("?" * len(rows.description))
    numbered = ((number + first, *rest) for number, *rest in rows)
    made.db.executemany(f"INSERT INTO {table} VALUES ({places})", numbered)  # noqa: S608 - our own text


# ---------------------------------------------------------------- merge


def merge(sources: Sequence[str | PathLike[str]], directory: str | PathLike[str]) -> RunOutcome:
    """Merges the runs over several shards of a data set into one, without an ask.

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
    with reading(sources[0]) as source:
        about = source.about()
    names, seen = list[str](), dict[str, str | PathLike[str]]()  # what each run was made from
    with _new_run(directory, about) as made:
        for path in sources:
            with reading(path) as source:
                own = source.about()
                data = as_mapping(own.get("input"))
                names.append(str(data.get("name") or path))
                mark = str(data.get("fingerprint") or Path(path).resolve())
                if mark in seen:
                    problem = f"has the same data as {seen[mark]} ({names[-1]})"
                    raise ConfigError(f"{path}: {problem}; a shard can be merged once")
                seen[mark] = path
                if changed := changes(about, own):
                    raise ConfigError(
                        f"{path}: was graded otherwise than {sources[0]}: {'; '.join(changed)}. "
                        "Only runs that were graded alike can be merged; `rescore` gives a run "
                        "another policy"
                    )
                if source.finished != source.size:
                    how = "go on with it (`batch` with the same settings) before it is merged"
                    raise ConfigError(f"{path}: is not finished: {how}")
                start = made.size
                for table in ("rows", "results", "earlier"):
                    _copy(source, made, table, start)
            if _shared_ids(made):  # those of rows without an id are their numbers
                made.db.execute(
                    "UPDATE rows SET case_id = CAST(row AS TEXT) "
                    "WHERE row > ? AND case_id = CAST(row - ? AS TEXT)",
                    (start, start),
                )
        if shared := _shared_ids(made):
            problem = f"cases with the same id are in several runs, such as {shared}"
            raise ConfigError(f"merge: {problem}; each case must be in one run only")
        whole = {"name": ", ".join(names), "fingerprint": ""}
        made.keep("about", {**about, "input": whole})
        return RunOutcome(Path(directory), made.size)


def _shared_ids(made: Store) -> str:
    """Some ids that several rows have; "" if none."""
    query = "SELECT case_id FROM rows GROUP BY case_id HAVING count(*) > 1 LIMIT 3"
    return ", ".join(case_id for (case_id,) in made.db.execute(query))


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
    with reading(source) as first:
        about = first.about()
        old = policy_in(first)
        new = _wanted(old, policy, threshold, dict(options))
        if names := asking_otherwise(old, new):
            fields = ({name: policy_as_json(p)[name] for name in names} for p in (old, new))
            raise ConfigError(
                f"{first.path}: needs new asks for {'; '.join(changes(*fields))}. Leave that as it "
                "was, or grade with `batch` into another directory"
            )
        with _new_run(directory, {**about, "policy": policy_as_json(new)}) as made:
            _copy(first, made, "rows")
            for _, line in first.graded(texts=False):
                result = weigh_again(line.result, old, new)
                if result is None:
                    place = f"{first.path / NAME}: row {line.row} ({line.case_id})"
                    raise ConfigError(
                        f"{place}: its verdicts do not give its result under the run's own policy: "
                        "it was changed, or graded by another version. Grade with `batch` anew"
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
