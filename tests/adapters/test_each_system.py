"""What each system asks of an adapter beyond a score. Run by ``tox -e adapters``."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge, failing

from faithfulness_assert import Ask, ConfigError, Reply, grade

from .systems import Sample, in_opentelemetry, inspect_log, mlflow_outcome, package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]

ANSWER, CONTEXT = "The tower is 3 m tall. It is red.", ["The tower is 3 m tall."]
HALF = Sample("How tall?", ANSWER, CONTEXT)
SERVER_DOWN = ScriptedJudge([failing("server", retryable=True)])


@dataclass
class WaitingJudge:
    """Replies after it is released; asks about other towers than the first at once."""

    released: threading.Event = field(default_factory=threading.Event)
    name: str = "waiting"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        if "first" in ask.payload.statements[0][1]:
            self.released.wait(30)
        verdicts = [
            {"id": n, "evidence": [1], "label": "supported"} for n, _ in ask.payload.statements
        ]
        return Reply(json.dumps({"verdicts": verdicts}))


# ---------------------------------------------------------------- deepeval


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
    from faithfulness_assert.adapters.deepeval import FaithfulnessAssert

    return FaithfulnessAssert(**options)


def test_deepeval_a_measured_metric_has_all_its_fields(deepeval_case: Any) -> None:
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


def test_deepeval_an_error_is_no_score_and_forgets_the_case_before(deepeval_case: Any) -> None:
    good = json.dumps(
        {"verdicts": [{"id": n, "evidence": [1], "label": "supported"} for n in (1, 2)]}
    )
    metric = deepeval_metric(judge=ScriptedJudge([good, failing("server")]))
    assert asyncio.run(metric.a_measure(deepeval_case())) == 1.0
    assert asyncio.run(metric.a_measure(deepeval_case())) is None
    assert (metric.score, metric.success, metric.is_successful()) == (None, False, False)
    assert "it failed (server)" in metric.error


def test_deepeval_assert_test_passes_fails_and_tells_errors_apart(deepeval_case: Any) -> None:
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
def test_deepeval_a_missing_field_is_what_deepeval_expects(deepeval_case: Any, fields: Any) -> None:
    package("deepeval")
    from deepeval.errors import MissingTestCaseParamsError

    metric = deepeval_metric()
    metric.measure(deepeval_case())
    with pytest.raises(MissingTestCaseParamsError, match="cannot be None"):
        metric.measure(deepeval_case(**fields))
    assert metric.score is None
    assert not metric.is_successful()


def test_deepeval_the_source_of_a_retrieved_context_names_the_passage(deepeval_case: Any) -> None:
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


def test_deepeval_one_metric_measures_many_cases_at_once(deepeval_case: Any) -> None:
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


def test_deepeval_a_cancelled_measurement_leaves_no_score(deepeval_case: Any) -> None:
    judge = WaitingJudge()
    metric = deepeval_metric(judge=judge)
    metric.measure(deepeval_case("The second is tall.", ["Yes."]))

    async def cancelled() -> None:
        task = asyncio.create_task(metric.a_measure(deepeval_case("The first is tall.", ["Yes."])))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    judge.released.set()
    assert (metric.score, metric.is_successful()) == (None, False)


def test_deepeval_a_grade_ends_before_deepeval_gives_up(deepeval_case: Any) -> None:
    package("deepeval")
    from deepeval.utils import get_per_task_timeout

    judge = WaitingJudge()
    metric = deepeval_metric(judge=judge, deadline=0.2)
    assert metric.measure(deepeval_case("The first is tall.", ["Yes."])) is None
    judge.released.set()
    assert "deadline" in metric.error
    assert 0 < deepeval_metric().grader._clock.deadline < get_per_task_timeout()


def test_deepeval_its_cache_tells_policies_apart() -> None:
    package("deepeval")
    from deepeval.test_run.cache import Cache

    strict, other = deepeval_metric(all_or_nothing=True), deepeval_metric()
    assert Cache.same_metric_configs(other, Cache.create_metric_configuration(deepeval_metric()))
    assert not Cache.same_metric_configs(other, Cache.create_metric_configuration(strict))


# ---------------------------------------------------------------- ragas


def ragas_metric(**options: Any) -> Any:
    package("ragas")
    from faithfulness_assert.adapters.ragas import FaithfulnessAssert

    return FaithfulnessAssert(**options)


def test_ragas_a_result_is_a_metric_result_with_its_reason() -> None:
    metric = ragas_metric(threshold=0.9)
    from ragas.metrics.result import MetricResult

    result = asyncio.run(metric.ascore("How tall?", ANSWER, CONTEXT))
    assert isinstance(result, MetricResult)
    assert (result.value, float(result)) == (0.5, 0.5)
    assert result.reason == grade(ANSWER, CONTEXT, threshold=0.9).reason
    assert result.traces["output"]["outcome"] == "fail"


def test_ragas_a_result_without_a_score_is_no_number() -> None:
    result = ragas_metric(judge=SERVER_DOWN).score(response=ANSWER, retrieved_contexts=CONTEXT)
    assert result.to_dict()["result"] is None
    with pytest.raises(TypeError):
        float(result)


def test_ragas_missing_fields_are_no_score() -> None:
    metric = ragas_metric()
    assert metric.score(response=ANSWER).value is None
    assert metric.score(retrieved_contexts=CONTEXT).value is None


def test_ragas_single_turn_scores_raise_where_there_is_none() -> None:
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


# ---------------------------------------------------------------- Inspect


def test_inspect_a_log_says_what_was_graded_and_why_not() -> None:
    (score,) = inspect_log([HALF]).samples[0].scores.values()
    assert (score.value, score.answer, score.metadata["outcome"]) == (0.5, ANSWER, "fail")
    (score,) = inspect_log([HALF], judge=SERVER_DOWN).samples[0].scores.values()
    assert (math.isnan(score.value), score.reason) == (True, "grader_failed")
    (score,) = inspect_log([Sample("Q?", ANSWER, None)]).samples[0].scores.values()
    assert (math.isnan(score.value), score.reason) == (True, "scoring_failed")
    assert "context: missing" in score.explanation


def test_inspect_a_function_may_say_what_is_graded() -> None:
    def case(state: Any) -> dict[str, Any]:
        return {"answer": state.output.completion, "context": f"{state.input_text} is 3 m tall."}

    log = inspect_log([Sample("The tower", "The tower is 3 m tall.", None)], case=case)
    assert log.samples[0].scores["faithfulness"].value == 1.0


@pytest.mark.parametrize(
    "secret",
    [
        {"api_key": "sk-secret"},
        {"base_url": "https://me:pass@host/v1"},
        {"base_url": "https://host/v1?key=sk-secret"},
    ],
)
def test_inspect_takes_no_secret_that_it_would_write_into_its_log(secret: Any) -> None:
    package("inspect_ai")
    from faithfulness_assert.adapters.inspect_ai import faithfulness

    with pytest.raises(ConfigError, match="environment") as raised:
        faithfulness("openai:m", **secret)
    assert "sk-secret" not in str(raised.value)


def test_inspect_options_are_in_its_log() -> None:
    log = inspect_log([HALF], threshold=0.4, fail_on=["contradicted"])
    assert log.eval.scorers[0].options == {"threshold": 0.4, "fail_on": ["contradicted"]}


# ---------------------------------------------------------------- MLflow


def test_mlflow_passes_only_if_our_result_does() -> None:
    data = [
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER, "context": CONTEXT}}
    ]
    assert mlflow_outcome(data, threshold=0.5).passed
    assert not mlflow_outcome(data, threshold=0.9).passed
    assert not mlflow_outcome(data, judge=SERVER_DOWN).passed
    labels = TruthfulJudge(lambda text: "contradicted" if "red" in text else "supported")
    assert not mlflow_outcome(data, judge=labels, threshold=0.5, fail_on=["contradicted"]).passed


def test_mlflow_means_are_those_of_what_was_graded() -> None:
    data = [
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER, "context": CONTEXT}},
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER}},
    ]
    assert mlflow_outcome(data).metrics["faithfulness/mean"] == 0.5
    assert mlflow_outcome(data, judge=SERVER_DOWN).metrics == {}


def test_mlflow_what_the_trace_retrieved_is_the_context() -> None:
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


def test_mlflow_a_function_may_say_what_is_graded() -> None:
    def case(*, inputs: Any, outputs: Any, expectations: Any, trace: Any) -> dict[str, Any]:
        return {"answer": outputs["said"], "context": inputs["page"]}

    data = [{"inputs": {"page": "It is 3 m tall."}, "outputs": {"said": "It is 3 m tall."}}]
    assert mlflow_outcome(data, case=case).metrics["faithfulness/mean"] == 1.0


def test_mlflow_a_grade_ends_before_mlflow_gives_up() -> None:
    package("mlflow")
    from mlflow.genai.scorers.base import DEFAULT_SCORER_TIMEOUT

    from faithfulness_assert.adapters.mlflow import FaithfulnessAssert

    for options in ({}, {"deadline": 20}, {"deadline": 1000.0}):
        scorer = FaithfulnessAssert(**options)
        assert scorer._grader._clock.deadline < scorer.timeout
    assert FaithfulnessAssert().timeout == pytest.approx(DEFAULT_SCORER_TIMEOUT)
    assert FaithfulnessAssert(deadline=None).timeout == 0, "MLflow's word for no timeout"
    judge = WaitingJudge()
    data = {"outputs": {"answer": "The first is tall.", "context": "Yes."}}
    began = time.monotonic()
    (feedback,) = FaithfulnessAssert(judge, deadline=0.2).run(inputs={}, **data)
    judge.released.set()
    assert time.monotonic() - began < 20
    assert (feedback.value, feedback.error.error_code) == (None, "timeout")


# ---------------------------------------------------------------- Langfuse and LangSmith


def test_langfuse_and_langsmith_take_a_function_that_says_what_is_graded() -> None:
    package("langfuse")
    package("langsmith")
    from faithfulness_assert.adapters import langfuse, langsmith

    def in_langfuse(*, output: Any, metadata: Any, **_: Any) -> dict[str, Any]:
        return {"answer": output["said"], "context": metadata["page"]}

    given = {
        "input": "Q?",
        "output": {"said": ANSWER},
        "expected_output": None,
        "metadata": {"page": CONTEXT},
    }
    number, word = asyncio.run(langfuse.faithfulness(case=in_langfuse)(**given))
    assert (number.name, number.value, word.value) == ("faithfulness", 0.5, "fail")

    def in_langsmith(*, inputs: Any, outputs: Any, reference_outputs: Any) -> dict[str, Any]:
        return {"answer": outputs["said"], "context": inputs["page"]}

    evaluator = langsmith.faithfulness(case=in_langsmith, name="backed")
    result = asyncio.run(evaluator({"page": CONTEXT}, {"said": ANSWER}, {}))
    assert (result.key, result.score, result.value) == ("backed", 0.5, "fail")


# ---------------------------------------------------------------- OpenTelemetry


def test_opentelemetry_an_event_has_no_text_of_the_answer_unless_it_is_wanted() -> None:
    secret = Sample("Q?", "Zebra 77 sleeps. Lions roar.", ["Lions roar."])
    (plain,) = in_opentelemetry([secret], texts=False)
    assert "Zebra" not in plain.why
    assert plain.why == "graded: 1 supported, 1 not_enough_info; passes at 0.8"
    (full,) = in_opentelemetry([secret])
    assert "Zebra 77 sleeps." in full.why
    (down,) = in_opentelemetry([secret], texts=False, judge=ScriptedJudge(["Zebra? I can't help."]))
    assert "Zebra" not in down.why


def test_opentelemetry_an_event_belongs_to_the_span_of_the_answer() -> None:
    package("opentelemetry.sdk")
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import set_span_in_context

    from faithfulness_assert.adapters.opentelemetry import emit_result

    exporter, provider = InMemoryLogRecordExporter(), LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    logger = provider.get_logger("test")
    span = TracerProvider().get_tracer("test").start_span("chat")
    result = grade(ANSWER, CONTEXT, judge=SERVER_DOWN)
    emit_result(
        result, context=set_span_in_context(span), response_id="r1", logger=logger, name="mine"
    )
    (log,) = exporter.get_finished_logs()
    record = log.log_record
    assert record.event_name == "gen_ai.evaluation.result"
    assert record.span_id == span.get_span_context().span_id
    assert dict(record.attributes) == {
        "gen_ai.evaluation.name": "mine",
        "gen_ai.evaluation.score.label": "judge_failed",
        "gen_ai.evaluation.explanation": "not graded: judge_failed",
        "gen_ai.response.id": "r1",
        "error.type": "server",
    }
