"""Did the judge change, or the system? The cases of a run are asked again of today's judge.

What the same judge says today about the texts of A differs from what it said then by the judge
alone, and what it says today about the texts of B differs from that by the system alone. Both
differences are of the same cases, so each has tests that are exact if nothing changed (see
``statistics.py``), at ``LEVEL`` together: with both, at most 4 % of comparisons in which nothing
changed name a cause. A test finds the system worse where it would find the runs worse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from random import Random
from typing import Any, NamedTuple

from ..grading import Grader
from ..options import UNSTORED, names_taken_by
from ..records.errors import ConfigError, option
from ..records.judge import described
from ..statistics import FALSE_ALARMS, Pair, PairCounts
from ..text.strings import clip
from .estimate import estimate_run
from .rows import grade_rows
from .run_description import changes, how_graded, policy_changes, policy_in
from .store import reading

MOST = 500
"""Cases that are asked again by default."""
LEVEL = 4 * (FALSE_ALARMS / 2)
"""The chance that one cause is named though it changed nothing, at most: of four tests, each as in
a comparison."""
SEED = 20261125


class Shift(PairCounts):
    """What one cause, the judge or the system, changed about the same cases."""

    @property
    def means(self) -> tuple[float, float]:
        """The mean scores before and after; 0 where no case has a score in both."""
        before = self.mean if self.scored else 0.0
        return before, before + self.change

    @property
    def chance(self) -> float:
        """The chance that so much changes where nothing did, from 0 to 1.

        Of passes and of scores, lower and higher: the least of four, four times (Bonferroni).
        """
        return min(1.0, 4 * min(*self.tests(), *self.tests(back=True)))

    @property
    def is_found(self) -> bool:
        """Whether the cause changed anything, with at most ``LEVEL`` false alarms."""
        return self.chance <= LEVEL

    @property
    def is_worse(self) -> bool:
        """Whether it changed something, and for the worse."""
        return self.is_found and min(self.tests()) <= min(self.tests(back=True))


class Recheck(NamedTuple):
    """What asking today's judge again about cases of A has shown.

    Args:
        judge, system: what each changed.
        not_graded: how many cases could not be graded today.
        left: how many cases more could be asked again.
    """

    judge: Shift
    system: Shift
    not_graded: int
    left: int


def recheck(
    both: Mapping[str, Pair],
    before: str | PathLike[str],
    after: str | PathLike[str],
    judge: Any,
    options: Mapping[str, Any],
    *,
    most: int,
    concurrency: int,
    announce: Callable[[str], object],
) -> Recheck:
    """Asks today's judge again about cases of A, drawn at random among those graded in both runs.

    They are graded as B was graded, and past any store of replies.

    Args:
        both: what each of these had in A and in B, by its id in A.
        before, after: the directories of A, which has the texts, and of B.
        judge, options: as for ``Grader``, but no option of the policy.
        most: how many cases, at most.
        concurrency: asks under way at once.
        announce: is told what it will cost before anything is asked.

    Raises:
        ConfigError: a run does not say how it was graded, the two were graded under other policies,
            the judge is not that of B, or none could be graded today.
    """
    for name in options:
        if name in names_taken_by("policy") | {"policy_options", *UNSTORED}:
            problem = "is that of the second run; leave it out of a recheck"
            raise ConfigError(f"{option(name)}: {problem}")
    with reading(before) as first, reading(after) as second:
        if other := policy_changes(first, second):
            problem = "the runs have other policies, so that scores differ without any cause"
            raise ConfigError(f"{option('recheck')}: {problem}: {'; '.join(other[:3])}")
        about = how_graded(second)
        policy = policy_in(about, second.path)
        grader = Grader(judge, policy, None, **{**options, **UNSTORED})
        if other := changes({"judge": about["judge"]}, {"judge": described(grader.judge)}):
            name = clip(str(about["judge"].get("name")), 200)
            needs = f"cases are asked again of the judge that graded the second run: pass {name}"
            had = f"and the options that it had. Other settings: {'; '.join(other[:3])}"
            raise ConfigError(f"{option('judge')}: {needs}, {had}")
        drawn = set(Random(SEED).sample(sorted(both), min(most, len(both))))  # noqa: S311 - not used for security
        rows = [row for row in first.rows() if row.case_id in drawn]
    estimate = estimate_run([row.fields for row in rows], judge=judge, policy=policy, **options)
    announce(f"{len(rows):,} of {len(both):,} cases are asked again: {estimate.short}")
    by_judge, by_system, problem = [], [], ""
    for line in grade_rows(rows, grader, concurrency):
        result, pair = line.result, both[line.case_id]
        if result.error is not None:
            problem = result.short_reason
            continue
        today = result.pass_, result.score
        by_judge.append(Pair(pair.passed_before, today[0], pair.score_before, today[1]))
        by_system.append(Pair(today[0], pair.passed_after, today[1], pair.score_after))
    if not by_judge:
        raise ConfigError(f"{option('recheck')}: no case could be graded today: {problem}")
    not_graded, left = len(rows) - len(by_judge), len(both) - len(rows)
    return Recheck(Shift(by_judge), Shift(by_system), not_graded, left)
