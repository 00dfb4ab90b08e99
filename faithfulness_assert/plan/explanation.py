"""The last stage, where a policy wants it: the judge explains the score in its own words. The score is settled by then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..asking.prompt import make_ask
from ..reading import read_reason
from ..records.ask import Outcome, Payload
from ..records.result import described
from ..text.strings import clip
from .conclude import conclude
from .state import Job, State, absorb_each, usable_text

if TYPE_CHECKING:
    from ..records.errors import JudgeError

MAX_TOLD = 20  # statements that the judge is told of


def jobs(state: State) -> tuple[Job, ...]:
    """One ask with the score and the statements that are not supported; none for a case that could not be graded."""
    result = conclude(state)
    if result.status != "graded":
        return ()
    problems = tuple(
        (v.id, f"[{described(v)}] {clip(v.statement)} {clip(v.reason)}".rstrip())
        for v in result.problems()[:MAX_TOLD]
    )
    return (
        Job(make_ask("reason", state.policy, Payload(problems, findings=f"{result.score:.2f}"))),
    )


def absorb(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    """The judge's reason. Without one the result has our own, and a warning."""
    return absorb_each(state, jobs, outcomes, _take, _lose)


def _take(state: State, _job: Job, outcome: Outcome) -> State:
    return replace(state, explanation=read_reason(usable_text(outcome)))


def _lose(state: State, _job: Job, error: JudgeError) -> State:
    return replace(
        state, warnings=(*state.warnings, f"the judge gave no reason ({error.kind}): {error}")
    )
