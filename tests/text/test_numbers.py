"""Numbers: which are the same, and which of a statement occur nowhere in a context."""

import operator
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from num2words import num2words
from rows import rows

from faithfulness_assert.text.absent_numbers import absent_numbers, with_computed
from faithfulness_assert.text.context_numbers import Numbers
from faithfulness_assert.text.number_words import money_of, valued, words_of
from faithfulness_assert.text.numbers import MONEY as SIGNS
from faithfulness_assert.text.numbers import find_numbers

ROWS = [*rows("absent_numbers"), *rows("numbers_of_trades")]
anything = st.text(st.characters(exclude_categories=()), max_size=80)
numeric = st.text("0123456789.,:/ '\"-–_^×s%$€¢()[]|\tkmthndrapuhr½²", max_size=60)
texts = anything | numeric | st.lists(anything | numeric, max_size=4).map("\n".join)
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "ru")


def absent(
    statement: str, context: Any, question: str = "", evidence: str = "", language: str = ""
) -> list[str]:
    """``context`` is a text, or a list of passages."""
    known = Numbers(*([context] if isinstance(context, str) else context), language=language)
    return list(absent_numbers(statement, known, Numbers(question), evidence))


def says(statement: str, context: str) -> bool:
    """Whether a context has each number in digits of a statement, by kind and value."""
    known = {meaning for number in find_numbers(context) for meaning in number.offers}
    own = (
        number
        for number in find_numbers(statement, in_words=False)
        if number.asks and not number.is_part
    )
    return all(not known.isdisjoint(number.asks) for number in own)


# ---------------------------------------------------------------- which are nowhere


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["statement"][:60])
def test_the_numbers_that_are_nowhere_are_those_of_the_row(row):
    given = {name: row[name] for name in row.keys() - {"why", "trade", "absent"}}
    assert absent(**given) == row["absent"]


@example("12 300", "", "0¼ of 1983/84")
@given(texts, texts, texts)
def test_what_is_absent_is_a_part_of_the_statement_and_not_of_question_or_context(
    said, context, more
):
    found = absent(said, context, evidence=more)
    assert all(number in said and any(map(str.isnumeric, number)) for number in found)
    assert absent(said, f"{more}\n{said}\n{more}") == []
    assert absent(said, context, question=said) == []


@given(st.integers(10_000, 10**9), st.integers(2, 5))
def test_a_rounded_number_is_there(number, digits):
    rounded = int(float(f"{number:.{digits}g}"))
    assert absent(f"About {rounded:,} came.", f"{number:,} came.") == []
    assert absent(f"It has {rounded} of them.", f"It has {number} of them.") == []


@given(st.integers(11, 9_999), st.sampled_from([10, 1000, 10**6]), st.sampled_from(["", " mg"]))
def test_nothing_is_taken_for_ten_or_a_thousand_times_as_much(number, times, unit):
    one, other = f"It has {number:,}{unit} of it.", f"It has {number * times:,}{unit} of it."
    assert absent(one, other) == [f"{number:,}"]
    assert absent(other, one) == [f"{number * times:,}"]


@given(texts, st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_sum_and_the_difference_of_two_numbers_of_the_evidence_are_there(context, one, other):
    said = f"– {one + other} and {abs(one - other)}"
    assert absent(said, context, evidence=f"From {one} it went to {other} at once.") == []


@given(st.integers(1100, 2000), st.lists(st.integers(100, 1000), max_size=5))
def test_a_year_is_absent_from_numbers_that_are_smaller(year, others):
    context = "It has " + ", ".join(map(str, others)) + " pieces."
    assert absent(f"It began in {year}.", context) == [str(year)]


@given(st.from_regex(r"[A-Z]{1,4}-?[0-9]{1,4}|[A-Z][a-z]{4,9} [0-9]{2,4}", fullmatch=True))
def test_a_number_in_a_name_is_not_looked_for(name):
    word = name.split()[0].casefold()
    assume(not word.startswith(tuple(valued("months"))))
    name_of = word.rstrip("0123456789-")
    assume(name_of not in words_of("before a number") and not money_of(name_of))
    assert absent(f"They flew with the {name} at once.", "They flew.") == []


def test_the_signs_that_are_looked_for_are_those_of_the_currencies():
    signs = {chr(code) for code in range(0x2200) if not chr(code).isalpha()}
    assert {sign for sign in signs if money_of(sign)} == {*SIGNS}


# ---------------------------------------------------------------- which are the same


pieces = st.lists(st.sampled_from([*"0123459.,:/-'’^×½¼² ", " . ", " , ", " 144", "10^", "'24"]))


@example("1.2.3/4", "see 1 , 101/2, 1'000/5 and 1 . 5/3")
@example("7 80 203,5 2", "1 , 234 5")
@example("¼ 144", "93/10^10 or 24.-.¼")
@given(anything | numeric | pieces.map("".join), anything | numeric)
def test_a_text_has_all_its_numbers_each_where_it_is(text, more):
    for number in find_numbers(text):
        assert 0 <= number.first <= number.start < number.end <= number.last <= len(text)
    assert says(text, f"{text}\n{more}") or "." in text or "," in text  # as their language says


GROUPED = ("{0:,}", "{0}", "{1} {2:03}", "{1}\u202f{2:03}", "{1}'{2:03}", "{1} , {2:03}")


@given(st.integers(1000, 999_999), st.sampled_from(GROUPED), st.sampled_from(GROUPED))
def test_a_number_is_the_same_with_other_separators(number, one, other):
    context, said = (f.format(number, *divmod(number, 1000)) for f in (one, other))
    assert says(f"It has {said} shops.", f"It has {context} shops.")
    assert says(f"It has {said} shops.", f"Es sind {number:,} Läden.".replace(",", "."))


@pytest.mark.parametrize("language", LANGUAGES)
@given(number=st.integers(2, 130) | st.integers(2, 10**9 - 1), other=st.integers(2, 999_999))
def test_a_number_in_words_is_that_number_and_no_other(language, number, other):
    # What num2words writes for 18 in a longer Italian word is misspelled.
    said = num2words(number, lang=language)
    assume("dicotto" not in said and not said.endswith("once"))  # also an English word
    assert says(f"– {number:,}", f"({said})")
    assert other == number or not says(f"– {other}", f"({said})")


@given(st.integers(1, 130), st.integers(1, 130))
def test_an_ordinal_is_neither_another_one_nor_a_count(number, other):
    context = f"the {num2words(number, to='ordinal')} time"
    assert says(f"the {num2words(number, to='ordinal_num')} time", context)
    assert not says(f"{number} times", context)
    assert other == number or not says(f"the {num2words(other, to='ordinal_num')} time", context)


CLOCKS = ("%H:%M", "%I:%M %p", "%I.%M%p", "%Hh%M", "%H.%M Uhr")
DATES = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "the %dth of %B, %Y", "%d-%m-%Y")
moments = st.datetimes(datetime(1900, 1, 1), datetime(2090, 1, 1))


@given(moments, st.sampled_from(CLOCKS), st.sampled_from(CLOCKS), st.integers(1, 1439))
def test_a_time_of_day_is_the_same_on_both_clocks_and_no_other(moment, one, other, minutes):
    context = f"It opens at {moment.strftime(one)}."
    assert says(f"It opens at {moment.strftime(other)}.", context)
    later = moment + timedelta(minutes=minutes)
    if minutes != 720:  # without a.m. or p.m., 7:30 may be both
        assert not says(f"It opens at {later.strftime(other)}.", context)


@given(moments, st.sampled_from(DATES), st.sampled_from(DATES), st.integers(1, 27))
def test_a_date_is_the_same_in_another_form_and_another_day_is_not(moment, one, other, days):
    context = f"It opened on {moment.strftime(one)} at last."
    later = moment + timedelta(days=days)
    assert says(f"It opened on {moment.strftime(other)} at last.", context)
    assume("-%m-%Y" not in one + other)  # which may begin with the month
    assert not says(f"It opened on {later.strftime(other)} at last.", context)


@given(
    st.sampled_from([("hours", "minutes", 60), ("kg", "g", 1000), ("km", "metres", 1000)]),
    st.integers(1, 500),
    st.integers(1, 99_999),
)
def test_a_measure_is_the_same_in_another_unit_and_another_amount_is_not(units, amount, other):
    large, small, factor = units
    for number, unit in ((amount, large), (amount * factor, small)):
        context = f"It has {number} {unit} in all."
        assert says(f"It has {amount * factor:,} {small}.", context)
        assert says(f"It has {amount} {large}.", context)
        assert says(f"It has {number}.", context)
        assert other == amount * factor or not says(f"It has {other} {small}.", context)


PREFIXES = {"µ": 10**-6, "m": 10**-3, "": 1, "k": 10**3}
prefixes = st.sampled_from([*PREFIXES])


@given(
    st.integers(11, 999),
    prefixes,
    prefixes,
    st.sampled_from("gWVA"),
    st.sampled_from(["", "/h", "/m³", "/kg/min", " per day"]),
)
def test_a_prefix_is_never_overlooked_and_never_in_the_way(number, one, other, unit, per):
    context = f"It has {number} {one}{unit}{per} of it."
    found = [] if one == other else [f"{number} {other}{unit}{per}"]
    assert absent(f"It has {number} {other}{unit}{per} of it.", context) == found
    converted = f"{number * PREFIXES[one] / PREFIXES[other]:.9f}".rstrip("0").rstrip(".")
    assert absent(f"It has {converted} {other}{unit}{per} of it.", context) == []


@given(st.integers(11, 999), st.sampled_from(["mg", "g", "km"]))
def test_what_it_is_per_is_a_part_of_a_unit(number, unit):
    pers = ("/h", "/mL", "/L", "/kg/min")
    for one in pers:
        context = f"It has {number} {unit}{one} of it."
        for other in pers:
            found = [] if one == other else [f"{number} {unit}{other}"]
            assert absent(f"It has {number} {unit}{other} of it.", context) == found
        assert absent(f"It has {number} {unit} of it.", context) == []


CASH = {
    "USD": ("US${}", "USD {}", "{} USD"),
    "CAD": ("C${}", "CA$ {}", "{} CAD"),
    "dollars": ("${}", "$ {}", "{} dollars", "{} US dollars", "{}$"),
    "EUR": ("€{}", "€ {}", "{} €", "{}€", "EUR {}", "{} EUR", "{} euros", "{} Euro"),
    "GBP": ("£{}", "GBP {}", "{} GBP", "{} pounds"),
    "JPY": ("JPY {}", "{} yen"),
    "yen or yuan": ("¥{}",),
    "CNY": ("RMB {}", "{} yuan"),
    "SEK": ("{} SEK", "SEK {}"),
    "kr": ("{} kr",),
}
MAY_BE = {"dollars": {"USD", "CAD"}, "yen or yuan": {"JPY", "CNY"}, "kr": {"SEK"}}
amounts = st.sampled_from([(name, form) for name, forms in CASH.items() for form in forms])


@given(st.integers(11, 999), amounts, amounts, st.sampled_from(["", " million"]))
def test_an_amount_is_absent_where_the_context_has_it_in_other_currencies_only(
    number, one, other, scale
):
    said, there = (form.format(f"{number}{scale}") for _, form in (one, other))
    own, others = (MAY_BE.get(name, {name}) for name, _ in (one, other))
    found = [] if own & others else [said]
    assert absent(f"They paid {said} for it.", f"They paid {there} for it.") == found
    assert absent(f"They paid {said} for it.", f"They paid {number}{scale} for it.") == []


OTHERS = [("100 came.", "Hundreds came."), ("11 came.", "Once, many came.")]
OTHERS += [(f"It is {number}1.", f"It is {number}2.") for number in (10**15, "7" * 30)]


@pytest.mark.parametrize(("statement", "context"), OTHERS)
def test_it_is_another_number(statement, context):
    assert not says(statement, context)


COMPUTE = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
two = st.integers(11, 999)


@given(two, st.sampled_from([*COMPUTE]), two, st.integers(2, 9))
def test_what_is_computed_from_known_numbers_is_there_and_another_result_is_not(
    one, sign, other, times
):
    said, value = f"{one} {sign} {other}", abs(COMPUTE[sign](one, other))
    assume(one != other and value > 0.02)
    context = Numbers(f"{one} and {other}")
    assert absent_numbers(f"{said} = {value:.5f}", context) == ()
    known = with_computed([f"{said} = {value:.5f}"], context, Numbers(""))
    assert known.has([("", float(f"{value:.5f}"))])
    assert absent_numbers(f"It is {times * 1000 + 0.77123} = {said}", context) != ()


def test_what_an_equation_of_the_answer_computed_is_there_for_later_statements():
    context = Numbers("The sum insured is 18,000 euros, of it 45 % for a limb.")
    later, equation = "He would receive 8,100 euros.", "18,000 euros × 45 % = 8,100 euros."
    assert absent_numbers(later, context) == ("8,100",)
    for said in ([equation], [equation, "81,000 = at most 81,000"], [later, equation]):
        asked = with_computed(said, context, Numbers(""))
        assert absent_numbers(later, context, asked) == ()
        assert absent_numbers("He would receive 81,000 euros.", context, asked) == ("81,000",)
    asked = with_computed(
        ["It pays 18,000 and", "45 %, so 18,045, not 81,000."], context, Numbers("")
    )
    assert absent_numbers("He gets 18,045 or 81,000 in all.", context, asked) == ("81,000",)
    wrong = with_computed(["18,000 euros × 45 % = 81,000 euros."], context, Numbers(""))
    assert absent_numbers("He would receive 81,000 euros.", context, wrong) == ("81,000",)
