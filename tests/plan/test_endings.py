"""Results without a mean of verdicts: what is said, scored and passed where nothing can be checked."""

import json
from dataclasses import replace
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge
from rows import summary_of

from faithfulness_assert import Ask, GradingResult, JudgeError, Policy, Reply, grade

CLAIM, DECLINED = "The shop is open daily.", "I don't know."
DECLINES = "The answer only declines to answer: what it names is not checked."
NOTHING = "Nothing to check: the answer says nothing that can be checked."
EMPTY = "The context is empty: retrieval found nothing, so nothing can back the answer."


def ended(answer: str, context: Any, policy: Policy) -> GradingResult:
    return grade(
        answer, context, judge=ScriptedJudge([JudgeError("it must not be asked")]), policy=policy
    )


@pytest.mark.parametrize(
    ("answer", "context", "kind", "reason"),
    [
        (DECLINED, [CLAIM], "abstained", DECLINES),
        (DECLINED, [], "abstained", DECLINES),
        (CLAIM, [], "no_context", EMPTY),
        ("", [CLAIM], "blank", "Nothing to check: the answer is blank."),
        ("```\nx = 1\n```", [CLAIM], "no_statements", NOTHING),
    ],
)
def test_a_policy_decides_what_becomes_of_a_case_with_nothing_to_check(
    answer, context, kind, reason
):
    def under(ending: Any, **more: Any) -> GradingResult:
        return ended(answer, context, Policy(threshold=0.8, endings={kind: ending}, **more))

    error = under("error")
    assert (error.score, error.pass_, error.defined) == (None, False, False)
    assert (error.error.kind, error.error.retryable) == ("input", False)
    assert error.error.message == error.reason
    assert error.reason == reason
    assert error.metadata["graderError"] is True
    fail = under("fail")
    assert (fail.score, fail.pass_, fail.defined, fail.error) == (None, False, False, None)
    offered = ' Where that is right, set endings to {"abstained": "pass"}.'
    assert fail.reason == reason + offered * (kind == "abstained")
    assert fail.named_scores == {}
    for ending, score, passed in (("pass", 1.0, True), (0.85, 0.85, True), (0.5, 0.5, False)):
        result = under(ending)
        assert (result.score, result.pass_, result.defined) == (score, passed, True)
        assert result.named_scores == {"faithfulness": score}
        assert result.reason == f"{reason} The policy 'default' scores that {score:g}."
    assert {r.status for r in (error, fail, under("pass"))} == {error.status}


def test_a_score_that_means_nothing_is_none_so_that_no_mean_counts_it():
    """Also in a stored result of an older version, which has 0 there."""
    failed = grade(CLAIM, [CLAIM], judge=ScriptedJudge([JudgeError("HTTP 503", "server")]))
    for result in (failed, grade("", [CLAIM]), grade(CLAIM), grade(CLAIM, 3)):
        assert (result.score, result.defined) == (None, False)
        assert "score=None" in repr(result)
        with pytest.raises(TypeError):
            sum(one.score for one in (result, result))
        stored = json.loads(result.model_dump_json(by_alias=True))
        assert stored["score"] is None
        for score in (0.0, 0.5, None):
            assert GradingResult.model_validate({**stored, "score": score}) == result
        assert result.to_promptfoo()["score"] == 0.0
        assert result.to_promptfoo()["pass"] is False
    with pytest.raises(ValueError, match="a defined result must have a score"):
        replace(failed, defined=True)


def test_the_judges_own_reason_comes_last_and_is_cut():
    class Explaining(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            said = Reply("Because of it. " * 200)
            return said if ask.kind == "reason" else super().ask(ask)

    plain, explained = (
        grade(CLAIM, [CLAIM], judge=Explaining(), explain=explain).reason or ""
        for explain in ("ours", "judge")
    )
    assert explained.startswith(f"{plain} Because of it.")
    assert 500 < len(explained) - len(plain) <= 601


@pytest.mark.parametrize(
    ("code", "told"), [("# it opens at 9", 1), ("1 + 1", 0), ("", 0), ("text\nThe sky is blue.", 0)]
)
def test_words_in_code_that_is_skipped_are_told_once(code, told):
    mark = "```" if code.startswith("text") else "```\n"
    block = f"\n\n{mark}{code}\n```\n"
    result = grade(f"The sky is blue.{block * 2 if code else ''}", "The sky is blue.")
    assert sum("the code in the answer: it is skipped" in said for said in result.warnings) == told
    assert ("1 case passed with code" in summary_of(result)) == (told == 1)


def test_a_summary_names_a_case_to_check():
    result = grade("The sky is blue. https://a.example", "The sky is blue.", id="case 7")
    assert "nowhere in the context: check it; such as case 7" in summary_of(result)
