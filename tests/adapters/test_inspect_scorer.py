"""What Inspect asks of a scorer. Run by ``tox -e adapters``."""

from __future__ import annotations

import math
from typing import Any

import pytest

from faithfulness_assert import ConfigError

from .judges import ANSWER, HALF, SERVER_DOWN, SlowJudge
from .systems import Sample, adapter, inspect_log, package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


def test_a_log_says_what_was_graded_and_why_not() -> None:
    (score,) = inspect_log([HALF]).samples[0].scores.values()
    assert (score.value, score.answer, score.metadata["outcome"]) == (0.5, ANSWER, "fail")
    (score,) = inspect_log([HALF], judge=SERVER_DOWN).samples[0].scores.values()
    assert (math.isnan(score.value), score.reason) == (True, "grader_failed")
    (score,) = inspect_log([Sample("Q?", ANSWER, None)]).samples[0].scores.values()
    assert (math.isnan(score.value), score.reason) == (True, "scoring_failed")
    assert "context: missing" in score.explanation


def test_a_function_may_say_what_is_graded() -> None:
    def case(state: Any) -> dict[str, Any]:
        return {"answer": state.output.completion, "context": f"{state.input_text} is 3 m tall."}

    log = inspect_log([Sample("The tower", "The tower is 3 m tall.", None)], case=case)
    assert log.samples[0].scores["faithfulness"].value == 1.0


def test_results_of_tools_are_evidence_if_the_metadata_has_no_context() -> None:
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
def test_takes_no_secret_that_it_would_write_into_its_log(secret: Any) -> None:
    metric = adapter("inspect_ai")

    with pytest.raises(ConfigError, match="environment") as raised:
        metric("openai:m", **secret)
    assert "sk-secret" not in str(raised.value)
