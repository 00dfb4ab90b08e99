"""The curve of a cascade as a page draws it: what each rule saves, and how often judges agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any, NamedTuple

from ..judges.certificate import Rule, read_curve
from .record import mapping_of

MOST_RULES = 50
"""A certificate that we made has fewer."""


class Point(NamedTuple):
    """A rule on the curve.

    Args:
        rule: itself.
        saved: the share of the tested cases for which the second judge is not called.
        agreement: the share of these in which the judges agree.
        certified: whether the cascade goes by it.
    """

    rule: Rule
    saved: float
    agreement: float
    certified: bool


class Curve(NamedTuple):
    """Rules that accept more and more cases.

    Args:
        agree: what is promised: the share in which the judges agree at least.
        cases: how many the rules were tested on.
        points: the rules that accept any.
    """

    agree: float
    cases: int
    points: Sequence[Point]

    @property
    def lowest(self) -> float:
        """The share at the bottom of the chart, a multiple of 5 %."""
        return max(0.0, floor(20 * min(self.agree, *(p.agreement for p in self.points)) - 0.5) / 20)

    def depth(self, share: float) -> float:
        """How far below the top of the chart a share is: from 0 to 1, which is the bottom."""
        return min(1.0, (1 - share) / (1 - self.lowest))


def curve_of(
    rules: Sequence[Rule], agree: float, cases: int, certified: Mapping[str, float] | None
) -> Curve | None:
    """The curve; None without any rule. ``certified``: the limits of the certificate."""
    points = [
        Point(rule, rule.accepted / cases, rule.agreement, rule.limits == certified)
        for rule in rules[:MOST_RULES]
        if rule.agreement is not None
    ]
    return Curve(agree, cases, points) if points else None


def curve_in(about: Mapping[str, Any]) -> Curve | None:
    """The curve of the cascade that graded a run; None if it had none, or if that is damaged."""
    kept = mapping_of(mapping_of(about.get("judge")).get("certificate"))
    try:
        return curve_of(read_curve(kept), kept["agree"], kept["cases"], kept["limits"])
    except (KeyError, TypeError, ValueError):
        return None
