"""The words of a statement that its evidence lacks, and what the evidence says instead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.text.numbers import numbers_of
from faithfulness_assert.text.wrong_words import says_instead, wrong_words

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
def test_wrong_words_are_always_parts_of_the_statement(
    statement: str, evidence: list[str], context: str, reason: str
) -> None:
    wrong = wrong_words(statement, evidence, numbers_of(context), reason)
    assert all(word and word in statement for word in wrong)
    assert len(set(wrong)) == len(wrong)
    says = says_instead(statement, wrong, evidence)
    assert says == "" or any(says in text for text in evidence)


@pytest.mark.parametrize(
    ("statement", "evidence", "wrong", "says"),
    [
        ("It closes at 22:00 on Mondays.", "It closes at 17:00 on Mondays.", ["22:00"], "17:00"),
        ("Adults pay 14 euros.", "Adults pay 12 euros.", ["14"], "12"),
        ("The film earned $259 million.", "The film earned $ 219 million.", ["259"], "219 million"),
        ("The tower opened in 1889.", "The tower opened in 1899.", ["1889"], "1899"),
        # Two values of its kind, none of its kind, or another matter: nothing is shown.
        ("The tower opened in 1889.", "The tower opened in 1899 or in 1900.", ["1889"], ""),
        ("The tower opened in 1889.", "The tower opened to 30 visitors.", ["1889"], ""),
        ("The tower opened in 1889.", "He was born in 1899.", ["1889"], ""),
        ("It closes at 22:00 on July 4.", "It closes at 17:00 on July 5.", ["22:00", "4"], ""),
        ("The tower opened in 1889.", "The tower opened in 1889.", [], ""),
        ("The old museum in town was built by Anna Wong.", "The old museum in town was built by Joe Li.", ["Anna Wong"], ""),
        # What a statement speaks of may have another name in the context.
        ("Anna Wong built the museum.", "She built the museum.", [], ""),
    ],
)  # fmt: skip
def test_a_value_is_shown_only_where_one_could_be_meant(
    statement: str, evidence: str, wrong: list[str], says: str
) -> None:
    found = wrong_words(statement, [evidence], numbers_of(evidence))
    assert list(found) == wrong
    assert says_instead(statement, found, [evidence]) == says


def test_a_number_that_is_elsewhere_in_the_context_is_wrong_beside_evidence_of_the_same_matter() -> (
    None
):
    context = "The museum closes at 17:00. The bar closes at 22:00."
    evidence = ["The museum closes at 17:00."]
    assert wrong_words("The museum closes at 22:00.", evidence, numbers_of(context)) == ("22:00",)
    assert wrong_words("The museum closes at 22:00.", [], numbers_of(context)) == ()


def test_words_that_the_judge_quotes_are_wrong_if_the_evidence_lacks_them() -> None:
    evidence, statement = ["Members swim for free."], "Members and their guests swim for free."
    reason = "The text does not mention “their guests”, only “Members”, and nothing of “dogs”."
    assert wrong_words(statement, evidence, numbers_of(evidence[0]), reason) == ("their guests",)
