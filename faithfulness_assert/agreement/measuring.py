"""Holds what judges say against what people say: all figures of a sheet of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from typing import NamedTuple

from ..records.errors import ConfigError
from .bootstrap import SEED
from .drawing import open_run
from .judge_figures import (
    ANY,
    JudgeFigures,
    Level,
    Said,
    cluster_of,
    judge_figures,
    level_of,
    said_in,
)
from .labels import Labelled, Labels, read_labels
from .paired import Both, Paired, adjusted, paired
from .rates import MANY_LABELS, MIN_LABELS, Rate, unfaithful_rate

FEW_FLAGGED = 5


class Counted(NamedTuple):
    """Answers that pass by the judge of the run that was labelled, and those that it flags."""

    others: int
    flagged: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the labels of a sheet say.

    Args:
        sheet: its name.
        labels: how many answers are labelled.
        unfaithful: how many of these people call so.
        run: how many answers the run has.
        left_out: cases that the figures say nothing about: they could not be graded.
        share: of unfaithful answers in the run.
        judges: one for each run; none if the labels are all of one class.
        pairs: the judges held against each other.
        annotators: the names of the columns with labels.
        ceiling: two people beside each other, as a judge beside the first; None with one.
        warnings: what a reader must know.
        problem: why there are no figures of a judge; "" if there are.
    """

    sheet: str
    labels: Counted
    unfaithful: Counted
    run: Counted
    left_out: int
    share: Rate
    judges: Sequence[JudgeFigures]
    pairs: Sequence[Paired]
    annotators: Sequence[str]
    ceiling: Level | None
    warnings: Sequence[str]
    problem: str

    @property
    def faithful(self) -> Rate:
        """The share of faithful answers: what the pass rate would be with a judge without error."""
        return Rate(1 - self.share.value, 1 - self.share.high, 1 - self.share.low)

    @property
    def passed(self) -> float:
        """The pass rate by the judge of the run that was labelled."""
        return self.run.others / sum(self.run)


def measure(
    sheet: str | PathLike[str],
    *runs: str | PathLike[str],
    random: bool = False,
    seed: int = SEED,
    encoding: str | None = None,
) -> Agreement:
    """Holds the judges of runs against the labels of people.

    Labels count by the verdicts in the first run. The first annotator is who judges are compared
    with.

    Args:
        sheet: what ``write_sheet`` wrote, with labels; or a table with ``id`` and ``label``.
        runs: directories of runs over the same cases, or their results as ``.jsonl``. The first one
            is that from which the sheet was drawn.
        random: the sheet does not say how it was drawn, and its answers were drawn at random from
            the first run.
        seed: of the bootstrap. The same labels and seed give the same figures.
        encoding: that of the sheet, if it is a text file that is not in UTF-8.

    Raises:
        ConfigError: fewer than 30 labelled answers; or the sheet or a run cannot be used, with row
            and column, and what to do.
    """
    if not runs:
        raise ConfigError(f"{sheet}: name the run from which it was drawn")
    opened = [open_run(path) for path in runs]
    labels = read_labels(sheet, opened[0], random=random, encoding=encoding)
    names = [run.name for run in opened]
    judges = [
        said_in(f"{run.name} ({n})" if names.count(run.name) > 1 else run.name, run, labels)
        for n, run in enumerate(opened, 1)
    ]
    answers = [answer for answer in labels.answers if answer.unfaithful is not None]
    sizes = Counted(labels.counts.others, labels.counts.flagged)
    parts = [[a for a in answers if a.judged.flagged is kind] for kind in (False, True)]
    _check_enough(labels, parts, sizes)
    problem = _problem([answer.unfaithful is True for answer in answers])
    told = [] if problem else judges
    measured = [judge_figures(said, answers, sizes, seed) for said in told]
    return Agreement(
        sheet=labels.name,
        labels=Counted(*map(len, parts)),
        unfaithful=Counted(*(sum(a.unfaithful is True for a in part) for part in parts)),
        run=sizes,
        left_out=labels.counts.left_out,
        share=unfaithful_rate(
            [answer.unfaithful is True for answer in answers],
            [answer.judged.flagged for answer in answers],
            n_flagged=sizes[1],
            n_unflagged=sizes[0],
        ),
        judges=measured,
        pairs=_pairs(told, answers, sizes, seed),
        annotators=labels.annotators,
        ceiling=_ceiling(labels, sizes, seed),
        warnings=_warnings(labels, parts, measured),
        problem=problem,
    )


def _check_enough(
    labels: Labels, parts: Sequence[Sequence[Labelled]], sizes: Sequence[int]
) -> None:
    total = sum(map(len, parts))
    if total < MIN_LABELS:
        problem = f"{total} labelled answers are too few for an interval that holds"
        raise ConfigError(f"{labels.name}: {problem}; label at least {MIN_LABELS}")
    for part, size, what in zip(parts, sizes, ("passes", "flags"), strict=True):
        if size and not part:
            problem = f"none of the {size:,} answers that the judge {what} is labelled"
            raise ConfigError(f"{labels.name}: {problem}; label more rows of a sheet of `label`")


def _problem(wrong: Sequence[bool]) -> str:
    if any(wrong) and not all(wrong):
        return ""
    which, other = ("unfaithful", "faithful") if wrong[0] else ("faithful", "unfaithful")
    return (
        f"all {len(wrong)} labelled answers are {which}, so nothing can be said of how the judge "
        f"does on {other} ones: label more answers, or a run that has such answers"
    )


def _warnings(
    labels: Labels, parts: Sequence[Sequence[Labelled]], judges: Sequence[JudgeFigures]
) -> list[str]:
    """What a reader must know."""
    told = labels.notes()
    total = sum(map(len, parts))
    if total < MANY_LABELS:
        told.append(
            f"few labels: {total}. Intervals are wide, and hold better from {MANY_LABELS} on"
        )
    if len(parts[1]) < min(FEW_FLAGGED, labels.counts.flagged):
        few = f"few labels of flagged answers: {len(parts[1])}"
        told.append(f"{few}. Label at least {FEW_FLAGGED}")
    for judge in judges:
        if judge.left_out:
            problem = f"labelled answers that {judge.name} could not grade: {judge.left_out}"
            told.append(f"{problem}. Its figures are without them, and may flatter")
    return told


# ---------------------------------------------------------------- two of a kind


def _pairs(
    judges: Sequence[Said], answers: Sequence[Labelled], sizes: Sequence[int], seed: int
) -> list[Paired]:
    tests = []
    for one, two in combinations(judges, 2):
        both = []
        for answer in answers:
            a, b = (said.answers.get(answer.judged.id) for said in (one, two))
            if a is not None and b is not None:
                item = answer.unfaithful is True, a.flagged, b.flagged
                both.append(Both(int(answer.judged.flagged), item))
        if {answer.item[0] for answer in both} == {False, True}:
            tests.append(paired((one.name, two.name), both, sizes, seed))
    return adjusted(tests)


def _ceiling(labels: Labels, sizes: Sequence[int], seed: int) -> Level | None:
    """The first two annotators, on the answers that both have labelled."""
    if len(labels.annotators) < 2:
        return None
    clusters = [
        cluster_of(answer, two)
        for answer in labels.answers
        for one, two in [answer.row.unfaithful[:2]]
        if one is not None and two is not None
    ]
    seen = {cluster.stratum for cluster in clusters}
    if any(size and place not in seen for place, size in enumerate(sizes)):
        return None
    return level_of(clusters, sizes, ANY, seed)
