"""What Langfuse and LangSmith get from an evaluator. Run by ``tox -e adapters``."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from .judges import ANSWER, CONTEXT
from .systems import package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


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
