"""What asks that failed left open: nobody's answer, unless the outcome is decided either way.

The rows about failures in ``stages.jsonl`` say what results then tell.
"""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from fakes import SCORED, ScriptedJudge, TruthfulJudge, failing, verdicts_json
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert import Ask, GradingResult, JudgeError, Policy, Reply, grade, policies
from faithfulness_assert.records.judge import Limits

ANSWER = [f"The {name} is open every day." for name in ("shop", "cafe", "museum", "garden")]
CONTEXT = "All of it is open every day. Nothing else is known."


def graded(policy: Policy, *said: str) -> GradingResult:
    """Each statement is asked about alone, and gets this label, or its ask fails."""
    of = dict(zip(ANSWER, said, strict=False))

    def reply(ask: Ask) -> Reply:
        ((number, text),) = ask.payload.items
        if of[text] == "timeout":
            raise failing("timeout", retryable=True)
        return Reply(verdicts_json({number: of[text]}))

    judge = ScriptedJudge([reply], Limits(statements=1))
    return grade(" ".join(ANSWER[: len(said)]), CONTEXT, judge=judge, policy=policy, controls="off")


JUDGED = [policy for policy in policies.values() if policy.verify != "rubric"]
ERRORS = """refusal content_filter truncated transport auth rate_limit timeout server not_stored
token_limit""".split()


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
        raise JudgeError("it failed", self.how)


@pytest.mark.parametrize("policy", JUDGED, ids=lambda policy: policy.name)
@pytest.mark.parametrize("kind", ERRORS)
def test_under_every_policy_an_ask_that_failed_is_a_grader_error_of_its_kind(policy, kind):
    own = replace(policy, threshold=0.9, controls="off")
    result = grade(" ".join(ANSWER[:3]), CONTEXT, judge=HalfFailing(kind), policy=own)
    assert (result.error.kind, result.defined, result.pass_) == (kind, False, False)
    assert result.status != "graded"


CHOICES = st.sampled_from([*SCORED, "timeout"])
ODD_WEIGHTS: list[dict[Any, float]] = [
    {"supported": 0.5, "partially_supported": 1, "contradicted": 0, "not_enough_info": 0},
    {"supported": 1, "partially_supported": 0.5, "contradicted": 0.4, "not_enough_info": 0},
]


@examples(100)
@given(
    said=st.lists(CHOICES, min_size=1, max_size=4),
    policy=st.sampled_from(["default", "promptfoo-plan", "axion", "deepeval"]),
    threshold=st.sampled_from([0.0, 0.2, 0.5, 0.75, 1.0]),
    fail_on=st.sampled_from([(), ("contradicted",), ("not_enough_info",)]),
    inverse=st.booleans(),
    weights=st.sampled_from([None, None, *ODD_WEIGHTS]),
)
def test_a_case_with_open_statements_is_graded_only_if_no_labels_of_them_change_the_outcome(
    said, policy, threshold, fail_on, inverse, weights
):
    own = replace(
        policies[policy],
        weights=weights or policies[policy].weights,
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
    result = graded(own, *said)
    if "timeout" not in said or set(said) == {"timeout"}:
        assert (result.status == "graded") == ("timeout" not in said)
        return
    outcomes = {
        graded(own, *_filled(said, labels)).pass_
        for labels in product(own.judged, repeat=said.count("timeout"))
    }
    assert (result.status == "graded") == (len(outcomes) == 1)
    assert result.status != "graded" or outcomes == {result.pass_}


def _filled(said: list[str], labels: tuple[str, ...]) -> list[str]:
    rest = iter(labels)
    return [next(rest) if word == "timeout" else word for word in said]
