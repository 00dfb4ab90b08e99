"""An evaluator for Langfuse: ``langfuse.run_experiment(evaluators=[faithfulness(...)])``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from .shared import SETTING, case_in, explanation, facts, make_grader, missing, outcome

try:
    from langfuse import Evaluation
except ImportError as error:
    raise missing(error, "langfuse>=4.18") from error

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
) -> Callable[..., Awaitable[list[Evaluation]]]:
    """An evaluator: whether what was retrieved supports the output.

    It gives two scores: NAME, a number, and ``NAME_outcome``: ``pass``, ``fail`` or, without a
    number, why there is none, such as ``judge_failed``.

    Args:
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``.
        name: the name of the number.
        case: what to grade, from ``input``, ``output``, ``expected_output`` and ``metadata``, given
            by name: a mapping with ``answer``, ``context`` and ``question``. None: they are found
            under their usual names, the context also in the metadata.
    """
    grader = make_grader(judge, policy, threshold, options)

    async def evaluator(**given: Any) -> list[Evaluation]:
        record = [given.get(name) for name in ("input", "output", "metadata")]
        result = await grader.agrade_case(case(**given) if case else case_in(*record))
        shared = {"comment": explanation(result), "metadata": facts(result)}
        word = Evaluation(
            name=f"{name}_outcome", value=outcome(result), data_type="CATEGORICAL", **shared
        )
        if result.score is None:
            return [word]
        return [Evaluation(name=name, value=result.score, data_type="NUMERIC", **shared), word]

    evaluator.__name__ = name
    return evaluator
