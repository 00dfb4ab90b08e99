"""Samples: an ask for verdicts is put several times, and the majority of all samples decides.

Each sample has numbers of its own, as every ask has, and is read by itself, as if it were the only
one. So a statement has a label only if more than half of the samples gave it that label; else it is
open, and asked about again like any other. A sample that failed, or left a statement open, has no
vote on it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, TypeVar

from ..reading.reconcile import MISSING, Finding
from .state import Cell, Job, Jobs, State, with_used

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..asking.controls import Answered, Control
    from ..records.errors import JudgeError
    from ..records.model import Label

Vote = TypeVar("Vote")


def sampled(state: State, jobs: Jobs) -> tuple[Job, ...]:
    """The jobs of a stage, and those of its further samples if it asks for verdicts."""
    made = jobs(state)
    if not made or made[0].ask.kind != "verdicts":
        return made
    for sample in range(2, state.policy.samples + 1):
        again = jobs(with_used(state, made))
        made += tuple(job._replace(ask=replace(job.ask, sample=sample)) for job in again)
    return made


def voted(before: State, asked: Sequence[Job], each: Sequence[State]) -> State:
    """The state after a stage, from what is known after each of its samples alone.

    ``asked``: the jobs of one sample. The last state of ``each`` has the log of all.
    """
    if len(each) == 1:
        return each[0]
    cells = [cell for job in asked for cell in job.cells]
    findings = {cell: _vote([state.findings[cell] for state in each]) for cell in cells}
    failed = {cell: error for state in each for cell, error in state.failed.items()}
    return each[-1]._replace(
        findings={**each[-1].findings, **findings},
        controls={**before.controls, **_controls(asked, each)},
        bare=frozenset().union(*(state.bare for state in each)),
        closed=frozenset.intersection(*(state.closed for state in each)),
        failed=_undecided(failed, findings),
        denied=frozenset().union(*(state.denied for state in each)),
    )


def _vote(said: Sequence[Finding]) -> Finding:
    """The finding of a majority. It is as sure as the share of samples that agree.

    Where the judge says how sure it is of each, a sample counts only so much.
    """
    if agree := _agreeing(said):
        sure = fsum(1.0 if one.confidence is None else one.confidence for one in agree)
        return agree[0]._replace(confidence=round(sure / len(said), 4))
    if any(finding.label for finding in said):
        return Finding(unresolved="split", reason=_who_said_what(said))
    return next((finding for finding in said if finding != MISSING), MISSING)


def _agreeing(said: Sequence[Finding]) -> list[Finding]:
    """Those that give the label of the majority; none if there is no majority.

    First come those that name evidence if more than half of all samples do, else those that do not:
    what needs evidence needs that of a majority, too.
    """
    label = _majority([one.label for one in said])
    agree = [] if label is None else [one for one in said if one.label == label]
    mostly = sum(map(_names_evidence, agree)) * 2 > len(said)
    return sorted(agree, key=lambda one: _names_evidence(one) != mostly)


def _names_evidence(finding: Finding) -> bool:
    return bool(finding.evidence or finding.quote) and not finding.flags


def _majority(votes: Sequence[Vote | None], of: int = 0) -> Vote | None:
    """What more than half of all say, or of ``of`` if they are more; None if there is nothing."""
    said, times = Counter(votes).most_common(1)[0]
    return said if times * 2 > max(of, len(votes)) else None


def _who_said_what(said: Sequence[Finding]) -> str:
    """In words, such as "2 of 4 samples said supported, 2 contradicted"."""
    counts = Counter(one.label.replace("_", " ") for one in said if one.label)
    told = counts.most_common()
    if silent := len(said) - counts.total():
        told.append(("nothing that counts", silent))
    (first, times), *others = told
    said_first = f"{times} of {len(said)} samples said {first}"
    return ", ".join([said_first, *(f"{n} {one}" for one, n in others)])


def _undecided(
    failed: dict[Cell, JudgeError], findings: dict[Cell, Finding]
) -> dict[Cell, JudgeError]:
    """What asks failed on, without what the other samples have decided."""
    return {
        cell: error
        for cell, error in failed.items()
        if cell not in findings or findings[cell].label is None
    }


def _controls(asked: Iterable[Job], each: Sequence[State]) -> dict[int | None, Answered]:
    """The controls of these jobs, passed or failed as the majority of samples did."""
    voted: dict[int | None, Answered] = {}
    for job in asked:
        answers = [dict(s.controls[job.window]) for s in each if job.window in s.controls]
        if job.controls and answers:
            labelled = ((c, _label(c, answers, len(each))) for c in job.controls.values())
            voted[job.window] = tuple(labelled)
    return voted


def _label(
    control: Control, answers: Sequence[dict[Control, Label | None]], of: int
) -> Label | None:
    """A label of the majority, which may pass or fail it by several: no support is what counts."""
    said = [labels.get(control) for labels in answers]
    passed = [None if label is None else control.passed(label) for label in said]
    most = _majority(passed, of)
    return None if most is None else said[passed.index(most)]
