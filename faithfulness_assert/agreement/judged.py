"""What a judge says of the answers of a run, as far as people's labels are compared with it."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..batch.finished_runs import about_of, lines_of
from ..policy.values import TOLERANCE
from ..records.errors import ConfigError
from ..text.strings import clip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from ..batch.rows import Line
    from ..records.result import GradingResult

CODES = {
    "supported": "s",
    "partially_supported": "p",
    "not_enough_info": "n",
    "contradicted": "c",
    "not_a_claim": "a",
    "unresolved": "u",
}
"""A letter for each label of a judge."""
LABEL_OF = {code: label for label, code in CODES.items()}
FINE = "sa"
"""The codes of statements with which nothing is wrong."""


class Judged(NamedTuple):
    """What a judge says of an answer.

    Args:
        id, input: the case, and the fingerprint of its texts.
        flagged: whether the answer does not pass.
        score: in [0, 1]; None where it means nothing.
        forced: whether it fails whatever the threshold is: it has no score, or a label fails it.
        labels: a letter of ``CODES`` for each statement, without repeats.
        statements: their texts.
    """

    id: str
    input: str
    flagged: bool
    score: float | None
    forced: bool
    labels: str
    statements: tuple[str, ...]


class Run(NamedTuple):
    """The graded answers of a run. Those that could not be graded are not in it.

    Args:
        name: for people; it comes from a path.
        judge, policy, threshold: with which it was graded, as its results say.
        inverse: whether the policy inverts scores.
        settings: a fingerprint of all that shapes its results; "" for a file of results.
        answers: starts reading them, each time from the first one on.
    """

    name: str
    judge: str
    policy: str
    threshold: float
    inverse: bool
    settings: str
    answers: Callable[[], Iterator[Judged | None]]


def open_run(path: str | PathLike[str]) -> Run:
    """The run in a directory, or in a file of results (JSON lines).

    ``answers`` has None for each case that could not be graded.

    Raises:
        ConfigError: there are no results that can be read.
    """
    lines, about = lines_of(path), about_of(path)
    first = next(lines(), None)
    if first is None:
        raise ConfigError(f"{path}: contains no results")
    result = first.result
    return Run(
        name=Path(path).resolve().name,
        judge=clip(result.judge, 100),
        policy=clip(result.policy, 100),
        threshold=result.threshold,
        inverse=result.metadata.get("inverse") is True,
        settings=_settings(about),
        answers=lambda: map(judged_of, lines()),
    )


def judged_of(line: Line) -> Judged | None:
    """What the judge says of the answer of a line; None for a grader error."""
    result = line.result
    if result.error is not None:
        return None
    told = [verdict for verdict in result.verdicts if verdict.repeat_of is None]
    return Judged(
        id=line.case_id,
        input=line.input,
        flagged=not result.pass_,
        score=result.score,
        forced=_fails_at_any_threshold(result),
        labels="".join(CODES[verdict.label or "unresolved"] for verdict in told),
        statements=tuple(verdict.statement for verdict in told),
    )


def _fails_at_any_threshold(result: GradingResult) -> bool:
    if result.score is None:
        return True
    return not result.pass_ and result.score >= result.threshold - TOLERANCE


def fingerprint(answers: Iterator[Judged | None]) -> str:
    """A fingerprint of what a run says of its answers, in whichever order they finished."""
    total = 0
    for answer in answers:
        told = repr(answer and (answer.id, answer.input, answer.flagged, answer.labels))
        total += int(_digest(told, 16), 16)
    return f"{total % 2**128:032x}"


def _settings(about: dict[str, Any]) -> str:
    told = {name: about.get(name) for name in ("judge", "policy", "options", "prompts")}
    return _digest(repr(told), 8) if about else ""


def _digest(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()
