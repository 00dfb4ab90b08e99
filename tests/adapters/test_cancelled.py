"""A cancelled grade leaves nothing under way. Run by ``tox -e adapters``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from .judges import ANSWER, CONTEXT, AsyncJudge
from .systems import adapter

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


FIELDS = {"answer": ANSWER, "context": CONTEXT}


def deepeval_call(judge: Any) -> Any:
    metric = adapter("deepeval")(judge)
    from deepeval.test_case import LLMTestCase

    case = LLMTestCase(input="Q?", actual_output=ANSWER, retrieval_context=CONTEXT)
    return metric.a_measure(case)


CALLS: dict[str, Callable[[Any], Any]] = {
    "deepeval": deepeval_call,
    "ragas": lambda judge: adapter("ragas")(judge).ascore("Q?", ANSWER, CONTEXT),
    "langfuse": lambda judge: adapter("langfuse")(judge)(output=ANSWER, metadata=FIELDS),
    "langsmith": lambda judge: adapter("langsmith")(judge)({}, FIELDS, {}),
    "inspect": lambda judge: adapter("inspect_ai")(judge, case=lambda _: FIELDS)(None, None),
}


@pytest.mark.parametrize("system", CALLS)
def test_a_cancelled_grade_cancels_its_asks(system: str) -> None:
    async def cancelled() -> AsyncJudge:
        judge = AsyncJudge()
        task = asyncio.ensure_future(CALLS[system](judge))
        await asyncio.wait_for(judge.began.wait(), 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        return judge

    assert asyncio.run(cancelled()).cancelled
