"""What the hook ``afterAll`` says in promptfoo's terminal."""

import io
from contextlib import redirect_stderr
from typing import Any

import pytest
from fakes import TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Grader
from faithfulness_assert.promptfoo import afterAll, hook
from faithfulness_assert.records.judge import PROMPT_CUT

TRUE, FALSE = "A ticket costs 9 euros.", "A ticket costs 35 euros. The king owns it."


def lines_of(given: tuple[Any, ...]) -> list[str]:
    """What the hook writes for these arguments."""
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(io.StringIO()) as said:
        patch.delenv("CI", raising=False)
        afterAll(*given)
    return said.getvalue().splitlines()


def ours(answer: str, **config: Any) -> dict[str, Any]:
    """What our assertion gives promptfoo."""
    settings = {"judge": "embedded", **config}
    return hook.grade(answer, {"vars": {"context": f"{TRUE} Oh!"}, "config": settings}, Grader)


def result(test: str, grade: dict[str, Any]) -> dict[str, Any]:
    """What promptfoo makes of it, beside another assertion."""
    parts = [{"pass": False, "reason": "x"}, grade]
    return {"testCase": {"description": test}, "gradingResult": {"componentResults": parts}}


def row(number: int, answer: str, **config: Any) -> dict[str, Any]:
    return result(f"test {number}", ours(answer, **config))


def told_of(*grades: dict[str, Any]) -> list[str]:
    return lines_of(({"results": [result("test", grade) for grade in grades]},))


def test_each_made_up_statement_and_each_grader_error_is_a_line():
    rows = [row(1, TRUE), row(2, FALSE), row(3, TRUE, judge="nobody")]
    rows += [row(4, FALSE, components="all"), row(4, FALSE)]
    lines = lines_of(({"results": rows}, {"hookName": "afterAll"}))
    assert lines[0].startswith("test 2 and 2 more: made up: “A ticket costs 35 euros.” (")
    assert lines[1].startswith("test 2 and 2 more: made up: “The king owns it.” (")
    assert lines[2].startswith("test 3: Not graded: judge:")
    assert len(lines) == 3


def test_a_test_that_is_named_has_all_that_it_made_up_under_its_name():
    first, second = FALSE.split(". ")
    rows = [row(1, f"{first}."), row(2, f"{first}."), row(3, FALSE), row(4, second)]
    lines = [line.partition(" (")[0] for line in lines_of(({"results": rows},))]
    assert lines == [
        f"test 1 and 1 more: made up: “{first}.”",
        f"test 3: made up: “{first}.”",
        f"test 3: made up: “{second}”",
        f"test 4: made up: “{second}”",
    ]


def test_what_was_made_up_is_told_of_a_test_that_passes_after_what_failed():
    passing = ours(f"{TRUE} The king owns it.", threshold=0.5)
    assert passing["pass"]
    first, second = told_of(passing, ours("The queen owns it."))
    assert first.startswith("test: made up: “The queen owns it.”")
    assert second.startswith("test: passed; made up: “The king owns it.”")
    assert told_of({**passing, "assertion": {"type": "not-python"}}) == []


def test_what_has_no_valid_verdict_is_not_called_made_up():
    labels = {"Hello!": "not_a_claim", TRUE: "supported"}
    judge = TruthfulJudge(label=lambda text: labels.get(text, "contradicted"))
    graded = Grader(judge, "promptfoo").grade(f"Hello! {FALSE}", TRUE)
    made_up, _, unverified = told_of(graded.to_promptfoo())
    assert made_up.startswith("test: made up: “A ticket")
    assert unverified == "test: unverified: “Hello!” (invalid verdict)"


def test_of_several_providers_and_prompts_those_of_a_finding_are_named():
    rows = []
    for provider in ({"id": "a:b", "label": ""}, {"id": "c:d", "label": "mine"}):
        for label in ("Be short. {{query}}", "Be long. {{query}}"):
            answer = FALSE if label.startswith("Be long") else TRUE
            rows.append({**row(1, answer), "provider": provider, "prompt": {"label": label}})
    first, second = lines_of(({"results": rows},))
    named = "test 1 (a:b, Be long. {{query}}) and 1 more: made up: “"
    assert [first.startswith(named), second.startswith(named)] == [True, True]
    assert lines_of(({"results": rows[1:2]},))[0].startswith("test 1: made up: “")


def test_a_failure_without_a_made_up_statement_says_why():
    (line,) = told_of(ours("I can't answer that."))
    assert line.startswith("test: ")
    grade = ours(FALSE)
    del grade["metadata"]["graderOutputs"]
    (line,) = told_of(grade)
    assert line.startswith("test: failed: 0 of 2 statements supported")


def test_a_number_that_is_nowhere_is_told_of_a_test_that_passes():
    passing = Grader(TruthfulJudge(label=lambda _: "supported")).grade(FALSE, TRUE)
    (line,) = told_of(passing.to_promptfoo())
    assert line == "test: passed; Check statement 1: nowhere in the context: “35”."


def test_what_fails_under_not_python_is_called_faithful_unchecked_or_not_graded():
    failed = {"pass": False, "assertion": {"type": "not-python"}}
    (line,) = told_of({**ours(TRUE), **failed})
    assert line == "test: the answer is faithful, but a not- assertion wants a made-up one"
    (line,) = told_of({**ours("I don't know.", endings={"abstained": "pass"}), **failed})
    assert line.startswith("test: nothing was checked (abstained): endings pass it, so a not-")
    reason = "Error: NotPythonError: Not graded: Nothing to check: the answer is blank.\nat x"
    (line,) = told_of({**failed, "reason": reason})
    assert line == "test: Not graded: Nothing to check: the answer is blank."


def test_a_log_of_ci_gets_few_lines(monkeypatch, capsys):
    monkeypatch.setenv("CI", "true")
    made = (f"A ticket costs {n + 35} euros. King {n} owns it." for n in range(30))
    context = {"results": [row(n, said) for n, said in enumerate(made)]}
    afterAll(context, {"hookName": "afterAll"})
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 20
    assert said[-1] == "… and 41 more; run `promptfoo view` for all"
    monkeypatch.delenv("CI")
    afterAll(context, {"hookName": "afterAll"})
    assert len(capsys.readouterr().err.splitlines()) == 60


KEYS = "results gradingResult componentResults metadata graderError defined graderOutputs statements vars".split()
plain = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.sampled_from(KEYS), one, max_size=4),
    max_leaves=12,
)


@given(plain, plain)
def test_no_context_of_a_hook_fails_an_eval(first, second):
    lines_of((first, second))


FAILED = {"controls": {"asked": 2, "passed": 1, "failed": 1, "unanswered": 0}}
UNTESTED = (
    "no control (a statement with a known verdict that tests the judge) could be made for 3 of 3"
)


@pytest.mark.parametrize(
    ("found", "said"),
    [(FAILED, "the judge failed 3 of 6 controls: do not trust"), ({"untested": 1}, UNTESTED)],
)
def test_a_judge_that_fails_controls_or_could_not_be_tested_is_told_of_once(found, said):
    grade = ours(TRUE)
    grade["metadata"] |= found
    component = {"pass": False, "reason": "made up", "assertion": {"type": "python"}}
    (line,) = told_of(grade, component, grade, component, grade)
    assert line.startswith(said)


def test_a_made_up_statement_is_told_even_if_promptfoo_passes_an_assertion_of_weight_0():
    for kind, answer, said in (
        ("python", FALSE, "test: made up: “A ticket costs 35 euros.”"),
        ("not-python", TRUE, "test: the answer is faithful"),
    ):
        grade = {**ours(answer), "pass": True, "assertion": {"type": kind, "weight": 0}}
        assert told_of(grade)[0].startswith(said)
        (grade["assertion"]["type"],) = {"python", "not-python"} - {kind}
        assert told_of(grade) == []


def test_what_is_wrong_with_the_assertion_itself_is_told_once():
    context = {"vars": {"sources": f"{TRUE} Oh!"}, "config": {"judge": "embedded"}}
    grade = hook.grade(TRUE, context, Grader)
    said = "setup: the context is vars.sources, which may be something else: set config.contextFrom"
    assert told_of(grade, grade, grade) == [said]
    rows = [row(1, TRUE), result("a", grade), result("b", grade)]
    assert lines_of(({"results": rows},)) == [f"a and 1 more: {said}"]


def test_prompts_that_a_server_cut_are_told_once_in_an_eval():
    def cut(tokens: int) -> dict[str, Any]:
        warning = f"the server counted {tokens} prompt tokens: {PROMPT_CUT}"
        told = {"graderError": False, "defined": True, "warnings": [warning]}
        return {"pass": True, "metadata": told}

    (line,) = told_of(cut(40), cut(41))
    assert line == f"setup: the server counted 40 prompt tokens: {PROMPT_CUT}"


def test_contexts_that_promptfoo_took_apart_are_told_once():
    apart, whole = {"docs": [TRUE, FALSE], "query": ["a", "b"]}, {"disableVarExpansion": True}
    tests = [{"vars": apart}, {"vars": apart}, {"vars": {"context": [TRUE] * 2}, "options": whole}]
    (line,) = lines_of(({"results": [], "suite": {"tests": tests}},))
    assert line.startswith("setup: promptfoo made one test of each element of vars.docs, so that")
    default = {"options": whole}
    assert lines_of(({"results": [], "suite": {"tests": tests, "defaultTest": default}},)) == []
