"""The figures of one judge beside people, and where both differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..records.errors import ConfigError
from ..text.strings import clip
from .bootstrap import Cluster, Figure, Sample, intervals
from .drawing import Judged, Run
from .figures import figures
from .labels import Labelled, Labels

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
