"""What asks that failed left open: nobody's answer, unless the outcome is decided either way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from faithfulness_assert import Ask, GradingResult, JudgeError, Reply, grade
from faithfulness_assert.records.judge import Limits

NAMES = ["shop", "cafe", "museum", "garden", "library"]
ANSWER = [f"The {name} is open every day." for name in NAMES]
CONTEXT = "All of it is open every day. Nothing else is known."
FAILED = ("timeout", "rate_limit", "transport", "server")


class Failing:
    """Asked about each statement alone. Gives the label of its number, or fails with the kind."""

    limits = Limits(statements=1)

    def __init__(self, said: Mapping[int, str]) -> None:
        self.said = said

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        (number,) = ask.ids
        said = self.said[number]
        if said in FAILED:
            raise JudgeError(f"it failed with {said}.", said, retryable=True)
        if said == "nothing":
            return Reply('{"verdicts":[]}')
        entries = [{"id": number, "evidence": [1], "label": said}]
        return Reply(json.dumps({"verdicts": entries}))


def graded(*said: str, answer: list[str] = ANSWER, **options: Any) -> GradingResult:
    judge = Failing(dict(enumerate(said, 1)))
    options = {"policy": "promptfoo-plan", "controls": "off", **options}
    return grade(" ".join(answer[: len(said)]), CONTEXT, judge=judge, **options)


def test_an_ask_that_failed_makes_a_grader_error_where_the_outcome_depends_on_it() -> None:
    result = graded("supported", "timeout", threshold=0.8)
    assert (result.status, result.pass_, result.defined) == ("judge_failed", False, False)
    assert result.error is not None
    assert (result.error.kind, result.error.retryable) == ("timeout", True)
    assert "1 of 2 statements have no verdict because an ask failed" in str(result.reason)
    assert "(timeout: it failed with timeout)" in str(result.reason)


def test_the_error_that_is_reported_left_the_first_statement_open() -> None:
    result = graded("supported", "rate_limit", "timeout", threshold=0.5)
    assert result.error is not None
    assert result.error.kind == "rate_limit"
    assert "2 of 3 statements" in str(result.reason)


def test_a_case_that_fails_either_way_is_graded_and_says_what_is_open() -> None:
    result = graded("not_enough_info", "timeout", "not_enough_info", threshold=0.5)
    assert (result.status, result.pass_, result.score, result.error) == ("graded", False, 0.0, None)
    assert "1 of 3 statements have no verdict because an ask failed" in str(result.reason)
    assert "but the outcome does not depend on that" in str(result.reason)


def test_a_case_that_passes_either_way_is_graded_and_the_open_statement_earns_nothing() -> None:
    result = graded("supported", "supported", "timeout", threshold=0.6)
    assert (result.status, result.pass_) == ("graded", True)
    assert result.score == pytest.approx(2 / 3)
    assert "but the outcome does not depend on that" in str(result.reason)


def test_the_threshold_decides_whether_the_open_statement_matters() -> None:
    for threshold, status in ((0.49, "graded"), (0.5, "graded"), (0.51, "judge_failed")):
        assert graded("supported", "timeout", threshold=threshold).status == status, threshold


def test_a_label_that_fails_a_case_counts_as_what_the_open_statement_may_be() -> None:
    said = ("supported", "supported", "supported", "supported", "timeout")
    assert graded(*said, threshold=0.5).status == "graded"
    assert graded(*said, threshold=0.5, fail_on=("contradicted",)).status == "judge_failed"
    already = ("contradicted", "supported", "timeout")
    assert graded(*already, threshold=0.1, fail_on=("contradicted",)).status == "graded"


def test_under_inverse_an_open_statement_matters_where_the_inverted_outcome_depends_on_it() -> None:
    for said, threshold, status in (
        ("not_enough_info", 0.3, "judge_failed"),
        ("not_enough_info", 0.8, "graded"),
        ("supported", 0.3, "graded"),
        ("supported", 0.8, "judge_failed"),
    ):
        result = graded(said, "timeout", threshold=threshold, inverse=True)
        assert result.status == status, (said, threshold)


def test_a_reply_without_a_verdict_is_an_answer_and_not_a_failure() -> None:
    result = graded("supported", "nothing", threshold=0.8, reasks=0)
    assert (result.status, result.score) == ("graded", 0.5)
    assert "because an ask failed" not in str(result.reason)


def test_a_repeat_of_a_statement_that_is_open_is_open_too() -> None:
    twice = [ANSWER[0], ANSWER[1], ANSWER[1]]
    judge = Failing({1: "supported", 2: "timeout"})
    options: dict[str, Any] = {"policy": "default", "threshold": 0.8, "controls": "off"}
    result = grade(" ".join(twice), CONTEXT, judge=judge, **options)
    assert result.status == "judge_failed"
    assert "2 of 3 statements" in str(result.reason)


def test_an_open_statement_that_another_ask_answered_later_is_not_open() -> None:
    class Once(Failing):
        failed = False

        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if ask.ids == (2,) and not self.failed:
                self.failed = True
                return Reply('{"verdicts":[]}')
            return super().ask(ask, deadline=deadline)

    judge = Once({1: "supported", 2: "supported"})
    options: dict[str, Any] = {"policy": "promptfoo-plan", "threshold": 0.8, "controls": "off"}
    result = grade(" ".join(ANSWER[:2]), CONTEXT, judge=judge, **options)
    assert (result.status, result.score) == ("graded", 1.0)
    assert "because an ask failed" not in str(result.reason)


def test_without_any_verdict_the_failure_is_the_result() -> None:
    result = graded("timeout", "rate_limit", threshold=0.0)
    assert (result.status, result.score, result.defined) == ("judge_failed", 0.0, False)
