"""What ragas asks of a metric. Run by ``tox -e adapters``."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from faithfulness_assert import grade

from .judges import ANSWER, CONTEXT, SERVER_DOWN
from .systems import adapter, package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


def ragas_metric(**options: Any) -> Any:
    return adapter("ragas")(**options)


def test_a_result_is_a_metric_result_with_its_reason() -> None:
    metric = ragas_metric(threshold=0.9)
    from ragas.metrics.result import MetricResult

    result = asyncio.run(metric.ascore("How tall?", ANSWER, CONTEXT))
    assert isinstance(result, MetricResult)
    assert (result.value, float(result)) == (0.5, 0.5)
    assert result.reason == grade(ANSWER, CONTEXT, threshold=0.9).reason
    assert result.traces["output"]["outcome"] == "fail"


def test_a_result_without_a_score_is_no_number() -> None:
    result = ragas_metric(judge=SERVER_DOWN).score(response=ANSWER, retrieved_contexts=CONTEXT)
    assert result.to_dict()["result"] is None
    with pytest.raises(TypeError):
        float(result)


def test_single_turn_scores_raise_where_there_is_none() -> None:
    metric = ragas_metric(judge=SERVER_DOWN)
    from ragas import SingleTurnSample

    sample = SingleTurnSample(user_input="Q?", response=ANSWER, retrieved_contexts=CONTEXT)
    assert ragas_metric().single_turn_score(sample) == 0.5
    with pytest.raises(Exception, match="it failed"):
        metric.single_turn_score(sample)
    ragas = package("ragas")
    data = ragas.EvaluationDataset([sample])
    with pytest.raises(Exception, match="it failed"):
        ragas.evaluate(data, metrics=[metric], raise_exceptions=True)
