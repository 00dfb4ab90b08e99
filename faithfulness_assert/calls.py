"""The public functions ``grade``, ``agrade`` and ``grade_many``. Each call makes its ``Grader``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .grading import Grader
from .options import hide_key, split_options
from .settings import SETTING, given_judge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Unpack

    from .grading import AnyPolicy
    from .options import GradeOptions, GraderOptions
    from .records.judge import Judge
    from .records.result import GradingResult
    from .records.result_list import Results


def grade(
    answer: str | None = None,
    context: Any = None,
    *,
    question: str = "",
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    **options: Unpack[GradeOptions],
) -> GradingResult:
    """Grades whether ``answer`` is faithful to ``context``.

    Args:
        answer: the LLM's answer.
        context: the texts that the answer may use: a string, or a list of strings, passages or
            mappings with ``text`` and ``id``.
        question: what was asked. It resolves references and is never evidence.
        judge, policy, threshold, options: see ``Grader``, and for fields of the case, also as
            other systems name them, ``Case``. ``messages`` is a conversation with the answer,
            in place of answer, context and question, or beside them. ``judge=None`` is an error, as
            it may be a variable that was meant to name one.

    Returns:
        A complete ``GradingResult``, whatever the answer, the context and the judge contain.

    Raises:
        ConfigError: a judge, policy, threshold or option that cannot be used.
    """
    case, others = split_options(options)
    grader = Grader(given_judge(judge), policy, threshold, **others)
    return grader.grade(answer, context, question=question or None, **case)


async def agrade(
    answer: str | None = None,
    context: Any = None,
    *,
    question: str = "",
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    **options: Unpack[GradeOptions],
) -> GradingResult:
    """The same as ``grade``, on the running event loop."""
    case, others = split_options(options)
    grader = Grader(given_judge(judge), policy, threshold, **others)
    return await grader.agrade(answer, context, question=question or None, **case)


def grade_many(
    cases: Iterable[Any],
    *,
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    concurrency: int = 8,
    **options: Unpack[GraderOptions],
) -> Results:
    """Grades many cases at once. The results have the order of the cases.

    They are a list with ``to_frame()``, which a notebook shows with the worst first.
    ``Grader.grade_many`` does the same without holding all results in memory.

    Args:
        cases: ``Case`` records, or mappings with ``answer``, ``context`` and optionally
            ``question``, ``id`` and ``citation_audit``, also as other systems name them; or a
            table with such columns: a pandas or polars frame, a pyarrow table, a Hugging Face
            data set (one split), a ragas ``EvaluationDataset``.
        concurrency: how many asks are under way at once, 1 to 1000.
    """
    hide_key(options)
    from .cases.tables import Given
    from .records.result_list import Results

    grader = Grader(given_judge(judge), policy, threshold, **options)
    given = Given(cases, keep=True)
    return Results(grader.grade_many(given, concurrency=concurrency), given.rows)
