"""What asks that failed left open: it says nothing about the answer.

A case is then a grader error, unless it passes or fails whatever the open statements are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..policy.scoring import passes, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..policy.policy import Policy
    from ..records.errors import JudgeError
    from ..records.model import Label, Verdict
    from .state import State


def undecided(state: State, verdicts: Sequence[Verdict]) -> JudgeError | None:
    """The error that left statements open on which the outcome depends; None if it does not."""
    left_open = _open(state, verdicts)
    if not left_open:
        return None
    best, worst = _extreme_labels(state.policy)
    outcomes = {_would_pass(state, verdicts, left_open, label) for label in (best, worst)}
    if len(outcomes) == 1:
        return None
    return _error_of(state, left_open[0])


def open_statements(state: State, verdicts: Sequence[Verdict]) -> str:
    """How many statements failed asks left open, and why, in words; "" if there are none."""
    left_open = _open(state, verdicts)
    if not left_open:
        return ""
    error = _error_of(state, left_open[0])
    count = f"{len(left_open)} of {len(verdicts)} statements have no verdict"
    return f"{count} because an ask failed ({error.kind}: {error.message.rstrip('.')})"


def _open(state: State, verdicts: Sequence[Verdict]) -> list[Verdict]:
    numbers = {number for _, number in state.verdicts.failed}
    first_like = state.verdicts.first_like
    return [v for v in verdicts if v.label is None and first_like[v.id] in numbers]


def _error_of(state: State, verdict: Verdict) -> JudgeError:
    number = state.verdicts.first_like[verdict.id]
    return next(error for (_, n), error in state.verdicts.failed.items() if n == number)


def _extreme_labels(policy: Policy) -> tuple[Label, Label]:
    """The labels that help a case most and least."""

    def rank(label: Label) -> tuple[bool, float]:
        return label not in policy.fail_on, policy.weights[label]

    return max(policy.judged, key=rank), min(policy.judged, key=rank)


def _would_pass(
    state: State, verdicts: Sequence[Verdict], left_open: Sequence[Verdict], label: Label
) -> bool:
    """Whether the case would pass if the open statements had this label."""
    numbers = {v.id for v in left_open}
    supposed = [replace(v, label=label) if v.id in numbers else v for v in verdicts]
    outcome = score(state.policy, supposed, state.audit)
    return outcome is not None and passes(state.policy, outcome.value, supposed)
