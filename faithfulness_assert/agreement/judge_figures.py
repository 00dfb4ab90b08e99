"""The figures of one judge beside people: on answers, on statements, by its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..records.errors import ConfigError
from .bootstrap import Cluster, Figure, Sample, intervals
from .figures import figures, ratio
from .judged import CODES, FINE, LABEL_OF
from .labels import FINE as FINE_LABELS
from .labels import Labelled
from .sweep import Scored, Sweep, sweep

if TYPE_CHECKING:
    from .matching import Said, Strata

BINS = 5
"""Parts of [0, 1] in which scores are held against labels."""


class Bin(NamedTuple):
    """Answers with a score from ``low`` to ``high``: how many, and which share is unfaithful."""

    low: float
    high: float
    labelled: int
    unfaithful: Figure


class OfLabel(NamedTuple):
    """What a judge gave one label: how many, and on which share of them people say the same.

    They say the same if both call it fine (supported, or no claim), or both do not.
    """

    label: str
    labelled: int
    right: Figure


class Level(NamedTuple):
    """A judge beside people, on answers or on statements.

    Args:
        labelled: how many.
        counts: of those that are faithful and pass, faithful and flagged, unfaithful and pass,
            unfaithful and flagged.
        shares: the same as shares of the run, by the design.
        figures: see ``figures.figures``.
        by_label: for each label that the judge gave.
    """

    labelled: int
    counts: tuple[int, ...]
    shares: tuple[float, ...]
    figures: Mapping[str, Figure]
    by_label: Sequence[OfLabel]


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
        answers: on whole answers.
        statements: on statements; None if these were not labelled, or are not those of the sheet.
        sweep: what other thresholds would do; None where the policy inverts scores.
        reliability: scores held against labels, the lowest first.
        disagreements: the worst first.
        left_out: labelled answers that it could not grade.
    """

    name: str
    judge: str
    policy: str
    threshold: float
    answers: Level
    statements: Level | None
    sweep: Sweep | None
    reliability: Sequence[Bin]
    disagreements: Sequence[Disagreement]
    left_out: int


def judge_figures(
    said: Said, answers: Sequence[Labelled], strata: Strata, seed: int
) -> JudgeFigures:
    """The figures of a judge on labelled answers of both classes.

    Raises:
        ConfigError: it could grade none of the labelled answers of a stratum.
    """
    told = [(answer, judged) for answer in answers if (judged := said.answers[answer.id])]
    for place, size in enumerate(strata.sizes):
        if size and not any(strata.flagged[answer.id] is bool(place) for answer, _ in told):
            kind = "flagged" if place else "other"
            raise ConfigError(f"{said.name}: none of the {kind} labelled answers was graded there")
    rows = [
        (strata.flagged[a.id], a.unfaithful[0] is True, j.flagged, j.score, j.forced)
        for a, j in told
    ]
    clusters = [cluster_of(stratum, [(wrong, flag)]) for stratum, wrong, flag, *_ in rows]
    differ = [
        Disagreement(a.id, a.unfaithful[0] is True, j.score, a.texts)
        for a, j in told
        if j.flagged is not a.unfaithful[0]
    ]
    scored = [
        Scored(stratum, wrong, None if forced else score)
        for stratum, wrong, _, score, forced in rows
    ]
    return JudgeFigures(
        name=said.name,
        judge=said.judge,
        policy=said.policy,
        threshold=said.threshold,
        answers=level_of(clusters, strata.sizes, _possible(strata, said), seed),
        statements=_statements(said, answers, strata, seed),
        sweep=None if said.inverse else sweep(scored, strata.sizes, said.threshold, seed),
        reliability=_reliability([(s, w, score) for s, w, _, score, _ in rows], strata, seed),
        disagreements=sorted(differ, key=_badness),
        left_out=len(answers) - len(told),
    )


def _badness(item: Disagreement) -> tuple[bool, float]:
    """What was missed comes first, and of that what has the highest score."""
    score = 0.0 if item.score is None else item.score
    return not item.missed, -score if item.missed else score


def cluster_of(stratum: bool, items: Sequence[tuple[bool, bool]]) -> Cluster:
    """An answer with items that are unfaithful or not, and flagged or not."""
    counts = [0] * 4
    for wrong, flag in items:
        counts[2 * wrong + flag] += 1
    return Cluster(int(stratum), tuple(counts))


def _possible(strata: Strata, said: Said) -> list[list[int]]:
    """Of the judge by whose verdict the strata are: its own verdict; of others both."""
    told = said.answers.items()
    own = all(strata.flagged[id] is judged.flagged for id, judged in told if judged)
    return [[0, 2], [1, 3]] if own else [[0, 1, 2, 3]] * 2


def level_of(
    clusters: Sequence[Cluster],
    sizes: Sequence[int],
    possible: Sequence[Sequence[int]],
    seed: int,
    by_label: Sequence[OfLabel] = (),
) -> Level:
    """The level of clusters as ``cluster_of`` makes them. ``possible``: see ``Sample``."""
    sample = Sample(clusters, sizes, possible)
    totals = sample.totals()
    counts = tuple(map(sum, zip(*(cluster.counts for cluster in clusters), strict=True)))
    shares = tuple(total / sum(totals) for total in totals)
    return Level(sum(counts), counts, shares, intervals(sample, figures, seed=seed), by_label)


def _reliability(
    rows: Sequence[tuple[bool, bool, float | None]], strata: Strata, seed: int
) -> list[Bin]:
    """The share of unfaithful answers by their score. Those without a score are in no bin."""
    places = [None if score is None else min(int(score * BINS), BINS - 1) for *_, score in rows]
    clusters = []
    for (stratum, wrong, _), place in zip(rows, places, strict=True):
        counts = [0] * (2 * BINS + 1)
        counts[2 * BINS if place is None else 2 * place + wrong] = 1
        clusters.append(Cluster(int(stratum), tuple(counts)))
    found = _shares_of_pairs(clusters, strata, BINS, seed)
    return [
        Bin(place / BINS, (place + 1) / BINS, places.count(place), found[place])
        for place in range(BINS)
        if place in places
    ]


def _shares_of_pairs(
    clusters: Sequence[Cluster], strata: Strata, pairs: int, seed: int
) -> Mapping[int, Figure]:
    """Of each pair of kinds the share of the second one, by the place of the pair."""

    def shares(totals: Sequence[float]) -> Mapping[str, float | None]:
        both = ((totals[2 * n], totals[2 * n + 1]) for n in range(pairs))
        return {str(n): ratio(two, one + two) for n, (one, two) in enumerate(both)}

    possible = [list(range(2 * pairs + 1))] * len(strata.sizes)
    found = intervals(Sample(clusters, strata.sizes, possible), shares, seed=seed)
    return {int(name): figure for name, figure in found.items()}


# ---------------------------------------------------------------- statements


def _statements(said: Said, answers: Sequence[Labelled], strata: Strata, seed: int) -> Level | None:
    """The judge on statements, of the answers whose statements are those of the sheet."""
    clusters, by_label = [], []
    codes = list(CODES.values())
    for answer in answers:
        judged = said.answers[answer.id]
        if judged is None or not answer.statements or answer.id not in said.same_statements:
            continue
        wrong = [labels[0] not in FINE_LABELS for labels in answer.statements]
        flags = [code not in FINE for code in judged.labels]
        stratum = strata.flagged[answer.id]
        clusters.append(cluster_of(stratum, list(zip(wrong, flags, strict=True))))
        counts = [0] * (2 * len(codes) + 1)
        for code, is_wrong, flag in zip(judged.labels, wrong, flags, strict=True):
            counts[2 * codes.index(code) + (is_wrong is flag)] += 1
        by_label.append(Cluster(int(stratum), tuple(counts)))
    if not are_everywhere(clusters, strata.sizes):
        return None
    right = _shares_of_pairs(by_label, strata, len(codes), seed)
    sums = list(map(sum, zip(*(cluster.counts for cluster in by_label), strict=True)))
    seen = [sums[2 * place] + sums[2 * place + 1] for place in range(len(codes))]
    table = [
        OfLabel(LABEL_OF[code], seen[place], right[place])
        for place, code in enumerate(codes)
        if seen[place]
    ]
    return level_of(clusters, strata.sizes, [[0, 1, 2, 3]] * 2, seed, table)


def are_everywhere(clusters: Sequence[Cluster], sizes: Sequence[int]) -> bool:
    """Whether each stratum that has answers has a labelled one."""
    seen = {cluster.stratum for cluster in clusters}
    return all(place in seen for place, size in enumerate(sizes) if size)
