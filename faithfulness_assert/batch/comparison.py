"""Two runs over the same cases: what changed, and whether the second one is worse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from sys import intern
from typing import NamedTuple

from ..records.errors import ConfigError
from ..statistics import FALSE_ALARMS, Pair, PairCounts, PairedTests, mcnemar, p_value
from ..text.strings import text_key
from .rechecking import Recheck
from .rows import Lines
from .summary import Summary

MIN_GRADED = 0.95
"""The share of cases that must have been graded, by default."""

Quoted = Callable[[str], str]
"""Makes a text from elsewhere harmless where it is shown."""

SHOWN = 20
"""Changed cases that are shown with their statements."""
KINDS = ("regressed", "improved", "status", "score")


class Note(NamedTuple):
    """What a reader should know.

    Args:
        text: ours, with ``{}`` for each of the ``quotes``.
        quotes: from results and paths. They must be escaped.
    """

    text: str
    quotes: tuple[str, ...] = ()

    def shown(self, quoted: Quoted) -> str:
        """The text with its quotes, each as ``quoted`` shows it."""
        return self.text.format(*map(quoted, self.quotes))

    @classmethod
    def joined(cls, notes: Iterable[Note], separator: str) -> Note:
        """Several notes as one."""
        parts = list(notes)
        quotes = tuple(quote for note in parts for quote in note.quotes)
        return cls(separator.join(note.text for note in parts), quotes)


class Outcome(NamedTuple):
    """What is kept of a result."""

    input: str
    status: str
    passed: bool
    score: float | None
    is_error: bool
    graded_with: str


class Flip(NamedTuple):
    """A statement that both answers contain, with another label; None: no valid verdict.

    Or one that only the second answer contains (``is_new``), and that is not supported.
    """

    statement: str
    before: str | None
    after: str | None
    is_new: bool = False


class Change(NamedTuple):
    """A case with another result. ``kind``: regressed, improved, status, score."""

    case_id: str
    kind: str
    before: Outcome
    after: Outcome
    flips: tuple[Flip, ...] = ()


@dataclass(slots=True)
class Comparison:
    """What differs between two runs, A and B.

    Args:
        names: of A and of B, for people. They come from paths, and must be escaped.
        summaries: of all cases of A, and of B: the numbers that ``batch`` shows.
        tests: p-values for "B is worse", from the cases that could be graded in both.
        compared: how many those are.
        sure_loss: of the mean score, from 0 to 1: so much they find for sure; None if nothing.
        only: how many cases only A has, and only B.
        lost, gained: how many cases could be graded in A, but not in B; and in B, but not in A.
        problems: why B cannot be compared with A; empty if it can.
        other_input: how many cases in both have another answer, context or question.
        kinds: how many cases changed in each way; see ``Change``. ``status`` and ``score``
            count cases that neither regressed nor improved.
        shown: the most important changes.
        notes: what a reader should know, such as different policies.
        recheck: what the judge changed, and what the system; None if nobody asked.
    """

    names: tuple[str, str] = ("A", "B")
    summaries: tuple[Summary, Summary] = field(default_factory=lambda: (Summary(), Summary()))
    tests: PairedTests = field(init=False)
    compared: int = 0
    sure_loss: float | None = None
    only: list[int] = field(default_factory=lambda: [0, 0])
    lost: int = 0
    gained: int = 0
    problems: list[Note] = field(default_factory=list)
    other_input: int = 0
    kinds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    shown: list[Change] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    recheck: Recheck | None = None

    @property
    def worse(self) -> bool:
        """Whether B is worse than A beyond what a repetition of A would differ by chance.

        After a recheck, whether the system is, or whatever the recheck does not lay to the judge: a
        judge that grades lower makes no answer worse. False if they are not comparable: then nobody
        knows.
        """
        recheck = self.recheck
        if not (recheck and recheck.judge and recheck.system):
            return self.comparable and self.tests.worse
        unexplained = self.tests.worse and not recheck.judge.is_worse
        return self.comparable and (recheck.system.is_worse or unexplained)

    @property
    def comparable(self) -> bool:
        """Whether enough cases were graded in both to say anything."""
        return not self.problems


def compare(
    before: Lines,
    after: Lines,
    *,
    shown: int = SHOWN,
    names: tuple[str, str] = ("A", "B"),
    min_graded: float = MIN_GRADED,
) -> Comparison:
    """The changes from one run to another. Cases are matched by their ids.

    Args:
        before, after: the lines of A and of B. They are read twice. Of A, a few hundred bytes of
            each case are in memory.
        shown: the most changes that are kept with their statements.
        names: what the runs are called.
        min_graded: the share of cases, from 0 to 1, that must have been graded in each run. With
            less, or if B lost more cases than a repetition would, they are not comparable.

    Raises:
        ConfigError: they have no case in common.
    """
    found, ways = Comparison(names), (set[str](), set[str]())
    old = dict(_outcomes(before, found.summaries[0]))
    ways[0].update(outcome.graded_with for outcome in old.values())
    pairs = PairCounts(_pairs(found, old, after, ways[1], shown))
    found.tests = pairs.tests()
    found.sure_loss = pairs.sure_loss()
    found.only[0] = len(old)
    sizes = [summary.cases for summary in found.summaries]
    if all(sizes) and found.only[1] >= sizes[1]:
        raise ConfigError("compare: no case with the same id is in both runs")
    counts = {"missing": found.only[0], "lost": found.lost, "gained": found.gained}
    found.problems = list(_not_comparable(names, found.summaries, min_graded, **counts))
    if not found.compared:
        found.problems.append(Note("no case could be graded in both"))
    found.shown = list(_with_flips(_most_important(found.shown, shown), before, after))
    found.notes = list(_notes(found, ways))
    return found


def _not_comparable(
    names: tuple[str, str],
    summaries: tuple[Summary, Summary],
    min_graded: float,
    *,
    missing: int,
    lost: int,
    gained: int,
) -> Iterator[Note]:
    """Why two runs cannot be compared, the most important reason first; nothing if they can.

    What the first run has and the second lacks was not graded in the second. And the second may not
    have lost more cases than chance explains: then what it lost may be what matters.

    Args:
        names, summaries: of both.
        min_graded: the share of cases, from 0 to 1, that must have been graded in each.
        missing: how many cases of the first the second lacks.
        lost, gained: how many could be graded in the first alone, and in the second alone.
    """
    before, after = summaries
    for name, cases, graded in (
        (names[1], after.cases + missing, after.cases - after.not_graded),
        (names[0], before.cases, before.cases - before.not_graded),
    ):
        if graded < min_graded * cases or not cases:
            wanted = f"at least {min_graded:.1%} are needed (--min-graded)".replace(".0%", "%")
            yield Note(f"only {graded:,} of {cases:,} cases were graded in {{}}, {wanted}", (name,))
    chance = mcnemar(lost, gained)
    if chance <= FALSE_ALARMS / 2:
        what = f"{lost:,} cases that {{}} graded could not be graded in {{}}"
        back = f"{gained:,} the other way round: more than chance explains"
        yield Note(f"{what}, {back} ({p_value(chance)})", names)


def _pairs(
    found: Comparison, old: dict[str, Outcome], after: Lines, ways: set[str], shown: int
) -> Iterator[Pair]:
    """What each case got that could be graded in both runs, all of which is added to ``found``.

    ``old``: the outcomes of A. Those that B has too are removed.
    """
    for id, new in _outcomes(after, found.summaries[1]):
        ways.add(new.graded_with)
        first = old.pop(id, None)
        if first is None:
            found.only[1] += 1
            continue
        found.other_input += first.input != new.input
        found.lost += new.is_error and not first.is_error
        found.gained += first.is_error and not new.is_error
        graded = not (first.is_error or new.is_error)
        found.compared += graded
        if kind := _kind(first, new):
            found.kinds[kind] += 1
            found.shown.append(Change(id, kind, first, new))
        if len(found.shown) > 2 * shown + 1000:
            found.shown = _most_important(found.shown, shown)
        if graded:
            yield Pair(first.passed, new.passed, first.score, new.score)


def _most_important(changes: list[Change], shown: int) -> list[Change]:
    """The changes to show: first what regressed, and of that what lost most."""

    def key(change: Change) -> tuple[int, float, str]:
        lost = (change.after.score or 0.0) - (change.before.score or 0.0)
        return KINDS.index(change.kind), lost, change.case_id

    return sorted(changes, key=key)[:shown]


def _notes(found: Comparison, ways: tuple[set[str], set[str]]) -> Iterator[Note]:
    """What a reader should know beside the numbers. ``ways``: in which the runs were graded."""
    if ways[0] != ways[1]:
        for name, told in zip(found.names, ways, strict=True):
            quotes = name, "; ".join(sorted(told)[:3])
            yield Note("The runs were not graded in the same way. {}: {}", quotes)
    if found.lost:
        lost = f"{found.lost:,} cases that {{}} graded could not be graded in {{}}"
        yield Note(f"{lost}, and are not compared.", found.names)
    if found.only[0]:
        gone = f"{found.only[0]:,} cases of {{}} are missing in {{}}, and are not compared."
        yield Note(gone, found.names)


def _outcomes(lines: Lines, summary: Summary) -> Iterator[tuple[str, Outcome]]:
    """The outcome of each case, all of which is added to the summary."""
    for line in lines():
        result = line.result
        summary.add(result)
        way = intern(f"policy {result.policy}, judge {result.judge}, passes {result.threshold}")
        told = result.status, result.pass_, result.score, result.error is not None
        yield line.case_id, Outcome(line.input, *told, way)


def _kind(before: Outcome, after: Outcome) -> str:
    """How a case changed; "" if not. A grader error is another status, and no better or worse."""
    if before.is_error or after.is_error:
        return "status" if before.status != after.status else ""
    if before.passed != after.passed:
        return "improved" if after.passed else "regressed"
    if before.status != after.status:
        return "status"
    return "score" if before.score != after.score else ""


def _with_flips(changes: list[Change], before: Lines, after: Lines) -> Iterator[Change]:
    wanted = {change.case_id for change in changes}
    first, second = _labels(before, wanted), _labels(after, wanted)
    for change in changes:
        old, new = first[change.case_id], second[change.case_id]
        flips = [
            Flip(text, old[key][1] if key in old else None, label, key not in old)
            for key, (text, label) in new.items()
            if label != (old[key][1] if key in old else "supported")
        ]
        yield change._replace(flips=tuple(flips))


def _labels(lines: Lines, wanted: set[str]) -> dict[str, dict[str, tuple[str, str | None]]]:
    """For each wanted case, each statement's text and label by the key of its text."""
    if not wanted:
        return {}
    return {
        line.case_id: {text_key(v.statement): (v.statement, v.label) for v in line.result.verdicts}
        for line in lines()
        if line.case_id in wanted
    }
