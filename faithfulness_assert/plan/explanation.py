"""The last stage, where a policy wants it: the judge explains the score, which is final by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..asking.prompt import make_ask
from ..reading.ratings import read_reason
from ..records.ask import Outcome, Payload
from ..records.views import in_words
from ..text.strings import clip
from .conclude import conclude
from .jobs import is_within
from .outcomes import usable_text
from .state import Job, Log, State, noted

if TYPE_CHECKING:
    from ..records.errors import JudgeError

MAX_PROBLEMS = 20
"""Statements that lost points which the judge is shown."""


def jobs(state: State) -> tuple[Job, ...]:
    """One ask with the score and the statements that are not supported, if the case is graded."""
    result = conclude(state)
    if result.status != "graded" or result.score is None:
        return ()
    problems = tuple(
        (v.id, f"[{in_words(v)}] {clip(v.statement)} {clip(v.reason)}".rstrip())
        for v in result.problems()[:MAX_PROBLEMS]
    )
    asks = (
        make_ask(
            "reason",
            state.policy,
            Payload(problems[:shown], notes=f"{result.score:.2f}"),
            secret=state.secret,
        )
        for shown in range(len(problems), -1, -1)
    )
    fitting = next((ask for ask in asks if is_within(state.budget, ask)), None)
    return (Job(fitting),) if fitting else ()


def take(state: State, _job: Job, outcome: Outcome) -> State:
    """The judge's reason."""
    return state._replace(explanation=read_reason(usable_text(outcome)))


def lose(state: State, _job: Job, error: JudgeError) -> State:
    """The result has our own reason, and a warning."""
    return noted(state, Log(warnings=(f"the judge gave no reason ({error.kind}): {error}",)))
