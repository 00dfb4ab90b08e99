"""What asks that failed left open: it says nothing about the answer.

A case is then a grader error, unless it passes or fails whatever the open statements are. What the
judge itself left out is not open: it counts as unsupported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..policy.scoring import passes, score

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..policy.policy import Policy
    from ..records.errors import JudgeError
    from ..records.model import Label, Verdict
    from .state import State


def depends_on_open(state: State, verdicts: Sequence[Verdict]) -> bool:
    """Whether the open statements decide if the case passes, and its policy cares.

    If controls are enforced and none was answered, the asks that contained them may be those that
    failed: nobody knows what the other verdicts are worth.
    """
    answered = any(label for _, label in state.verdicts.answered_controls)
    if state.policy.controls == "enforce" and not answered:
        return True
    if state.policy.on_failed == "unsupported":
        return False
    numbers = {v.id for v in _open(state, verdicts)}
    outcomes = {
        _would_pass(state, verdicts, numbers, label) for label in _extreme_labels(state.policy)
    }
    return len(outcomes) > 1


def errors_of_open(state: State, verdicts: Sequence[Verdict]) -> list[JudgeError]:
    """For each open statement the first error that left it so."""
    errors: dict[int, JudgeError] = {}
    for (_, number), error in state.verdicts.failed.items():
        errors.setdefault(number, error)
    return [errors[state.verdicts.first_like[v.id]] for v in _open(state, verdicts)]


def described_open(state: State, verdicts: Sequence[Verdict]) -> str:
    """How many statements failed asks left open, and why, in words; "" if there are none."""
    errors = errors_of_open(state, verdicts)
    if not errors:
        return ""
    count = f"{len(errors)} of {len(verdicts)} statements have no verdict"
    cause = f"{errors[0].kind}: {errors[0].message.rstrip('.')}"
    return f"{count} because an ask failed ({cause})"


def _open(state: State, verdicts: Sequence[Verdict]) -> list[Verdict]:
    numbers = {number for _, number in state.verdicts.failed}
    first_like = state.verdicts.first_like
    return [v for v in verdicts if v.label is None and first_like[v.id] in numbers]


def _extreme_labels(policy: Policy) -> tuple[Label, Label]:
    """The labels that help a case most and least. Under ``inverse``, no label fails it."""

    def rank(label: Label) -> tuple[bool, float]:
        return policy.inverse or label not in policy.fail_on, policy.weights[label]

    return max(policy.judged, key=rank), min(policy.judged, key=rank)


def _would_pass(
    state: State, verdicts: Sequence[Verdict], numbers: Collection[int], label: Label
) -> bool:
    """Whether the case would pass if the statements with these numbers had this label."""
    supposed = [replace(v, label=label) if v.id in numbers else v for v in verdicts]
    outcome = score(state.policy, supposed, state.audit)
    return outcome is not None and passes(state.policy, outcome.value, supposed)
