"""A metric for deepeval: ``evaluate(cases, [FaithfulnessAssert(...)])`` and ``assert_test``."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..grading import Grader
from ..records.result import GradingResult
from .shared import SETTING, explanation, make_grader, missing

try:
    from deepeval.errors import MissingTestCaseParamsError
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase, SingleTurnParams
    from deepeval.utils import get_per_task_timeout
except ImportError as error:
    raise missing(error, "deepeval>=4.3") from error

if TYPE_CHECKING:
    from .shared import AnyPolicy, GraderOptions, Judge, Unpack

MEASURED = (
    *("score", "success", "reason", "error", "score_breakdown"),
    *("input_tokens", "output_tokens", "evaluation_cost", "verbose_logs"),
)
"""What a measurement leaves in a metric."""
REQUIRED = (SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.RETRIEVAL_CONTEXT)


class FaithfulnessAssert(BaseMetric):
    """Whether ``retrieval_context`` supports ``actual_output``.

    A result without a score is an ``error``: the score is None, and the test does not succeed.

    Args:
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``. Without a
            ``deadline``, a grade ends before deepeval's own timeout.
        name: the metric's name in results.
        grader: for deepeval, which copies metrics; it takes the place of the other options.
    """

    def __init__(
        self,
        judge: str | Judge = SETTING,
        policy: AnyPolicy | None = None,
        threshold: float | None = None,
        *,
        name: str = "faithfulness",
        grader: Grader | None = None,
        **options: Unpack[GraderOptions],
    ) -> None:
        self.grader = grader or make_grader(
            judge, policy, threshold, options, system_timeout=get_per_task_timeout()
        )
        self.name = name
        self.threshold = self.grader.policy.passes_at
        self.evaluation_model = self.grader.judge_name
        self.criteria = sha256(repr(self.grader.policy).encode()).hexdigest()  # deepeval's cache
        self.verbose_mode = False

    @property
    def __name__(self) -> str:
        return self.name

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:
        """The score, or None if there is none (then ``error`` says why)."""
        self._begin(test_case)
        return self._end(self.grader.grade(**_fields(test_case)))

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:
        """The same, on the running event loop."""
        self._begin(test_case)
        return self._end(await self.grader.agrade(**_fields(test_case)))

    def is_successful(self) -> bool:
        """Whether the test case passed; not if there was an error."""
        return bool(self.success) and self.error is None

    def _begin(self, test_case: LLMTestCase) -> None:
        """Forgets the test case before. Raises an error for a test case that cannot be graded."""
        self._show({})
        self.skipped = False
        absent = [field.value for field in REQUIRED if getattr(test_case, field.value) is None]
        if absent:
            self.error = f"{' and '.join(absent)} cannot be None for the metric {self.name!r}"
            raise MissingTestCaseParamsError(self.error)
        if getattr(test_case, "multimodal", False):
            self.error = f"the metric {self.name!r} cannot see the images of a test case"
            raise ValueError(self.error)

    def _end(self, result: GradingResult) -> float | None:
        shown = {
            "score": result.score,
            "success": result.pass_,
            "reason": explanation(result),
            "error": None if result.defined else explanation(result),
            "score_breakdown": dict(result.named_scores) if result.defined else None,
            "input_tokens": result.tokens_used.prompt,
            "output_tokens": result.tokens_used.completion,
            "evaluation_cost": result.cost,
            "verbose_logs": result.pretty() if self.verbose_mode else None,
        }
        self._show(shown)
        return result.score

    def _show(self, fields: dict[str, Any]) -> None:
        for name in MEASURED:
            setattr(self, name, fields.get(name))


def _fields(test_case: LLMTestCase) -> dict[str, Any]:
    passages = [
        item if isinstance(item, str) else {"text": item.context, "id": item.source}
        for item in test_case.retrieval_context
    ]
    return {"answer": test_case.actual_output, "context": passages, "question": test_case.input}
