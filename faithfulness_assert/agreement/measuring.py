"""Holds what judges say against what people say: all figures of a sheet of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from pathlib import Path

from ..records.errors import ConfigError
from .bootstrap import SEED
from .judge_figures import (
    JudgeFigures,
    Level,
    are_everywhere,
    cluster_of,
    judge_figures,
    level_of,
)
from .judged import fingerprint, open_run
from .labels import FINE as FINE_LABELS
from .labels import Labelled, Labels, read_labels
from .matching import Said, Strata, labelled, said_by_design, said_in, strata_of
from .paired import Both, Paired, adjusted, paired
from .rates import MANY_LABELS, MIN_LABELS, Rate, unfaithful_rate
from .statement_rates import Answers, unfaithful_statement_rate

FEW_FLAGGED = 5


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the labels of a sheet say.

    Args:
        sheet: its name.
        labels: how many answers are labelled: of the others, and of the flagged ones.
        sizes: how many answers of the run pass, and are flagged.
        unfaithful: among the labelled ones, the same.
        left_out: cases that the figures say nothing about: they could not be graded.
        share: of unfaithful answers in the run.
        statements: the share of unfaithful statements; None if these were not labelled.
        counted: for ``statements``, of each labelled answer that passes or is flagged: how many
            statements are unfaithful, of how many; and how many statements the run has.
        judges: one for each run; none if the labels are all of one class.
        pairs: the judges held against each other.
        annotators: the names of the columns with labels.
        ceiling: two people beside each other, as a judge beside the first; None with one.
        warnings: what a reader must know.
        problem: why there are no figures of a judge; "" if there are.
        run: the fingerprint of the results of the run that was labelled.
        drawn_from: the given runs that this is, if they are directories.
    """

    sheet: str
    labels: tuple[int, int]
    sizes: tuple[int, int]
    unfaithful: tuple[int, int]
    left_out: int
    share: Rate
    statements: Rate | None
    counted: tuple[Answers, Answers] | None
    judges: Sequence[JudgeFigures]
    pairs: Sequence[Paired]
    annotators: Sequence[str]
    ceiling: Level | None
    warnings: Sequence[str]
    problem: str
    run: str
    drawn_from: Sequence[Path]

    @property
    def faithful(self) -> Rate:
        """The share of faithful answers: what the pass rate would be with a judge without error."""
        return Rate(1 - self.share.value, 1 - self.share.high, 1 - self.share.low)

    @property
    def passed(self) -> float:
        """The pass rate by the judge of the run that was labelled."""
        return self.sizes[0] / sum(self.sizes)


def measure(
    sheet: str | PathLike[str],
    *runs: str | PathLike[str],
    random: bool = False,
    seed: int = SEED,
    encoding: str | None = None,
) -> Agreement:
    """Holds the judges of runs against the labels of people.

    Labels count by the strata of their design; without a design, by the judge's verdict in the
    first run. The first annotator is who judges are compared with.

    Args:
        sheet: what ``write_sheet`` wrote, with labels; or a table with ``id`` and ``label``.
        runs: directories of runs over the same cases, or their results as ``.jsonl``. Without any,
            the judge is that of the sheet.
        random: the sheet has no design, and its answers were drawn at random from the first run.
        seed: of the bootstrap. The same labels and seed give the same figures.
        encoding: that of the sheet, if it is a text file that is not in UTF-8.

    Raises:
        ConfigError: fewer than 30 labelled answers; or the sheet or a run cannot be used, with row
            and column, and what to do.
    """
    labels = read_labels(sheet, random=random, encoding=encoding)
    opened = [open_run(path) for path in runs]
    strata = strata_of(labels, opened[0] if opened else None)
    alone = len(opened) == 1
    judges = [said_in(run, labels, alone=alone) for run in opened] or [said_by_design(labels)]
    judges = _with_names(judges)
    answers = labelled(labels)
    _check_enough(labels, answers, strata)
    share = _share(answers, strata)
    counted = _counted(answers, strata)
    wrong = [answer.unfaithful[0] is True for answer in answers]
    problem = _problem(wrong)
    told = [] if problem else judges
    measured = [judge_figures(said, answers, strata, seed) for said in told]
    pairs = _pairs(told, answers, strata, seed)
    per = [[a for a in answers if strata.flagged[a.id] is kind] for kind in (False, True)]
    return Agreement(
        sheet=labels.name,
        labels=(len(per[0]), len(per[1])),
        sizes=strata.sizes,
        unfaithful=(_wrong(per[0]), _wrong(per[1])),
        left_out=strata.left_out,
        share=share,
        statements=unfaithful_statement_rate(counted[1], counted[0]) if counted else None,
        counted=counted,
        judges=measured,
        pairs=pairs,
        annotators=labels.annotators,
        ceiling=_ceiling(labels, strata, seed),
        warnings=list(_warnings(labels, per, strata.sizes[1], measured)),
        problem=problem,
        run=labels.design.run if labels.design else fingerprint(opened[0].answers()),
        drawn_from=[Path(run) for run, said in zip(runs, judges, strict=False) if said.drawn],
    )


# ---------------------------------------------------------------- what is checked first


def _check_enough(labels: Labels, answers: Sequence[Labelled], strata: Strata) -> None:
    if len(answers) < MIN_LABELS:
        problem = f"{len(answers)} labelled answers are too few for an interval that holds"
        raise ConfigError(f"{labels.name}: {problem}; label at least {MIN_LABELS}")
    seen = {strata.flagged[answer.id] for answer in answers}
    for kind, what in ((False, "passes"), (True, "flags")):
        if strata.sizes[kind] and kind not in seen:
            problem = (
                f"none of the {strata.sizes[kind]:,} answers that the judge {what} is labelled"
            )
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
    labels: Labels,
    per: Sequence[Sequence[Labelled]],
    flagged: int,
    judges: Sequence[JudgeFigures],
) -> list[str]:
    """What a reader must know. ``flagged``: how many answers of the run are."""
    told = list(labels.notes)
    total = sum(map(len, per))
    if total < MANY_LABELS:
        told.append(
            f"few labels: {total}. Intervals are wide, and hold better from {MANY_LABELS} on"
        )
    if len(per[1]) < min(FEW_FLAGGED, flagged):
        few = f"few labels of flagged answers: {len(per[1])}"
        told.append(f"{few}. Label at least {FEW_FLAGGED}")
    for judge in judges:
        if judge.left_out:
            problem = f"labelled answers that {judge.name} could not grade: {judge.left_out}"
            told.append(f"{problem}. Its figures are without them, and may flatter")
    return told


def _with_names(judges: Sequence[Said]) -> list[Said]:
    """The judges with different names."""
    names = [said.name for said in judges]
    return [
        said._replace(name=f"{said.name} ({place})") if names.count(said.name) > 1 else said
        for place, said in enumerate(judges, 1)
    ]


# ---------------------------------------------------------------- shares


def _wrong(answers: Sequence[Labelled]) -> int:
    return sum(answer.unfaithful[0] is True for answer in answers)


def _share(answers: Sequence[Labelled], strata: Strata) -> Rate:
    others, flagged = strata.sizes
    return unfaithful_rate(
        [answer.unfaithful[0] is True for answer in answers],
        [strata.flagged[answer.id] for answer in answers],
        n_flagged=flagged,
        n_unflagged=others,
    )


def _counted(answers: Sequence[Labelled], strata: Strata) -> tuple[Answers, Answers] | None:
    """The statements of the answers that pass, and of those that are flagged."""
    if not any(answer.statements for answer in answers):
        return None
    found: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for answer in answers:
        wrong = sum(labels[0] not in FINE_LABELS for labels in answer.statements)
        found[strata.flagged[answer.id]].append((wrong, len(answer.statements)))
    one, two = (
        Answers(strata.sizes[kind], strata.statements[kind], found[kind]) for kind in (0, 1)
    )
    return one, two


# ---------------------------------------------------------------- two of a kind


def _pairs(
    judges: Sequence[Said], answers: Sequence[Labelled], strata: Strata, seed: int
) -> list[Paired]:
    tests = []
    for one, two in combinations(judges, 2):
        both = []
        for answer in answers:
            a, b = one.answers[answer.id], two.answers[answer.id]
            if a is not None and b is not None:
                item = answer.unfaithful[0] is True, a.flagged, b.flagged
                both.append(Both(int(strata.flagged[answer.id]), [item]))
        if {item[0] for answer in both for item in answer.items} == {False, True}:
            tests.append(paired((one.name, two.name), both, strata.sizes, seed))
    return adjusted(tests)


def _ceiling(labels: Labels, strata: Strata, seed: int) -> Level | None:
    """The first two annotators, on the answers that both have labelled."""
    if len(labels.annotators) < 2:
        return None
    clusters = [
        cluster_of(strata.flagged[answer.id], [(one, two)])
        for answer in labels.answers
        for one, two in [answer.unfaithful[:2]]
        if one is not None and two is not None
    ]
    if not are_everywhere(clusters, strata.sizes):
        return None
    return level_of(clusters, strata.sizes, [[0, 1, 2, 3]] * 2, seed)
