"""Holds what judges say against what people say: all figures of a sheet of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import sub
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
    how_many,
    judge_figures,
    paired,
    share_of_unfaithful,
)
from .labels import Labelled, Labels, read_labels


class Cells(NamedTuple):
    """Answers by what people and the judge say. ``no_verdict``: the judge says nothing of them."""

    faithful_passes: float
    faithful_flagged: float
    faithful_no_verdict: float
    unfaithful_passes: float
    unfaithful_flagged: float
    unfaithful_no_verdict: float


class Level(NamedTuple):
    """A judge beside people: how many answers, their shares of those that it was asked about in the
    run, and the figures.
    """

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


@dataclass(frozen=True, slots=True, repr=False)
class Agreement:
    """What the labels of a sheet say.

    Args:
        sheet: its name.
        labels: how many answers are labelled.
        unfaithful: how many of these people call so.
        run: how many graded answers the run had when the sheet was drawn.
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

    def __repr__(self) -> str:
        """In short: it has all answers with a label. The command ``agreement`` shows tables."""
        said = f"sheet={self.sheet!r}, labels={sum(self.labels)}, share={self.share!r}"
        return f"{type(self).__name__}({said}, problem={self.problem!r})"

    @property
    def faithful(self) -> Figure:
        """The share of faithful answers: what the pass rate would be with a judge without error."""
        value, low, high = (1 - (number or 0.0) for number in self.share)
        return Figure(value, high, low)

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
    names = Counter(run.name for run in opened)
    judges = [
        _judge_of(f"{run.name} ({n})" if names[run.name] > 1 else run.name, run, labels)
        for n, run in enumerate(opened, 1)
    ]
    answers = [answer for answer in labels.answers if answer.unfaithful is not None]
    decided = [answer for answer in answers if answer.judged.by_policy]
    asked = [answer for answer in answers if not answer.judged.by_policy]
    sizes, by_policy = Counted(*labels.counts[:2]), Counted(*labels.counts.by_policy)
    rest = Counted(*map(sub, sizes, by_policy))
    by_kind = _sample(answers, (), sizes)
    check_labels(labels.name, by_kind)
    problem = _problem(asked, rest)
    shown = [] if problem else judges
    measured = [_figures(n, judge, asked, rest) for n, judge in enumerate(shown)]
    return Agreement(
        sheet=labels.name,
        labels=Counted(*(how_many(by_kind.items, (kind,)) for kind in KINDS)),
        unfaithful=Counted(*(by_kind.items[kind, True] for kind in KINDS)),
        run=sizes,
        left_out=labels.counts.left_out,
        by_policy=by_policy,
        decided=[_as_labelled(answer, answer.judged) for answer in decided],
        share=share_of_unfaithful(by_kind),
        judges=measured,
        pairs=_pairs(shown, asked, rest),
        annotators=labels.annotators,
        ceiling=_ceiling(labels, asked, rest),
        warnings=list(_warnings(labels, by_kind, asked, measured)),
        problem=problem,
    )


def _problem(asked: Sequence[Labelled], rest: Counted) -> str:
    """Why labels of answers that a judge was asked about say nothing of it; "" if they do."""
    flags = {answer.judged.flagged for answer in asked}
    for kind, size, what in zip(KINDS, rest, ("passes", "flags"), strict=True):
        if size and kind not in flags:
            return f"none of the {size:,} answers that the judge {what} is labelled: label more"
    labels = {answer.unfaithful for answer in asked}
    if labels == {False, True}:
        return ""
    if not labels:
        return "the policy decided on all answers, so nothing can be said of a judge"
    which, other = ("unfaithful", "faithful") if labels == {True} else ("faithful", "unfaithful")
    return (
        f"all {len(asked)} labelled answers are {which}, so nothing can be said of how the "
        f"judge does on {other} ones: label more answers, or a run that has such answers"
    )


def _warnings(
    labels: Labels,
    by_kind: Sample,
    asked: Sequence[Labelled],
    judges: Sequence[JudgeFigures],
) -> Iterator[str]:
    """What a reader must know."""
    done = [answer.unfaithful is not None for answer in labels.answers]
    while not done[-1]:  # whoever stops early leaves a random part
        done.pop()
    if passed_over := done.count(False):
        note = f"answers that were passed over, without a label: {passed_over}"
        yield f"{note}. If those are the hard ones, all figures flatter"
    if (total := by_kind.items.total()) < MANY_LABELS:
        yield f"few labels: {total}. Intervals are wide; label {MANY_LABELS} or more"
    classes = Counter("unfaithful" if answer.unfaithful else "faithful" for answer in asked)
    for name, figure in (("unfaithful", "recall"), ("faithful", "specificity")):
        if judges and classes[name] < LEAST_OF_A_CLASS:
            few = f"only {classes[name]} labelled answers that a judge saw are {name}"
            yield f"{few}: too few for intervals of {figure} and balanced accuracy"
    for judge in judges:
        if judge.left_out:
            problem = f"labelled answers that {judge.name} could not grade: {judge.left_out}"
            yield f"{problem}. Its figures are without them, and may flatter"


# ---------------------------------------------------------------- a judge

Flags = Mapping[str, bool]
"""Whether one calls an answer unfaithful, by its id; of those answers that he says it of."""


class _Judge(NamedTuple):
    """The judge of a run.

    Args:
        name: of the run.
        run: it.
        answers: the labelled answers that were graded there, by their ids.
        flags: what it says of those that also the judge of the first run was asked about.
    """

    name: str
    run: Run
    answers: Mapping[str, Judged]
    flags: Flags


def _judge_of(name: str, run: Run, labels: Labels) -> _Judge:
    """The judge of a run.

    Raises:
        ConfigError: the run has none of the labelled answers, or has one with other texts.
    """
    wanted = {answer.judged.id: answer for answer in labels.answers}
    answers = {judged.id: judged for judged in run.answers() if judged and judged.id in wanted}
    if not answers:
        raise ConfigError(f"{name}: has none of the answers of {labels.name}")
    flags = {}
    for id, judged in answers.items():
        first = wanted[id].judged
        if judged.input != first.input:
            where = f"{labels.name}, {wanted[id].where}: {clip(id, 60)!r}"
            raise ConfigError(
                f"{where} has other texts in {name} than in the run that was labelled; name a run "
                "over the same data"
            )
        if not (judged.by_policy or first.by_policy):
            flags[id] = judged.flagged
    return _Judge(name, run, answers, flags)


def _figures(place: int, judge: _Judge, asked: Sequence[Labelled], rest: Counted) -> JudgeFigures:
    """The figures of the judge of the run at ``place``.

    Args:
        place: 0 for the run that was labelled.
        judge: what it says.
        asked: the labelled answers that the judge of the first run was asked about.
        rest: how many of these that run has, which it passes and flags.
    """
    judged = [answer for answer in asked if answer.judged.id in judge.flags]
    sample = _sample(judged, [judge.flags][: bool(place)], rest, judge.name)
    differ = [
        _as_labelled(answer, judge.answers[answer.judged.id])
        for answer in judged
        if judge.flags[answer.judged.id] is not answer.unfaithful
    ]
    # What was missed comes first, and of that what has the highest score.
    differ.sort(key=lambda one: (not one.passes, (one.score or 0.0) * (-1 if one.passes else 1)))
    return JudgeFigures(
        name=judge.name,
        judge=judge.run.judge,
        policy=judge.run.policy,
        threshold=judge.run.threshold,
        answers=_level(asked, judge.flags, rest, judge_figures(sample, min(place, 1))),
        disagreements=differ,
        left_out=sum(answer.judged.id not in judge.answers for answer in asked),
    )


def _sample(
    answers: Sequence[Labelled], others: Sequence[Flags], sizes: Counted, name: str = ""
) -> Sample:
    """Answers with what others than the judge of the first run, and then people, say of them.

    Raises:
        ConfigError: there is none in a stratum; ``name`` who says nothing of it.
    """
    items = Counter[Item](
        (a.judged.flagged, *(flags[a.judged.id] for flags in others), a.unfaithful is True)
        for a in answers
    )
    for kind, size, what in zip(KINDS, sizes, ("other", "flagged"), strict=True):
        if name and size and not how_many(items, (kind,)):
            raise ConfigError(f"{name}: none of the {what} labelled answers was graded there")
    return Sample(items, {(kind,): size for kind, size in zip(KINDS, sizes, strict=True)})


def _level(
    answers: Sequence[Labelled], flags: Flags, sizes: Counted, figures: Mapping[str, Figure]
) -> Level:
    """Counts and shares of answers."""
    drawn = Counter(answer.judged.flagged for answer in answers)
    total = sum(sizes[kind] for kind in drawn)
    counts, shares = [0] * 6, [0.0] * 6
    for answer in answers:
        place = 3 * (answer.unfaithful is True) + flags.get(answer.judged.id, 2)
        kind = answer.judged.flagged
        counts[place] += 1
        shares[place] += sizes[kind] / drawn[kind] / total
    return Level(len(answers), Cells(*counts), Cells(*shares), figures)


def _as_labelled(answer: Labelled, judged: Judged) -> LabelledAnswer:
    wrong, passes = answer.unfaithful is True, not judged.flagged
    return LabelledAnswer(judged.id, judged.status, passes, judged.score, wrong, answer.texts)


# ---------------------------------------------------------------- two of a kind


def _pairs(judges: Sequence[_Judge], asked: Sequence[Labelled], rest: Counted) -> list[Paired]:
    """Each two judges, on the answers of which both say something."""
    tests = []
    for (place, one), (_, two) in combinations(enumerate(judges), 2):
        both = [a for a in asked if a.judged.id in one.flags and a.judged.id in two.flags]
        if {answer.unfaithful for answer in both} == {False, True}:
            others = [one.flags, two.flags][not place :]
            sample = _sample(both, others, rest, f"{one.name} and {two.name}")
            tests.append(paired((one.name, two.name), sample, (1, 2) if place else (0, 1)))
    corrected = holm([test.p for test in tests])
    return [test._replace(adjusted=p) for test, p in zip(tests, corrected, strict=True)]


def _ceiling(labels: Labels, asked: Sequence[Labelled], rest: Counted) -> Level | None:
    """The second annotator in the place of a judge, on the answers that both have labelled."""
    if len(labels.annotators) < 2:
        return None
    second = {a.judged.id: label for a in asked if (label := a.labels[1]) is not None}
    both = [answer for answer in asked if answer.judged.id in second]
    drawn = {answer.judged.flagged for answer in both}
    if any(size and kind not in drawn for kind, size in zip(KINDS, rest, strict=True)):
        return None
    sample = _sample(both, [second], rest, labels.name)
    return _level(both, second, rest, judge_figures(sample, 1))
