"""A scorer for MLflow: ``mlflow.genai.evaluate(data, scorers=[FaithfulnessAssert(...)])``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .shared import PATIENCE, SETTING, case_in, explanation, facts, make_grader, missing

try:
    from mlflow.entities import AssessmentError, AssessmentSource, Feedback, SpanType, Trace
    from mlflow.genai.scorers import Scorer
    from mlflow.genai.scorers.base import DEFAULT_SCORER_TIMEOUT
    from pydantic import PrivateAttr
except ImportError as error:
    raise missing(error, "mlflow>=3.17") from error

if TYPE_CHECKING:
    from .shared import AnyPolicy, GraderOptions, Judge, Unpack


class FaithfulnessAssert(Scorer):
    """Whether what was retrieved supports the output: a score, and ``NAME_pass``, true or false.

    A result without a score is a feedback with an ``error`` and without a value.

    Args:
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``. Without a
            ``deadline``, a grade ends before MLflow's timeout of 300 seconds.
        name: the name of the feedback.
        case: what to grade, from ``inputs``, ``outputs``, ``expectations`` and ``trace``, given by
            name: a mapping with ``answer``, ``context`` and ``question``. None: they are found
            under their usual names; the context first in the trace's retriever spans.
    """

    _grader: Any = PrivateAttr()
    _case: Any = PrivateAttr()

    def __init__(
        self,
        judge: str | Judge = SETTING,
        policy: AnyPolicy | None = None,
        threshold: float | None = None,
        *,
        name: str = "faithfulness",
        case: Callable[..., Mapping[str, Any]] | None = None,
        **options: Unpack[GraderOptions],
    ) -> None:
        grader = make_grader(
            judge, policy, threshold, options, system_timeout=DEFAULT_SCORER_TIMEOUT
        )
        deadline = options["deadline"]
        super().__init__(name=name, timeout=deadline / PATIENCE if deadline else 0)
        self._grader, self._case = grader, case or _case_in
        self._pass_if = lambda value: value >= grader.policy.passes_at

    def __call__(
        self,
        *,
        inputs: Any = None,
        outputs: Any = None,
        expectations: Any = None,
        trace: Trace | None = None,
    ) -> list[Feedback]:
        """The feedback on one row."""
        given = {"inputs": inputs, "outputs": outputs, "expectations": expectations}
        (result,) = self._grader.grade_many([self._case(**given, trace=trace)])
        shared = {
            "source": AssessmentSource("LLM_JUDGE", result.judge),
            "metadata": {
                key: value if isinstance(value, str) else json.dumps(value)
                for key, value in facts(result).items()
            },
        }
        if result.score is None:
            code = result.error.kind if result.error else result.status
            error = AssessmentError(code, explanation(result))
            return [Feedback(self.name, error=error, **shared)]
        score = Feedback(self.name, result.score, rationale=explanation(result), **shared)
        return [score, Feedback(f"{self.name}_pass", result.pass_, **shared)]


def _case_in(*, inputs: Any, outputs: Any, trace: Trace | None, **_: Any) -> Mapping[str, Any]:
    return case_in(inputs, outputs, context=_retrieved(trace))


def _retrieved(trace: Trace | None) -> list[Any]:
    """The documents of the retrievers in a trace; not of those that another retriever used."""
    spans = {span.span_id: span for span in trace.data.spans} if trace else {}
    documents: list[Any] = []
    for span in spans.values():
        above, parent = [], spans.get(span.parent_id)
        while parent is not None:
            above.append(parent.span_type)
            parent = spans.get(parent.parent_id)
        if span.span_type == SpanType.RETRIEVER and SpanType.RETRIEVER not in above:
            documents += span.outputs if isinstance(span.outputs, list) else []
    return documents
