"""How each system grades samples with our adapter, by its own way of running an evaluation.

Each way takes samples and the options of the adapter, and gives what the system shows for each sample.
"""

import asyncio
import math
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from faithfulness_assert import Grader


@dataclass(frozen=True)
class Sample:
    """What is graded. The questions of samples that are graded together differ."""

    question: str
    answer: Any
    context: Any


class Shown(NamedTuple):
    """What a system shows: the score, None without one; whether it passes, if the system says so; why."""

    score: float | None
    passed: bool | None
    why: str


Way = Callable[..., list[Shown]]


def package(name: str) -> Any:
    """The package of a system. Its own environment must have it; elsewhere the test is skipped."""
    if os.environ.get("TOX_ENV_NAME") == "adapters":
        return import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed (tox -e adapters)")


def adapter(system: str) -> Any:
    """What our adapter for a system offers, such as its metric."""
    package(system)
    module = import_module(f"faithfulness_assert.adapters.{system}")
    return getattr(module, "FaithfulnessAssert", None) or module.faithfulness


def in_order(samples: Sequence[Sample], shown: Mapping[str, Shown]) -> list[Shown]:
    """What is shown for each question, in the order of the samples."""
    return [shown[sample.question] for sample in samples]


def number(value: Any) -> float | None:
    """A score as a system keeps it. NaN is how some write that there is none."""
    return None if value is None or math.isnan(value) else float(value)


# ---------------------------------------------------------------- one for each way


def in_deepeval(
    samples: Sequence[Sample], *, asynchronous: bool = True, **options: Any
) -> list[Shown]:
    deepeval = package("deepeval")
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.test_case import LLMTestCase

    cases = [
        LLMTestCase(input=s.question, actual_output=s.answer, retrieval_context=s.context)
        for s in samples
    ]
    outcome = deepeval.evaluate(
        cases,
        [adapter("deepeval")(**options)],
        async_config=AsyncConfig(run_async=asynchronous, max_concurrent=50),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        cache_config=CacheConfig(write_cache=False),
    )
    shown = {}
    for result in outcome.test_results:
        (data,) = result.metrics_data
        assert (data.error is None) == (data.score is not None), "an error or a score"
        shown[result.input] = Shown(data.score, data.success, data.error or data.reason)
    return in_order(samples, shown)


def in_deepeval_in_turn(samples: Sequence[Sample], **options: Any) -> list[Shown]:
    return in_deepeval(samples, asynchronous=False, **options)


def ragas_samples(samples: Sequence[Sample]) -> list[Any]:
    package("ragas")
    from ragas import SingleTurnSample

    return [
        SingleTurnSample(user_input=s.question, response=s.answer, retrieved_contexts=s.context)
        for s in samples
    ]


def in_ragas_experiment(samples: Sequence[Sample], **options: Any) -> list[Shown]:
    ragas = package("ragas")
    metric = adapter("ragas")(**options)
    data = ragas.Dataset(name="samples", backend="inmemory")
    for sample in ragas_samples(samples):
        data.append(sample.to_dict())

    @ragas.experiment()
    async def graded(row: dict[str, Any]) -> dict[str, Any]:
        result = await metric.ascore(**row)
        return {"question": row["user_input"], "value": result.value, "why": result.reason}

    rows = {row["question"]: row for row in asyncio.run(graded.arun(data))}
    return [Shown(rows[s.question]["value"], None, rows[s.question]["why"]) for s in samples]


def in_ragas_evaluate(samples: Sequence[Sample], **options: Any) -> list[Shown]:
    ragas = package("ragas")
    data = ragas.EvaluationDataset(ragas_samples(samples))
    outcome = ragas.evaluate(data, metrics=[adapter("ragas")(**options)], show_progress=False)
    return [Shown(number(row["faithfulness"]), None, "(ragas logs it)") for row in outcome.scores]


def inspect_log(samples: Sequence[Sample], **options: Any) -> Any:
    inspect_ai = package("inspect_ai")
    from inspect_ai.dataset import Sample as InspectSample
    from inspect_ai.model import ModelOutput, ModelUsage
    from inspect_ai.solver import solver

    answers = {s.question: s.answer for s in samples}
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)

    @solver
    def answering() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("mockllm/model", answers[state.input_text])
            state.output.usage = usage
            return state

        return solve

    data = [
        InspectSample(
            id=n, input=s.question, metadata={} if s.context is None else {"context": s.context}
        )
        for n, s in enumerate(samples, 1)
    ]
    task = inspect_ai.Task(
        dataset=data, solver=answering(), scorer=adapter("inspect_ai")(**options)
    )
    (log,) = inspect_ai.eval(task, model="mockllm/model", display="none", log_dir="logs")
    return log


def in_inspect(samples: Sequence[Sample], **options: Any) -> list[Shown]:
    log = inspect_log(samples, **options)
    assert log.status == "success", log.error
    (totals,) = log.results.scores
    shown = []
    for sample in sorted(log.samples, key=lambda sample: sample.id):
        (score,) = sample.scores.values()
        shown.append(Shown(number(score.value), None, score.explanation))
    scores = [s.score for s in shown if s.score is not None]
    assert (totals.scored_samples, totals.unscored_samples) == (
        len(scores),
        len(shown) - len(scores),
    )
    mean = number(totals.metrics["mean"].value)
    assert mean == (pytest.approx(sum(scores) / len(scores)) if scores else None)
    return shown


def mlflow_outcome(data: Any, **options: Any) -> Any:
    """What ``mlflow.genai.evaluate`` gives, with a fresh store."""
    mlflow = package("mlflow")
    predict = options.pop("predict_fn", None)
    mlflow.set_tracking_uri("sqlite:///mlflow.db")
    scorers = [adapter("mlflow")(**options)]
    return mlflow.genai.evaluate(data=data, scorers=scorers, predict_fn=predict)


def in_mlflow(samples: Sequence[Sample], **options: Any) -> list[Shown]:
    data = [
        {"inputs": {"question": s.question}, "outputs": {"answer": s.answer, "context": s.context}}
        for s in samples
    ]
    outcome = mlflow_outcome(data, **options)
    shown = {}
    for _, row in outcome.result_df.iterrows():
        score, error = row.get("faithfulness/value"), row.get("faithfulness/error_message")
        error = error if isinstance(error, str) else None
        assert (number(score) is None) == (error is not None), "an error or a score"
        passed = bool(row["faithfulness_pass/value"]) if error is None else False
        shown[row["request"]["question"]] = Shown(
            number(score), passed, error or row["faithfulness/rationale"]
        )
    return in_order(samples, shown)


def in_langfuse(samples: Sequence[Sample], **options: Any) -> list[Shown]:
    langfuse = package("langfuse")
    answers = {s.question: s.answer for s in samples}
    client = langfuse.Langfuse(
        public_key="pk", secret_key="sk", base_url="http://127.0.0.1:9", tracing_enabled=False
    )
    outcome = client.run_experiment(
        name="samples",
        data=[{"input": s.question, "metadata": {"context": s.context}} for s in samples],
        task=lambda *, item, **_: answers[item["input"]],
        evaluators=[adapter("langfuse")(**options)],
    )
    shown = {}
    for item in outcome.item_results:
        found = {evaluation.name: evaluation for evaluation in item.evaluations}
        word = found["faithfulness_outcome"]
        score = found["faithfulness"].value if "faithfulness" in found else None
        assert (score is None) == (word.value not in ("pass", "fail"))
        shown[item.item["input"]] = Shown(score, word.value == "pass", word.comment)
    return in_order(samples, shown)


def langsmith_examples(samples: Sequence[Sample]) -> list[Any]:
    package("langsmith")
    from langsmith.schemas import Example

    data = uuid.uuid4()
    return [
        Example(id=uuid.uuid4(), dataset_id=data, inputs={"question": s.question}, outputs={})
        for s in samples
    ]


def in_langsmith(samples: Sequence[Sample], **options: Any) -> list[Shown]:
    langsmith = package("langsmith")
    found = {s.question: {"answer": s.answer, "documents": s.context} for s in samples}
    client = langsmith.Client(api_url="http://127.0.0.1:9", api_key="none")
    rows = client.evaluate(
        lambda inputs: found[inputs["question"]],
        data=langsmith_examples(samples),
        evaluators=[adapter("langsmith")(**options)],
        upload_results=False,
        max_concurrency=8,
    )
    shown = {}
    for row in rows:
        (result,) = row["evaluation_results"]["results"]
        assert (result.score is None) == (result.value not in ("pass", "fail"))
        assert (result.score is None) == (result.extra == {"error": True})
        shown[row["example"].inputs["question"]] = Shown(
            result.score, result.value == "pass", result.comment
        )
    return in_order(samples, shown)


def events_of(emit: Callable[[Any, Any], None]) -> list[Any]:
    """The OpenTelemetry events of what is done with our ``emit_result`` and a logger."""
    package("opentelemetry.sdk")
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

    from faithfulness_assert.adapters.opentelemetry import emit_result

    exporter, provider = InMemoryLogRecordExporter(), LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    emit(emit_result, provider.get_logger("test"))
    return [log.log_record for log in exporter.get_finished_logs()]


def in_opentelemetry(
    samples: Sequence[Sample], *, texts: bool = True, **options: Any
) -> list[Shown]:
    cases = [{"answer": s.answer, "context": s.context, "question": s.question} for s in samples]
    results = Grader(**options).grade_many(cases)

    def emit(emit_result: Any, logger: Any) -> None:
        for result in results:
            emit_result(result, logger=logger, texts=texts)

    shown = []
    for record in events_of(emit):
        found = dict(record.attributes)
        score, label = (found.get(f"gen_ai.evaluation.score.{key}") for key in ("value", "label"))
        assert (score is None) == (label not in ("pass", "fail"))
        assert score is None or "error.type" not in found
        shown.append(Shown(score, label == "pass", found["gen_ai.evaluation.explanation"]))
    return shown


WAYS: dict[str, Way] = {
    "deepeval": in_deepeval,
    "deepeval in turn": in_deepeval_in_turn,
    "ragas experiment": in_ragas_experiment,
    "ragas evaluate": in_ragas_evaluate,
    "inspect": in_inspect,
    "mlflow": in_mlflow,
    "langfuse": in_langfuse,
    "langsmith": in_langsmith,
    "opentelemetry": in_opentelemetry,
}
