"""Whether the judge judged alike in both runs: if not, the tests cannot tell worse answers from it.

Three things show it: how the runs describe their judges, what they made of control statements, and
their labels on the cases whose texts are the same in both.
"""

from __future__ import annotations

from collections import Counter
from math import comb, erfc, sqrt
from typing import TYPE_CHECKING, Any

from .comparability import Note
from .paired_tests import FALSE_ALARMS, STEPS, p_value, sign_flips
from .run_description import changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .summary import Summary

_DESCRIBES = ("judge", "prompts", "version")
_MANY = 5000  # controls, from which on a normal distribution is as good
_MOST = 3  # differences that a note has

VOID = (
    "Whether the answers are worse or the judge is another, the tests cannot tell; "
    "compare --recheck can"
)


class SharedTexts:
    """The labels in the cases whose answer, context and question are the same in both runs.

    Attributes:
        cases: how many such cases were graded in both.
    """

    def __init__(self) -> None:
        self.cases = 0
        self._shifts: Counter[int] = Counter()
        self._supported, self._statements = [0, 0], [0, 0]

    def add(self, before: tuple[int, int], after: tuple[int, int]) -> None:
        """Counts a case. Each: how many statements are supported, of how many."""
        self.cases += 1
        self._shifts[round((after[0] / after[1] - before[0] / before[1]) * STEPS)] += 1
        for run, (supported, statements) in enumerate((before, after)):
            self._supported[run] += supported
            self._statements[run] += statements

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of statements that are supported, in A and in B."""
        found = zip(self._supported, self._statements, strict=True)
        return tuple(supported / max(statements, 1) for supported, statements in found)

    @property
    def chance(self) -> float:
        """The chance that one judge gives labels that differ so much, in either direction."""
        back = Counter({-size: count for size, count in self._shifts.items()})
        return min(1.0, 2 * min(sign_flips(self._shifts), sign_flips(back)))


def drift_notes(
    names: tuple[str, str],
    abouts: tuple[Mapping[str, Any], Mapping[str, Any]],
    summaries: tuple[Summary, Summary],
    shared: SharedTexts,
) -> Iterator[Note]:
    """What shows that the judge is not the same; nothing if nothing does."""
    if all(abouts) and (other := _described_otherwise(abouts)):
        yield Note(f"The runs have other judges: {{}}. {VOID}.", ("; ".join(other[:_MOST]),))
    failed, asked = (tuple(run.controls[name] for run in summaries) for name in ("failed", "asked"))
    chance = _same_share(failed, asked)
    if chance <= FALSE_ALARMS:
        told = (f"{bad:,} of {all_of:,} in {{}}" for bad, all_of in zip(failed, asked, strict=True))
        text = f"The judge failed other shares of the control statements: {' and '.join(told)}"
        yield Note(f"{text} ({p_value(chance)}). {VOID}.", names)
    if shared.chance <= FALSE_ALARMS:
        before, after = shared.shares
        text = (
            f"The judge drifted: in the {shared.cases:,} cases whose texts are the same in both, "
            f"{before:.1%} of the statements are supported in {{}} and {after:.1%} in {{}}"
        )
        yield Note(f"{text} ({p_value(shared.chance)}). {VOID}.", names)


def _described_otherwise(abouts: tuple[Mapping[str, Any], Mapping[str, Any]]) -> list[str]:
    first, second = ({name: about.get(name) for name in _DESCRIBES} for about in abouts)
    return changes(first, second)


def _same_share(failed: tuple[int, ...], asked: tuple[int, ...]) -> float:
    """The chance of so different shares of one judge, in either direction: Fisher's exact test."""
    bad, total = sum(failed), sum(asked)
    if not all(asked) or not bad or bad == total:
        return 1.0
    if total > _MANY:
        share = bad / total
        spread = sqrt(share * (1 - share) * (1 / asked[0] + 1 / asked[1]))
        return erfc(abs(failed[0] / asked[0] - failed[1] / asked[1]) / spread / sqrt(2))
    ways = comb(total, asked[0])
    most = min(bad, asked[0])
    least = max(0, bad - asked[1])
    chances = {
        first: comb(bad, first) * comb(total - bad, asked[0] - first) / ways
        for first in range(least, most + 1)
    }
    low = sum(chance for first, chance in chances.items() if first <= failed[0])
    high = sum(chance for first, chance in chances.items() if first >= failed[0])
    return min(1.0, 2 * min(low, high))
