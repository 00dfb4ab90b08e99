"""What the grades of several judges cost together."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..records.result import GradingResult


def summed(
    result: GradingResult, graded: Sequence[GradingResult], *, at_once: bool
) -> GradingResult:
    """``result`` with the tokens, cost, time and controls of all ``graded`` ones.

    ``at_once``: they were graded at the same time, not one after the other.
    """
    costs = [one.cost for one in graded if one.cost is not None]
    controls = Counter[str]()
    for one in graded:
        controls.update(one.metadata.get("controls") or {})
    told = {"controls": dict(controls)} if controls else {}
    times = [one.latency_ms for one in graded]
    return replace(
        result,
        tokens_used=reduce(add, (one.tokens_used for one in graded)),
        cost=math.fsum(costs) if len(costs) == len(graded) else None,
        latency_ms=max(times) if at_once else math.fsum(times),
        metadata={**result.metadata, **told},
    )
