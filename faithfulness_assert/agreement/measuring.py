"""Holds what judges say against what people say: all figures of a sheet of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from typing import NamedTuple

from ..batch.store import is_run
from ..records.errors import ConfigError
from ..statistics import Figure, holm
from ..text.strings import clip
from .drawing import KINDS, MANY_LABELS, Judged, Run, check_labels, open_run
from .figures import (
    LEAST_OF_A_CLASS,
    Item,
    Paired,
    Sample,
    Stratum,
    judge_figures,
    paired,
    share_of_unfaithful,
)
from .labels import Labelled, Labels, read_labels

FEW_FLAGGED = 5


class Cells(NamedTuple):
    """Answers by what people and the judge say. ``no_verdict``: the judge says nothing of them."""

    faithful_passes: float
    faithful_flagged: float
    faithful_no_verdict: float
    unfaithful_passes: float
    unfaithful_flagged: float
    unfaithful_no_verdict: float


class Level(NamedTuple):
    """A judge beside people: how many answers, their shares of the run, and the figures."""

    labelled: int
    counts: Cells
    shares: Cells
    figures: Mapping[str, Figure]


class LabelledAnswer(NamedTuple):
    """A labelled answer: what it got, what people say of it, and its texts."""

    id: str
    status: str
    passes: bool
    score: float | None
    unfaithful: bool
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
    disagreements: Sequence[LabelledAnswer]
    left_out: int


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
        run: how many graded answers the run had when the sheet was drawn.
        cases: how many it has, with those that had no result then.
        left_out: cases that the figures say nothing about: they could not be graded.
        by_policy: how many answers of the run pass and are flagged by the policy alone, as they
            are blank, only decline, or have no context. Figures of a judge are without them.
        decided: the labelled ones of these.
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
    cases: int
    left_out: int
    by_policy: Counted
    decided: Sequence[LabelledAnswer]
    share: Figure
    judges: Sequence[JudgeFigures]
    pairs: Sequence[Paired]
    annotators: Sequence[str]
    ceiling: Level | None
    warnings: Sequence[str]
    problem: str

    @property
    def faithful(self) -> Figure:
        """The share of faithful answers: what the pass rate would be with a judge without error."""
        value, low, high = (1 - (number or 0.0) for number in self.share)
        return Figure(value, high, low)

    @property
    def is_part(self) -> bool:
        """Whether the run has cases that had no result when the sheet was drawn."""
        return sum(self.run) + self.left_out < self.cases

    @property
    def passed(self) -> float:
        """The pass rate by the judge of the run that was labelled."""
        return self.run.others / sum(self.run)


def measure(
    sheet: str | PathLike[str],
    *runs: str | PathLike[str],
    random: bool = False,
    encoding: str | None = None,
) -> Agreement:
    """Holds the judges of runs against the labels of people.

    Labels count by the verdicts in the first run. The first annotator is who judges are compared
    with. The same labels give the same figures.

    Args:
        sheet: what ``write_sheet`` wrote, with labels; or a table with ``id`` and ``label``.
        runs: directories of runs over the same cases, or their results as ``.jsonl``. The first one
            is that from which the sheet was drawn.
        random: the sheet does not say how it was drawn, and its answers were drawn at random from
            the first run.
        encoding: that of the sheet, if it is a text file that is not in UTF-8.

    Raises:
        ConfigError: fewer than 30 labelled answers; or the sheet or a run cannot be used, with row
            and column, and what to do.
    """
    if not runs:
        raise ConfigError(f"{sheet}: name the run from which it was drawn")
    if is_run(sheet):
        raise ConfigError(f"{sheet}: is a run; name the sheet with the labels first, then its run")
    opened = [open_run(path) for path in runs]
    labels = read_labels(sheet, opened[0], random=random, encoding=encoding)
    names = [run.name for run in opened]
    judges = [
        _judge_of(f"{run.name} ({n})" if names.count(run.name) > 1 else run.name, run, labels)
        for n, run in enumerate(opened, 1)
    ]
    answers = [answer for answer in labels.answers if answer.unfaithful is not None]
    sizes = Counted(labels.counts.others, labels.counts.flagged)
    parts = [[a for a in answers if a.judged.flagged is kind] for kind in KINDS]
    check_labels(labels.name, [len(part) for part in parts], sizes)
    by_judge = [answer for answer in answers if not answer.judged.by_policy]
    by_policy = Counted(*labels.counts.by_policy)
    rest = Counted(sizes.others - by_policy.others, sizes.flagged - by_policy.flagged)
    problem = _problem(by_judge, rest)
    shown = [] if problem else judges
    strata = _strata(answers, by_policy, rest)
    measured = [_figures(n, judge, answers, strata, rest) for n, judge in enumerate(shown)]
    wrong = Counter(_stratum(a, strata) for a in answers if a.unfaithful)
    drawn = Counter(_stratum(a, strata) for a in answers)
    return Agreement(
        sheet=labels.name,
        labels=Counted(*map(len, parts)),
        unfaithful=Counted(*(sum(a.unfaithful is True for a in part) for part in parts)),
        run=sizes,
        cases=opened[0].cases,
        left_out=labels.counts.left_out,
        by_policy=by_policy,
        decided=[
            _as_labelled(answer, answer.judged) for answer in answers if answer.judged.by_policy
        ],
        share=share_of_unfaithful(Stratum(n, drawn[s], wrong[s]) for s, n in strata.items()),
        judges=measured,
        pairs=_pairs(shown, answers, rest),
        annotators=labels.annotators,
        ceiling=_ceiling(labels, rest),
        warnings=list(_warnings(labels, parts, by_judge, measured)),
        problem=problem,
    )


def _problem(by_judge: Sequence[Labelled], rest: Counted) -> str:
    """Why labels of answers that a judge was asked about say nothing of it; "" if they do."""
    for kind, size, what in zip(KINDS, rest, ("passes", "flags"), strict=True):
        if size and not any(answer.judged.flagged is kind for answer in by_judge):
            return f"none of the {size:,} answers that the judge {what} is labelled: label more"
    labels = {answer.unfaithful for answer in by_judge}
    if labels == {False, True}:
        return ""
    if not labels:
        return "the policy decided on all answers, so nothing can be said of a judge"
    which, other = ("unfaithful", "faithful") if labels == {True} else ("faithful", "unfaithful")
    return (
        f"all {len(by_judge)} labelled answers are {which}, so nothing can be said of how the "
        f"judge does on {other} ones: label more answers, or a run that has such answers"
    )


def _warnings(
    labels: Labels,
    parts: Sequence[Sequence[Labelled]],
    by_judge: Sequence[Labelled],
    judges: Sequence[JudgeFigures],
) -> Iterator[str]:
    """What a reader must know. ``by_judge``: the labelled answers that a judge was asked about."""
    yield from labels.notes()
    total = sum(map(len, parts))
    if total < MANY_LABELS:
        yield f"few labels: {total}. Intervals are wide; label {MANY_LABELS} or more"
    if len(parts[1]) < min(FEW_FLAGGED, labels.counts.flagged):
        few = f"few labels of flagged answers: {len(parts[1])}"
        yield f"{few}. Label at least {FEW_FLAGGED}"
    classes = Counter("unfaithful" if answer.unfaithful else "faithful" for answer in by_judge)
    for name, figure in (("unfaithful", "recall"), ("faithful", "specificity")):
        if judges and classes[name] < LEAST_OF_A_CLASS:
            few = f"only {classes[name]} labelled answers that a judge saw are {name}"
            yield f"{few}: too few for intervals of {figure} and balanced accuracy"
    for judge in judges:
        if judge.left_out:
            problem = f"labelled answers that {judge.name} could not grade: {judge.left_out}"
            yield f"{problem}. Its figures are without them, and may flatter"


# ---------------------------------------------------------------- a judge


class _Judge(NamedTuple):
    """What the judge of a run says of the labelled answers, by their ids, as far as it could."""

    name: str
    run: Run
    answers: Mapping[str, Judged]

    def verdict(self, answer: Labelled) -> Judged | None:
        """What it says of an answer that also the judge of the first run was asked about."""
        judged = self.answers.get(answer.judged.id)
        return None if answer.judged.by_policy or not judged or judged.by_policy else judged


def _judge_of(name: str, run: Run, labels: Labels) -> _Judge:
    """The judge of a run.

    Raises:
        ConfigError: the run has none of the labelled answers, or has one with other texts.
    """
    wanted = {answer.judged.id: answer for answer in labels.answers}
    answers_by_id = {
        judged.id: judged for judged in run.answers() if judged and judged.id in wanted
    }
    if not answers_by_id:
        raise ConfigError(f"{name}: has none of the answers of {labels.name}")
    for id, judged in answers_by_id.items():
        if judged.input != wanted[id].judged.input:
            where = f"{labels.name}, {wanted[id].row.where}: {clip(id, 60)!r}"
            raise ConfigError(
                f"{where} has other texts in {name} than in the run that was labelled; name a run "
                "over the same data"
            )
    return _Judge(name, run, answers_by_id)


Strata = Mapping[tuple[bool, bool | None], int]
"""How many answers of a run are flagged or not, and decided by the policy or not; None: either."""


def _strata(answers: Sequence[Labelled], by_policy: Counted, rest: Counted) -> Strata:
    """The strata by which labels are weighted: one base rate for all figures of a page.

    What the policy decided is apart, unless that is there and has no label.
    """
    strata = {(kind, True): by_policy[kind] for kind in KINDS}
    strata |= {(kind, False): rest[kind] for kind in KINDS}
    labelled = {(answer.judged.flagged, answer.judged.by_policy) for answer in answers}
    if labelled.issuperset(stratum for stratum, size in strata.items() if size):
        return {stratum: strata[stratum] for stratum in sorted(strata)}
    return {(kind, None): by_policy[kind] + rest[kind] for kind in KINDS}


def _stratum(answer: Labelled, strata: Strata) -> tuple[bool, bool | None]:
    judged = answer.judged
    both = judged.flagged, judged.by_policy
    return both if both in strata else (judged.flagged, None)


def _figures(
    place: int, judge: _Judge, answers: Sequence[Labelled], strata: Strata, rest: Counted
) -> JudgeFigures:
    """The figures of the judge of the run at ``place``.

    ``rest``: how many answers the judge of the first run was asked about and passes, and flags.
    """
    verdicts = [(answer, judge.verdict(answer)) for answer in answers]
    judged_pairs = [(answer, judged) for answer, judged in verdicts if judged]
    sample = _sample(judge.name, [(a, [j.flagged][: bool(place)]) for a, j in judged_pairs], rest)
    differ = [
        _as_labelled(answer, judged)
        for answer, judged in judged_pairs
        if judged.flagged is not answer.unfaithful
    ]
    level = _level(
        [(answer, judged and judged.flagged) for answer, judged in verdicts],
        strata,
        judge_figures(sample, min(place, 1)),
    )
    return JudgeFigures(
        name=judge.name,
        judge=judge.run.judge,
        policy=judge.run.policy,
        threshold=judge.run.threshold,
        answers=level,
        disagreements=sorted(differ, key=_badness),
        left_out=sum(answer.judged.id not in judge.answers for answer in answers),
    )


def _sample(
    name: str, answers: Sequence[tuple[Labelled, Sequence[bool]]], sizes: Counted
) -> Sample:
    """Labelled answers with what others than the judge of the first run say of them.

    Raises:
        ConfigError: there is none in a stratum.
    """
    items = Counter[Item](
        (answer.judged.flagged, *flags, answer.unfaithful is True) for answer, flags in answers
    )
    for kind, size, what in zip(KINDS, sizes, ("other", "flagged"), strict=True):
        if size and not any(item[0] is kind for item in items):
            raise ConfigError(f"{name}: none of the {what} labelled answers was graded there")
    return Sample(items, sizes)


def _level(
    answers: Sequence[tuple[Labelled, bool | None]], strata: Strata, figures: Mapping[str, Figure]
) -> Level:
    """Counts and shares of answers, each with what is said of it; None: nothing."""
    drawn = Counter(_stratum(answer, strata) for answer, _ in answers)
    total = sum(strata[stratum] for stratum in drawn)
    counts, shares = [0] * 6, [0.0] * 6
    for answer, flag in answers:
        place = 3 * (answer.unfaithful is True) + (2 if flag is None else flag)
        counts[place] += 1
        stratum = _stratum(answer, strata)
        shares[place] += strata[stratum] / drawn[stratum] / total
    return Level(len(answers), Cells(*counts), Cells(*shares), figures)


def _as_labelled(answer: Labelled, judged: Judged) -> LabelledAnswer:
    wrong, passes = answer.unfaithful is True, not judged.flagged
    return LabelledAnswer(judged.id, judged.status, passes, judged.score, wrong, answer.row.texts)


def _badness(item: LabelledAnswer) -> tuple[bool, float]:
    """What was missed comes first, and of that what has the highest score."""
    score = item.score or 0.0
    return not item.passes, -score if item.passes else score


# ---------------------------------------------------------------- two of a kind


def _pairs(judges: Sequence[_Judge], answers: Sequence[Labelled], sizes: Counted) -> list[Paired]:
    """Each two judges, on the answers of which both say something."""
    tests = []
    for (place, one), (_, two) in combinations(enumerate(judges), 2):
        both = [
            (answer, [first.flagged, second.flagged][not place :])
            for answer in answers
            if (first := one.verdict(answer)) and (second := two.verdict(answer))
        ]
        if {answer.unfaithful for answer, _ in both} == {False, True}:
            names = one.name, two.name
            sample = _sample(" and ".join(names), both, sizes)
            tests.append(paired(names, sample, (1, 2) if place else (0, 1)))
    corrected = holm([test.p for test in tests])
    return [test._replace(adjusted=p) for test, p in zip(tests, corrected, strict=True)]


def _ceiling(labels: Labels, rest: Counted) -> Level | None:
    """The first two annotators, on the answers that both have labelled and a judge was asked about.

    ``rest``: how many of these there are.
    """
    if len(labels.annotators) < 2:
        return None
    both = [
        (answer, two)
        for answer in labels.answers
        for one, two in [answer.row.unfaithful[:2]]
        if one is not None and two is not None and not answer.judged.by_policy
    ]
    drawn = {answer.judged.flagged for answer, _ in both}
    if any(size and kind not in drawn for kind, size in zip(KINDS, rest, strict=True)):
        return None
    sample = _sample(labels.name, [(answer, [two]) for answer, two in both], rest)
    strata: Strata = {(kind, False): rest[kind] for kind in KINDS}
    return _level(both, strata, judge_figures(sample, 1))
