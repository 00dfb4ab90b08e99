"""Two runs over the same cases: what changed, and whether the second one is worse.

Did the judge change, or the system? The cases of a run are asked again of today's judge. What the
same judge says today about the texts of A differs from what it said then by the judge alone, and
what it says today about the texts of B differs from that by the system alone. Both differences are
of the same cases, so each has tests that are exact if nothing changed (see ``statistics.py``), at
``LEVEL`` together: with both, at most 4 % of comparisons in which nothing changed name a cause. A
test finds the system worse where it would find the runs worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ..grading import Grader
from ..options import UNSTORED
from ..records.errors import ConfigError, option
from ..records.model import Verdict
from ..records.result_list import distrust
from ..statistics import FALSE_ALARMS, Pair, PairCounts, mcnemar, p_value
from ..text.strings import counted, text_key
from .estimate import estimate_run
from .rows import Line, Lines, grade_rows, same_cases
from .run_description import changes, describe_run, policy_changes, policy_in
from .store import is_run, reading
from .summary import Summary

MIN_GRADED = 0.95
"""The share of cases that must have been graded, by default."""
GONE = 10
"""Cases that only A has and that are named."""
SHOWN = 20
"""Changed cases that are shown with their statements."""
KINDS = ("regressed", "new", "improved", "status", "score")
Quoted = Callable[[str], str]
"""Makes a text from elsewhere harmless where it is shown."""
Way = tuple[str, str, float]
"""The judge, the policy and the threshold by which a case was graded."""
LEVEL = 4 * (FALSE_ALARMS / 2)
"""The chance that one cause is named though it changed nothing, at most: of four tests, each as in
a comparison."""
SEED = 20261125


class Outcome(NamedTuple):
    """What is kept of a result, with its id, its row and its ``digest``."""

    case_id: str
    row: int
    input: str
    status: str
    passed: bool
    score: float | None
    is_error: bool


NOTHING = Outcome("", 0, "", "", passed=False, score=None, is_error=False)
"""Of a case that is not there."""


class Flip(NamedTuple):
    """A statement that both answers contain, with another label; None: no valid verdict.

    Or one that only the second answer contains (``is_new``), and that is not supported. ``why``:
    what the context says instead, or else the judge's reason.
    """

    statement: str
    before: str | None
    after: str | None
    is_new: bool = False
    why: str = ""


class Change(NamedTuple):
    """A case with another result, or one that only B has and that fails.

    ``kind``: regressed, new, improved, status, score. ``before`` is ``NOTHING`` of a new one.
    """

    case_id: str
    kind: str
    before: Outcome
    after: Outcome
    flips: tuple[Flip, ...] = ()


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
    """

    judge: Shift
    system: Shift
    not_graded: int


class Comparison:
    """What differs between two runs, A and B, for each of the ``same_cases``.

    Args:
        before, after: the lines of A and of B. They are read twice; of each case, a few hundred
            bytes are in memory.
        names: of A and of B, for people.
        shown: the most changes that are kept with their statements.
        min_graded: the share of cases, from 0 to 1, that must have been graded in each run.
        max_regressed: with more cases that regressed, were graded in A alone, or are new and fail,
            B is worse; None: as far as chance goes.

    Attributes:
        summaries: of all cases of A, and of B: the numbers that ``batch`` shows.
        ways: with what each was graded.
        both: what each case that could be graded in both had there, by its id in A.
        pairs, tests: what the tests need of these, and their p-values for "B is worse".
        only: how many cases only A has, and only B.
        gone: the ids of the first cases that only A has, or "".
        lost, gained: how many cases could be graded in A, but not in B; and in B, but not in A.
        ungraded: how many cases were graded in A, and could not be in B or are not there.
        by_number: how many cases in both were taken for the same by their place alone.
        kinds: how many cases changed in each way; see ``Change``. ``status`` and ``score``
            count cases that neither regressed nor improved.
        shown: the most important changes; of equal ones, in the order of B.
        recheck: what the judge changed, and what the system; None if nobody asked.
        policies: what the policies of A and B differ in, as far as that is known.
        sizes: how many cases A and B have, also those without a result; 0 if nobody knows.
        quoted: makes texts from elsewhere harmless in what is said: names, ids, messages.

    Raises:
        ConfigError: they have no case in common.
    """

    def __init__(
        self,
        before: Lines,
        after: Lines,
        *,
        names: tuple[str, str] = ("A", "B"),
        shown: int = SHOWN,
        min_graded: float = MIN_GRADED,
        max_regressed: int | None = None,
    ) -> None:
        self.names, self.min_graded, self.max_regressed = names, min_graded, max_regressed
        self.summaries, self.ways = (Summary(), Summary()), (set[Way](), set[Way]())
        self.recheck: Recheck | None = None
        self.policies: Sequence[str] = ()
        self.sizes = (0, 0)
        self.quoted: Quoted = str
        old, new = (self._outcomes(lines, side) for side, lines in enumerate((before, after)))
        keys = ((outcome[:3] for outcome in side.values()) for side in (old, new))
        old_ids, self.by_number = same_cases(*keys)
        self.lost = self.gained = 0
        self.both: dict[str, Pair] = {}
        changes: list[Change] = []
        for now in new.values():
            was = old.pop(old_ids[now.case_id], NOTHING)
            if kind := _kind(was, now):
                changes.append(Change(now.case_id, kind, was, now))
            if was is NOTHING:
                continue
            self.lost += now.is_error and not was.is_error
            self.gained += was.is_error and not now.is_error
            if not (was.is_error or now.is_error):
                self.both[was.case_id] = Pair(was.passed, now.passed, was.score, now.score)
        self.kinds = {kind: sum(change.kind == kind for change in changes) for kind in KINDS}
        self.pairs = PairCounts(self.both.values())
        self.tests = self.pairs.tests()
        self.only = len(old), sum(not id for id in old_ids.values())
        self.gone = ", ".join(islice(old, GONE))
        self.ungraded = self.lost + sum(not was.is_error for was in old.values())
        if self.summaries[0].cases and 0 < len(new) <= self.only[1]:
            raise ConfigError("compare: no case with the same id and question is in both runs")
        self.shown = list(_with_flips(sorted(changes, key=_weight)[:shown], before, after))

    def _outcomes(self, lines: Lines, side: int) -> dict[str, Outcome]:
        """The outcome of each case; all are added to the summary and the ways of their run."""
        outcomes = {}
        for id, row, graded, _, result in lines():
            self.summaries[side].add(result)
            if result.error is None:
                self.ways[side].add((result.judge, result.policy, result.threshold))
            values = result.status, result.pass_, result.score, result.error is not None
            outcomes[id] = Outcome(id, row, graded, *values)
        return outcomes

    @property
    def shown_names(self) -> tuple[str, str]:
        """Of A and of B, as they can be shown."""
        first, second = map(self.quoted, self.names)
        return first, second

    @property
    def worse(self) -> bool:
        """Whether B is worse than A beyond what a repetition of A would differ by chance.

        After a recheck, whether the system is, or whatever the recheck does not lay to the judge: a
        judge that grades lower makes no answer worse. False if they are not comparable: then nobody
        knows.
        """
        is_worse = self.tests.worse or self.has_more_regressed
        if self.recheck is not None:
            unexplained = is_worse and not self.recheck.judge.is_worse
            is_worse = self.recheck.system.is_worse or unexplained
        return self.comparable and is_worse

    @property
    def has_more_regressed(self) -> bool:
        """Whether more cases regressed, were graded in A alone, or are new and fail, than may."""
        lost = self.kinds["regressed"] + self.kinds["new"] + self.ungraded
        return self.max_regressed is not None and lost > self.max_regressed

    @property
    def comparable(self) -> bool:
        """Whether a difference of B would be one of its answers."""
        return not self.problems()

    @property
    def graded_otherwise(self) -> bool:
        """Whether B was graded in another way than A, as far as that is known."""
        return bool(self.policies) or (all(self.ways) and self.ways[0] != self.ways[1])

    def problems(self) -> list[str]:
        """Why B cannot be compared with A, the most important reason first; [] if it can.

        Beside ``lacking``: they were graded in different ways. A recheck asks the judge of B about
        A, so that then the judge may be another one.
        """
        is_other = self.graded_otherwise and self.recheck is None
        return self.lacking() + ["it was graded in another way"] * is_other

    def lacking(self) -> list[str]:
        """Which grades a comparison lacks; [] if there are enough.

        What A has and B lacks was not graded in B. And B may not have lost more cases than chance
        explains: then what it lost may be what matters.
        """
        problems, share = [], f"{self.min_graded:.1%}".replace(".0%", "%")
        for name, run, missing, size in zip(
            self.shown_names[::-1],
            self.summaries[::-1],
            (self.only[0], 0),
            self.sizes[::-1],
            strict=True,
        ):
            graded, cases = run.cases - run.not_graded, max(run.cases + missing, size)
            if not cases or graded < self.min_graded * cases:
                few = f"only {graded:,} of {cases:,} cases have a grade in {name}"
                problems.append(f"{few}, at least {share} are needed (--min-graded)")
        if (chance := mcnemar(self.lost, self.gained)) <= FALSE_ALARMS / 2:
            problems.append(f"it lost the grades of more cases than by chance ({p_value(chance)})")
        return problems if self.pairs.cases else [*problems, "no case could be graded in both"]

    def notes(self) -> list[str]:
        """What a reader should know beside the numbers."""
        (first, second), notes = self.shown_names, []
        if self.graded_otherwise:
            words = "judge {}, policy {}, passes {}".format
            shown = ("; ".join(sorted(words(*way) for way in ways)[:3]) for ways in self.ways)
            ways = [
                f"{name}: {self.quoted(way)}"
                for name, way in zip(self.shown_names, shown, strict=True)
            ]
            ways += map(self.quoted, self.policies[:3])
            notes.append(f"The runs were not graded in the same way. {'; '.join(ways)}")
        if self.by_number:
            notes.append(
                f"{counted(self.by_number, 'case')} matched by place alone, as nothing else tells "
                "them apart: wrong if a row was added, moved or left out. Give the data ids."
            )
        if self.lost:
            lost = f"{counted(self.lost, 'case')} that {first} graded could not be graded"
            notes.append(f"{lost} in {second}, and not compared.")
        if self.only[0]:
            gone = f"{counted(self.only[0], 'case')} of {first} missing in {second}"
            such_as = "such as " * (self.only[0] > GONE) + self.quoted(self.gone)
            notes.append(f"{gone}, or asked otherwise there: {such_as}")
        return notes


def _with_flips(changes: list[Change], before: Lines, after: Lines) -> Iterator[Change]:
    """The changes with their statements, which stand in the lines of both runs."""
    if not changes:
        return
    ids = {change.before.case_id for change in changes}, {change.case_id for change in changes}
    old, new = (
        {line.case_id: _verdicts(line) for line in lines() if line.case_id in wanted}
        for lines, wanted in zip((before, after), ids, strict=True)
    )
    for change in changes:
        had = {key: verdict.label for key, verdict in old.get(change.before.case_id, {}).items()}
        flips = (
            Flip(now.statement, had.get(key), now.label, key not in had, _why(now))
            for key, now in new.get(change.case_id, {}).items()
            if now.label != had.get(key, "supported") and not change.after.is_error
        )
        yield change._replace(flips=tuple(flips))


def _verdicts(line: Line) -> dict[str, Verdict]:
    """The verdicts of a case, each by the key of its statement; of equal ones the last."""
    return {text_key(verdict.statement): verdict for verdict in line.result.verdicts}


def _kind(before: Outcome, after: Outcome) -> str:
    """How a case changed; "" if not. A grader error is another status, and no better or worse."""
    is_error = before.is_error or after.is_error
    if before is NOTHING:
        return "" if after.passed or is_error else "new"
    if before.passed != after.passed and not is_error:
        return "improved" if after.passed else "regressed"
    if before.status != after.status:
        return "status"
    return "score" if before.score != after.score and not is_error else ""


def _weight(change: Change) -> tuple[int, bool, float]:
    """By what changes are ordered: first what regressed, of that what has made-up statements, and
    of that what lost most.
    """
    lost = (change.after.score or 0.0) - (change.before.score or 0.0)
    return KINDS.index(change.kind), change.after.status != "graded", lost


def _why(verdict: Verdict) -> str:
    return f"the context says: {verdict.says}" if verdict.says else verdict.reason


# ---------------------------------------------------------------- did the judge change?


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
        judge, options: as for ``Grader``; those of B.
        most: how many cases, at most, of which ``concurrency`` are asked at once.
        announce: is told what it will cost before anything is asked.

    Raises:
        ConfigError: one is no directory, the two were graded under other policies, the settings are
            not those of B, none could be graded today, or the judge failed its controls.
    """
    for path in (before, after):
        if not is_run(Path(path)):
            needs = f"{path}: must be the directory of a run, which has the texts"
            raise ConfigError(f"{option('recheck')}: {needs}")
    with reading(before) as first, reading(after) as second:
        if other := policy_changes(first, second):
            problem = "the runs have other policies, so that scores differ without any cause"
            raise ConfigError(f"{option('recheck')}: {problem}: {'; '.join(other[:3])}")
        policy = policy_in(second)
        grader = Grader(judge, policy, None, **{**options, **UNSTORED})
        if other := changes(second.about(), describe_run(grader)):
            asks = "cases are asked again as the second run was graded; give the same settings"
            raise ConfigError(f"{option('recheck')}: {asks}: {'; '.join(other[:3])}")
        drawn = set(Random(SEED).sample(sorted(both), min(most, len(both))))  # noqa: S311 - not used for security
        rows = [row for row in first.rows() if row.case_id in drawn]
    estimate = estimate_run([row.fields for row in rows], judge=judge, policy=policy, **options)
    announce(f"{len(rows):,} of {len(both):,} cases are asked again: {estimate.short}")
    by_judge, by_system, problem, results = [], [], "", []
    for line in grade_rows(rows, grader, concurrency):
        result, pair = line.result, both[line.case_id]
        results.append(result)
        if result.error is not None:
            problem = result.short_reason
            continue
        today = result.pass_, result.score
        by_judge.append(Pair(pair.passed_before, today[0], pair.score_before, today[1]))
        by_system.append(Pair(today[0], pair.passed_after, today[1], pair.score_after))
    if 2 * len(by_judge) < len(rows) or not rows:
        few = f"{len(by_judge):,} of {counted(len(rows), 'case')} could be graded today"
        raise ConfigError(f"{option('recheck')}: only {few}: {problem}")
    if doubt := distrust(results):
        raise ConfigError(f"{option('recheck')}: today {doubt}")
    return Recheck(Shift(by_judge), Shift(by_system), len(rows) - len(by_judge))
