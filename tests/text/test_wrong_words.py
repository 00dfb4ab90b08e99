"""The words of a statement that its evidence lacks, and what the evidence says instead."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from faithfulness_assert.text.absent_numbers import Numbers
from faithfulness_assert.text.wrong_words import difference

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
    wrong, says = difference(statement, evidence, Numbers(context), reason)
    assert all(word and word in statement for word in wrong)
    assert len(set(wrong)) == len(wrong)
    assert says == "" or any(says in text for text in evidence)


@given(texts, texts, texts)
def test_nothing_is_wrong_with_what_the_evidence_says_word_for_word(
    statement: str, before: str, behind: str
) -> None:
    evidence = [f"{before}\n{statement}\n{behind}"]
    assert difference(statement, evidence, Numbers(evidence[0])) == ((), "")


WORDS = "opened closed river bridge tower museum garden station harbour theatre".split()
YEARS = st.integers(1100, 2000)


@given(st.lists(st.sampled_from(WORDS), min_size=3, unique=True), YEARS, YEARS, YEARS)
def test_the_year_that_is_shown_is_the_only_one_of_the_evidence(
    words: list[str], said: int, true: int, other: int
) -> None:
    assume(len({said, true, other}) == 3)
    text = " ".join(words)
    one = f"The {text} in {true}."
    assert difference(f"The {text} in {said}.", [one], Numbers(one)) == ((str(said),), str(true))
    two = f"The {text} in {true} and in {other}."
    assert difference(f"The {text} in {said}.", [two], Numbers(two)) == ((str(said),), "")


@pytest.mark.parametrize(
    ("statement", "evidence", "wrong", "says"),
    [
        ("It closes at 22:00 on Mondays.", "It closes at 17:00 on Mondays.", ["22:00"], "17:00"),
        ("Adults pay 14 euros.", "Adults pay 12 euros.", ["14"], "12 euros"),
        ("The film earned $259 million.", "The film earned $ 219 million.", ["259"], "$ 219 million"),
        ("The tower opened in 1889.", "The tower opened in 1899.", ["1889"], "1899"),
        ("The tower opened in the 1870s.", "The tower opened in the 1890s.", ["1870"], "1890s"),
        ("The tower opened on July 4.", "The tower opened on July 5, 1899.", ["4"], "July 5"),
        ("The town has an area of 11.3 km2.", "A town with an area of 12.3 km2.", ["11.3"], "12.3 km2"),
        ("Das Große Museum schließt um 22 Uhr.", "Das Große Museum schließt um 17 Uhr.", ["22"], "17 Uhr"),
        ("Items can be returned within 60 days.", "Items can be returned within 30 days.", ["60"], "30 days"),
        ("The museum opens at 9 am.", "The museum opens at 10 am.", ["9"], "10 am"),
        ("It opens at 9 a.m. on Mondays.", "It opens at 10 a.m. on Mondays.", ["9"], "10 a.m."),
        # What may follow from what the evidence says, or counts something in it.
        ("Items can be returned within 60 days.", "Items can be returned for 30 days.", [], ""),
        ("Take 3 a day after meals.", "Take 2 a day after meals.", [], ""),
        ("Der Turm ist 330 Meter hoch.", "Der Turm ist 210 Meter hoch.", ["330"], "210 Meter"),
        ("Die Schließung der Straße dauert 30 Tage.", "Die Schließung der Straße dauert 20 Tage.", ["30"], "20 Tage"),
        ("La tour mesure 330 mètres.", "La tour mesure 210 mètres.", ["330"], "210 mètres"),
        ("El museo abre el 4 de julio.", "El museo abre el 5 de julio.", ["4"], "5 de julio"),
        ("Der Turm öffnet am 4. Juli.", "Der Turm öffnet am 5. Juli.", ["4"], "5. Juli"),
        # The name of a month is not a number: June is not a 6.
        ("The tower opened on 5 June.", "The tower opened on 6 June.", ["5"], "6 June"),
        ("The tower opened on 5 May.", "The tower opened on 6 May.", ["5"], "6 May"),
        # Months and days of the week, also beside a day that is right.
        ("The tower opened on 25 June.", "The tower opened on 25 July.", ["June"], "July"),
        ("The tower opened in June 1889.", "In Sept. 1889 the tower opened.", ["June"], "Sept"),
        ("The old museum closes on Tuesdays.", "The old museum closes on Mondays.", ["Tuesdays"], "Mondays"),
        ("Das Museum schließt am Dienstag.", "Das Museum schließt am Montag.", ["Dienstag"], "Montag"),
        ("The tower opened in Sept. 1889.", "In September 1889 the tower opened.", [], ""),
        ("The tower opened in June.", "The tower may have opened in spring.", [], ""),
        ("The tower opened in June.", "The tower opened in July or August.", ["June"], ""),
        ("The tower opened on 25 June.", "The tower opened on 24 July.", ["25", "June"], "24 July"),
        ("The tower opened in June 1889.", "The tower opened in July 1899.", ["June", "1889"], ""),
        # Two values of its kind, none of its kind, or another matter: nothing is shown.
        ("The tower opened in 1889.", "The tower opened in 1899 or in 1900.", ["1889"], ""),
        ("The tower opened in 1889.", "The tower opened in 1899, like the 1900 tower.", ["1889"], ""),
        ("The tower opened in 1889.", "The tower opened in 1899–03.", ["1889"], ""),
        ("The tower opened in 1889.", "The tower opened to 30 visitors.", ["1889"], ""),
        ("The tower opened in 1889.", "He was born in 1899.", ["1889"], ""),
        ("It closes at 22:00 on July 4.", "It closes at 17:00 on July 5.", ["22:00", "4"], ""),
        ("The tower opened in 1889.", "The tower opened in 1889.", [], ""),
        # It says when somebody was born, not when he died.
        ("The old painter Max Lee died in 1958.", "The old painter Max Lee, born in 1978.", ["1958"], ""),
    ],
)  # fmt: skip
def test_a_value_is_shown_only_where_one_could_be_meant(
    statement: str, evidence: str, wrong: list[str], says: str
) -> None:
    found = difference(statement, [evidence], Numbers(evidence))
    assert (list(found.wrong), found.says) == (wrong, says)


def test_a_number_that_is_elsewhere_in_the_context_is_wrong_beside_evidence_of_the_same_matter() -> (
    None
):
    context = "The museum closes at 17:00. The bar closes at 22:00."
    evidence, statement = ["The museum closes at 17:00."], "The museum closes at 22:00."
    assert difference(statement, evidence, Numbers(context)) == (("22:00",), "17:00")
    assert difference(statement, [], Numbers(context)) == ((), "")
    # The evidence has no other one: another sentence may complete it.
    assert difference(statement, ["The museum closes early."], Numbers(context)) == ((), "")


def test_a_month_that_is_elsewhere_in_the_context_is_not_wrong() -> None:
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


def test_words_that_the_judge_quotes_are_not_wrong_if_it_names_no_evidence_and_the_context_has_them() -> (
    None
):
    context = Numbers("The bar is in the old tower.")
    reason = "The context mentions the “old tower”, but not that it is “tall”."
    assert difference("The old tower is tall and steep.", [], context, reason).wrong == ("tall",)


def test_words_that_the_judge_quotes_are_wrong_if_the_evidence_lacks_them() -> None:
    evidence, statement = ["Members swim for free."], "Members and their guests swim for free."
    reason = "The text does not mention “their guests”, only “Members”, and nothing of “dogs”."
    assert difference(statement, evidence, Numbers(evidence[0]), reason).wrong == ("their guests",)
