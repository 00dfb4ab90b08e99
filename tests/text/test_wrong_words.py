"""The words of a statement that its evidence lacks, and what the evidence says instead."""

import json

import pytest
from conftest import ROOT
from hypothesis import assume, given
from hypothesis import strategies as st

from faithfulness_assert.text.context_numbers import Numbers
from faithfulness_assert.text.wrong_words import difference

ROWS = [
    json.loads(line)
    for line in (ROOT / "fixtures" / "wrong_words.jsonl").read_text("utf-8").splitlines()
]
anything = st.text(st.characters(exclude_categories=()), max_size=80)
prose = st.lists(
    st.sampled_from(
        "the Museum closes at 22:00 on Monday July 4, 2019 for $12 or 12 km with Anna Wong “12” 30 %".split()
    )
    | st.text(max_size=8),
    max_size=15,
).map(" ".join)
texts = anything | prose


@given(texts, st.lists(texts, max_size=3), texts, texts)
def test_wrong_words_are_always_parts_of_the_statement(statement, evidence, context, reason):
    wrong, says = difference(statement, evidence, Numbers(context), reason)
    assert all(word and word in statement for word in wrong)
    assert len(set(wrong)) == len(wrong)
    assert says == "" or any(says in text for text in evidence)


@given(texts, texts, texts)
def test_nothing_is_wrong_with_what_the_evidence_says_word_for_word(statement, before, behind):
    evidence = [f"{before}\n{statement}\n{behind}"]
    assert difference(statement, evidence, Numbers(evidence[0])) == ((), "")


WORDS = "opened closed river bridge tower museum garden station harbour theatre".split()
YEARS = st.integers(1100, 2000)


@given(st.lists(st.sampled_from(WORDS), min_size=3, unique=True), YEARS, YEARS, YEARS)
def test_the_year_that_is_shown_is_the_only_one_of_the_evidence(words, said, true, other):
    assume(len({said, true, other}) == 3)
    text = " ".join(words)
    one = f"The {text} in {true}."
    assert difference(f"The {text} in {said}.", [one], Numbers(one)) == ((str(said),), str(true))
    two = f"The {text} in {true} and in {other}."
    assert difference(f"The {text} in {said}.", [two], Numbers(two)) == ((str(said),), "")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["statement"])
def test_a_value_is_shown_only_where_one_could_be_meant(row):
    evidence = [row["evidence"]] if row["evidence"] else []
    known, asked = Numbers(row.get("context", row["evidence"])), Numbers(row.get("question", ""))
    wrong, says = difference(row["statement"], evidence, known, row.get("reason", ""), asked)
    assert (list(wrong), says) == (row["wrong"], row["says"])
