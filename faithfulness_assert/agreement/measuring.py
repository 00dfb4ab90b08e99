"""Holds what judges say against what people say: all figures of a sheet of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from typing import NamedTuple

from ..records.errors import ConfigError
from ..statistics import holm
from ..text.strings import clip
from .drawing import MANY_LABELS, MIN_LABELS, Judged, Rate, Run, open_run, unfaithful_rate
from .figures import (
    SEED,
    Both,
    Cluster,
    Figure,
    Paired,
    Sample,
    figures,
    intervals,
    paired,
)
from .labels import Labelled, Labels, read_labels

ANY = [[0, 1, 2, 3]] * 2
"""What may be in a stratum if it says nothing of the verdicts: see ``Sample``."""


class Cells(NamedTuple):
    """Answers by what people and the judge say."""

    faithful_passes: float
    faithful_flagged: float
    unfaithful_passes: float
    unfaithful_flagged: float


class Level(NamedTuple):
    """A judge beside people: how many answers, their shares of the run, and the figures."""

    labelled: int
    counts: Cells
    shares: Cells
    figures: Mapping[str, Figure]


class Disagreement(NamedTuple):
    """A labelled answer on which a judge and people differ.

    ``missed``: people call it unfaithful, and the judge passes it.
    """

    id: str
    missed: bool
    score: float | None
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """All figures of one judge.

    Args:
        name, judge, policy, threshold: what was graded with.
        answers: the figures.
        disagreements: the worst first.
        left_out: labelled answers that it could not grade.
    """

    name: str
    judge: str
    policy: str
    threshold: float
    answers: Level
    disagreements: Sequence[Disagreement]
    left_out: int


class Said(NamedTuple):
    """What the judge of a run says of the labelled answers, by their ids, as far as it could."""

    name: str
    run: Run
    answers: Mapping[str, Judged]


def judge_figures(
    said: Said, answers: Sequence[Labelled], sizes: Sequence[int], seed: int
) -> JudgeFigures:
    """The figures of a judge on labelled answers of both classes.

    Args:
        sizes: how many answers of the run that was labelled pass, and are flagged.

    Raises:
        ConfigError: it could grade none of the labelled answers of a stratum.
    """
    told = [
        (answer, judged) for answer in answers if (judged := said.answers.get(answer.judged.id))
    ]
    clusters = [cluster_of(answer, judged.flagged) for answer, judged in told]
    for place, size in enumerate(sizes):
        if size and not any(cluster.stratum == place for cluster in clusters):
            kind = "flagged" if place else "other"
            raise ConfigError(f"{said.name}: none of the {kind} labelled answers was graded there")
    own = all(answer.judged.flagged is judged.flagged for answer, judged in told)
    differ = [
        Disagreement(judged.id, not judged.flagged, judged.score, answer.row.texts)
        for answer, judged in told
        if judged.flagged is not answer.unfaithful
    ]
    return JudgeFigures(
        name=said.name,
        judge=said.run.judge,
        policy=said.run.policy,
        threshold=said.run.threshold,
        # By the judge whose verdicts are the strata nothing else may be in them.
        answers=level_of(clusters, sizes, [[0, 2], [1, 3]] if own else ANY, seed),
        disagreements=sorted(differ, key=_badness),
        left_out=len(answers) - len(told),
    )


def cluster_of(answer: Labelled, flag: bool) -> Cluster:
    """A labelled answer that somebody flags, or not."""
    kind = 2 * (answer.unfaithful is True) + flag
    return Cluster(int(answer.judged.flagged), tuple(int(place == kind) for place in range(4)))


def level_of(
    clusters: Sequence[Cluster],
    sizes: Sequence[int],
    possible: Sequence[Sequence[int]],
    seed: int,
) -> Level:
    """The level of clusters as ``cluster_of`` makes them. ``possible``: see ``Sample``."""
    sample = Sample(clusters, sizes, possible)
    totals = sample.totals()
    counts = Cells(*map(sum, zip(*(cluster.counts for cluster in clusters), strict=True)))
    shares = Cells(*(total / sum(totals) for total in totals))
    return Level(len(clusters), counts, shares, intervals(sample, figures, seed=seed))


def _badness(item: Disagreement) -> tuple[bool, float]:
    """What was missed comes first, and of that what has the highest score."""
    score = 0.0 if item.score is None else item.score
    return not item.missed, -score if item.missed else score


def said_in(name: str, run: Run, labels: Labels) -> Said:
    """What the judge of a run says of the labelled answers.

    Raises:
        ConfigError: the run has none of them, or has one with other texts.
    """
    wanted = {answer.judged.id: answer for answer in labels.answers}
    found = {judged.id: judged for judged in run.answers() if judged and judged.id in wanted}
    if not found:
        raise ConfigError(f"{name}: has none of the answers of {labels.name}")
    for id, judged in found.items():
        if judged.input != wanted[id].judged.input:
            where = f"{labels.name}, {wanted[id].row.where}: {clip(id, 60)!r}"
            raise ConfigError(
                f"{where} has other texts in {name} than in the run that was labelled; name a run "
                "over the same data"
            )
    return Said(name, run, found)


# ---------------------------------------------------------------- all of a sheet


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
    corrected = holm([test.p for test in tests])
    return [test._replace(adjusted=p) for test, p in zip(tests, corrected, strict=True)]


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
