"""``assert_faithful``: an assertion for any test framework, also for none, and what it shows.

Every text from outside is clipped, and its control characters are escaped.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from ..asking.ranking import nearest_sentences
from ..cases.case import Case
from ..conversations.events import check_evidence_roles
from ..grading import Grader, hide_key, split_options
from ..records.errors import ConfigError, FaithfulnessError, InputError
from ..records.verdict_words import MARKS, in_words
from ..text.strings import clip, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typing_extensions import Unpack

    from ..grading import AnyPolicy
    from ..options import GradeOptions
    from ..records.judge import Judge
    from ..records.model import Evidence, Verdict
    from ..records.result import GradingResult


MOST_STATEMENTS = 20
MOST_EVIDENCE = 3
"""Sentences that are shown with a statement."""
MOST_WARNINGS = 5
MAX_REASON = 600


class NotGraded(FaithfulnessError):  # noqa: N818 - the public name says what happened
    """A grader error. It says nothing about the answer.

    Args:
        message: what happened, free of control characters.
        result: the result, with its ``status`` and its ``error``.
    """

    __module__ = "faithfulness_assert"  # as users import it, and as tracebacks call it

    def __init__(self, message: str, result: GradingResult) -> None:
        super().__init__(message)
        self.result = result


def assert_faithful(
    answer: str | None = None,
    context: Any = None,
    *,
    question: str = "",
    judge: str | Judge = "embedded",
    policy: AnyPolicy = "default",
    threshold: float | None = None,
    **options: Unpack[GradeOptions],
) -> GradingResult:
    """Grades as ``faithfulness_assert.grade`` does, and fails if the result does not pass.

    Args:
        answer, context, question, judge, policy, threshold, options: those of ``grade()``.

    Returns:
        The result, which passes.

    Raises:
        AssertionError: the answer does not pass. The message shows the statements that the context
            does not support, each with its evidence or with the nearest sentence of the context.
        NotGraded: a grader error. It says nothing about the answer.
        ConfigError: a judge, policy, threshold or option that cannot be used.
    """
    __tracebackhide__ = True
    hide_key(options)
    case, others = split_options(options)
    case |= {"answer": answer, "context": context, "question": question or None}
    grader = make_grader(judge, policy, threshold, **others)
    result = grader.grade(**case)
    check_passed(result, read_case(case, others))
    return result


def make_grader(*arguments: Any, **options: Any) -> Grader:
    """A ``Grader``, whose errors are shown at the line of the test.

    Raises:
        ConfigError: as those of ``Grader``.
    """
    __tracebackhide__ = True
    try:
        return Grader(*arguments, **options)
    except ConfigError as error:
        raise error.with_traceback(None) from None


def read_case(fields: Mapping[str, Any], options: Mapping[str, Any]) -> Case | None:
    """The case with these fields, as a grader with these options reads it; None if it cannot."""
    roles = check_evidence_roles(options.get("evidence_roles"))
    try:
        return Case(**fields, evidence_roles=roles)
    except InputError:
        return None


def check_passed(result: GradingResult, case: Case | None, note: str = "") -> None:
    """Returns if the result passes.

    Args:
        case: what was graded; None if it could not be read.
        note: what else the message of an error should say.

    Raises:
        AssertionError: the answer does not pass.
        NotGraded: a grader error.
    """
    __tracebackhide__ = True
    if result.error is not None:
        raise NotGraded(not_graded_text(result) + note, result)
    if not result.pass_:
        raise AssertionError(failure_text(result, case) + note)


# ---------------------------------------------------------------- what a failed test shows


def failure_text(result: GradingResult, case: Case | None) -> str:
    """Why a graded answer does not pass, on several lines."""
    problems = result.problems()
    shown = problems[:MOST_STATEMENTS]
    bare = [verdict for verdict in shown if not verdict.evidence]
    nearest = nearest_sentences(case, result.verdicts, bare) if case else {}
    blocks = (_statement_lines(v, nearest.get(v.id)) for v in shown)
    more = len(problems) - len(shown)
    lines = [
        _head(result, len(problems)),
        *chain.from_iterable(blocks),
        *([f"  and {more:,} more statements"] if more else []),
        *_reason_lines(result, problems),
        _graded_with(result),
        *_warning_lines(result),
    ]
    return "\n".join(map(_shown, lines))


def not_graded_text(result: GradingResult) -> str:
    """Why a case could not be graded."""
    error = result.error
    why = f"{error.kind}: {clip(error.message, MAX_REASON)}" if error else result.status
    head = f"the answer was not graded: {why}"
    return "\n".join(map(_shown, [head, _graded_with(result), *_warning_lines(result)]))


def _head(result: GradingResult, problems: int) -> str:
    score = f"score {result.score:.4g}" if result.defined else "no score"
    limit = f"{score}, threshold {result.threshold:g}"
    if not problems:
        return f"the answer does not pass: {limit}"
    statements = sum(verdict.repeat_of is None for verdict in result.verdicts)
    return f"the context does not support {problems} of {_counted(statements)}: {limit}"


def _counted(statements: int) -> str:
    return f"{statements:,} statement{'s' if statements != 1 else ''}"


def _statement_lines(verdict: Verdict, nearest: Evidence | None) -> Iterator[str]:
    yield f"  {MARKS[verdict.label]} {in_words(verdict)}: {clip(verdict.statement)}"
    for evidence in verdict.evidence[:MOST_EVIDENCE]:
        yield f"      evidence {_quoted(evidence)}"
    if verdict.reason:
        yield f"      reason: {clip(verdict.reason)}"
    if nearest is not None:
        yield f"      nearest {_quoted(nearest)}"
    elif not verdict.evidence:
        yield "      no sentence of the context shares a word with it"


def _quoted(evidence: Evidence) -> str:
    return f"[{clip(evidence.passage, 60)}:{evidence.sentence}] {clip(evidence.text)}"


def _reason_lines(result: GradingResult, problems: Sequence[Verdict]) -> Iterator[str]:
    """The reason, unless the statements say it; the ratings of a rubric."""
    if not problems or result.score >= result.threshold:
        yield f"  {clip(result.short_reason, MAX_REASON)}"
    for name, kept, _ in result.ratings():
        yield f"  {clip(name)} {kept:g}"


def _graded_with(result: GradingResult) -> str:
    note = result.metadata.get("judgeNote")
    judge = f"{clip(result.judge)}{f' ({clip(str(note))})' if note else ''}"
    return f"  status {result.status}, policy {clip(result.policy)}, judge {judge}"


def _warning_lines(result: GradingResult) -> Iterator[str]:
    for warning in result.warnings[:MOST_WARNINGS]:
        yield f"  ! {clip(warning)}"


def _shown(line: str) -> str:
    """A line without control characters."""
    return visible(line.replace("\n", " "))
