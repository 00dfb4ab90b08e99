"""The share of unfaithful answers in a run, from labels; and the answers that people label for it.

They are drawn at random within two strata. The answers that the judge flags are drawn at 2.25 times
the rate of the others: there most of what is unfaithful can be found. Of either kind at least 5 are
drawn. Each answer has a number that follows from the seed and its own id and texts, and the lowest
ones are drawn: so the same run and seed give the same answers in whichever order they were graded,
and a larger sheet has all those of a smaller one. A run may grow later. So a sheet says from how
many answers of either kind it was drawn, and has the number of each, and a fingerprint of all and
of whether the judge passes them: its labels stay a random sample of these, and speak of no others.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from ..batch.rows import Line
from ..batch.store import lines_of
from ..records.errors import ConfigError
from ..statistics import Figure
from ..text.strings import clip
from .figures import Item, Sample, how_many, share_of_unfaithful

MIN_LABELS = 30
"""Labelled answers. From fewer, no interval holds what it promises."""
MANY_LABELS = 100
KINDS = (False, True)
"""The strata: what passes, and what is flagged."""


def unfaithful_rate(
    unfaithful: Sequence[bool], flagged: Sequence[bool], *, n_flagged: int, n_unflagged: int
) -> Figure:
    """The share of unfaithful answers among all answers like those of a run.

    The answers are in two strata: those that the judge flagged, and the others. Labels must be
    those of answers drawn at random within each; how many of each does not matter. The value is the
    share that was seen, weighted by the strata; the interval comes from the exact ones of the
    strata (see ``statistics.figures_of``). Where no label is unfaithful, or all are, the limit is
    exact. ``benchmarks/agreement.py`` measures how often it holds.

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
    items = Counter[Item](zip(map(bool, flagged), map(bool, unfaithful), strict=True))
    sample = Sample(items, {(False,): n_unflagged, (True,): n_flagged})
    check_labels("unfaithful", sample)
    return share_of_unfaithful(sample)


def check_labels(name: str, sample: Sample) -> None:
    """Checks how many answers are labelled of those that a judge passes, and flags.

    Raises:
        ConfigError: they are too few, too many, or none of a kind of which there are answers.
    """
    if (labels := sample.items.total()) < MIN_LABELS:
        problem = f"{labels} labelled answers are too few for an interval that holds"
        raise ConfigError(f"{name}: {problem}; label at least {MIN_LABELS}")
    for kind, what in zip(KINDS, ("passes", "flags"), strict=True):
        part, size = how_many(sample.items, (kind,)), how_many(sample.sizes, (kind,))
        if part > size:
            problem = f"{part} answers are labelled of {size:,} that the judge {what}"
            raise ConfigError(f"{name}: {problem}")
        if size and not part:
            problem = f"none of the {size:,} answers that the judge {what} is labelled"
            raise ConfigError(f"{name}: {problem}; label more rows of a sheet of `label`")


# ---------------------------------------------------------------- the answers of a run


RATE = 2.25
LEAST = 5
"""Labels of either kind, if there are so many."""
MOST = 10_000
"""Answers of a sheet."""


class Judged(NamedTuple):
    """What a judge says of an answer.

    Args:
        id, input: the case, and the fingerprint of its texts.
        flagged: whether the answer does not pass.
        score: in [0, 1]; None where it means nothing.
        statements: the texts of its statements.
        status: that of the result.
    """

    id: str
    input: str
    flagged: bool
    score: float | None
    statements: tuple[str, ...]
    status: str

    @property
    def by_policy(self) -> bool:
        """Whether no judge was asked: there was nothing to grade, and the policy decided."""
        return self.status != "graded" and not self.statements

    def number(self, seed: int, use: str = "order") -> int:
        """A random one, by which a sheet knows it. What the judge says is no part of it."""
        text = f"{use}\0{seed}\0{self.id}\0{self.input}"
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        return int.from_bytes(digest[:7], "big")


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
    first = next(lines_of(path), None)
    if first is None:
        raise ConfigError(f"{path}: contains no results")
    result = first.result
    return Run(
        name=Path(path).resolve().name,
        judge=clip(result.judge, 100),
        policy=clip(result.policy, 100),
        threshold=result.threshold,
        answers=lambda: map(_judged, lines_of(path)),
    )


def _judged(line: Line) -> Judged | None:
    """What the judge says of the answer of a line; None for a grader error."""
    result = line.result
    if result.error is not None:
        return None
    statements = tuple(
        verdict.statement for verdict in result.verdicts if verdict.repeat_of is None
    )
    return Judged(
        line.case_id, line.input, not result.pass_, result.score, statements, result.status
    )


# ---------------------------------------------------------------- the draw


class Counts(NamedTuple):
    """How many answers of a run pass, and are flagged; and how many could not be graded.

    ``by_policy``: how many pass and are flagged of those that no judge was asked about.
    """

    others: int
    flagged: int
    left_out: int
    by_policy: tuple[int, int]


class Drawn(NamedTuple):
    """The answers of a sheet, in the order in which they stand there, and the counts of the run."""

    counts: Counts
    answers: list[Judged]

    def how(self, seed: int) -> str:
        """How they were drawn, with a fingerprint of them and of whether a judge passes each."""
        others, flagged, left_out, by_policy = self.counts
        counts = "-".join(map(str, (others, flagged, left_out, *by_policy)))
        facts = sorted((a.id, a.input, a.flagged, a.by_policy) for a in self.answers)
        text = repr(facts).encode("utf-8", "backslashreplace")
        check = blake2b(text, digest_size=6).hexdigest()
        return f"{len(self.answers)} by seed {seed}, of {counts} ({check})"


DRAWN = re.compile(
    r"answer (\d{1,17}), ((\d{1,5}) by seed (\d{1,16}), of (\d{1,12}(?:-\d{1,12}){4}) \(\w{12}\))"
)
"""What each row of a sheet says of itself: its number, and how the answers were drawn."""


def count(run: Run) -> Counts:
    """The counts of a run.

    Raises:
        ConfigError: it has too few graded answers for an interval.
    """
    counts, by_policy = Counter[bool | None](), Counter[bool]()
    for answer in run.answers():
        counts[answer and answer.flagged] += 1
        if answer and answer.by_policy:
            by_policy[answer.flagged] += 1
    graded = counts[True] + counts[False]
    if graded < MIN_LABELS:
        problem = f"{graded} graded answers are too few for an interval that holds"
        raise ConfigError(f"{run.name}: {problem}; at least {MIN_LABELS} are needed")
    both = by_policy[False], by_policy[True]
    return Counts(counts[False], counts[True], counts[None], both)


def draw(run: Run, n: int, *, seed: int) -> Drawn:
    """Draws ``n`` answers, or all if the run has fewer.

    Raises:
        ConfigError: there are too few answers.
    """
    counts = count(run)
    drawn: list[Judged] = []
    for kind, size in zip((True, False), split(n, counts.flagged, counts.others), strict=True):
        some = (a for a in run.answers() if a and a.flagged is kind)
        drawn += heapq.nsmallest(size, some, key=lambda answer: answer.number(seed, "draw"))
    return Drawn(counts, sorted(drawn, key=lambda answer: answer.number(seed)))


def split(n: int, flagged: int, others: int) -> tuple[int, int]:
    """How many of ``n`` labels go to flagged answers, and how many to the others."""
    rate = RATE * flagged / (RATE * flagged + others)
    least, most = min(flagged, LEAST), n - min(others, LEAST)
    wanted = min(flagged, max(least, min(most, round(n * rate))))
    rest = min(others, n - wanted)
    return min(flagged, n - rest), rest
