"""What deepeval asks of a metric. Run by ``tox -e adapters``."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge, failing

from .judges import ANSWER, CONTEXT, SERVER_DOWN, WaitingJudge
from .systems import adapter, package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def deepeval_case() -> Any:
    package("deepeval")
    from deepeval.test_case import LLMTestCase

    def case(answer: Any = ANSWER, context: Any = CONTEXT, **more: Any) -> Any:
        return LLMTestCase(
            input="How tall?", actual_output=answer, retrieval_context=context, **more
        )

    return case


def deepeval_metric(**options: Any) -> Any:
    return adapter("deepeval")(**options)


def test_a_measured_metric_has_all_its_fields(deepeval_case: Any) -> None:
    metric = deepeval_metric(judge=TruthfulJudge(), prices={"prompt": 1.0, "completion": 2.0})
    assert metric.measure(deepeval_case()) == metric.score == 1.0
    assert (metric.success, metric.is_successful(), metric.error, metric.skipped) == (
        True,
        True,
        None,
        False,
    )
    assert (metric.input_tokens, metric.output_tokens) == (100, 20)
    assert metric.evaluation_cost == pytest.approx((100 * 1 + 20 * 2) / 1e6)
    assert "2 of 2" in metric.reason


def test_an_error_is_no_score_and_forgets_the_case_before(deepeval_case: Any) -> None:
    good = json.dumps(
        {"verdicts": [{"id": n, "evidence": [1], "label": "supported"} for n in (1, 2)]}
    )
    metric = deepeval_metric(judge=ScriptedJudge([good, failing("server")]))
    assert asyncio.run(metric.a_measure(deepeval_case())) == 1.0
    assert asyncio.run(metric.a_measure(deepeval_case())) is None
    assert (metric.score, metric.success, metric.is_successful()) == (None, False, False)
    assert "it failed (server)" in metric.error


def test_assert_test_passes_fails_and_tells_errors_apart(deepeval_case: Any) -> None:
    deepeval = package("deepeval")
    for run_async in (True, False):
        deepeval.assert_test(deepeval_case(), [deepeval_metric(threshold=0.5)], run_async=run_async)
        with pytest.raises(AssertionError, match=r"score: 0\.5.*It is red"):
            deepeval.assert_test(deepeval_case(), [deepeval_metric()], run_async=run_async)
        with pytest.raises(AssertionError, match=r"score: None.*error: Not graded"):
            deepeval.assert_test(
                deepeval_case(), [deepeval_metric(judge=SERVER_DOWN)], run_async=run_async
            )


@pytest.mark.parametrize("fields", [{"answer": None}, {"context": None}])
def test_a_missing_field_is_what_deepeval_expects(deepeval_case: Any, fields: Any) -> None:
    package("deepeval")
    from deepeval.errors import MissingTestCaseParamsError

    metric = deepeval_metric()
    metric.measure(deepeval_case())
    with pytest.raises(MissingTestCaseParamsError, match="cannot be None"):
        metric.measure(deepeval_case(**fields))
    assert metric.score is None
    assert not metric.is_successful()


def test_the_source_of_a_retrieved_context_names_the_passage(deepeval_case: Any) -> None:
    package("deepeval")
    from deepeval.test_case.llm_test_case import RetrievedContextData

    cap = {"finding": "invalid_citations", "ceiling": 0.5, "at_least": 1}
    metric = deepeval_metric(citations="enforce", score_caps=[cap], judge=TruthfulJudge())
    scores = [
        metric.measure(
            deepeval_case("The tower is 3 m tall [doc-1].", [RetrievedContextData(**item)])
        )
        for source in ("doc-1", "doc-2")
        for item in [{"context": "The tower is 3 m tall.", "source": source}]
    ]
    assert scores == [1.0, 0.5]


def test_one_metric_measures_many_cases_at_once(deepeval_case: Any) -> None:
    """Each call returns its own score; the fields are those of the measurement that began last."""
    judge = WaitingJudge()
    metric = deepeval_metric(judge=judge)

    async def both() -> list[float]:
        first = asyncio.create_task(metric.a_measure(deepeval_case("The first is tall.", ["Yes."])))
        await asyncio.sleep(0.05)
        second = await metric.a_measure(deepeval_case("The second is tall.", ["Yes."]))
        seen = metric.reason
        judge.released.set()
        scores = [await first, second]
        assert metric.reason == seen
        return scores

    assert asyncio.run(both()) == [1.0, 1.0]
