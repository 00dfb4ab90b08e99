"""Runs plans in lock-step: as far as outcomes are known, then from the start again with more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .grades import step

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..plan.plan import Plan
    from ..records.ask import Ask, Outcome
    from ..records.result import GradingResult

    Known = Callable[[Ask], Outcome | None]


def replay(plan: Plan, known: Known) -> GradingResult | None:
    """The result of a plan; None if an ask has no outcome yet.

    A plan cannot be stored, but it is deterministic: after the same outcomes it asks the same.

    Args:
        plan: the plan, at its start.
        known: returns the outcome of an ask, or None. It is called for each ask of the plan in its
            order, also for those beside an ask without an outcome, but for none after them.
    """
    try:
        asks, result = step(plan)
        while result is None:
            outcomes = [known(ask) for ask in asks]
            told = tuple(outcome for outcome in outcomes if outcome is not None)
            if len(told) < len(outcomes):
                return None
            asks, result = step(plan, told)
        return result
    finally:
        plan.close()
