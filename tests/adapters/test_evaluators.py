"""What Langfuse and LangSmith get from an evaluator. Run by ``tox -e adapters``."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from loopback import Answer, Loopback

from .judges import ANSWER, CONTEXT, SERVER_DOWN
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


def test_langfuse_gets_a_number_only_for_what_was_graded() -> None:
    """What the client sends to a server."""
    langfuse = package("langfuse")
    from faithfulness_assert.adapters.langfuse import faithfulness

    with Loopback(Answer({}), models=Answer({"data": []})) as server:
        client = langfuse.Langfuse(public_key="pk-sent", secret_key="sk", base_url=server.root)
        client.run_experiment(
            name="towers",
            data=[{"input": "How tall?", "metadata": {"context": CONTEXT}}],
            task=lambda **_: ANSWER,
            evaluators=[faithfulness(), faithfulness(SERVER_DOWN, name="down")],
        )
        client.flush()
        client.shutdown()
    bodies = [r.body for r in server.requests if r.path == "/api/public/scores"]
    sent = {score["name"]: (score["value"], score["dataType"]) for body in bodies for score in body}
    assert sent == {
        "faithfulness": (0.5, "NUMERIC"),
        "faithfulness_outcome": ("fail", "CATEGORICAL"),
        "down_outcome": ("judge_failed", "CATEGORICAL"),
    }
