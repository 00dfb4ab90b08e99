"""What happens if an ask is too long for the judge: the case is cut anew, into shorter asks.

The judge says how long an ask may be. It may be wrong, or lie: the limit gets smaller each time,
and after ``RECUTS`` times the asks count as failed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..records.errors import PromptTooLong
from .outcomes import spent
from .state import TruthsKnown, noted

if TYPE_CHECKING:
    from ..records.judge import Limits
    from .state import Answers, Asking, State

RECUTS = 4
"""How often a case is cut anew."""


def recut(state: State, stage: Asking, answers: Answers) -> State | None:
    """The state cut anew, so that the jobs of the stage can be asked again, all of them.

    None if no ask was too long, or if the case cannot be cut that short.
    """
    refused = [error for _, error in answers if isinstance(error, PromptTooLong)]
    if not refused or stage.refit is None:
        return None
    limits = _narrower(state.budget.limits, min(error.window for error in refused))
    if limits is None:
        return None
    for job, outcome in answers:
        state = spent(state, job, outcome)
    warning = f"an ask was too long, so asks were cut to fit {limits.named}"
    state = noted(state, warnings=(f"{warning}: {refused[0].message}",))
    state = state._replace(budget=state.budget._replace(limits=limits), truths=TruthsKnown())
    state = stage.refit(state)
    return None if state.ended else state


def _narrower(limits: Limits, window: int) -> Limits | None:
    """The limits with this window, or with half of the known one if that is smaller already."""
    known = limits.total_tokens
    total = window if known is None or window < known else known // 2
    return replace(limits, total_tokens=total) if total > 0 else None
