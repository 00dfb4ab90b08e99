"""What the metadata of a result says about the judge's replies, for people who debug a judge."""

from __future__ import annotations

import json
import logging

import pytest
from fakes import ScriptedJudge, verdicts_json

from faithfulness_assert import Grader, GradingResult, Reply

CONTEXT = "The museum opens at nine. Adults pay 14 euros. Dogs are welcome."
ANSWER = CONTEXT
GOOD = verdicts_json({1: "supported", 2: "supported", 3: "supported"})


def graded(*replies: str | Reply, **options: object) -> GradingResult:
    return Grader(ScriptedJudge(replies), **options).grade(ANSWER, CONTEXT)  # type: ignore[arg-type]


# ---------------------------------------------------------------- where a reply breaks its schema


def test_a_judge_whose_labels_are_other_words_is_told_by_its_first_word_and_the_option_for_it() -> (
    None
):
    words = {"belegt": "supported", "widerlegt": "contradicted"}
    reply = json.dumps(
        {"verdicts": [{"id": n, "evidence": [], "label": "belegt"} for n in (1, 2, 3)]}
    )
    result = graded(reply, reply)
    assert result.status == "unreadable"
    for said in (result.reason, result.error and result.error.message):
        assert "verdicts[0].label: 'belegt' is not one of" in said
        assert "option labels" in said
    assert graded(reply, labels=words).score == 1.0


# ---------------------------------------------------------------- counts


def test_too_few_or_too_many_verdicts_are_noted_and_logged_without_texts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    few = verdicts_json({1: "supported", 2: "supported"})
    many = verdicts_json({3: "supported", 8: "supported"})
    with caplog.at_level(logging.WARNING, "faithfulness_assert"):
        result = graded(few, many)
    assert result.metadata["mismatchedCounts"] == [
        {"expected": 3, "actual": 2},
        {"expected": 1, "actual": 2},
    ]
    assert [record.getMessage() for record in caplog.records] == [
        "verdicts in a reply: expected 3, got 2",
        "verdicts in a reply: expected 1, got 2",
    ]
