"""``assert_faithful`` shows what was made up, and what the context says about it."""

from typing import Any

import pytest
from fakes import ScriptedJudge

from faithfulness_assert import GradingResult, JudgeError, NotGraded, Reply, assert_faithful

CONTEXT = [
    "The museum opens at 9 and closes at 18.",
    {"id": "prices", "text": "Adults pay 12 euros. Children under 6 pay nothing."},
]
ANSWER = "The museum opens at 9. Adults pay 14 euros. The café of the museum is on the roof."
VERDICTS = {1: ("supported", [1]), 2: ("contradicted", [2]), 3: ("not_enough_info", [])}


def judge(verdicts: dict[int, tuple[str, list[int]]] = VERDICTS) -> ScriptedJudge:
    entries = ",".join(
        f'{{"id":{n},"evidence":{evidence},"label":"{label}"}}'
        for n, (label, evidence) in verdicts.items()
    )
    told = "the server does not support a seed; none was sent"
    return ScriptedJudge([Reply(f'{{"verdicts":[{entries}]}}', warnings=(told,))])


def failure(answer: Any = ANSWER, context: Any = CONTEXT, **options: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_faithful(answer, context, **options)
    assert type(caught.value) is AssertionError
    return str(caught.value)


def test_an_answer_that_passes_returns_its_result():
    result = assert_faithful("Adults pay 12 euros.", CONTEXT, question="What does it cost?")
    assert isinstance(result, GradingResult)
    assert result.pass_


def test_a_failure_shows_the_answer_with_marks_and_what_the_context_says():
    text = failure(judge=judge())
    assert (
        text
        == """\
Contradicted: “Adults pay 14 euros.”
  1 of 3 statements supported (1 not enough info, 1 contradicted): score 0.33 < threshold 0.8.

  The museum opens at 9. [x2 Adults pay 14 euros.] [?3 The café of the museum is on the roof.]

  x2 contradicted: Adults pay 14 euros.
     not in the evidence: “14”; the context says “12 euros”
     evidence, prices: Adults pay 12 euros.

  ?3 not enough info: The café of the museum is on the roof.
     nearest, passage 1: The museum opens at 9 and closes at 18.
  ! the server does not support a seed; none was sent

  policy default, judge scripted"""
    )


@pytest.mark.parametrize(
    ("answer", "context", "said"),
    [
        ("", CONTEXT, "Nothing to check: the answer is blank. [no_statements]"),
        ("I can't answer that.", CONTEXT, "only declines to answer"),
        ("Adults pay 12 euros.", [], "[no_context]"),
        ("Xylophones jingle.", CONTEXT, "no sentence of the context shares a word with it"),
    ],
)
def test_a_failure_says_why(answer, context, said):
    assert said in failure(answer, context)


def test_a_grader_error_is_no_failure_of_the_answer():
    failing = ScriptedJudge([JudgeError("the server is down\x1b[31m", "server")])
    with pytest.raises(NotGraded) as caught:
        assert_faithful(ANSWER, CONTEXT, judge=failing)
    assert not isinstance(caught.value, AssertionError)
    assert caught.value.result.status == "judge_failed"
    text = "Not graded: the server is down\\x1b[31m. Try again later. [server]"
    assert str(caught.value).splitlines()[0] == text


def test_names_of_other_systems_are_taken():
    case = {"actual_output": ANSWER, "retrieval_context": CONTEXT}
    with pytest.raises(AssertionError, match="nearest"):
        assert_faithful(judge=judge(), **case)
