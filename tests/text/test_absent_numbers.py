"""Which numbers of a statement occur nowhere in a context."""

from __future__ import annotations

import json
from datetime import date
from itertools import product
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import assume, given
from hypothesis import strategies as st
from num2words import num2words

from faithfulness_assert.text.absent_numbers import absent_numbers
from faithfulness_assert.text.number_words import currencies, units, valued, words_of
from faithfulness_assert.text.numbers import MONEY as SIGNS
from faithfulness_assert.text.numbers import NONE, find_numbers, numbers_of

ROWS = [
    json.loads(line)
    for line in (ROOT / "fixtures" / "absent_numbers.jsonl").read_text("utf-8").splitlines()
]
anything = st.text(st.characters(exclude_categories=()), max_size=80)
numeric = st.text("0123456789.,:/ '-–s%$€()[]|\tkmth½", max_size=60)
texts = anything | numeric | st.lists(anything | numeric, max_size=4).map("\n".join)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['why']}: {row['statement'][:40]}")
def test_the_numbers_that_are_nowhere_are_those_of_the_row(row: dict[str, Any]) -> None:
    found = absent_numbers(
        row["statement"],
        numbers_of(row["context"]),
        numbers_of(row.get("question", "")),
        row.get("evidence", ""),
    )
    assert list(found) == row["absent"]


@given(numeric, numeric)
def test_each_number_has_a_value(said: str, evidence: str) -> None:
    assert all(number.values for number in find_numbers(said))
    absent_numbers(said, NONE, NONE, evidence)


@given(texts, texts)
def test_what_is_absent_is_a_part_of_the_statement_with_a_digit(said: str, context: str) -> None:
    for number in absent_numbers(said, numbers_of(context)):
        assert number in said
        assert any(char.isdigit() for char in number)


@given(texts, texts)
def test_nothing_is_absent_from_a_context_that_repeats_the_statement(said: str, more: str) -> None:
    assert absent_numbers(said, numbers_of(f"{more}\n{said}\n{more}")) == ()


@given(texts, texts)
def test_nothing_is_absent_that_the_question_has(said: str, context: str) -> None:
    assert absent_numbers(said, numbers_of(context), numbers_of(said)) == ()


def says(text: str, context: str) -> tuple[str, ...]:
    return absent_numbers(text, numbers_of(context))


GROUPED = (
    *("{0:,}", "{0}", "{1}.{2:03}", "{1} {2:03}", "{1}\u202f{2:03}", "{1}'{2:03}"),
    "{1} , {2:03}",
)


@given(st.integers(1000, 999_999), st.sampled_from(GROUPED), st.sampled_from(GROUPED))
def test_a_number_is_there_with_other_separators(number: int, one: str, other: str) -> None:
    context, said = (f.format(number, *divmod(number, 1000)) for f in (one, other))
    assert says(f"It has {said} shops.", f"It has {context} shops.") == ()


LANGUAGES = ("en", "de", "fr", "es", "it", "nl")


@pytest.mark.parametrize("language", LANGUAGES)
@given(number=st.integers(0, 130) | st.integers(0, 999_999) | st.integers(10**6, 10**9 - 1))
def test_a_number_in_words_is_there(language: str, number: int) -> None:
    # What num2words writes for 18 in a longer Italian word is misspelled.
    assume(language != "it" or "dicotto" not in num2words(number, lang=language))
    assert says(f"– {number:,}", f"({num2words(number, lang=language)})") == ()


@given(st.integers(1, 130))
def test_an_ordinal_in_words_is_there(number: int) -> None:
    said = num2words(number, to="ordinal_num")
    assert (
        says(f"It was the {said} time.", f"It was the {num2words(number, to='ordinal')} time.")
        == ()
    )


@given(st.integers(10_000, 10**9), st.integers(2, 5))
def test_a_rounded_number_is_there(number: int, digits: int) -> None:
    rounded = int(float(f"{number:.{digits}g}"))
    assert says(f"About {rounded:,} came.", f"{number:,} came.") == ()
    assert says(f"It has {rounded} of them.", f"It has {number} of them.") == ()


UNITS = {"km": 1000, "miles": 1609.344, "feet": 0.3048, "metres": 1}
PAIRS = [("km", "miles"), ("miles", "km"), ("feet", "metres"), ("metres", "feet")]


@given(st.integers(40, 900), st.sampled_from(PAIRS))
def test_a_length_is_converted_only_where_both_units_are_written(
    number: int, pair: tuple[str, str]
) -> None:
    one, other = pair
    said = f"{number * UNITS[one] / UNITS[other]:.4g}"
    assert says(f"It is {said} {other} long.", f"It is {number} {one} long.") == ()
    assert says(f"It is {said} {other} long.", f"It is {number} wide.") == (said,)


MONEY = {
    "USD": ("US${}", "USD {}", "{} USD"),
    "CAD": ("C${}", "CA$ {}", "{} CAD"),
    "dollars": ("${}", "$ {}", "{} dollars", "{} US dollars", "{}$"),
    "EUR": ("€{}", "€ {}", "{} €", "{}€", "EUR {}", "{} EUR", "{} euros", "{} Euro"),
    "GBP": ("£{}", "GBP {}", "{} GBP", "{} pounds"),
    "JPY": ("JPY {}", "{} yen"),
    "yen or yuan": ("¥{}",),
    "CNY": ("RMB {}", "{} yuan"),
    "INR": ("₹{}", "Rs. {}", "{} INR", "{} rupees"),
    "SEK": ("{} SEK", "SEK {}"),
    "kr": ("{} kr",),
}
MAY_BE = {"dollars": {"USD", "CAD"}, "yen or yuan": {"JPY", "CNY"}, "kr": {"SEK"}}
money = st.sampled_from([(name, form) for name, forms in MONEY.items() for form in forms])


@given(st.integers(11, 999), money, money, st.sampled_from(["", " million"]))
def test_an_amount_is_absent_where_the_context_has_it_in_other_currencies_only(
    number: int, one: Any, other: Any, scale: str
) -> None:
    said, there = (form.format(f"{number}{scale}") for _, form in (one, other))
    own, others = (MAY_BE.get(name, {name}) for name, _ in (one, other))
    found = () if own & others else (said,)
    assert says(f"They paid {said} for it.", f"They paid {there} for it.") == found
    assert says(f"They paid {said} for it.", f"They paid {number}{scale} for it.") == ()


def test_the_signs_that_are_looked_for_are_those_of_the_currencies() -> None:
    assert {name for name in currencies() if len(name) == 1} == {*SIGNS}


DATED = ("{0:%Y-%m-%d}", "{0:%d-%m-%Y}", "{0:%m-%d-%Y}", "{0.day}-{0.month}-{0.year}")
dates = st.dates(date(1100, 1, 1), date(2100, 12, 31))


@given(dates, st.integers(1, 31))
def test_the_name_of_a_month_is_not_a_number(day: date, other: int) -> None:
    assume(other != day.day)
    month = f"{day:%B}"
    assert says(f"It opens on {other} {month}.", f"It opens on {day.day} {month}.") == (str(other),)
    assert says(f"It costs ${day.month}.", f"It opens in {month}.") == (str(day.month),)


@given(dates, st.sampled_from(DATED))
def test_a_date_in_digits_is_there_with_the_name_of_its_month(day: date, form: str) -> None:
    said, there = form.format(day), f"{day:%B} {day.day}, {day.year}"
    assert says(f"It opened on {said}.", f"It opened on {there}.") == ()
    assert says(f"It opened on {there}.", f"It opened on {said}.") == ()


def test_a_date_in_digits_is_absent_where_the_context_has_none_of_its_numbers() -> None:
    first_days = [date(y, m, 1) for y, m in product((1999, 2001, 2012, 2100), range(1, 13))]
    for other in first_days:
        context = numbers_of(f"It opened on {other:%d %B %Y}.")
        there = {other.day, other.month, other.year}
        for day in [*first_days, *(first.replace(day=28) for first in first_days)]:
            absent = [f"{n:02}" for n in (day.year, day.month, day.day) if n not in there]
            found = absent_numbers(f"It opened on {day:%Y-%m-%d}.", context)
            assert found == tuple(dict.fromkeys(absent)), (day, other)


def test_the_second_year_of_a_season_is_a_year_and_is_not_rounded() -> None:
    assert says("They won in 1983–84.", "They won in 1984 and in 1983.") == ()
    assert says("They won in 1983–84.", "They won in 1983 and in 1985.") == ("84",)


@given(st.lists(st.integers(1, 10_000), min_size=2, max_size=20), st.sampled_from("|\t;"))
def test_the_sum_of_a_column_is_there(numbers: list[int], mark: str) -> None:
    rows = [f"shop {chr(97 + place)} {mark} {n}" for place, n in enumerate(numbers)]
    assert says(f"They sold {sum(numbers)} in all.", "\n".join([f"shop {mark} sold", *rows])) == ()


@given(st.from_regex(r"[A-Z]{1,4}-?[0-9]{1,4}|[A-Z][a-z]{4,9} [0-9]{2,4}", fullmatch=True))
def test_a_number_in_a_name_is_not_looked_for(name: str) -> None:
    assume(not name.split()[0].casefold().startswith(tuple(valued("months"))))
    assume(name.split()[0].casefold() not in {*words_of("before a number"), *units()})
    assert says(f"They flew with the {name} at once.", "They flew.") == ()


@given(texts, st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_sum_and_the_difference_of_two_numbers_of_the_evidence_are_there(
    context: str, one: int, other: int
) -> None:
    said = f"– {one + other} and {abs(one - other)}"
    evidence = f"From {one} it went to {other} at once."
    assert absent_numbers(said, numbers_of(context), NONE, evidence) == ()


@given(st.integers(1100, 2000), st.lists(st.integers(100, 1000), max_size=5))
def test_a_year_is_absent_from_numbers_that_are_smaller(year: int, others: list[int]) -> None:
    context = "It has " + ", ".join(map(str, others)) + " pieces."
    assert absent_numbers(f"It began in {year}.", numbers_of(context)) == (str(year),)
