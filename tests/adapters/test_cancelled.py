"""A cancelled grade leaves nothing under way. Run by ``tox -e adapters``."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from .judges import ANSWER, CONTEXT, AsyncJudge
from .systems import package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


def deepeval_call(judge: Any) -> Any:
    package("deepeval")
    from deepeval.test_case import LLMTestCase

    from faithfulness_assert.adapters.deepeval import FaithfulnessAssert

    case = LLMTestCase(input="Q?", actual_output=ANSWER, retrieval_context=CONTEXT)
    return FaithfulnessAssert(judge).a_measure(case)


def langfuse_call(judge: Any) -> Any:
    package("langfuse")
    from faithfulness_assert.adapters.langfuse import faithfulness

    return faithfulness(judge)(input="Q?", output=ANSWER, metadata={"context": CONTEXT})


def langsmith_call(judge: Any) -> Any:
    package("langsmith")
    from faithfulness_assert.adapters.langsmith import faithfulness

    return faithfulness(judge)({}, {"answer": ANSWER, "context": CONTEXT}, {})


def inspect_call(judge: Any) -> Any:
    package("inspect_ai")
    from faithfulness_assert.adapters.inspect_ai import faithfulness

    def case(_: Any) -> dict[str, Any]:
        return {"answer": ANSWER, "context": CONTEXT}

    return faithfulness(judge, case=case)(None, None)


def ragas_call(judge: Any) -> Any:
    package("ragas")
    from faithfulness_assert.adapters.ragas import FaithfulnessAssert

    return FaithfulnessAssert(judge).ascore("Q?", ANSWER, CONTEXT)


CALLS = {
    "deepeval": deepeval_call,
    "ragas": ragas_call,
    "langfuse": langfuse_call,
    "langsmith": langsmith_call,
    "inspect": inspect_call,
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
