"""What MLflow asks of a scorer. Run by ``tox -e adapters``."""

from __future__ import annotations

import time
from typing import Any

import pytest
from fakes import TruthfulJudge

from .judges import ANSWER, CONTEXT, SERVER_DOWN, WaitingJudge
from .systems import adapter, mlflow_outcome, package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


def test_passes_only_if_our_result_does() -> None:
    data = [
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER, "context": CONTEXT}}
    ]
    assert mlflow_outcome(data, threshold=0.5).passed
    assert not mlflow_outcome(data, threshold=0.9).passed
    assert not mlflow_outcome(data, judge=SERVER_DOWN).passed
    labels = TruthfulJudge(lambda text: "contradicted" if "red" in text else "supported")
    assert not mlflow_outcome(data, judge=labels, threshold=0.5, fail_on=["contradicted"]).passed


def test_means_are_those_of_what_was_graded() -> None:
    data = [
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER, "context": CONTEXT}},
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER}},
    ]
    assert mlflow_outcome(data).metrics["faithfulness/mean"] == 0.5
    assert mlflow_outcome(data, judge=SERVER_DOWN).metrics == {}


def test_what_the_trace_retrieved_is_the_context() -> None:
    """What a retriever inside of another one found is not what the model was given."""
    mlflow = package("mlflow")

    @mlflow.trace(span_type="RETRIEVER")
    def search() -> list[dict[str, Any]]:
        return [{"page_content": "It is red.", "metadata": {}}, {"page_content": "It is old."}]

    @mlflow.trace(span_type="RETRIEVER")
    def retrieve() -> list[dict[str, Any]]:
        search()
        return [
            {"page_content": "The tower is 3 m tall.", "metadata": {"doc_uri": "a"}, "id": "d1"}
        ]

    @mlflow.trace
    def predict(question: str) -> str:
        retrieve()
        return ANSWER

    outcome = mlflow_outcome([{"inputs": {"question": "How tall?"}}], predict_fn=predict)
    assert outcome.metrics["faithfulness/mean"] == 0.5


def test_a_function_may_say_what_is_graded() -> None:
    def case(*, inputs: Any, outputs: Any, expectations: Any, trace: Any) -> dict[str, Any]:
        return {"answer": outputs["said"], "context": inputs["page"]}

    data = [{"inputs": {"page": "It is 3 m tall."}, "outputs": {"said": "It is 3 m tall."}}]
    assert mlflow_outcome(data, case=case).metrics["faithfulness/mean"] == 1.0


def test_a_grade_ends_before_mlflow_gives_up() -> None:
    metric = adapter("mlflow")
    from mlflow.genai.scorers.base import DEFAULT_SCORER_TIMEOUT

    for options in ({}, {"deadline": 20}, {"deadline": 1000.0}):
        scorer = metric(**options)
        assert scorer._grader._seconds[0] < scorer.timeout
    assert metric().timeout == pytest.approx(DEFAULT_SCORER_TIMEOUT)
    assert metric(deadline=None).timeout == 0, "MLflow's word for no timeout"
    judge = WaitingJudge()
    data = {"outputs": {"answer": "The first is tall.", "context": "Yes."}}
    began = time.monotonic()
    (feedback,) = metric(judge, deadline=0.2).run(inputs={}, **data)
    judge.released.set()
    assert time.monotonic() - began < 20
    assert (feedback.value, feedback.error.error_code) == (None, "timeout")
