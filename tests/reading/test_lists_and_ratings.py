"""Lists of claims or truths, ratings and reasons: what is listed keeps its words, nothing is guessed.

A row of ``claim_replies`` has the claims that a reply lists, with the numbers of their sentences.
With ``again`` it is no list in JSON, and is asked for again. Whether a remark or a refusal in a
list stands for a sentence, the sentence decides.
"""

import json
from itertools import permutations
from typing import Any

import pytest
from fakes import USAGE, ScriptedJudge, TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from rows import rows

from faithfulness_assert import Ask, Reply, UnreadableReply, grade
from faithfulness_assert.policy.scoring import on_unit_scale
from faithfulness_assert.reading.lists_and_ratings import (
    MAX_REASON_CHARS,
    MAX_SUGGESTIONS,
    read_lists,
    read_ratings,
    read_reason,
)

from .reply_rows import CONTEXT, SENTENCES, malformed

CLAIMS = rows("claim_replies")


def read_or_error(reader: Any, text: str) -> Any:
    try:
        return reader(text)
    except UnreadableReply as error:
        return error


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: row["reply"][:60])
def test_a_list_keeps_its_words_and_anything_else_is_asked_for_again(row):
    found = read_or_error(read_lists, row["reply"])
    if row.get("again"):
        assert isinstance(found, UnreadableReply)
    else:
        assert [list(claim) for claim in found] == row["claims"]


def test_malformed_json_lists_texts_or_is_unreadable(shared):
    for row in rows(shared / "corpora" / "malformed_json.jsonl"):
        found = read_or_error(read_lists, malformed(row))
        assert isinstance(found, UnreadableReply) or all(type(text) is str for _, text in found)


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: row["reply"][:60])
def test_no_remark_or_refusal_ever_stands_for_a_sentence(row):
    def reply(ask: Ask) -> Reply:
        is_list = ask.kind == "claims"
        return Reply(row["reply"], usage=USAGE) if is_list else TruthfulJudge().ask(ask)

    judge = ScriptedJudge([reply])
    result = grade(" ".join(SENTENCES[:2]), CONTEXT, policy="ragaliq", judge=judge)
    assert [verdict.statement for verdict in result.verdicts] == list(SENTENCES[:2])
    assert any("were graded as they stand" in warning for warning in result.metadata["warnings"])
    if row.get("again"):
        assert any("the ask for claims failed" in warning for warning in result.warnings)
    unnumbered = any(number is None for number, _ in row.get("claims", ()))
    asked = [ask.kind for ask in judge.asked].count("claims")
    assert asked == 2 if row.get("again") or unnumbered else asked <= 2


def test_an_error_says_why_a_reply_is_no_list():
    for reply, kind, message in (
        ("", "unreadable", "the judge's reply is empty, or contains only its thinking"),
        ("- It is red.", "unreadable", "the judge's reply contains no list"),
        ('{"claims":["a"]} So what?', "unreadable", "says more than what was asked for"),
        ("I'm sorry, but I can't assist with that request.", "refusal", "refused to answer"),
    ):
        error = read_or_error(read_lists, reply)
        assert (error.kind, message in error.message) == (kind, True)


# ---------------------------------------------------------------- ratings


def ratings(text: str) -> dict[str, float]:
    return read_ratings(text, ("relevance", "coverage"))[0]


@pytest.mark.parametrize("row", rows("rating_replies"), ids=lambda row: row["reply"][:60])
def test_ratings_are_single_numbers_of_a_reply_that_says_nothing_else(row):
    """Any other reply is asked for again."""
    found = read_or_error(ratings, row["reply"])
    if row.get("again"):
        assert (type(found), found.kind) == (UnreadableReply, "unreadable")
    else:
        assert found == row["ratings"]


def test_at_most_ten_suggestions_are_read():
    many = [f"Say {n}. " for n in range(30)]
    for given_, expected in (
        ({"suggestions": ["a", " b ", "", 3, None, "c\ud800"]}, ("a", "b", "c\ufffd")),
        ({"Improvement suggestions": "Name it.", "improvements": ["b"]}, ("Name it.", "b")),
        ({"review": {"suggestions": many}}, tuple(map(str.strip, many[:MAX_SUGGESTIONS]))),
        ({}, ()),
    ):
        read = read_ratings(json.dumps({"context_use": 1, **given_}), ["Context use"])
        assert read == ({"Context use": 1.0}, expected)


def test_each_rating_above_1_is_out_of_100_and_a_warning_tells_it():
    held, warnings = on_unit_scale({"a": 80, "b": 0.5, "c": 120, "d": -0.5, "e": 2})
    assert held == {"a": 0.8, "b": 0.5, "c": 1, "d": 0, "e": 0.02}
    assert warnings[0] == "the judge rated a 80; ratings above 1 are out of 100, so 0.8 was used"
    assert warnings[2] == "the judge rated d -0.5, which is out of range; 0 was used"
    assert len(warnings) == 4


@given(st.dictionaries(st.text(max_size=3), st.floats(-(10**9), 10**9), max_size=4))
def test_ratings_end_between_0_and_1_and_those_on_one_scale_keep_their_order(said):
    held, _ = on_unit_scale(said)
    assert list(held) == list(said)
    assert all(0 <= value <= 1 for value in held.values())
    for one, two in permutations(said, 2):
        if (said[one] > 1) == (said[two] > 1) and said[one] <= said[two]:
            assert held[one] <= held[two]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"reason":" It names no price. "}', "It names no price."),
        ('{"reason":null}{"result":{"reason":"Said."}}', "Said."),
        ("Two of three stand in the context.", "Two of three stand in the context."),
        ("<think>Hm.</think> It is so.", "It is so."),
        ('{"reason":"a\\ud800"}', "a\ufffd"),
        ("x" * 2000, "x" * MAX_REASON_CHARS),
        *((text, None) for text in ("", "<think>So", '{"reason":""}', '{"score":1}', '{"reason":"cut')),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_a_reason_is_the_value_of_its_key_or_all_of_the_prose(text, reason):
    found = read_or_error(read_reason, text)
    assert found == reason or (reason is None and found.kind == "unreadable")


def test_a_refusal_has_neither_a_rating_nor_a_reason():
    for reader in (ratings, read_reason):
        error = read_or_error(reader, "I'm sorry, but I can't assist with that request.")
        assert (error.kind, error.retryable) == ("refusal", False)
