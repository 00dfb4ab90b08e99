"""What asks that failed left open: nobody's answer, unless the outcome is decided either way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import inf
from threading import Lock
from typing import Any, get_args

import pytest
from fakes import ScriptedJudge, TruthfulJudge
from hypothesis import given, settings
from hypothesis import strategies as st

from faithfulness_assert import (
    Ask,
    CitationAudit,
    GradingResult,
    JudgeError,
    Policy,
    Reply,
    Verdict,
    grade,
    policies,
)
from faithfulness_assert.asking.controls import Control
from faithfulness_assert.asking.windows import Budget
from faithfulness_assert.plan.left_open import depends_on_open, described_open
from faithfulness_assert.plan.state import State, VerdictsKnown
from faithfulness_assert.policy.values import SCORED
from faithfulness_assert.records.case import Case
from faithfulness_assert.records.errors import JudgeErrorKind
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.records.model import Label

NAMES = ["shop", "cafe", "museum", "garden", "library"]
ANSWER = [f"The {name} is open every day." for name in NAMES]
CONTEXT = "All of it is open every day. Nothing else is known."
FAILED = ("timeout", "rate_limit", "transport", "server")


class Failing:
    """Asked about each statement alone. Gives the label of its text, or fails with the kind."""

    limits = Limits(statements=1)

    def __init__(self, said: Mapping[str, str]) -> None:
        self.said = said

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        ((_, text),) = ask.payload.items
        said = self.said[text]
        if said in FAILED:
            raise JudgeError(f"it failed with {said}.", said, retryable=True)
        if said == "nothing":
            return Reply('{"verdicts":[]}')
        return Reply(json.dumps({"verdicts": [{"evidence": [1], "label": said}]}))


def graded(*said: str, answer: list[str] = ANSWER, **options: Any) -> GradingResult:
    judge = Failing(dict(zip(answer, said, strict=False)))
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
    judge = Failing({ANSWER[0]: "supported", ANSWER[1]: "timeout"})
    options: dict[str, Any] = {"policy": "default", "threshold": 0.8, "controls": "off"}
    result = grade(" ".join(twice), CONTEXT, judge=judge, **options)
    assert result.status == "judge_failed"
    assert "2 of 3 statements" in str(result.reason)


def test_an_open_statement_that_another_ask_answered_later_is_not_open() -> None:
    class Once(Failing):
        failed = False

        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if ANSWER[1] in dict(ask.payload.items).values() and not self.failed:
                self.failed = True
                return Reply("{", finish_reason="length")
            return super().ask(ask, deadline=deadline)

    judge = Once(dict.fromkeys(ANSWER, "supported"))
    options: dict[str, Any] = {"policy": "promptfoo-plan", "threshold": 0.8, "controls": "off"}
    options["reask_singly"] = True
    result = grade(" ".join(ANSWER[:2]), CONTEXT, judge=judge, **options)
    assert (result.status, result.score) == ("graded", 1.0)
    assert "because an ask failed" not in str(result.reason)


def test_without_any_verdict_the_failure_is_the_result() -> None:
    result = graded("timeout", "rate_limit", threshold=0.0)
    assert (result.status, result.score, result.defined) == ("judge_failed", 0.0, False)


# ---------------------------------------------------------------- whole grades

SUPPORTED_SHARE = 0.625
ROOMS = [f"Room number {n} of the old house on the hill has a blue door." for n in range(952)]
BLUE = ["The notes list every room of the old house, one by one."]


def true_label(number: int) -> str:
    return "supported" if number % 8 < 8 * SUPPORTED_SHARE else "not_enough_info"


class Truthful:
    """Knows the true labels. After ``until`` asks, or if an ask is too large, it fails."""

    def __init__(self, limits: Limits, until: float = inf, window: float = inf) -> None:
        self.limits, self.until, self.window = limits, until, window
        self.asked = 0
        self.lock = Lock()

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        with self.lock:
            self.asked += 1
            late = self.asked > self.until
        if late:
            raise JudgeError("the deadline of this grade has passed", "timeout", retryable=True)
        size = sum(len(m["content"]) // 4 for m in ask.messages) + ask.max_tokens
        if size > self.window:
            raise JudgeError(f"maximum context length is {self.window} tokens", "transport")
        entries = [{"id": n, "evidence": [1], "label": true_label(n)} for n in ask.ids]
        return Reply(json.dumps({"verdicts": entries}))


def test_a_judge_that_refuses_four_of_five_asks_as_too_long_grades_nothing() -> None:
    answer = " ".join([*ROOMS[:320], *(room.replace("a blue", "a red") for room in ROOMS[:10])])
    judge = Truthful(Limits(statements=80), window=8000)
    result = grade(answer, BLUE, judge=judge, policy="promptfoo-plan")
    assert judge.asked == 5
    assert (result.status, result.defined, result.pass_) == ("judge_failed", False, False)
    assert result.error is not None
    assert result.error.kind == "transport"
    assert "320 of 330 statements have no verdict" in str(result.reason)
    assert result.coverage == pytest.approx(10 / 330)


@pytest.mark.parametrize("policy", ["default", "promptfoo-plan"])
def test_a_deadline_that_passes_midway_grades_nothing_and_says_what_is_open(policy: str) -> None:
    judge = Truthful(Limits(statements=46), until=3)
    result = grade(" ".join(ROOMS), BLUE, judge=judge, policy=policy)
    assert (result.status, result.defined, result.score) == ("judge_failed", False, 0.0)
    assert result.error is not None
    assert (result.error.kind, result.error.retryable) == ("timeout", True)
    assert "814 of 952 statements have no verdict" in str(result.reason)
    assert result.counts["unresolved"] == 814
    assert result.coverage == pytest.approx(138 / 952)


def test_the_same_grade_with_enough_time_has_the_true_score() -> None:
    result = grade(" ".join(ROOMS), BLUE, judge=Truthful(Limits(statements=46)))
    assert (result.status, result.score) == ("graded", SUPPORTED_SHARE)


JUDGED = [policy for policy in policies.values() if policy.verify != "rubric"]
ERRORS = [kind for kind in get_args(JudgeErrorKind) if not kind.startswith("unre")]


class HalfFailing(TruthfulJudge):
    """Supports the first statement that it is asked about; other asks for verdicts fail."""

    def __init__(self, how: str) -> None:
        super().__init__(limits=Limits(statements=1))
        self.how = how

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        if ask.kind != "verdicts" or ask.payload.items[0][1] == ANSWER[0]:
            return super().ask(ask)
        if self.how == "truncated":
            return Reply('{"verdicts":[{"evide', finish_reason="length")
        if self.how == "refusal":
            return Reply("", refusal="I will not.")
        raise JudgeError("it failed", self.how)  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", JUDGED, ids=lambda policy: policy.name)
@pytest.mark.parametrize("kind", ERRORS)
def test_under_every_policy_an_ask_that_failed_is_a_grader_error_of_its_kind(
    policy: Policy, kind: str
) -> None:
    own = replace(policy, threshold=0.9, controls="off")
    result = grade(" ".join(ANSWER[:3]), CONTEXT, judge=HalfFailing(kind), policy=own)
    assert result.error is not None
    assert (result.error.kind, result.defined, result.pass_) == (kind, False, False)
    assert result.status != "graded"


@pytest.mark.parametrize("kind", ERRORS)
def test_a_policy_may_count_what_asks_that_failed_left_open_as_unsupported(kind: str) -> None:
    options: dict[str, Any] = {"on_failed": "unsupported", "threshold": 0.9, "controls": "off"}
    result = grade(" ".join(ANSWER[:2]), CONTEXT, judge=HalfFailing(kind), **options)
    assert (result.status, result.score, result.coverage) == ("graded", 0.5, 0.5)
    assert "1 of 2 statements have no verdict because an ask failed" in str(result.reason)
    assert "they count as unsupported" in str(result.reason)


CHOICES = st.sampled_from([*SCORED, "timeout"])


@settings(max_examples=100, deadline=None)
@given(
    said=st.lists(CHOICES, min_size=1, max_size=4),
    policy=st.sampled_from(["default", "promptfoo-plan", "axion", "deepeval"]),
    threshold=st.sampled_from([0.0, 0.2, 0.5, 0.75, 1.0]),
    fail_on=st.sampled_from([(), ("contradicted",), ("not_enough_info",)]),
    inverse=st.booleans(),
)
def test_a_case_with_open_statements_is_graded_only_if_no_labels_of_them_change_the_outcome(
    said: list[str], policy: str, threshold: float, fail_on: tuple[Label, ...], inverse: bool
) -> None:
    own = replace(
        policies[policy],
        split="sentences",
        verify="batch",
        explain="ours",
        labels={},
        threshold=threshold,
        fail_on=fail_on,
        inverse=inverse,
    )
    own = replace(own, fail_on=tuple(label for label in fail_on if label in own.weights))
    said = [word if word == "timeout" or word in own.weights else "supported" for word in said]
    result = graded(*said, policy=own)
    if "timeout" not in said or set(said) == {"timeout"}:
        assert (result.status == "graded") == ("timeout" not in said)
        return
    outcomes = {
        graded(*_filled(said, labels), policy=own).pass_
        for labels in product(own.judged, repeat=said.count("timeout"))
    }
    assert (result.status == "graded") == (len(outcomes) == 1)
    assert result.status != "graded" or outcomes == {result.pass_}


def _filled(said: list[str], labels: tuple[str, ...]) -> list[str]:
    rest = iter(labels)
    return [next(rest) if word == "timeout" else word for word in said]


# ---------------------------------------------------------------- which failure is the cause

UNREADABLE = Reply("Let me see what I can do.")


@pytest.mark.parametrize("policy", ["default", "promptfoo", "axion", "ragaliq", "masis"])
def test_a_failure_after_an_unreadable_reply_is_the_cause(policy: str) -> None:
    judge = ScriptedJudge([UNREADABLE, JudgeError("too late", "timeout", retryable=True)])
    result = grade(ANSWER[0], CONTEXT, judge=judge, policy=policy, controls="off")
    assert result.error is not None
    assert (result.status, result.error.kind) == ("judge_failed", "timeout")
    assert "too late" in str(result.reason)


def test_a_reply_that_stays_unreadable_is_the_cause() -> None:
    for policy in ("default", "promptfoo", "masis"):
        result = grade(ANSWER[0], CONTEXT, judge=ScriptedJudge([UNREADABLE]), policy=policy)
        assert result.error is not None
        assert (result.status, result.error.kind) == ("unreadable", "unreadable")


# ---------------------------------------------------------------- what decides, step by step

TRUE, FALSE = Control("It is so.", true=True), Control("It is not so.", true=False)


def undecided(
    policy: Policy, *labels: Label | None, audit: CitationAudit | None = None, **known: Any
) -> bool:
    """Whether the case depends on its last statement, which a failed ask left open."""
    verdicts = [Verdict(n, f"S{n}.", label) for n, label in enumerate((*labels, None), 1)]
    failed = {(0, len(verdicts)): JudgeError("it is down", "server")}
    first_like = {v.id: v.id for v in verdicts}
    known = {"first_like": first_like, "failed": failed, **known}
    case = Case("S1.", ["S1."])
    state = State(case, policy, Budget(len, Limits()), audit=audit, verdicts=VerdictsKnown(**known))
    return depends_on_open(state, verdicts)


def test_the_extremes_are_the_labels_with_the_most_and_the_least_weight() -> None:
    weights = {"supported": 1, "partially_supported": 0.5, "contradicted": 0, "not_enough_info": -1}
    axion = Policy(weights=weights, fail_on=(), threshold=0.6)
    assert undecided(axion, "supported", "supported", "supported")  # a contradiction gives 0.75
    assert not undecided(replace(axion, threshold=0.4), *["supported"] * 4)
    odd = {"supported": 0.5, "partially_supported": 1, "contradicted": 0, "not_enough_info": 0}
    assert undecided(Policy(weights=odd, threshold=0.9), "partially_supported")


def test_a_label_that_fails_the_case_is_the_least_whatever_it_weighs_but_not_under_inverse() -> (
    None
):
    weights = {
        "supported": 1,
        "partially_supported": 0.5,
        "contradicted": 0.4,
        "not_enough_info": 0,
    }
    policy = Policy(weights=weights, fail_on=("contradicted",), threshold=0.5)
    assert undecided(policy, "supported", "supported")
    assert not undecided(replace(policy, fail_on=()), "supported", "supported")
    assert undecided(replace(policy, inverse=True, threshold=0.6), "supported")


def test_a_cap_that_fails_the_case_anyway_decides_it() -> None:
    policy = Policy(citations="enforce", threshold=0.5, fail_on=())
    assert undecided(policy, "not_enough_info")
    assert not undecided(policy, "not_enough_info", audit=CitationAudit(("c9",)))


def test_enforced_controls_that_nobody_answered_leave_everything_undecided() -> None:
    enforced = Policy(controls="enforce", threshold=0.5)
    sure = ("not_enough_info",) * 3
    passed = {0: ((TRUE, "supported"), (FALSE, None))}
    assert undecided(enforced, *sure)
    assert undecided(enforced, *sure, controls={0: ((TRUE, None), (FALSE, None))})
    assert not undecided(enforced, *sure, controls=passed)
    assert not undecided(Policy(controls="report", threshold=0.5), *sure)
    lenient = replace(enforced, on_failed="unsupported")
    assert undecided(lenient, *sure)
    assert not undecided(lenient, "supported", controls=passed)


def test_without_open_statements_there_is_nothing_to_describe() -> None:
    state = State(Case("S1.", ["S1."]), Policy(), Budget(len, Limits()))
    assert described_open(state, [Verdict(1, "S1.", "supported")]) == ""
