"""What code sees beside the judge: it flags numbers, names wrong words, and raises no score."""

import json
from typing import Any

import pytest
from fakes import ScriptedJudge, labelled
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import ConfigError, GradingResult, grade

CONTEXT = "The museum closes at 17:00 on Mondays. Adults pay 12 euros."
STATEMENTS = ("The museum closes at 22:00 on Mondays.", "Adults pay 14 euros.", "It closes.")


def says(*labels: str) -> ScriptedJudge:
    """A judge that gives these labels, all with evidence of the first sentence."""
    return ScriptedJudge([labelled(*labels)])


def graded(*labels: str, **options: Any) -> GradingResult:
    answer = " ".join(STATEMENTS[: len(labels)])
    return grade(answer, CONTEXT, judge=says(*labels), **options)


def test_a_supported_statement_with_a_number_that_is_nowhere_is_flagged_and_stays_supported():
    result = graded("supported", "supported", "supported")
    assert result.pass_
    assert result.score == 1
    assert [v.flags for v in result.verdicts] == [("number_not_found",)] * 2 + [()]
    assert [v.wrong for v in result.verdicts] == [("22:00",), ("14",), ()]
    for view in (
        result.reason,
        result.pretty(),
        json.dumps(result.to_promptfoo()),
        result._repr_html_(),
    ):
        assert "nowhere in the context" in str(view)
    assert "Check statement 2: nowhere in the context: “14”." in result.warnings
    flagged = result.to_promptfoo()["componentResults"]
    assert [component["pass"] for component in flagged] == [True, True]


def test_a_number_of_the_question_is_neither_flagged_nor_wrong():
    answer = "Yes, adults pay 14 euros."
    result = grade(answer, CONTEXT, question="Is it 14 euros?", judge=says("supported"))
    assert result.verdicts[0].flags == ()
    question = "What does it cost after 22:00?"
    answer = "The museum closes at 22:00 on Mondays."
    asked = grade(answer, CONTEXT, question=question, judge=says("contradicted"))
    assert (asked.verdicts[0].wrong, asked.verdicts[0].says) == ((), "")


@pytest.mark.parametrize(
    ("answer", "flagged"),
    [
        ("Adults pay 12 euros. The fee is 30 euros. The total is 42 euros.", []),
        ("Adults pay 12 euros. The fee is 30 euros. The total is 84 euros.", [3]),
        ("Adults pay 12 euros. The fee is 30 euros. They differ by 18 euros.", []),
        ("Adults pay 12 euros. 12 + 30 = 42. So they pay 42 euros.", []),
        ("Adults pay 12 euros. 12 + 35 = 47. So they pay 47 euros.", [2, 3]),
    ],
)
def test_a_number_that_the_answer_computes_from_known_ones_is_not_flagged(answer, flagged):
    context = f"{CONTEXT} The fee is 30 euros."
    result = grade(answer, context, judge=says(*["supported"] * 3))
    assert [v.id for v in result.verdicts if v.flags] == flagged


def test_the_user_chooses_whether_a_flag_fails():
    result = graded("supported", fail_on_flags=["number_not_found"])
    assert (result.pass_, result.score) == (False, 1.0)
    assert "It still fails: a statement has the flag number_not_found." in str(result.reason)
    assert graded("contradicted", "supported", fail_on=(), threshold=0.4).pass_
    with pytest.raises(ConfigError, match=r"unknown flag 'number_not_fund'.*number_not_found"):
        graded("supported", fail_on_flags=["number_not_fund"])


def test_a_number_is_no_reason_for_strict_evidence_to_lower_a_label():
    (verdict,) = graded("supported", strict_evidence=True).verdicts
    assert verdict.label == "supported"


def test_what_is_not_supported_has_its_wrong_words_and_what_the_context_says():
    result = graded("contradicted", "not_enough_info")
    first, second = result.verdicts
    assert (first.wrong, first.says, first.flags) == (("22:00",), "17:00", ())
    assert (second.wrong, second.says) == (("14",), "")
    said = "not in the evidence: “22:00”; the context says “17:00”"
    for view in (result.pretty(), result.to_promptfoo()["componentResults"][0]["reason"]):
        assert said in view
    assert "22:00" in result._repr_html_()


LABELS = st.sampled_from(["supported", "partially_supported", "not_enough_info", "contradicted"])


@given(st.tuples(LABELS, LABELS, LABELS), st.floats(0, 1), st.booleans())
def test_flags_raise_no_score_and_let_nothing_pass(labels, threshold, inverse):
    options = {"threshold": threshold, "inverse": inverse, "fail_on": ()}
    plain = graded(*labels, **options)
    strict = graded(*labels, **options, fail_on_flags=["number_not_found"])
    assert strict.score == plain.score
    assert strict.pass_ <= plain.pass_


def test_results_of_earlier_versions_are_read_without_the_new_fields():
    data = graded("contradicted").model_dump(mode="json")
    for verdict in data["verdicts"]:
        del verdict["wrong"], verdict["says"]
    (verdict,) = GradingResult.model_validate(data).verdicts
    assert (verdict.wrong, verdict.says) == ((), "")
