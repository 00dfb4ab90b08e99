"""What each system asks of its adapter, and data sets of others as they are. Run by ``tox -e adapters``."""

import asyncio
import json
import math
import time
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge, failing

from faithfulness_assert import ConfigError, grade, grade_many

from .judges import ANSWER, CONTEXT, HALF, SERVER_DOWN, SlowJudge, WaitingJudge
from .systems import (
    Sample,
    adapter,
    events_of,
    in_opentelemetry,
    inspect_log,
    mlflow_outcome,
    package,
)

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


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
    return adapter("deepeval")(**options)


def test_a_measured_metric_has_all_its_fields(deepeval_case):
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


def test_an_error_is_no_score_and_forgets_the_case_before(deepeval_case):
    good = json.dumps(
        {"verdicts": [{"id": n, "evidence": [1], "label": "supported"} for n in (1, 2)]}
    )
    metric = deepeval_metric(judge=ScriptedJudge([good, failing("server")]))
    assert asyncio.run(metric.a_measure(deepeval_case())) == 1.0
    assert asyncio.run(metric.a_measure(deepeval_case())) is None
    assert (metric.score, metric.success, metric.is_successful()) == (None, False, False)
    assert "it failed (server)" in metric.error


def test_assert_test_passes_fails_and_tells_errors_apart(deepeval_case):
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
def test_a_missing_field_is_what_deepeval_expects(deepeval_case, fields):
    package("deepeval")
    from deepeval.errors import MissingTestCaseParamsError

    metric = deepeval_metric()
    metric.measure(deepeval_case())
    with pytest.raises(MissingTestCaseParamsError, match="cannot be None"):
        metric.measure(deepeval_case(**fields))
    assert metric.score is None
    assert not metric.is_successful()


def test_the_source_of_a_retrieved_context_names_the_passage(deepeval_case):
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


def test_one_metric_measures_many_cases_at_once(deepeval_case):
    judge = WaitingJudge()
    metric = deepeval_metric(judge=judge)

    async def both() -> list[float]:
        first = asyncio.create_task(metric.a_measure(deepeval_case("The first is tall.", ["Yes."])))
        await asyncio.sleep(0.05)
        second = await metric.a_measure(deepeval_case("The second is tall.", ["Yes."]))
        judge.released.set()
        return [await first, second]

    assert asyncio.run(both()) == [1.0, 1.0]


# ---------------------------------------------------------------- ragas


def test_a_result_in_ragas_is_a_metric_result_with_its_reason():
    metric = adapter("ragas")(threshold=0.9)
    from ragas.metrics.result import MetricResult

    result = asyncio.run(metric.ascore("How tall?", ANSWER, CONTEXT))
    assert isinstance(result, MetricResult)
    assert (result.value, float(result)) == (0.5, 0.5)
    assert result.reason == grade(ANSWER, CONTEXT, threshold=0.9).reason
    assert result.traces["output"]["outcome"] == "fail"


def test_a_result_in_ragas_without_a_score_is_no_number():
    result = adapter("ragas")(judge=SERVER_DOWN).score(response=ANSWER, retrieved_contexts=CONTEXT)
    assert result.to_dict()["result"] is None
    with pytest.raises(TypeError):
        float(result)


def test_single_turn_scores_raise_where_there_is_none():
    metric = adapter("ragas")(judge=SERVER_DOWN)
    from ragas import SingleTurnSample

    sample = SingleTurnSample(user_input="Q?", response=ANSWER, retrieved_contexts=CONTEXT)
    assert adapter("ragas")().single_turn_score(sample) == 0.5
    with pytest.raises(Exception, match="it failed"):
        metric.single_turn_score(sample)
    ragas = package("ragas")
    data = ragas.EvaluationDataset([sample])
    with pytest.raises(Exception, match="it failed"):
        ragas.evaluate(data, metrics=[metric], raise_exceptions=True)


# ---------------------------------------------------------------- Inspect


def test_a_log_says_what_was_graded_and_why_not():
    (score,) = inspect_log([HALF]).samples[0].scores.values()
    assert (score.value, score.answer, score.metadata["outcome"]) == (0.5, ANSWER, "fail")
    (score,) = inspect_log([HALF], judge=SERVER_DOWN).samples[0].scores.values()
    assert (math.isnan(score.value), score.reason) == (True, "grader_failed")
    (score,) = inspect_log([Sample("Q?", ANSWER, None)]).samples[0].scores.values()
    assert (math.isnan(score.value), score.reason) == (True, "scoring_failed")
    assert "context: missing" in score.explanation


def test_a_function_may_say_what_inspect_grades():
    def case(state: Any) -> dict[str, Any]:
        return {"answer": state.output.completion, "context": f"{state.input_text} is 3 m tall."}

    log = inspect_log([Sample("The tower", "The tower is 3 m tall.", None)], case=case)
    assert log.samples[0].scores["faithfulness"].value == 1.0


def test_results_of_tools_in_inspect_are_evidence_if_the_metadata_has_no_context():
    """What the model said before, or what it asked a tool, is not."""
    inspect_ai = package("inspect_ai")
    from inspect_ai.dataset import Sample as InspectSample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ContentText, ModelOutput
    from inspect_ai.solver import solver
    from inspect_ai.tool import ToolCall

    @solver
    def agent() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            call = ToolCall(id="c1", function="search", arguments={"q": "The tower is old."})
            result = [ContentText(text="The tower is 3 m tall.")]
            state.messages += [
                ChatMessageAssistant(content="The tower is red.", tool_calls=[call]),
                ChatMessageTool(content=result, tool_call_id="c1", function="search"),
            ]
            said = "The tower is 3 m tall. The tower is red. The tower is old. It is a tower."
            state.output = ModelOutput.from_content("mockllm/model", said)
            state.messages.append(state.output.message)
            return state

        return solve

    samples = [InspectSample(input="How tall is it?")]
    task = inspect_ai.Task(
        dataset=samples, solver=agent(), scorer=adapter("inspect_ai")(SlowJudge())
    )
    (log,) = inspect_ai.eval(task, model="mockllm/model", display="none", log_dir="logs")
    assert log.samples[0].scores["faithfulness"].value == 0.25


@pytest.mark.parametrize(
    "secret",
    [
        {"api_key": "sk-secret"},
        {"base_url": "https://me:pass@host/v1"},
        {"base_url": "https://host/v1?key=sk-secret"},
    ],
)
def test_takes_no_secret_that_it_would_write_into_its_log(secret):
    metric = adapter("inspect_ai")

    with pytest.raises(ConfigError, match="environment") as raised:
        metric("openai:m", **secret)
    assert "sk-secret" not in str(raised.value)


# ---------------------------------------------------------------- MLflow


def test_mlflow_passes_only_if_our_result_does():
    data = [
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER, "context": CONTEXT}}
    ]
    assert mlflow_outcome(data, threshold=0.5).passed
    assert not mlflow_outcome(data, threshold=0.9).passed
    assert not mlflow_outcome(data, judge=SERVER_DOWN).passed
    labels = TruthfulJudge(lambda text: "contradicted" if "red" in text else "supported")
    assert not mlflow_outcome(data, judge=labels, threshold=0.5, fail_on=["contradicted"]).passed


def test_means_of_mlflow_are_those_of_what_was_graded():
    data = [
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER, "context": CONTEXT}},
        {"inputs": {"question": "How tall?"}, "outputs": {"answer": ANSWER}},
    ]
    assert mlflow_outcome(data).metrics["faithfulness/mean"] == 0.5
    assert mlflow_outcome(data, judge=SERVER_DOWN).metrics == {}


def test_what_a_trace_of_mlflow_retrieved_is_the_context():
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


def test_a_function_may_say_what_mlflow_grades():
    def case(*, inputs: Any, outputs: Any, expectations: Any, trace: Any) -> dict[str, Any]:
        return {"answer": outputs["said"], "context": inputs["page"]}

    data = [{"inputs": {"page": "It is 3 m tall."}, "outputs": {"said": "It is 3 m tall."}}]
    assert mlflow_outcome(data, case=case).metrics["faithfulness/mean"] == 1.0


def test_a_grade_ends_before_mlflow_gives_up():
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
    (feedback,) = metric(judge, deadline=9).run(inputs={}, **data)  # a second before MLflow
    judge.released.set()
    assert time.monotonic() - began < 60
    assert (feedback.value, feedback.error.error_code) == (None, "timeout")


# ---------------------------------------------------------------- Langfuse and LangSmith


def test_langfuse_and_langsmith_take_a_function_that_says_what_is_graded():
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


def test_an_event_has_no_text_of_the_answer_unless_it_is_wanted():
    secret = Sample("Q?", "Zebra 77 sleeps. Lions roar.", ["Lions roar."])
    (plain,) = in_opentelemetry([secret], texts=False)
    assert "Zebra" not in plain.why
    assert plain.why == "graded: 1 supported, 1 not_enough_info; passes at 0.8"
    (full,) = in_opentelemetry([secret])
    assert "Zebra 77 sleeps." in full.why
    (down,) = in_opentelemetry([secret], texts=False, judge=ScriptedJudge(["Zebra? I can't help."]))
    assert "Zebra" not in down.why


def test_an_event_belongs_to_the_span_of_the_answer():
    package("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import set_span_in_context

    span = TracerProvider().get_tracer("test").start_span("chat")
    result, context = grade(ANSWER, CONTEXT, judge=SERVER_DOWN), set_span_in_context(span)
    (record,) = events_of(
        lambda emit, logger: emit(
            result, context=context, response_id="r1", logger=logger, name="mine"
        )
    )
    assert record.event_name == "gen_ai.evaluation.result"
    assert record.span_id == span.get_span_context().span_id
    assert dict(record.attributes) == {
        "gen_ai.evaluation.name": "mine",
        "gen_ai.evaluation.score.label": "judge_failed",
        "gen_ai.evaluation.explanation": "not graded: judge_failed",
        "gen_ai.response.id": "r1",
        "error.type": "server",
    }


# ---------------------------------------------------------------- data sets of Hugging Face and of ragas


TEXT = "The museum opens at 9."
ROWS: list[dict[str, Any]] = [
    {"id": "a", "answer": TEXT, "context": [TEXT]},
    {"id": "b", "answer": "Adults pay 12 euros.", "context": ["Adults pay 14 euros."]},
]


def outcomes(cases: Any) -> list[tuple[str, str]]:
    results = grade_many(cases)
    assert len(results.to_frame()) == len(ROWS)
    return [(result.case_id, result.outcome) for result in results]


@pytest.mark.parametrize("kind", [None, "pandas", "numpy", "stream", "generator"])
def test_a_data_set_of_hugging_face_is_graded(kind):
    datasets = package("datasets")
    data_set = datasets.Dataset.from_list(ROWS)
    if kind == "stream":
        data_set = data_set.to_iterable_dataset()
    elif kind == "generator":
        data_set = datasets.IterableDataset.from_generator(lambda: iter(ROWS))
    else:
        data_set = data_set.with_format(kind)
    assert outcomes(data_set) == [("a", "PASS"), ("b", "FAIL")]


@pytest.mark.parametrize("how", ["", "to_pandas", "to_hf_dataset"])
def test_a_data_set_of_ragas_is_graded(how):
    ragas = package("ragas")
    samples = [
        ragas.SingleTurnSample(response=row["answer"], retrieved_contexts=row["context"])
        for row in ROWS
    ]
    data_set = ragas.EvaluationDataset(samples=samples)
    cases = getattr(data_set, how)() if how else data_set
    assert outcomes(cases) == [("", "PASS"), ("", "FAIL")]
