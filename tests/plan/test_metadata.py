"""What the metadata of a result says about the judge's replies, for people who debug a judge."""

from __future__ import annotations

import json
import logging

import pytest
from fakes import USAGE, ScriptedJudge, verdicts_json
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Grader, GradingResult, Reply
from faithfulness_assert.asking.schema import MAX_ERRORS, schema_errors
from faithfulness_assert.records.judge import ReplyForm
from faithfulness_assert.text.strings import MAX_SHOWN, visible

CONTEXT = "The museum opens at nine. Adults pay 14 euros. Dogs are welcome."
ANSWER = CONTEXT
GOOD = verdicts_json({1: "supported", 2: "supported", 3: "supported"})
FORM = ReplyForm("verdicts", ("supported", "not_enough_info", "contradicted"))


def graded(*replies: str | Reply, **options: object) -> GradingResult:
    return Grader(ScriptedJudge(replies), **options).grade(ANSWER, CONTEXT)  # type: ignore[arg-type]


# ---------------------------------------------------------------- where a reply breaks its schema


def test_our_own_replies_are_not_checked() -> None:
    result = graded(Reply(GOOD.replace("supported", "yes"), usage=USAGE, validated=True))
    assert result.score == 1.0
    assert result.metadata["replies"] == {"schema": 1}
    assert "schemaErrors" not in result.metadata


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


def test_a_judge_that_gives_scores_in_place_of_labels_is_told_by_what_it_sent() -> None:
    reply = json.dumps({"verdicts": [{"id": n, "evidence": [], "score": 0.9} for n in (1, 2, 3)]})
    result = graded(reply, reply)
    assert result.status == "unreadable"
    assert "verdicts[0]: 'label' is a required property" in result.reason
    assert "option labels" not in result.reason


hostile = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300) | st.sampled_from(["\u202e::error::\n", "\ud800", "x" * 2000]),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from(["id", "label", "evidence", "verdicts", "\x1b[2J"]), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(hostile)
def test_what_is_shown_is_short_and_harmless(data: object) -> None:
    text = json.dumps({"verdicts": data})
    errors = schema_errors(text, FORM)
    assert len(errors) <= MAX_ERRORS
    for error in errors:
        assert 0 < len(error) <= MAX_SHOWN
        assert error == visible(error)
        assert "\n" not in error


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
