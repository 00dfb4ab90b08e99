"""Finds in runs what their judges say of the answers that people have labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..records.errors import ConfigError
from ..text.strings import clip
from .design import said_by
from .judged import Judged, Run, fingerprint
from .labels import Labelled, Labels, judged_in


class Said(NamedTuple):
    """What one judge says of the labelled answers.

    Args:
        name: for people.
        judge, policy, threshold, inverse: with which they were graded.
        answers: by the ids of the cases; None for one that it could not grade.
        same_statements: the ids of the answers whose statements are those of the sheet.
        drawn: whether the sheet was drawn from this run, as far as it says.
    """

    name: str
    judge: str
    policy: str
    threshold: float
    inverse: bool
    answers: Mapping[str, Judged | None]
    same_statements: frozenset[str]
    drawn: bool


class Strata(NamedTuple):
    """The answers of the run by the verdict of its judge, whatever was labelled.

    Args:
        flagged: whether each labelled answer is in the second stratum.
        sizes: how many answers of the run each has.
        statements: how many statements these have; (0, 0) if that is not known.
        left_out: cases in neither.
    """

    flagged: Mapping[str, bool]
    sizes: tuple[int, int]
    statements: tuple[int, int]
    left_out: int


def said_by_design(labels: Labels) -> Said:
    """What the sheet itself knows of its judge.

    Raises:
        ConfigError: it has no design.
    """
    design = labels.design
    if design is None:
        raise ConfigError(f"{labels.name}: has no design, so name the run that was labelled")
    answers = judged_in(labels)
    told = design.judge, design.policy, design.threshold, design.inverse
    return Said(design.judge, *told, answers, frozenset(answers), drawn=True)


def said_in(run: Run, labels: Labels, *, alone: bool) -> Said:
    """What the judge of a run says of the labelled answers.

    ``alone``: no other run is given; then it must not be the sheet's own run, changed.

    Raises:
        ConfigError: the run lacks a labelled answer, or has it with other texts, or was changed.
    """
    wanted = {answer.id: answer for answer in labels.answers}
    found: dict[str, Judged] = {}
    graded = False
    for judged in run.answers():
        if judged is not None and judged.id in wanted:
            found[judged.id] = judged
        graded |= judged is not None
    _check_same(run, labels, found, graded=graded)
    design = labels.design
    drawn = design is None or fingerprint(run.answers()) == design.run
    if alone and design and not drawn and run.settings == design.settings != "":
        raise ConfigError(
            f"{run.name}: changed since {labels.name} was drawn from it: it has other results for "
            "the same settings. Leave the run out, and what the judge said then is taken from the "
            "sheet; or draw a new sheet"
        )
    same = frozenset(
        id
        for id, judged in found.items()
        if (place := wanted[id].place) is not None and place.said == said_by(judged)
    )
    told = run.judge, run.policy, run.threshold, run.inverse
    answers = {id: found.get(id) for id in wanted}
    return Said(run.name, *told, answers, same, drawn)


def _check_same(run: Run, labels: Labels, found: Mapping[str, Judged], *, graded: bool) -> None:
    for answer in labels.answers:
        judged = found.get(answer.id)
        if judged is None and labels.design is None:
            problem = (
                f"the id {clip(answer.id, 60)!r} is not in {run.name}, or was not graded there"
            )
            raise ConfigError(
                f"{labels.name}, {answer.where}: {problem}; correct or remove the row"
            )
        if judged and answer.place and answer.place.answer.input != judged.input:
            raise ConfigError(
                f"{labels.name}, {answer.where}: {clip(answer.id, 60)!r} has other texts in "
                f"{run.name} than when the sheet was drawn; name a run over the same data"
            )
    if not graded or not found:
        raise ConfigError(f"{run.name}: has none of the answers of {labels.name}")


def strata_of(labels: Labels, run: Run | None) -> Strata:
    """The strata of the labelled answers: those of the design, else by the verdicts of the run.

    So labels always count by what the judge says of their answers, and never as if they were drawn
    from all of them.
    """
    design = labels.design
    if design is not None:
        flagged = {id: judged.flagged for id, judged in judged_in(labels).items()}
        others, rest = design.strata
        sizes, statements = (others.answers, rest.answers), (others.statements, rest.statements)
        return Strata(flagged, sizes, statements, design.left_out)
    if run is None:
        raise ConfigError(f"{labels.name}: has no design, so name the run that was labelled")
    counts, left_out, flagged = [0, 0], 0, {}
    ids = {answer.id for answer in labels.answers}
    for judged in run.answers():
        if judged is None:
            left_out += 1
            continue
        counts[judged.flagged] += 1
        if judged.id in ids:
            flagged[judged.id] = judged.flagged
    return Strata(flagged, (counts[0], counts[1]), (0, 0), left_out)


def labelled(labels: Labels) -> Sequence[Labelled]:
    """The answers that the first annotator has labelled."""
    return [answer for answer in labels.answers if answer.unfaithful[0] is not None]
