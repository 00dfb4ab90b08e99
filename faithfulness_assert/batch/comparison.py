"""Two runs over the same cases: what changed, and whether the second one is worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from ..records.errors import ConfigError
from ..text.strings import text_key
from .paired_tests import Pair, PairedTests, paired_tests
from .rows import Line, read_lines
from .run_directory import RunDirectory

if TYPE_CHECKING:
    from os import PathLike

SHOWN = 20
"""Changed cases that are shown with their statements."""

Lines = Callable[[], Iterator[Line]]
"""Starts reading the lines of a run, from the first one on each time."""


class Outcome(NamedTuple):
    """What is kept of a result."""

    input: str
    status: str
    passed: bool
    score: float
    is_error: bool
    graded_with: str


class Note(NamedTuple):
    """What a reader should know. ``quote`` comes from the results and must be escaped."""

    text: str
    quote: str | None = None


class Flip(NamedTuple):
    """A statement that both answers contain, with another label; None: no valid verdict."""

    statement: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """A case with another result. ``kind``: regressed, improved, status, score."""

    case_id: str
    kind: str
    before: Outcome
    after: Outcome
    flips: tuple[Flip, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two runs, A and B.

    Args:
        tests: p-values for "B is worse", from the cases that could be graded in both.
        compared: how many those are.
        passed: how many of them pass in A, and in B.
        means: their mean scores; what has no score counts as 0, unless it is a grader error.
        errors: how many of the cases in both could not be graded, in A and in B.
        only: how many cases only A has, and only B.
        other_input: how many cases in both have another answer, context or question.
        kinds: how many cases changed in each way; see ``Change``. ``status`` and ``score``
            count cases that neither regressed nor improved.
        shown: the most important changes.
        notes: what a reader should know, such as different policies.
    """

    tests: PairedTests
    compared: int
    passed: tuple[int, int]
    means: tuple[float, float]
    errors: tuple[int, int]
    only: tuple[int, int]
    other_input: int
    kinds: dict[str, int]
    shown: tuple[Change, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def worse(self) -> bool:
        """Whether B is worse than A beyond what a repetition of A would differ by chance."""
        return self.tests.worse


KINDS = ("regressed", "improved", "status", "score")


def lines_of(path: str | PathLike[str]) -> Lines:
    """The lines of a run directory, or of a results file (JSON lines).

    Raises:
        ConfigError: there are none, or, while they are read, a line is not a result.
    """
    place = Path(path)
    if place.is_dir():
        directory = RunDirectory(place)
        if not directory.results.exists():
            raise ConfigError(f"{path}: not the directory of a run: it has no results.jsonl")
        return directory.lines

    def lines() -> Iterator[Line]:
        number = 0
        try:
            with place.open("rb") as texts:
                for text in texts:
                    number += 1
                    yield from read_lines([text])
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            problem = str(error).partition("\n")[0]
            said = "not results of a run; name its directory, or its results as .jsonl"
            raise ConfigError(f"{path}, line {number}: {said}: {problem}") from None

    return lines


def compare(before: Lines, after: Lines, *, shown: int = SHOWN) -> Comparison:
    """The changes from one run to another. Cases are matched by their ids.

    Args:
        before, after: the lines of A and of B. They are read twice. Of A, a few hundred bytes of
            each case are in memory.
        shown: the most changes that are kept with their statements.

    Raises:
        ConfigError: no case could be graded in both.
    """
    matching = _Matching(before, shown)
    tests = paired_tests(matching.pairs(after))
    if not matching.compared:
        raise ConfigError("compare: no case with the same id could be graded in both runs")
    a, b = matching.scores
    return Comparison(
        tests=tests,
        compared=matching.compared,
        passed=(matching.passed[0], matching.passed[1]),
        means=(a / matching.compared, b / matching.compared),
        errors=(matching.errors[0], matching.errors[1]),
        only=(len(matching.left), matching.new),
        other_input=matching.other_input,
        kinds={kind: matching.kinds[kind] for kind in KINDS},
        shown=tuple(_with_flips(matching.most_important(), before, after)),
        notes=tuple(matching.notes()),
    )


class _Matching:
    """Matches the cases of B with those of A, and adds up what differs.

    ``left``: the outcomes of A that no case of B has met yet.
    """

    def __init__(self, before: Lines, shown: int) -> None:
        self.left, self.shown = dict(_outcomes(before)), shown
        self.ways = ({outcome.graded_with for outcome in self.left.values()}, set[str]())
        self.compared = self.new = self.other_input = self.lost = 0
        self.passed, self.errors, self.scores = [0, 0], [0, 0], [0.0, 0.0]
        self.kinds: Counter[str] = Counter()
        self._changes: list[Change] = []

    def pairs(self, after: Lines) -> Iterator[Pair]:
        """What each case got that could be graded in both runs."""
        for id, new in _outcomes(after):
            self.ways[1].add(new.graded_with)
            old = self.left.pop(id, None)
            if old is None:
                self.new += 1
                continue
            self._note(id, old, new)
            if not (old.is_error or new.is_error):
                self.compared += 1
                for run, outcome in enumerate((old, new)):
                    self.passed[run] += outcome.passed
                    self.scores[run] += outcome.score
                yield Pair(old.passed, new.passed, old.score, new.score)

    def _note(self, id: str, old: Outcome, new: Outcome) -> None:
        self.other_input += old.input != new.input
        self.lost += new.is_error and not old.is_error
        for run, outcome in enumerate((old, new)):
            self.errors[run] += outcome.is_error
        if kind := _kind(old, new):
            self.kinds[kind] += 1
            self._changes.append(Change(id, kind, old, new))
        if len(self._changes) > 2 * self.shown + 1000:
            self._changes = self.most_important()

    def most_important(self) -> list[Change]:
        """The changes to show: first what regressed, and of that what lost most."""
        return sorted(self._changes, key=_importance)[: self.shown]

    def notes(self) -> Iterator[Note]:
        """What a reader should know beside the numbers."""
        if self.ways[0] != self.ways[1]:
            for name, ways in zip("AB", self.ways, strict=True):
                told = "; ".join(sorted(ways)[:3])
                yield Note(f"The runs were not graded in the same way. {name}:", told)
        if self.lost:
            lost = f"{self.lost:,} cases that A graded could not be graded in B"
            yield Note(f"{lost}, and are not compared.")
        if self.left:
            yield Note(f"{len(self.left):,} cases of A are missing in B, and are not compared.")


def _outcomes(lines: Lines) -> Iterator[tuple[str, Outcome]]:
    """The outcome of each case."""
    for line in lines():
        result = line.result
        graded_with = f"policy {result.policy}, judge {result.judge}, passes {result.threshold}"
        yield (
            line.case_id,
            Outcome(
                line.input,
                result.status,
                result.pass_,
                result.score if result.defined else 0.0,
                result.error is not None,
                intern(graded_with),
            ),
        )


def _kind(before: Outcome, after: Outcome) -> str:
    """How a case changed; "" if not. A grader error is another status, and no better or worse."""
    if before.is_error or after.is_error:
        return "status" if before.status != after.status else ""
    if before.passed != after.passed:
        return "improved" if after.passed else "regressed"
    if before.status != after.status:
        return "status"
    return "score" if before.score != after.score else ""


def _importance(change: Change) -> tuple[int, float, str]:
    lost = change.after.score - change.before.score
    return KINDS.index(change.kind), lost, change.case_id


def _with_flips(changes: list[Change], before: Lines, after: Lines) -> Iterator[Change]:
    wanted = {change.case_id for change in changes}
    first, second = _labels(before, wanted), _labels(after, wanted)
    for change in changes:
        old, new = first[change.case_id], second[change.case_id]
        flips = [
            Flip(text, old[key][1], label)
            for key, (text, label) in new.items()
            if key in old and old[key][1] != label
        ]
        yield Change(change.case_id, change.kind, change.before, change.after, tuple(flips))


def _labels(lines: Lines, wanted: set[str]) -> dict[str, dict[str, tuple[str, str | None]]]:
    """For each wanted case, each statement's text and label by the key of its text."""
    if not wanted:
        return {}
    return {
        line.case_id: {text_key(v.statement): (v.statement, v.label) for v in line.result.verdicts}
        for line in lines()
        if line.case_id in wanted
    }
