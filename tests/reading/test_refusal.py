"""Refusals, and texts that only sound like refusals.

``refusals.jsonl`` has whole replies and answers; ``refusal_texts.json`` says what each of its lists holds.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rows import rows

from faithfulness_assert import UnreadableReply, is_refusal, read_verdicts

from .reply_rows import graded

ROWS = rows("refusals")
JUDGES = [row for row in ROWS if "is_judge_refusal" in row]
SAID = rows("refusal_texts")
TEXTS = {
    **dict.fromkeys(SAID["refuses"], True),
    **dict.fromkeys([*SAID["only_sounds_so"], *SAID["has_a_verdict"]], False),
}


def is_judge_refusal(text: str) -> bool:
    """Whether a text is a refusal, or what only a judge says."""
    try:
        read_verdicts(text, 2)
    except UnreadableReply as error:
        assert not error.retryable or error.kind != "refusal"
        return error.kind == "refusal"
    return False


def quality(rows: list[dict[str, Any]]) -> tuple[float, float, float]:
    """Precision, recall and F1 over rows with a certain label."""
    pairs = [(is_refusal(row["text"]), row["is_refusal"]) for row in rows]
    hits, said, true = (sum(map(f, pairs)) for f in (all, lambda p: p[0], lambda p: p[1]))
    return hits / said, hits / true, 2 * hits / (said + true)


def half(row: dict[str, Any]) -> int:
    """0 for the answers that the patterns were written with, 1 for those kept to check them."""
    return hashlib.sha256(row["id"].encode()).digest()[0] & 1


@pytest.fixture(scope="module")
def corpus(shared: Path) -> list[dict[str, Any]]:
    refusals = rows(shared / "corpora" / "refusals.jsonl")
    return [row for row in refusals if row["is_refusal"] != "partial"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_each_row_is_classified_correctly(row):
    assert is_refusal(row["text"]) is row["is_refusal"]


@pytest.mark.parametrize("row", JUDGES, ids=lambda row: row["id"])
def test_what_only_a_judge_says_is_a_refusal_of_a_judge(row):
    assert is_judge_refusal(row["text"]) is row["is_judge_refusal"]
    assert (graded(row["text"], 2).status == "judge_refused") is row["is_judge_refusal"]


def test_the_wording_of_a_judge_is_rare_among_answers_that_are_no_refusals(corpus):
    answers = [row["text"] for row in corpus if row["is_refusal"] is False]
    mistaken = [text for text in answers if is_judge_refusal(text) and not is_refusal(text)]
    assert len(mistaken) <= 0.01 * len(answers)


def test_each_text_is_classified_correctly():
    assert {text: is_refusal(text) for text in TEXTS} == TEXTS


def test_refusals_and_lookalikes_are_told_apart(corpus):
    """F1 is at least .93 on short texts: judges' replies, many languages, answers like refusals."""
    assert quality([row for row in corpus if row["kind"] != "answer"])[2] >= 0.93


@pytest.mark.parametrize("part", [0, 1])
def test_answers_are_called_refusals_only_if_they_are(corpus, part):
    """Answers with human labels: precision at least .95, recall at least .80, on both halves."""
    precision, recall, _ = quality(
        [row for row in corpus if row["kind"] == "answer" and half(row) == part]
    )
    assert precision >= 0.95
    assert recall >= 0.80


@pytest.mark.parametrize("value", [None, 5, b"no"])
def test_is_refusal_takes_strings_only(value):
    with pytest.raises(
        TypeError, match=f"is_refusal: text must be a string, got {type(value).__name__}"
    ):
        is_refusal(value)


DRESSES: list[Callable[[str], str]] = [
    lambda text: f"  \n\t{text}\u00a0\n\n",
    lambda text: f"**{text}**",
    lambda text: text.replace("'", "\u2019"),
    lambda text: text.replace("'", "\u2032"),
]


@given(st.sampled_from([*TEXTS]) | st.text(), st.sampled_from(DRESSES))
def test_white_space_bold_and_curly_quotes_change_nothing(text, dress):
    assert is_refusal(dress(text)) is is_refusal(text)


@given(st.text(st.characters(codec=None)))
@example("I can't help.\ud800\x00\u202e")
def test_any_text_is_classified(text):
    assert is_refusal(text) in {True, False}
