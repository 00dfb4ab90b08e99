"""A panel: several judges grade the same statements, and the majority of all of them decides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..plan.endings import UNDEFINED
from ..plan.kept import FOUND, found_in, kept
from ..plan.voting import agreeing, who_said_what
from ..plan.weighing import Found, is_proven, weigh, with_warnings
from ..policy.reasons import FIXES
from ..records.errors import ConfigError, JudgeError
from .sums import summed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..policy.policy import Policy
    from ..records.model import GraderError, Unresolved, Verdict
    from ..records.result import GradingResult


def check_panel(policy: Policy) -> None:
    """Raises ``ConfigError`` if judges would not have the same statements under this policy."""
    if policy.verify == "rubric":
        raise ConfigError(
            f"judge: the policy {policy.name!r} has no verdicts that a panel votes on"
        )
    if policy.split == "claims":
        problem = "each judge would write claims of its own, and there is nothing to vote on"
        raise ConfigError(f"judge: a panel needs split='sentences': {problem}")


def voted(policy: Policy, results: Sequence[GradingResult]) -> GradingResult:
    """The result of a case from those of all members.

    A statement without a majority is open, and counts as ``on_missing`` says. Where a member could
    not be asked, it is as after any ask that failed: the case is a grader error, unless it passes
    or fails either way.
    """
    graded = [result for result in results if result.verdicts and result.error is None]
    if len(graded) * 2 <= len(results):  # no majority is possible
        like = next((result for result in results if result.error), results[0])
        return summed(like, results, at_once=True)
    each = [found_in(result) for result in graded]
    columns = list(zip(*(found.verdicts for found in each), strict=True))
    verdicts = tuple(_vote(column, len(results)) for column in columns)
    errors = [_as_judge_error(result.error) for result in results if result.error]
    left_open = _left_open(verdicts, each, errors)
    found = each[0]._replace(verdicts=verdicts, errors=tuple(errors), left_open=left_open)
    return summed(_weighed(policy, found, graded[0], columns, results), results, at_once=True)


def _vote(column: Sequence[Verdict], members: int) -> Verdict:
    """The verdict of a majority of all members: see ``agreeing`` whose of them it is."""
    if agree := agreeing(column, members, is_proven):
        return agree[0]
    said = any(verdict.label for verdict in column)
    why: Unresolved = "split" if said else "missing"
    reason = who_said_what(column, members, "judges") if said else ""
    return replace(column[0], label=None, unresolved=why, evidence=(), reason=reason, flags=())


def _left_open(
    verdicts: Sequence[Verdict], each: Sequence[Found], errors: Sequence[JudgeError]
) -> dict[int, JudgeError]:
    """The statements without a majority that an ask that failed might have had one for."""
    failed = {id: error for found in each for id, error in found.left_open.items()}
    whole = errors[0] if errors else None
    causes = {v.id: failed.get(v.id, whole) for v in verdicts if v.label is None}
    return {id: error for id, error in causes.items() if error is not None}


def _as_judge_error(error: GraderError) -> JudgeError:
    """The error without the advice for its kind, which is added where it is shown."""
    kind: Any = error.kind
    message = error.message.removesuffix(FIXES.get(kind, "")).strip()
    return JudgeError(message, kind, retryable=error.retryable)


def _weighed(
    policy: Policy,
    found: Found,
    like: GradingResult,
    columns: Sequence[Sequence[Verdict]],
    results: Sequence[GradingResult],
) -> GradingResult:
    """What the policy makes of the votes. The rest is as in ``like``."""
    told, metadata = weigh(policy, found)
    alike = sum(len({verdict.label for verdict in column}) == 1 for column in columns)
    members, graded = len(results), len(columns[0])
    share = f"{alike} of {len(columns)} statements have one label of all {graded}"
    if told["reason"]:
        told["reason"] = f"{told['reason']} [panel of {members} judges: {share}]"
    panel = {"judges": members, "graded": graded, "alike": alike, "of": len(columns)}
    others: dict[str, Any] = {n: v for n, v in like.metadata.items() if n != FOUND}
    others |= {**metadata, **kept(found), "panel": panel}
    caveats = [str(one.metadata["judgeNote"]) for one in results if "judgeNote" in one.metadata]
    if caveat := "; ".join(dict.fromkeys(caveats)):
        others["judgeNote"] = caveat
        told["reason"] = told["reason"] and f"{told['reason']} [{caveat}]"
    warnings = dict.fromkeys(_warnings(results))
    metadata = with_warnings(others, warnings, told["verdicts"])
    blank = {**UNDEFINED, "error": None, "named_scores": {}}
    return replace(like, **{**blank, **told}, metadata=metadata)


def _warnings(results: Sequence[GradingResult]) -> Iterator[str]:
    for result in results:
        if result.error:
            yield f"{result.judge} has no vote ({result.error.kind}): {result.error.message}"
        yield from (f"{result.judge}: {warning}" for warning in result.warnings)
