"""The share of unfaithful answers in a run, from labels; and the answers that people label for it.

They are drawn at random within two strata. The answers that the judge flags are drawn at 2.25 times
the rate of the others, and at least 5 of them: there most of what is unfaithful can be found. Each
answer has a number that follows from the seed and its own id and texts, and the lowest ones are
drawn: so the same run and seed give the same answers in whichever order they were graded, and a
larger sheet has all those of a smaller one. That is how ``agreement`` knows what was drawn: it
draws again.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from math import sqrt
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from ..batch.rows import Line
from ..batch.run_description import lines_of
from ..records.errors import ConfigError
from ..statistics import REACH, TAIL
from ..text.strings import clip

MIN_LABELS = 30
"""Labelled answers. From fewer, no interval holds what it promises."""
MANY_LABELS = 100
"""From here on half an answer, not a whole one, is added on each side of a stratum."""


class Rate(NamedTuple):
    """A share with its 95 % interval, each in [0, 1]."""

    value: float
    low: float
    high: float


class Stratum(NamedTuple):
    """The answers on which the judge says the same: its share of the run, and what people say."""

    weight: float
    unfaithful: int
    labelled: int


def unfaithful_rate(
    unfaithful: Sequence[bool],
    flagged: Sequence[bool],
    *,
    n_flagged: int,
    n_unflagged: int,
) -> Rate:
    """The share of unfaithful answers among all answers like those of a run.

    The answers are in two strata: those that the judge flagged, and the others. Labels must be
    those of answers drawn at random within each; how many of each does not matter.

    The share of a stratum is (x + k) / (n + 2k) for x unfaithful ones of n (Agresti and Coull,
    1998; k = 1, and ½ from ``MANY_LABELS`` labels on), and the strata are weighted by their shares
    of the run (Cochran, Sampling Techniques, 1977, 5.3 and 12.2 for the variance of the weights).
    Where no unflagged answer is unfaithful, the upper limit is at least what none of n allows
    (Clopper and Pearson, 1934). ``benchmarks/agreement_coverage.py`` measures how often it holds.

    Args:
        unfaithful: for each labelled answer, whether people call it unfaithful.
        flagged: for each labelled answer, whether the judge flagged it (it does not pass).
        n_flagged, n_unflagged: how many answers of the run the judge flagged, and how many not.

    Raises:
        ConfigError: the lengths differ, there are fewer than ``MIN_LABELS`` labels, the run has
            fewer answers than labels, or a part of the run has no label.
    """
    if len(unfaithful) != len(flagged):
        lengths = f"{len(unfaithful)} and {len(flagged)}"
        raise ConfigError(f"unfaithful, flagged: must have the same length, got {lengths}")
    if len(unfaithful) < MIN_LABELS:
        problem = f"{len(unfaithful)} labelled answers are too few for an interval that holds"
        raise ConfigError(f"unfaithful: {problem}; label at least {MIN_LABELS}")
    sizes = {True: n_flagged, False: n_unflagged}
    pairs = list(zip(map(bool, unfaithful), map(bool, flagged), strict=True))
    strata = []
    for kind, name in ((True, "n_flagged"), (False, "n_unflagged")):
        labels = [wrong for wrong, is_flagged in pairs if is_flagged is kind]
        if len(labels) > sizes[kind]:
            raise ConfigError(f"{name}: {len(labels)} such answers are labelled, got {sizes[kind]}")
        if sizes[kind] and not labels:
            raise ConfigError(f"{name}: none of these {sizes[kind]} answers is labelled")
        strata.append(Stratum(sizes[kind] / sum(sizes.values()), sum(labels), len(labels)))
    return rate_of(*strata, answers=n_flagged + n_unflagged)


def rate_of(flagged: Stratum, others: Stratum, *, answers: int) -> Rate:
    """The same from counts. ``answers``: how many the run has."""
    added = 0.5 if flagged.labelled + others.labelled >= MANY_LABELS else 1.0
    shares, variance = [], 0.0
    for stratum in (flagged, others):
        size = stratum.labelled + 2 * added
        share = (stratum.unfaithful + added) / size
        shares.append(share)
        variance += stratum.weight**2 * share * (1 - share) / size
    high_share, low_share = shares
    variance += flagged.weight * others.weight / answers * (high_share - low_share) ** 2
    value = flagged.weight * high_share + others.weight * low_share
    high = value + REACH * sqrt(variance)
    if others.labelled and not others.unfaithful:
        none = 1 - TAIL ** (1 / others.labelled)
        high = max(high, others.weight * none + flagged.weight * high_share)
    return Rate(value, max(0.0, value - REACH * sqrt(variance)), min(1.0, high))


# ---------------------------------------------------------------- the answers of a run


RATE = 2.25
LEAST_FLAGGED = 5
MOST = 10_000
"""Answers of a sheet."""
SIZES = (MIN_LABELS, 50, MANY_LABELS, 200, 400, 800)
JUDGES = ((0.8, 0.01), (0.5, 0.05))
"""A good and a poor judge: which share of flagged answers is unfaithful, and of the others."""


class Judged(NamedTuple):
    """What a judge says of an answer.

    Args:
        id, input: the case, and the fingerprint of its texts.
        flagged: whether the answer does not pass.
        score: in [0, 1]; None where it means nothing.
        statements: the texts of its statements.
    """

    id: str
    input: str
    flagged: bool
    score: float | None
    statements: tuple[str, ...]


class Run(NamedTuple):
    """The graded answers of a run.

    Args:
        name: for people; it comes from a path.
        judge, policy, threshold: with which it was graded, as its results say.
        answers: starts reading them, each time from the first one on; None for each case that could
            not be graded.
    """

    name: str
    judge: str
    policy: str
    threshold: float
    answers: Callable[[], Iterator[Judged | None]]


def open_run(path: str | PathLike[str]) -> Run:
    """The run in a directory, or in a file of results (JSON lines).

    Raises:
        ConfigError: there are no results that can be read.
    """
    lines = lines_of(path)
    first = next(lines(), None)
    if first is None:
        raise ConfigError(f"{path}: contains no results")
    result = first.result
    return Run(
        name=Path(path).resolve().name,
        judge=clip(result.judge, 100),
        policy=clip(result.policy, 100),
        threshold=result.threshold,
        answers=lambda: map(judged_of, lines()),
    )


def judged_of(line: Line) -> Judged | None:
    """What the judge says of the answer of a line; None for a grader error."""
    result = line.result
    if result.error is not None:
        return None
    told = tuple(verdict.statement for verdict in result.verdicts if verdict.repeat_of is None)
    return Judged(line.case_id, line.input, not result.pass_, result.score, told)


# ---------------------------------------------------------------- the draw


class Counts(NamedTuple):
    """How many answers of a run pass, and are flagged; and how many could not be graded."""

    others: int
    flagged: int
    left_out: int


class Drawn(NamedTuple):
    """The answers of a sheet, in the order in which they stand there, and the counts of the run."""

    counts: Counts
    answers: list[Judged]


class Width(NamedTuple):
    """What so many labels buy: the half-widths of the interval with a good and a poor judge."""

    labels: int
    flagged: int
    others: int
    good: float
    poor: float


def count(run: Run) -> Counts:
    """The counts of a run.

    Raises:
        ConfigError: it has too few graded answers for an interval.
    """
    counts = {True: 0, False: 0, None: 0}
    for answer in run.answers():
        counts[answer and answer.flagged] += 1
    graded = counts[True] + counts[False]
    if graded < MIN_LABELS:
        problem = f"{graded} graded answers are too few for an interval that holds"
        raise ConfigError(f"{run.name}: {problem}; at least {MIN_LABELS} are needed")
    return Counts(counts[False], counts[True], counts[None])


def draw(run: Run, n: int, *, seed: int) -> Drawn:
    """Draws ``n`` answers, or all if the run has fewer.

    Raises:
        ConfigError: there are too few answers.
    """
    counts = count(run)
    flagged, others = split(n, counts.flagged, counts.others)
    found: list[Judged] = []
    for is_flagged, size in ((True, flagged), (False, others)):
        some = (a for a in run.answers() if a and a.flagged is is_flagged)
        found += heapq.nsmallest(size, some, key=lambda answer: _number(answer, seed, "draw"))
    return Drawn(counts, sorted(found, key=lambda answer: _number(answer, seed, "order")))


def split(n: int, flagged: int, others: int) -> tuple[int, int]:
    """How many of ``n`` labels go to flagged answers, and how many to the others."""
    rate = RATE * flagged / (RATE * flagged + others)
    wanted = min(flagged, min(n, max(LEAST_FLAGGED, round(n * rate))))
    rest = min(others, n - wanted)
    return min(flagged, n - rest), rest


def widths(counts: Counts) -> Iterator[Width]:
    """What each number of labels buys, up to all answers of the run."""
    answers = counts.flagged + counts.others
    for n in [*(size for size in SIZES if size < answers), min(answers, MOST)]:
        flagged, others = split(n, counts.flagged, counts.others)
        yield Width(n, flagged, others, *(_half(counts, flagged, others, j) for j in JUDGES))


def _half(counts: Counts, flagged: int, others: int, judge: tuple[float, float]) -> float:
    """Half of the interval that is to be expected."""
    answers = counts.flagged + counts.others
    found = rate_of(
        Stratum(counts.flagged / answers, round(judge[0] * flagged), flagged),
        Stratum(counts.others / answers, round(judge[1] * others), others),
        answers=answers,
    )
    return (found.high - found.low) / 2


def _number(answer: Judged, seed: int, use: str) -> bytes:
    told = f"{use}\0{seed}\0{answer.id}\0{answer.input}"
    return blake2b(told.encode("utf-8", "replace"), digest_size=16).digest()
