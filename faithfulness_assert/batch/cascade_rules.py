"""Rules of a cascade: from which certainty on results of the first judge are accepted.

On one half of the cases, rules are chosen that accept more and more of them: each has a least
certainty for results that pass, and one for those that fail. On the other half, rules are tested in
that order, from the most promising one on, each by the exact binomial test that accepted cases
agree as often as promised, until one fails (fixed-sequence testing, as in Angelopoulos et al. 2021,
"Learn then test"). So all tests together err with the chance of one, and what was chosen well by
luck on the first half is found out on the second. 59 accepted cases without a difference are enough
for 95 %.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, product
from math import ceil, log
from typing import NamedTuple

from ..judges.certificate import LEVEL, OUTCOMES, Rule
from .paired_tests import at_most

RULES = 20
"""So many rules are tried, from one that accepts few cases to one that accepts all."""
LIMITS = 24
"""Of the certainty, tried for each outcome."""


class Judged(NamedTuple):
    """What the first judge said of a case, beside the second one.

    Args:
        outcome: which of ``OUTCOMES`` the first result is.
        certainty: of the first judge; None where its result never stands.
        agrees: whether the second judge said the same of each statement and of the case.
    """

    outcome: str
    certainty: float | None
    agrees: bool


class Counted:
    """Cases, of which it is quickly known how many limits accept, and how many of them differ."""

    def __init__(self, cases: Sequence[Judged]) -> None:
        self.cases = len(cases)
        self._known = {o: sorted(_of_outcome(cases, o)) for o in OUTCOMES}
        # How many differ of those that are as certain as the n-th one, or more.
        self._differing = {
            o: list(accumulate((not agrees for _, agrees in reversed(known)), initial=0))[::-1]
            for o, known in self._known.items()
        }

    def accepted(self, limits: Mapping[str, float]) -> tuple[int, int]:
        """How many cases these limits accept, and in how many of them the judges differ."""
        counts = [(0, 0)]
        for outcome, limit in limits.items():
            known = self._known[outcome]
            place = bisect_left(known, (limit, False))
            counts.append((len(known) - place, self._differing[outcome][place]))
        cases, differing = map(sum, zip(*counts, strict=True))
        return cases, differing

    def some_limits(self, outcome: str) -> list[float | None]:
        """Certainties to try as a limit, and None: no case with this outcome is accepted."""
        known = [certainty for certainty, _ in self._known[outcome]]
        places = (round(n * (len(known) - 1) / (LIMITS - 1)) for n in range(LIMITS))
        return [None, *sorted({known[place] for place in places} if known else (), reverse=True)]


def _of_outcome(cases: Sequence[Judged], outcome: str) -> Iterator[tuple[float, bool]]:
    for case in cases:
        if case.outcome == outcome and case.certainty is not None:
            yield case.certainty, case.agrees


def _chosen(counted: Counted) -> Iterator[Mapping[str, float]]:
    """For more and more of these cases, the limits that accept so many and differ least."""
    tried = []
    for pair in product(*map(counted.some_limits, OUTCOMES)):
        limits = {o: limit for o, limit in zip(OUTCOMES, pair, strict=True) if limit is not None}
        tried.append((*counted.accepted(limits), limits))
    before: Mapping[str, float] = {}
    for step in range(1, RULES + 1):
        enough = [one for one in tried if one[0] >= max(1, step / RULES * counted.cases)]
        if not enough:
            return
        _, _, limits = min(enough, key=lambda one: (one[1] / one[0], -one[0]))
        if limits != before:
            yield limits
        before = limits


def best_rule(
    first: Counted, second: Counted, agree: float
) -> tuple[tuple[Rule, ...], Rule | None]:
    """All rules as the second half shows them, and the one that accepts most of those that hold.

    The tests begin with the rule for which the first half speaks most, and go on to those that
    accept more, until one fails: which ones are tested has nothing to do with what they find.
    """
    rules = tuple(_chosen(first))
    before = [chance(Rule(limits, *first.accepted(limits)), agree) for limits in rules]
    curve = tuple(Rule(limits, *second.accepted(limits)) for limits in rules)
    held = None
    for rule in curve[before.index(min(before)) :] if rules else ():
        if chance(rule, agree) > 1 - LEVEL:
            break
        held = rule
    return curve, held


def needed(differing: int, agree: float) -> int:
    """How many accepted cases are enough, so many of which differ."""
    cases = ceil(log(1 - LEVEL) / log(agree))
    while at_most(differing, cases, 1 - agree) > 1 - LEVEL:
        cases += 1
    return cases


def least_agreement(rule: Rule) -> float:
    """The share in which the judges agree at least, with the certainty ``LEVEL``.

    It is the largest promise, to four places, that these cases hold.
    """
    steps = range(1, 10_000)
    held = bisect_left(steps, True, key=lambda step: chance(rule, step / 10_000) > 1 - LEVEL)
    return held / 10_000


def chance(rule: Rule, agree: float) -> float:
    """Of so few differences, where the judges agree less often than promised."""
    return at_most(rule.differing, rule.accepted, 1 - agree) if rule.accepted else 1.0
