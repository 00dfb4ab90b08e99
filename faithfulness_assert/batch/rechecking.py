"""Did the judge change, or the system? The cases of a run are asked again of today's judge.

What the same judge says today about the texts of A differs from what it said then by the judge
alone, and what it says today about the texts of B differs from that by the system alone. Both
differences are of the same cases, so each has tests that are exact if nothing changed (see
``statistics.py``), at ``LEVEL`` together: with both, at most 4 % of comparisons in which nothing
changed name a cause. A test finds the system worse where it would find the runs worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from random import Random
from typing import Any, NamedTuple

from ..grading import Grader
from ..options import UNSTORED, names_taken_by
from ..records.errors import ConfigError, option
from ..records.judge import described
from ..statistics import FALSE_ALARMS, Pair, PairCounts
from ..text.strings import clip
from .rows import Row, grade_rows
from .run_description import changes, how_graded, policy_changes, policy_in
from .store import Store, reading

MOST = 500
"""Cases that are asked again by default."""
LEVEL = 4 * (FALSE_ALARMS / 2)
"""The chance that one cause is named though it changed nothing, at most: of four tests, each as in
a comparison."""
SEED = 20261125


class Graded(NamedTuple):
    """What is kept of a result of A or B, or of today's."""

    passed: bool
    score: float | None


class Shift(NamedTuple):
    """What one cause, the judge or the system, changed about the same cases.

    Args:
        counts: of the cases before and after.
        back: the same, after and before.
    """

    counts: PairCounts
    back: PairCounts

    @property
    def means(self) -> tuple[float, ...]:
        """The mean scores before and after; 0 where no case has a score in both."""
        return tuple(side.mean if side.scored else 0.0 for side in (self.counts, self.back))

    @property
    def chance(self) -> float:
        """The chance that so much changes where nothing did, from 0 to 1.

        Of passes and of scores, lower and higher: the least of four, four times (Bonferroni).
        """
        return min(1.0, 4 * min(*self.counts.tests(), *self.back.tests()))

    @property
    def is_found(self) -> bool:
        """Whether the cause changed anything, with at most ``LEVEL`` false alarms."""
        return self.chance <= LEVEL

    @property
    def is_worse(self) -> bool:
        """Whether it changed something, and for the worse."""
        return self.is_found and min(self.counts.tests()) <= min(self.back.tests())


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


class Cases(NamedTuple):
    """Cases of A that are asked again of today's judge.

    Args:
        rows: those cases, as A had them.
        before, after: what A and B found of them, by the id of the case.
        possible: how many could be asked again, because they were graded in both runs.
    """

    rows: list[Row]
    before: Mapping[str, Graded]
    after: Mapping[str, Graded]
    possible: int

    def ask(self, grader: Grader, concurrency: int = 8) -> Recheck:
        """Asks again.

        Raises:
            ConfigError: no case could be graded today.
        """
        today: dict[str, Graded] = {}
        for line in grade_rows(self.rows, grader, concurrency=concurrency):
            if line.result.error is None:
                today[line.case_id] = Graded(line.result.pass_, line.result.score)
            else:
                problem = line.result.short_reason
        if not today:
            raise ConfigError(f"{option('recheck')}: no case could be graded today: {problem}")
        judge = shift_of([(self.before[id], now) for id, now in today.items()])
        system = shift_of([(now, self.after[id]) for id, now in today.items()])
        cases = len(self.rows)
        return Recheck(judge, system, cases - len(today), self.possible - cases)


def choose_cases(before: str | PathLike[str], after: str | PathLike[str], most: int) -> Cases:
    """The cases of A to ask again: drawn at random among those that were graded in both runs.

    Args:
        before, after: the directories of A, which has the texts, and of B.
        most: how many cases, at most.

    Raises:
        ConfigError: there are none.
    """
    with reading(after) as store:
        new = {id: graded for _, id, graded in _all_graded(store)}
    with reading(before) as store:
        both = [found for found in _all_graded(store) if found[1] in new]
        if not both:
            raise ConfigError(f"{option('recheck')}: no case was graded in both runs")
        chance = Random(SEED)  # noqa: S311 - not used for security
        drawn = {row: (id, graded) for row, id, graded in chance.sample(both, min(most, len(both)))}
        rows = [row for row in store.rows() if row.number in drawn]
    return Cases(rows, dict(drawn.values()), new, len(both))


def grader_for(
    before: str | PathLike[str], after: str | PathLike[str], judge: Any, options: Mapping[str, Any]
) -> Grader:
    """Who grades the cases of A again: as B was graded, and past any store of replies.

    Args:
        before, after: the directories of both runs, which say how they were graded.
        judge, options: as for ``Grader``, but no option of the policy.

    Raises:
        ConfigError: a run does not say how it was graded, the two were graded under other policies,
            or the judge is not that of B.
    """
    for name in options:
        if name in names_taken_by("policy") | {"policy_options", *UNSTORED}:
            problem = "is that of the second run; leave it out of a recheck"
            raise ConfigError(f"{option(name)}: {problem}")
    with reading(before) as first_run, reading(after) as second_run:
        second = how_graded(second_run)
        other = policy_changes(first_run, second_run)
    if other:
        problem = "the runs have other policies, so that scores differ without any cause"
        raise ConfigError(f"{option('recheck')}: {problem}: {'; '.join(other[:3])}")
    policy = policy_in(second, second_run.path)
    grader = Grader(judge, policy, None, **{**options, **UNSTORED})
    theirs, ours = {"judge": second.get("judge")}, {"judge": described(grader.judge)}
    if other := changes(theirs, ours):
        name = clip(str((second.get("judge") or {}).get("name")), 200)
        needs = f"cases are asked again of the judge that graded the second run: pass {name}"
        had = f"and the options that it had. Other settings: {'; '.join(other[:3])}"
        raise ConfigError(f"{option('judge')}: {needs}, {had}")
    return grader


def _all_graded(store: Store) -> Iterator[tuple[int, str, Graded]]:
    """The row, the id and the result of each case that was graded."""
    for row, id, passed, score in store.db.execute(
        "SELECT row, case_id, pass, score FROM results JOIN rows USING (row) WHERE error IS NULL "
        "ORDER BY row"
    ):
        yield row, id, Graded(bool(passed), score)


def shift_of(pairs: list[tuple[Graded, Graded]]) -> Shift:
    """What changed from the first to the second grading of each case."""

    def counts(pairs: list[tuple[Graded, Graded]]) -> PairCounts:
        return PairCounts(Pair(a.passed, b.passed, a.score, b.score) for a, b in pairs)

    return Shift(counts(pairs), counts([(b, a) for a, b in pairs]))
