"""A metric for ragas 0.4: ``await metric.ascore(user_input, response, retrieved_contexts)``.

It also works in the older ``ragas.evaluate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..records.errors import InputError, JudgeError
from ..records.result import GradingResult
from .shared import SETTING, explanation, facts, make_grader, missing

try:
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics.base import MetricType, SingleTurnMetric
    from ragas.metrics.collections.base import BaseMetric
    from ragas.metrics.result import MetricResult
except ImportError as error:
    raise missing(error, "ragas>=0.4,<0.5", "langchain-community<0.4") from error

if TYPE_CHECKING:
    from .shared import AnyPolicy, GraderOptions, Judge, Unpack


class FaithfulnessAssert(BaseMetric, SingleTurnMetric):
    """Whether ``retrieved_contexts`` support ``response``.

    A result without a score has the value None, and says why. In the older ``ragas.evaluate`` it
    is an exception, which ragas writes as NaN (or raises, with ``raise_exceptions=True``).

    Args:
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``.
        name: the metric's name, and its column.
    """

    def __init__(
        self,
        judge: str | Judge = SETTING,
        policy: AnyPolicy | None = None,
        threshold: float | None = None,
        *,
        name: str = "faithfulness",
        **options: Unpack[GraderOptions],
    ) -> None:
        super().__init__(name=name)
        self.grader = make_grader(judge, policy, threshold, options)
        columns = {"user_input:optional", "response", "retrieved_contexts"}
        self._required_columns = {MetricType.SINGLE_TURN: columns}

    async def ascore(
        self,
        user_input: str | None = None,
        response: str | None = None,
        retrieved_contexts: Sequence[str] | None = None,
        **_: Any,
    ) -> MetricResult:
        """The score in [0, 1] with its reason. Other fields of a sample are not used."""
        result = await self._grade(user_input, response, retrieved_contexts)
        return MetricResult(result.score, explanation(result), traces={"output": facts(result)})

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:  # noqa: ARG002
        """The score, for ``ragas.evaluate``. Raises ``JudgeError`` or ``InputError``."""
        result = await self._grade(sample.user_input, sample.response, sample.retrieved_contexts)
        if result.score is not None:
            return result.score
        if result.error is None or result.error.kind == "input":
            raise InputError(explanation(result))
        raise JudgeError(explanation(result), result.error.kind, retryable=result.error.retryable)

    async def _grade(self, question: Any, answer: Any, context: Any) -> GradingResult:
        return await self.grader.agrade(answer, context, question=question)

    def init(self, run_config: Any) -> None:
        """Nothing to do: the grader is ready."""
