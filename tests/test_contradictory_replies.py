"""Replies that speak against themselves grant nothing, clear ones are read, remarks are no claims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from faithfulness_assert import Reply, UnreadableReply, grade, is_refusal, read_verdicts
from faithfulness_assert.reading import read_claims

FIXTURES = Path(__file__).parents[1] / "fixtures"
ANSWER = "The shop is open daily. Dogs are welcome inside."
CONTEXT = "The shop is open daily. Dogs are welcome inside. Cats stay out."


def rows(name: str) -> list[dict[str, Any]]:
    lines = (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


class SameReply:
    """A judge that gives one reply to every ask."""

    def __init__(self, text: str) -> None:
        self.text = text

    def ask(self, ask: Any, /, *, deadline: float | None = None) -> Reply:
        return Reply(self.text)


@pytest.mark.parametrize("row", rows("contradictory_replies"), ids=lambda row: row["reply"][-60:])
def test_what_a_reply_denies_anywhere_is_not_supported(row: dict[str, Any]) -> None:
    try:
        labels = read_verdicts(row["reply"], row["statements"])
    except UnreadableReply:
        labels = []
    supported = [number for number, label in enumerate(labels, 1) if label == "supported"]
    assert set(supported) <= set(row["may_support"])


@pytest.mark.parametrize("row", rows("contradictory_replies"), ids=lambda row: row["reply"][-60:])
def test_a_whole_grade_of_such_a_reply_does_not_pass(row: dict[str, Any]) -> None:
    result = grade(ANSWER, CONTEXT, judge=SameReply(row["reply"]))
    assert not result.pass_
    assert result.score <= len(row["may_support"]) / row["statements"]


@pytest.mark.parametrize(
    "extra",
    [
        {"hallucinations": []},
        {"contradictions": 0},
        {"errors": None},
        {"overall_verdict": "supported"},
        {"all_supported": True},
    ],
    ids=str,
)
def test_a_summary_that_agrees_takes_nothing_back(extra: dict[str, Any]) -> None:
    verdicts = [{"id": number, "evidence": [number], "label": "supported"} for number in (1, 2)]
    assert read_verdicts(json.dumps({"verdicts": verdicts, **extra}), 2) == ["supported"] * 2


@pytest.mark.parametrize(
    "extra",
    [{"overall_verdict": "not_supported"}, {"all_supported": False}, {"unsupported_count": 1}],
    ids=str,
)
def test_a_summary_of_mixed_verdicts_agrees_with_them(extra: dict[str, Any]) -> None:
    verdicts = [
        {"id": 1, "evidence": [1], "label": "supported"},
        {"id": 2, "evidence": [3], "label": "contradicted"},
    ]
    reply = json.dumps({"verdicts": verdicts, **extra})
    assert read_verdicts(reply, 2) == ["supported", "contradicted"]


@pytest.mark.parametrize("row", rows("clear_replies"), ids=lambda row: row["reply"][:40])
def test_a_clear_reply_is_read_in_any_format(row: dict[str, Any]) -> None:
    assert read_verdicts(row["reply"], len(row["labels"])) == row["labels"]


@pytest.mark.parametrize("row", rows("claim_replies"), ids=lambda row: row["reply"][:40])
def test_a_refusal_or_a_remark_is_not_a_claim(row: dict[str, Any]) -> None:
    if row["claims"] is None:
        with pytest.raises(UnreadableReply):
            read_claims(row["reply"])
        return
    assert [claim for _, claim in read_claims(row["reply"]) if claim] == row["claims"]


@pytest.mark.parametrize(
    "text",
    [
        "I cannot determine faithfulness from this context",
        "Cannot determine.",
        "No verdicts.",
        "Not enough context to judge.",
        "Please provide the context and the statements.",
        "I don't see any statements.",
    ],
)
def test_a_judge_that_declines_or_asks_for_its_material_refuses(text: str) -> None:
    assert grade(ANSWER, CONTEXT, judge=SameReply(text)).status == "judge_refused"


def test_a_claim_with_words_of_a_refusal_is_not_one() -> None:
    assert not is_refusal("It is against my policy number AB-123 that the claim was filed.")
