"""The steps that other systems' policies need, told by what the judge is asked and what the result keeps."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from fakes import TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Ask, CitationAudit, ConfigError, Reply, Usage, grade, policies
from faithfulness_assert.records.judge import Limits

USAGE = Usage(prompt=1000, completion=20, num_requests=1)
ANSWER = "The museum opens at nine. Adults pay 14 euros."
CONTEXT = [
    {"id": "hours", "text": "The museum opens at nine. It closes at six."},
    {"id": "prices", "text": "Adults pay 12 euros."},
]
RATINGS = {"faithfulness": 0.9, "relevance": 0.9, "completeness": 0.8, "reasoning_quality": 0.7}
LLM_POLICIES = sorted(
    name for name, policy in policies.items() if policy.split == "claims" or policy.dimensions
)


@dataclass
class Says:
    """Gives for each kind of ask what ``said`` has for it, in turn, and what a truthful judge says once that is used up."""

    said: dict[str, list[Any]] = field(default_factory=dict)
    asked: list[Ask] = field(default_factory=list)
    limits: Limits = field(default_factory=Limits)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        waiting = self.said.get(ask.kind, [])
        if not waiting:
            return TruthfulJudge().ask(ask)
        said = waiting.pop(0)
        if isinstance(said, Exception):
            raise said
        said = said(ask) if callable(said) else said
        if isinstance(said, Reply):
            return said
        return Reply(said if isinstance(said, str) else json.dumps(said), usage=USAGE)

    def kinds(self) -> list[str]:
        return sorted(ask.kind for ask in self.asked)


# ---------------------------------------------------------------- truths (deepeval)


def test_a_long_context_and_a_long_sentence_are_asked_for_truths_in_parts_without_a_loss():
    rooms = [f"Room {number} of the house is open." for number in range(300)]
    long = "The museum " + "and the shop " * 150 + "open at nine."
    judge = Says(limits=Limits(prompt_tokens=900))
    context = ["The museum opens at nine.", long, " ".join(rooms)]
    result = grade("The museum opens at nine.", context, judge=judge, policy="deepeval")
    truths = [ask.payload.items for ask in judge.asked if ask.kind == "truths"]
    asked = [text for statements in truths for _, text in statements]
    assert len(truths) > 1
    assert [room for room in rooms if room not in " ".join(asked)] == []
    assert sum("shop" in text for text in asked) > 1
    assert sum(text.count("shop") for text in asked) == long.count("shop")
    assert result.status == "graded"


# ---------------------------------------------------------------- options under their source's names


def test_a_reason_that_nobody_wants_is_none_but_promptfoo_gets_a_string():
    judge = Says()
    result = grade(
        ANSWER, CONTEXT, judge=judge, policy="deepeval", policy_options={"include_reason": False}
    )
    assert result.reason is None
    assert "reason" not in judge.kinds()
    assert result.to_promptfoo()["reason"] == "faithfulness 1.00, threshold 0.5"
    assert "PASS" in result.pretty()


@pytest.mark.parametrize("name", LLM_POLICIES)
def test_a_policy_that_asks_more_than_verdicts_does_not_take_the_embedded_judge(name):
    with pytest.raises(ConfigError, match=f"'{name}' asks the judge for .* 'embedded'"):
        grade(ANSWER, CONTEXT, policy=name)


# ---------------------------------------------------------------- ratings (masis)


def rated(ratings: Any, answer: str = ANSWER, **options: Any) -> Any:
    return grade(
        answer, CONTEXT, judge=Says({"ratings": [ratings, ratings]}), policy="masis", **options
    )


def test_the_audits_findings_go_into_the_ask_and_hold_faithfulness_down():
    judge = Says({"ratings": [RATINGS]})
    result = grade("The museum opens at nine [c9].", CONTEXT, judge=judge, policy="masis")
    assert "cited but not there: c9" in judge.asked[0].messages[1]["content"]
    assert result.named_scores["faithfulness"] == 0.4
    assert result.metadata["rawRatings"] == RATINGS
    assert [cap["finding"] for cap in result.metadata["scoreCaps"]] == [
        "invalid_citations",
        "hallucination",
    ]
    assert result.metadata["rawScore"] == 0.845


def test_an_audit_that_was_given_is_taken_as_it_is():
    given = CitationAudit(uncited_claim_count=10)
    assert rated(RATINGS, citation_audit=given).named_scores["faithfulness"] == 0.3
    assert (
        rated(
            RATINGS, last_citation_audit={"invalid_citations": [], "uncited_claim_count": 0}
        ).score
        == 0.845
    )
    shown = grade(ANSWER, CONTEXT, citation_audit=given)
    enforced = grade(ANSWER, CONTEXT, citation_audit=given, citations="enforce")
    assert (shown.citations, shown.metadata.get("scoreCaps")) == (given, None)
    assert enforced.score == min(shown.score, 0.3)


@given(st.lists(st.integers(0, 100), min_size=4, max_size=4))
def test_the_overall_score_is_rounded_as_the_sum_that_a_source_writes(hundredths):
    f, r, c, q = (value / 100 for value in hundredths)
    result = rated(dict(zip(RATINGS, (f, r, c, q), strict=True)), citations="off")
    assert result.score == round(0.35 * f + 0.25 * r + 0.25 * c + 0.15 * q, 3)
