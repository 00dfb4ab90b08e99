"""A run scored again under another policy, from its stored verdicts: nobody is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..options import check_names, taken_by
from ..plan.kept import weighed_again
from ..policy.as_json import policy_as_json
from ..policy.load import find_policy
from ..policy.policy import Policy, asking_otherwise
from ..records.checks import check_mapping
from ..records.errors import ConfigError
from .derived_runs import derived, rows_of
from .finished_rows import FinishedRows
from .finished_runs import described_run
from .local_run import RunOutcome
from .progress import Counts
from .run_description import policy_in
from .run_directory import RunDirectory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from typing_extensions import Unpack

    from ..grading import AnyPolicy
    from ..options import GraderOptions

SHOWN = 60
"""Characters of a value that a message shows."""


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
                raise ConfigError(_not_its_own(kept, line.row, line.case_id, about))
            line = line._replace(result=result)
            write(line.to_json().encode("utf-8", "backslashreplace") + b"\n")
            counts.now.add(line)
    left = (
        "" if counts.now.cases == counts.total else "the run is not finished: what it has is scored"
    )
    outcome = RunOutcome(made, counts, notes=(left,) if left else ())
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
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def _not_its_own(run: RunDirectory, row: int, case_id: str, about: Mapping[str, Any]) -> str:
    return (
        f"{run.results}: row {row} ({case_id}): its verdicts do not give its result under the "
        f"run's own policy. It was changed, or graded by a version that kept less (the run has "
        f"version {about.get('version')}). Grade with `batch` into another directory"
    )
