"""What code sees beside the judge: it flags numbers, names wrong words, and raises no score."""

import json
from typing import Any

from fakes import ScriptedJudge, labelled
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import GradingResult, grade

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
