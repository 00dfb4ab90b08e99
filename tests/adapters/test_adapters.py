"""What holds for adapters without the packages of other systems; with them, see ``tests/adapters``."""

import importlib
import json
import sys

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Grader
from faithfulness_assert.adapters import shared

ADAPTERS = ROOT / "faithfulness_assert" / "adapters"
NEEDS = {
    "deepeval": "deepeval",
    "ragas": "langchain-community",
    "inspect_ai": "inspect-ai",
    "mlflow": "mlflow",
    "langfuse": "langfuse",
    "langsmith": "langsmith",
    "opentelemetry": "opentelemetry-sdk",
}


def test_without_its_package_an_adapter_says_what_to_install(monkeypatch):
    assert {path.stem for path in ADAPTERS.glob("*.py")} == {*NEEDS, "__init__", "shared"}
    for system, package in NEEDS.items():
        monkeypatch.setitem(sys.modules, system, None)
        monkeypatch.delitem(sys.modules, f"faithfulness_assert.adapters.{system}", raising=False)
        with pytest.raises(ImportError, match=f"(?s)pip install.*{package}"):
            importlib.import_module(f"faithfulness_assert.adapters.{system}")


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"question": "How tall?"}, {"answer": "It is 3 m tall.", "context": ["It is 3 m tall."]}),
        (
            "How tall?",
            {"output": "It is 3 m tall.", "documents": [{"page_content": "It is 3 m tall."}]},
        ),
        ({"input": "How tall?", "contexts": ["It is 3 m tall."]}, "It is 3 m tall."),
        (
            {"messages": [{"role": "user", "content": "How tall?"}], "context": "It is 3 m tall."},
            {"messages": [{"role": "assistant", "content": "It is 3 m tall."}]},
        ),
    ],
)
def test_a_case_is_found_under_the_usual_names(inputs, outputs):
    result = next(iter(Grader().grade_many([shared.case_in(inputs, outputs)])))
    assert (result.score, result.status) == (1.0, "graded")


def test_without_a_context_the_messages_that_went_in_are_read_and_those_of_the_model_back_nothing():
    fact, made_up = "It opens at 9 on weekdays.", "Parking costs seven euros."
    messages = [
        {"role": "user", "content": "When does it open?"},
        {"role": "assistant", "content": made_up},
        {"role": "tool", "content": fact},
        {"role": "user", "content": "Sure?"},
    ]
    found = shared.case_in({"messages": messages}, {"answer": f"{fact} {made_up}"})
    (result,) = Grader().grade_many([found])
    assert [verdict.label for verdict in result.verdicts] == ["supported", "not_enough_info"]


claims = st.text(max_size=60) | st.just("The moon is made of cheese.")


@given(claims, st.sampled_from(["context", "documents", "retrieved_contexts", "contexts"]))
def test_a_model_cannot_bring_its_own_context(claim, name):
    """Its output is a text, also where it looks like JSON."""
    answer = json.dumps({"answer": claim, name: [claim]})
    found = shared.case_in("Is it?", answer, {"context": ["The moon is made of rock."]})
    assert (found["answer"], found["context"]) == (answer, ["The moon is made of rock."])
    assert not any(
        "context" in key or key == "documents" for key in shared.case_in("Is it?", answer)
    )


ODD = (
    None,
    5,
    float("nan"),
    b"\xff",
    object(),
    {1, 2},
    [None],
    [[["x"]]],
    {"a": 1},
    [{"text": None}],
)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
@pytest.mark.parametrize("field", ["answer", "context"])
def test_a_value_that_is_no_text_is_not_graded_as_one(field, odd):
    case = {"answer": "It is so.", "context": ["It is so."], field: odd}
    outputs = odd if field == "answer" and not isinstance(odd, dict) else case
    for found in (
        shared.case_in("Is it?", case),
        shared.case_in("Is it?", outputs, {"context": case["context"]}),
        shared.case_in(
            {"question": "Is it?", "context": case["context"]}, {"answer": case["answer"]}
        ),
        shared.case_in("Is it?", {"answer": case["answer"]}, context=case["context"] or None),
    ):
        (result,) = Grader().grade_many([found])
        assert not result.defined
