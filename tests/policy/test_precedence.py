"""Which of two sources wins where both say something, and what is counted once."""

from __future__ import annotations

import pytest
from fakes import ScriptedJudge, verdicts_json

from faithfulness_assert import Reply, Usage, grade
from faithfulness_assert.promptfoo import get_assert

FACT = "The tower is 300 metres tall."
EMBEDDED = {"judge": "embedded"}


def test_the_judge_of_the_config_comes_before_the_one_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAITHFULNESS_ASSERT_JUDGE", "no-such-judge")
    result = get_assert(FACT, {"vars": {"context": FACT}, "config": EMBEDDED})
    assert (result["pass"], result["metadata"]["judge"]) == (True, "embedded")


@pytest.mark.parametrize(
    "other",
    [
        {"metadata": {"context": "The sea is cold."}},
        {"providerResponse": {"metadata": {"context": "The sea is cold."}}},
    ],
)
def test_a_context_in_vars_comes_before_one_in_metadata(other: dict[str, object]) -> None:
    given = {"vars": {"context": FACT}, "config": EMBEDDED, **other}
    assert get_assert(FACT, given)["pass"] is True
    given = {"vars": {"context": "The sea is cold."}, "config": EMBEDDED}
    assert get_assert(FACT, given)["pass"] is False


def test_the_metadata_of_the_response_comes_before_that_of_the_test() -> None:
    given = {
        "vars": {},
        "config": EMBEDDED,
        "providerResponse": {"metadata": {"context": FACT}},
        "metadata": {"context": "The sea is cold."},
    }
    assert get_assert(FACT, given)["pass"] is True


def cost(usage: Usage, **prices: float) -> float | None:
    judge = ScriptedJudge([Reply(verdicts_json({1: "supported"}), usage=usage)])
    return grade(FACT, FACT, judge=judge, prices=prices, controls="off").cost


def test_a_cached_token_is_billed_once_and_at_its_own_price() -> None:
    usage = Usage(prompt=1000, completion=10, cached=400, num_requests=1)
    assert cost(usage, prompt=10, cached=1) == pytest.approx((600 * 10 + 400 * 1) / 1e6)
    assert cost(usage, prompt=10) == pytest.approx(1000 * 10 / 1e6)
    assert cost(usage, cached=1) == pytest.approx(400 * 1 / 1e6)
    assert cost(usage, completion=100) == pytest.approx(10 * 100 / 1e6)


def test_more_cached_tokens_than_prompt_tokens_never_cost_less_than_nothing() -> None:
    usage = Usage(prompt=100, completion=0, cached=400, num_requests=1)
    assert cost(usage, prompt=10, cached=1) == pytest.approx(400 * 1 / 1e6)
