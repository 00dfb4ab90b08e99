"""What a judge says of the answers of a run, as far as people's labels are compared with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..batch.finished_runs import lines_of
from ..records.errors import ConfigError
from ..text.strings import clip

if TYPE_CHECKING:
    from ..batch.rows import Line


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
