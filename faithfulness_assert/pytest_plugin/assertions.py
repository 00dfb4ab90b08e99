"""``assert_faithful``: an assertion for any test framework, also for none."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, cast

from ..cases.case import Case
from ..conversations.events import check_evidence_roles
from ..grading import Grader
from ..options import split_options
from ..records.errors import ConfigError, FaithfulnessError, InputError
from ..records.views import in_words
from ..settings import SETTING, judge_setting
from ..text.strings import clip
from . import running
from .shown_case import BLANK, as_text, failure, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Unpack

    from ..options import GradeOptions
    from ..records.judge import Judge
    from ..records.result import GradingResult
    from ..settings import AnyPolicy


NO_JUDGE = (
    "no judge is named: the embedded smoke-test judge graded this, which compares words only. Name "
    "an LLM judge, as judge='openai:MODEL', or judge='embedded' to keep it"
)


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
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    **options: Unpack[GradeOptions],
) -> GradingResult:
    """Grades as ``faithfulness_assert.grade`` does, and fails if the result does not pass.

    In a test that pytest runs with our plugin it is the fixture ``faithfulness``: it takes what it
    is not given from the marker, the command line and the configuration, and it is counted.

    Args:
        answer, context, question, judge, policy, threshold, options: those of ``grade()``.

    Returns:
        The result, which passes.

    Raises:
        AssertionError: the answer does not pass. The message shows the statements that the context
            does not support, each with its evidence or with the nearest sentence of the context.
        NotGraded: a grader error. It says nothing about the answer.
        ConfigError: a judge, policy, threshold or option that cannot be used.

    Outside of our plugin it warns where no judge is named: nobody would see which one graded.
    """
    __tracebackhide__ = True
    if running:
        named = {"policy": policy, "threshold": threshold, "question": question}
        given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        given |= {} if judge is SETTING else {"judge": judge}
        result = running[-1]()(answer, context, **given, **options)
        return cast("GradingResult", result)
    case, others = split_options(options)
    case |= {"answer": answer, "context": context, "question": question or None}
    grader = make_grader(judge, policy, threshold, **others)
    if judge is SETTING and judge_setting() is None:
        warnings.warn(NO_JUDGE, stacklevel=2)
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


def check_passed(result: GradingResult, case: Case | None) -> None:
    """Returns if the result passes. ``case``: what was graded; None if it could not be read.

    Raises:
        AssertionError: the answer does not pass.
        NotGraded: a grader error.
    """
    __tracebackhide__ = True
    if result.pass_:
        return
    text = failure_text(result, case)
    raise AssertionError(text) if result.error is None else NotGraded(text, result)


def failure_text(result: GradingResult, case: Case | None) -> str:
    """Why a result does not pass: first the worst statement, which pytest's summary shows too."""
    wrong = [] if result.error else result.problems()
    worst = next((v for v in wrong if v.label == "contradicted"), wrong[0] if wrong else None)
    head = [f"{in_words(worst).capitalize()}: “{clip(worst.statement)}”"] if worst else []
    note = result.metadata.get("judgeNote")
    judge = f"{clip(result.judge)}{f' ({clip(str(note))})' if note else ''}"
    last = plain(f"policy {clip(result.policy)}, judge {judge}")
    return as_text([*map(plain, head), *failure(result, case), BLANK, last]).lstrip()
