"""The promptfoo assertion: a valid result for every input, and an exception only under not-python."""

import json
import re
import subprocess
import sys
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import contains, rows
from strategies import examples

from faithfulness_assert.promptfoo import get_assert

ANSWER = "The Eiffel Tower is 330 metres tall. It stands in Paris."
CONTEXT = "The Eiffel Tower is 330 metres tall. It stands in Paris."
EMBEDDED = {"judge": "embedded"}
HEADERS = {"Proxy-Authorization": "Bearer x", "X-Team": "a"}


def call(output: Any = ANSWER, config: Any = None, **context: Any) -> dict[str, Any]:
    given = {
        "vars": {"context": CONTEXT, "query": "How tall?"},
        "config": EMBEDDED if config is None else config,
        **context,
    }
    result = get_assert(output, given)
    json.dumps(result, allow_nan=False)
    return result


def test_the_first_twenty_problems_are_components_unless_none_are_wanted_and_listed_anyway():
    answer = " ".join(f"The king number {number} owns it." for number in range(25))
    without = call(answer, {**EMBEDDED, "components": "none"})
    assert without["componentResults"] == []  # promptfoo would count each as a failed assertion
    made_up = call(answer)
    assert without["metadata"]["graderOutputs"] == made_up["metadata"]["graderOutputs"]
    components = made_up["componentResults"]
    assert [part["pass"] for part in components] == [False] * 20
    assert components[0]["assertion"]["value"] == "The king number 0 owns it."
    assert "metric" not in components[0]["assertion"]
    said = made_up["metadata"]["graderOutputs"]["statements"].split("\n")
    assert len(said) == 21
    assert said[19:] == ["“The king number 19 owns it.” (not enough info)", "… and 5 more"]


@pytest.mark.parametrize("row", rows("promptfoo_assertions"), ids=lambda row: row["what"])
def test_an_assertion_has_the_result_that_its_row_says(row):
    arguments = (row.get("output", ANSWER), row["config"])
    if "raises" in row:
        with pytest.raises(Exception, match=row["raises"]):
            call(*arguments, **row["given"])
        return
    result = call(*arguments, **row.get("given", {}))
    assert contains(result, row.get("wanted", {}))
    assert len(result["componentResults"]) == row.get("components", len(result["componentResults"]))
    assert [said for said in row.get("reason", ()) if said not in result["reason"]] == []
    assert "Traceback" not in result["reason"]


def test_an_output_may_be_nested_deeply():
    nested: list[Any] = []
    for _ in range(2000):
        nested = [nested]
    assert not call({"answer": ANSWER, "steps": nested})["metadata"]["graderError"]


def test_the_judge_must_be_named(monkeypatch):
    monkeypatch.delenv("FAITHFULNESS_ASSERT_JUDGE", raising=False)
    result = call(config={})
    assert (result["pass"], result["metadata"]["graderError"]) == (False, True)
    assert "embedded" in result["reason"]
    assert "FAITHFULNESS_ASSERT_JUDGE" in result["reason"]
    monkeypatch.setenv("FAITHFULNESS_ASSERT_JUDGE", "embedded")
    assert call(config={})["pass"] is True
    monkeypatch.setenv("FAITHFULNESS_ASSERT_JUDGE", "no-such-judge")
    assert call()["metadata"]["judge"] == "embedded", "the config comes before the environment"


any_text = st.text(st.characters(), max_size=20)  # lone surrogates too
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)
KEYS = "judge policy threshold components contextFrom answerFrom weights deadline failOn x"
configs = st.dictionaries(
    st.sampled_from(KEYS.split()),
    json_values | st.sampled_from(["embedded", "default", "all", "vars.context"]),
    max_size=4,
)


@pytest.mark.usefixtures("defects")
def test_a_defect_of_ours_is_written_without_keys_to_the_file_that_the_user_names(
    monkeypatch, tmp_path
):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("api_key: sk-aB3dE5gH7jK9mN1pQ3sT5vX7")

    monkeypatch.setattr("faithfulness_assert.promptfoo.hook.find_texts", broken)
    log = tmp_path / "errors.log"
    monkeypatch.setenv("FAITHFULNESS_ASSERT_LOG", str(log))
    at = r"internal error ZeroDivisionError at promptfoo.hook\.py:\d+ in _graded: "
    result = call()
    assert re.search(at, result["reason"])
    written = log.read_text("utf-8") + json.dumps(result)
    assert ("ZeroDivisionError" in written, "_graded" in written) == (True, True)
    assert "aB3dE5" not in written


@examples(150)
@given(
    json_values,
    st.dictionaries(
        st.sampled_from(["vars", "test", "providerResponse", "metadata", "prompt"]), json_values
    ),
    json_values | configs,
)
def test_any_input_from_promptfoo_gives_a_result_that_promptfoo_can_use(output, context, config):
    result = get_assert(output, {**context, "config": config})
    text = json.dumps(result, allow_nan=False, ensure_ascii=False)
    text.encode("utf-8")
    keys = "pass score reason namedScores tokensUsed metadata componentResults"
    assert set(result) == set(keys.split())
    assert isinstance(result["pass"], bool)
    assert isinstance(result["reason"], str)
    assert 0 <= result["score"] <= 1
    assert all(isinstance(value, int) for value in result["tokensUsed"].values())
    assert all(isinstance(value, float) for value in result["namedScores"].values())


def test_only_the_process_of_promptfoo_gets_no_tracebacks(tmp_path):
    code = """
import sys
from faithfulness_assert.promptfoo import get_assert
try:
    get_assert("It rains.", {"vars": {}, "config": {}, "assertion": {"type": "not-python"}, "test": {"assert": [{"type": "not-python"}]}})
finally:
    print(getattr(sys, "tracebacklimit", None))
"""
    shown = {}
    for name in ("wrapper.py", "own.py"):
        (tmp_path / name).write_text(code, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(tmp_path / name)], capture_output=True, text=True, cwd=tmp_path
        )
        shown[name] = (done.stdout, "Traceback" in done.stderr, "NotPythonError" in done.stderr)
    assert shown == {"wrapper.py": ("0\n", False, True), "own.py": ("None\n", True, True)}


@pytest.mark.parametrize("call", ["get_assert('x', {})", "afterAll({}, {})"])
def test_a_python_without_the_package_says_in_one_line_what_to_set(call, tmp_path):
    """The hook at the end of an eval raises nothing: promptfoo would lose the results."""
    shim = resources.files("faithfulness_assert") / "promptfoo/templates/faithfulness.py"
    alone = tmp_path / "faithfulness.py"
    alone.write_text(f"{shim.read_text('utf-8')}\n{call}\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(alone)], capture_output=True, text=True, check=False
    )
    assert done.stderr.count("\n") == 1
    assert done.returncode == int("get_assert" in call)
    assert "has no faithfulness-assert. Set PROMPTFOO_PYTHON to one" in done.stderr


def test_a_key_in_the_config_is_warned_of_by_name_since_promptfoo_writes_config_into_results():
    own = {"judge": "openai:m", "apiKey": "sk-aB3dE5gH7jK9mN1pQ3sT5vX7", "extraHeaders": HEADERS}
    told = call(" ", own)["metadata"]["warnings"]  # a blank answer needs no judge
    assert [line.partition(" of config ")[0] for line in told] == [
        "setup: promptfoo copies apiKey",
        "setup: promptfoo copies Proxy-Authorization",
    ]
    assert "sk-aB3" not in str(told)
