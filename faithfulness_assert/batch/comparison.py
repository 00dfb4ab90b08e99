"""Two runs over the same cases: what changed, and whether the second one is worse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import fsum
from pathlib import Path
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
        kinds: how many cases changed in each way; see :class:`Change`. ``status`` and ``score``
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
        try:
            with place.open("rb") as texts:
                yield from read_lines(texts)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            problem = str(error).partition("\n")[0]
            raise ConfigError(f"{path}: not results of a run: {problem}") from None

    return lines


def compare(before: Lines, after: Lines, *, shown: int = SHOWN) -> Comparison:
    """The changes from one run to another. Cases are matched by their ids.

    Args:
        before, after: the lines of A and of B. They are read twice, never held in memory.
        shown: the most changes that are kept with their statements.

    Raises:
        ConfigError: no case could be graded in both.
    """
    first, second = _outcomes(before), _outcomes(after)
    both = [(id, first[id], second[id]) for id in first if id in second]
    pairs = [
        Pair(a.passed, b.passed, a.score, b.score)
        for _, a, b in both
        if not (a.is_error or b.is_error)
    ]
    if not pairs:
        raise ConfigError("compare: no case with the same id could be graded in both runs")
    changes = [Change(id, kind, a, b) for id, a, b in both if (kind := _kind(a, b))]
    kinds = {kind: sum(change.kind == kind for change in changes) for kind in KINDS}
    changes.sort(key=_importance)
    return Comparison(
        tests=paired_tests(pairs),
        compared=len(pairs),
        passed=(sum(p.passed_before for p in pairs), sum(p.passed_after for p in pairs)),
        means=(_mean([p.score_before for p in pairs]), _mean([p.score_after for p in pairs])),
        errors=(sum(a.is_error for _, a, _ in both), sum(b.is_error for _, _, b in both)),
        only=(len(first) - len(both), len(second) - len(both)),
        other_input=sum(a.input != b.input for _, a, b in both),
        kinds=kinds,
        shown=tuple(_with_flips(changes[:shown], before, after)),
        notes=tuple(_notes(first, second)),
    )


def _outcomes(lines: Lines) -> dict[str, Outcome]:
    """The outcome of each case; of two with the same id, the later one."""
    outcomes: dict[str, Outcome] = {}
    known: dict[str, str] = {}  # one string for all cases
    for line in lines():
        result = line.result
        graded_with = f"policy {result.policy}, judge {result.judge}, passes {result.threshold}"
        outcomes[line.case_id] = Outcome(
            line.input,
            result.status,
            result.pass_,
            result.score if result.defined else 0.0,
            result.error is not None,
            known.setdefault(graded_with, graded_with),
        )
    return outcomes


def _kind(before: Outcome, after: Outcome) -> str:
    """How a case changed; "" if not. A grader error is another status, and no better or worse."""
    if before.is_error or after.is_error:
        return "status" if before.status != after.status else ""
    if before.passed != after.passed:
        return "improved" if after.passed else "regressed"
    if before.status != after.status:
        return "status"
    return "score" if before.score != after.score else ""


def _importance(change: Change) -> tuple[int, float]:
    return KINDS.index(change.kind), change.after.score - change.before.score


def _mean(scores: list[float]) -> float:
    return fsum(scores) / len(scores)


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


def _notes(first: dict[str, Outcome], second: dict[str, Outcome]) -> Iterator[Note]:
    ways = [sorted({o.graded_with for o in outcomes.values()}) for outcomes in (first, second)]
    if ways[0] != ways[1]:
        for name, way in zip("AB", ways, strict=True):
            yield Note(f"The runs were not graded in the same way. {name}:", "; ".join(way[:3]))
    lost = sum(
        not first[id].is_error and after.is_error for id, after in second.items() if id in first
    )
    if lost:
        yield Note(f"{lost:,} cases that A graded could not be graded in B, and are not compared.")
    if missing := sum(id not in second for id in first):
        yield Note(f"{missing:,} cases of A are missing in B, and are not compared.")
