"""A cascade: where the first judge is certain enough, by a certificate, the second is not asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .sums import summed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..judges.certificate import Certificate
    from ..records.result import GradingResult

    Grade = Callable[[int, float], Awaitable[GradingResult]]
    """Grades the case with a member (0 or 1), after so many seconds of its time were used."""


async def in_turn(grade: Grade, certificate: Certificate) -> GradingResult:
    """The result of the first judge if the certificate accepts it, else that of the second."""
    first = await grade(0, 0.0)
    result, second = first, not certificate.accepts(first)
    if second:
        last = await grade(1, first.latency_ms / 1000)
        result = summed(last, [first, last], at_once=False)
    told = {"judge": result.judge, "second": second, "certificate": certificate.promise}
    return replace(result, metadata={**result.metadata, "cascade": told})
