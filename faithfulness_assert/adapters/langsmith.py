"""An evaluator for LangSmith: ``client.evaluate(target, evaluators=[faithfulness(...)])``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from .shared import SETTING, case_in, explanation, facts, make_grader, missing, outcome

try:
    from langsmith.evaluation import EvaluationResult
except ImportError as error:
    raise missing(error, "langsmith>=0.14") from error

if TYPE_CHECKING:
    from .shared import AnyPolicy, GraderOptions, Judge, Unpack


def faithfulness(
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    *,
    name: str = "faithfulness",
    case: Callable[..., Mapping[str, Any]] | None = None,
    **options: Unpack[GraderOptions],
) -> Callable[..., Awaitable[EvaluationResult]]:
    """An evaluator: whether what was retrieved supports the output.

    Its ``value`` is ``pass`` or ``fail``. Without a score it is why there is none, such as
    ``judge_failed``, and the score is None.

    Args:
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``.
        name: the key of the feedback.
        case: what to grade, from ``inputs``, ``outputs`` and ``reference_outputs``, given by name:
            a mapping with ``answer``, ``context`` and ``question``. None: they are found in the
            outputs and inputs under their usual names.
    """
    grader = make_grader(judge, policy, threshold, options)

    async def evaluator(
        inputs: dict[str, Any], outputs: dict[str, Any], reference_outputs: dict[str, Any]
    ) -> EvaluationResult:
        given = {"inputs": inputs, "outputs": outputs, "reference_outputs": reference_outputs}
        record = case(**given) if case else case_in(inputs, outputs)
        result = await grader.agrade_case(record)
        return EvaluationResult(
            key=name,
            score=result.score,
            value=outcome(result),
            comment=explanation(result),
            metadata=facts(result),
            extra=None if result.defined else {"error": True},
        )

    evaluator.__name__ = name
    return evaluator
