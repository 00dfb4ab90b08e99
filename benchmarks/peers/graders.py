"""How each grader is used, as its own documentation says: one class for each.

``one`` grades one item, ``together`` several at a concurrency. Both give scores; None stands for
an error in the result. Where a grader has a timeout for the judge, it is set. This file runs in the
grader's own environment, so imports are in functions.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Protocol

from items import Item

MODEL = "gpt-4o-mini"
QUIET = {  # no telemetry, no look for updates, no network but the judge
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_UPDATE_WARNING_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "HF_HUB_OFFLINE": "1",
    "OPENAI_API_KEY": "none",
    "RAGAS_DO_NOT_TRACK": "true",
    "TRULENS_OTEL_TRACING": "0",
}
Score = float | None


class Grader(Protocol):
    """What the benchmark needs of a grader."""

    @staticmethod
    def imports() -> None:
        """The imports of a program that uses it."""

    def __init__(self, url: str, timeout: float) -> None: ...

    def one(self, item: Item) -> Score: ...

    def together(self, given: list[Item], concurrency: int) -> list[Score]: ...


async def limited(work: Iterable[Coroutine[Any, Any, Any]], concurrency: int) -> list[Any]:
    """The results of ``work``, of which ``concurrency`` are done at one time."""
    gate = asyncio.Semaphore(concurrency)

    async def behind_gate(one: Coroutine[Any, Any, Any]) -> Any:
        async with gate:
            return await one

    return list(await asyncio.gather(*map(behind_gate, work)))


class Ours:
    """faithfulness_assert."""

    @staticmethod
    def imports() -> None:
        from faithfulness_assert import Grader  # noqa: F401

    def __init__(self, url: str, timeout: float) -> None:
        from faithfulness_assert import Grader

        self.grader = Grader(f"openai:{MODEL}", base_url=url, api_key="none", timeout=timeout)

    def one(self, item: Item) -> Score:
        return self._score(
            self.grader.grade(item.answer, list(item.contexts), question=item.question)
        )

    def together(self, given: list[Item], concurrency: int) -> list[Score]:
        cases = (
            {"answer": i.answer, "context": list(i.contexts), "question": i.question} for i in given
        )
        return [self._score(r) for r in self.grader.grade_many(cases, concurrency=concurrency)]

    @staticmethod
    def _score(result: Any) -> Score:
        return float(result.score) if result.defined else None


class Ragas:
    """ragas: the Faithfulness of ``ragas.metrics.collections``."""

    @staticmethod
    def imports() -> None:
        from openai import AsyncOpenAI  # noqa: F401
        from ragas.llms import llm_factory  # noqa: F401
        from ragas.metrics.collections import Faithfulness  # noqa: F401

    def __init__(self, url: str, timeout: float) -> None:
        from openai import AsyncOpenAI
        from ragas.llms import llm_factory
        from ragas.metrics.collections import Faithfulness

        client = AsyncOpenAI(base_url=url, api_key="none", timeout=timeout)
        self.metric = Faithfulness(llm=llm_factory(MODEL, client=client))
        self.loop = asyncio.new_event_loop()

    async def _grade(self, item: Item) -> Score:
        result = await self.metric.ascore(
            user_input=item.question,
            response=item.answer,
            retrieved_contexts=list(item.contexts),
        )
        return float(result.value)

    def one(self, item: Item) -> Score:
        return self.loop.run_until_complete(self._grade(item))

    def together(self, given: list[Item], concurrency: int) -> list[Score]:
        return self.loop.run_until_complete(limited(map(self._grade, given), concurrency))


class DeepEval:
    """deepeval: FaithfulnessMetric with its own OpenAI model."""

    @staticmethod
    def imports() -> None:
        from deepeval import evaluate  # noqa: F401
        from deepeval.metrics import FaithfulnessMetric  # noqa: F401
        from deepeval.models import GPTModel  # noqa: F401
        from deepeval.test_case import LLMTestCase  # noqa: F401

    def __init__(self, url: str, timeout: float) -> None:
        os.environ["DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE"] = str(timeout)
        from deepeval.models import GPTModel

        self.model = GPTModel(model=MODEL, base_url=url, api_key="none")

    def _metric(self) -> Any:
        from deepeval.metrics import FaithfulnessMetric

        return FaithfulnessMetric(model=self.model)

    @staticmethod
    def _case(item: Item) -> Any:
        from deepeval.test_case import LLMTestCase

        return LLMTestCase(
            input=item.question,
            actual_output=item.answer,
            retrieval_context=list(item.contexts),
        )

    def one(self, item: Item) -> Score:
        metric = self._metric()
        metric.measure(self._case(item), _show_indicator=False)
        score: Score = metric.score
        return score

    def together(self, given: list[Item], concurrency: int) -> list[Score]:
        from deepeval import evaluate
        from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig

        ran = evaluate(
            [self._case(item) for item in given],
            [self._metric()],
            async_config=AsyncConfig(max_concurrent=concurrency),
            cache_config=CacheConfig(write_cache=False),
            display_config=DisplayConfig(
                show_indicator=False, print_results=False, inspect_after_run=False
            ),
        )
        done = sorted(ran.test_results, key=lambda test: int(test.name.rpartition("_")[2]))
        return [test.metrics_data[0].score for test in done]


class AutoEvals:
    """autoevals: its Faithfulness, which is a port of that of ragas."""

    @staticmethod
    def imports() -> None:
        from autoevals.oai import LLMClient  # noqa: F401
        from autoevals.ragas import Faithfulness  # noqa: F401
        from openai import AsyncOpenAI, OpenAI  # noqa: F401

    def __init__(self, url: str, timeout: float) -> None:
        from autoevals.oai import LLMClient
        from autoevals.ragas import Faithfulness
        from openai import AsyncOpenAI, OpenAI

        how: dict[str, Any] = {"base_url": url, "api_key": "none", "timeout": timeout}
        self.metric = Faithfulness(model=MODEL, client=OpenAI(**how))
        self.loop = asyncio.new_event_loop()
        client = LLMClient(openai=AsyncOpenAI(**how), is_async=True)
        self.metric_async = Faithfulness(model=MODEL, client=client)

    @staticmethod
    def _fields(item: Item) -> dict[str, str]:
        return {
            "input": item.question,
            "output": item.answer,
            "context": "\n".join(item.contexts),
        }

    def one(self, item: Item) -> Score:
        score: Score = self.metric.eval(**self._fields(item)).score
        return score

    def together(self, given: list[Item], concurrency: int) -> list[Score]:
        work = (self.metric_async.eval_async(**self._fields(item)) for item in given)
        return [r.score for r in self.loop.run_until_complete(limited(work, concurrency))]


class TruLens:
    """trulens: groundedness of its OpenAI provider, which asks about each sentence.

    Sentences are split by the judge (the other way downloads a model). There is no call for
    several items, so they are graded in threads. Its default of 60 calls a minute is lifted.
    """

    calls_per_minute: ClassVar = 1_000_000

    @staticmethod
    def imports() -> None:
        from trulens.core.feedback.feedback import GroundednessConfigs  # noqa: F401
        from trulens.providers.openai import OpenAI  # noqa: F401

    def __init__(self, url: str, timeout: float) -> None:
        from trulens.core.feedback.feedback import GroundednessConfigs
        from trulens.providers.openai import OpenAI

        self.configs = GroundednessConfigs(use_sent_tokenize=False, filter_trivial_statements=True)
        self.provider = OpenAI(
            model_engine=MODEL,
            api_key="none",
            base_url=url,
            timeout=timeout,
            rpm=self.calls_per_minute,
        )

    def one(self, item: Item) -> Score:
        score, _ = self.provider.groundedness_measure_with_cot_reasons(
            source="\n".join(item.contexts),
            statement=item.answer,
            groundedness_configs=self.configs,
        )
        return float(score)

    def together(self, given: list[Item], concurrency: int) -> list[Score]:
        with ThreadPoolExecutor(concurrency) as pool:
            return list(pool.map(self.one, given))


GRADERS: dict[str, type[Grader]] = {
    "faithfulness-assert": Ours,
    "ragas": Ragas,
    "deepeval": DeepEval,
    "autoevals": AutoEvals,
    "trulens": TruLens,
}
