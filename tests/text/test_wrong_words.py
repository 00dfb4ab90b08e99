"""The words of a statement that its evidence lacks, and what the evidence says instead."""

import json

import pytest
from conftest import ROOT
from hypothesis import assume, given
from hypothesis import strategies as st

from faithfulness_assert.text.absent_numbers import Numbers
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
    wrong, says = difference(row["statement"], [row["evidence"]], Numbers(row["evidence"]))
    assert (list(wrong), says) == (row["wrong"], row["says"])


def test_a_number_that_is_elsewhere_in_the_context_is_wrong_beside_evidence_of_the_same_matter():
    context = "The museum closes at 17:00. The bar closes at 22:00."
    evidence, statement = ["The museum closes at 17:00."], "The museum closes at 22:00."
    assert difference(statement, evidence, Numbers(context)) == (("22:00",), "17:00")
    assert difference(statement, [], Numbers(context)) == ((), "")
    # The evidence has no other one: another sentence may complete it.
    assert difference(statement, ["The museum closes early."], Numbers(context)) == ((), "")


def test_a_month_that_is_elsewhere_in_the_context_is_not_wrong():
    context, statement = (
        "The bar opened in June. The tower opened in July.",
        "The tower opened in June.",
    )
    evidence = ["The tower opened in July."]
    assert difference(statement, evidence, Numbers(context)) == ((), "")
    assert difference("The tower opened in May.", [], Numbers(context)) == (("May",), "")
    assert difference("The tower opened in May.", [], Numbers("It opened.")) == ((), "")
    asked, known = Numbers("Did it open in June?"), Numbers(evidence[0])
    assert difference(statement, evidence, known, "", asked) == ((), "")
    assert difference(statement, evidence, known) == (("June",), "July")


def test_words_that_the_judge_quotes_are_not_wrong_if_it_names_no_evidence_and_the_context_has_them():
    context = Numbers("The bar is in the old tower.")
    reason = "The context mentions the “old tower”, but not that it is “tall”."
    assert difference("The old tower is tall and steep.", [], context, reason)[0] == ("tall",)


def test_words_that_the_judge_quotes_are_wrong_if_the_evidence_lacks_them():
    evidence, statement = ["Members swim for free."], "Members and their guests swim for free."
    reason = "The text does not mention “their guests”, only “Members”, and nothing of “dogs”."
    assert difference(statement, evidence, Numbers(evidence[0]), reason)[0] == ("their guests",)
