"""How judges grade together: a cascade saves asks of the second one, a panel votes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..asking.fingerprint import prompts_fingerprint
from ..asking.requirements import policy_for
from ..judges.certificate import check_fits
from ..judges.several import Cascade, Several
from ..policy.as_json import policy_as_json, without_controls
from ..records.errors import ConfigError
from ..records.judge import judge_info
from .cascade import in_turn
from .panel import check_panel, voted

if TYPE_CHECKING:
    from ..policy.policy import Policy
    from ..records.result import GradingResult
    from .cascade import Grade


def check_together(judges: Any, policy: Policy, options: Mapping[str, Any], prices: object) -> None:
    """Raises ``ConfigError`` if these judges cannot grade together under this policy.

    A certificate may be of others, a panel may have nothing to vote on, or prices may not say
    whose they are. ``options``: see ``Certificate``.
    """
    if not isinstance(judges, Several):
        raise ConfigError("judge: an attribute 'members' is kept for Cascade and Panel; rename it")
    if isinstance(judges, Cascade):
        first = policy_for(judge_info(judges.members[0]), policy)
        told: dict[str, Any] = {
            "judges": judges.described(),
            "policy": without_controls(policy_as_json(first)),
            "prompts": prompts_fingerprint(),
            "options": options,
        }
        check_fits(judges.certificate, told)
    else:
        check_panel(policy)
    paid = [info.name for judge in judges.members if (info := judge_info(judge)).remote]
    flat = isinstance(prices, Mapping) and not all(isinstance(p, Mapping) for p in prices.values())
    if flat and len(set(paid)) > 1:
        names = ", ".join(f"{name!r}: {{...}}" for name in paid)
        raise ConfigError(f"prices: must name the judges, as in {{{names}}}")


async def grade_together(judges: Several, policy: Policy, grade: Grade) -> GradingResult:
    """The result of a case. ``grade``: grades it with one of the members."""
    if isinstance(judges, Cascade):
        return await in_turn(grade, judges.certificate)
    each = (grade(member, 0.0) for member in range(len(judges.members)))
    return voted(policy, await asyncio.gather(*each))
