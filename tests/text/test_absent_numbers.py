"""Which numbers of a statement occur nowhere in a context."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.text.absent_numbers import absent_numbers
from faithfulness_assert.text.numbers import numbers_of

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
        row["statement"], numbers_of(row["context"]), numbers_of(row.get("question", ""))
    )
    assert list(found) == row["absent"]


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


@given(st.integers(1100, 2000), st.lists(st.integers(100, 1000), max_size=5))
def test_a_year_is_absent_from_numbers_that_are_smaller(year: int, others: list[int]) -> None:
    context = "It has " + ", ".join(map(str, others)) + " pieces."
    assert absent_numbers(f"It began in {year}.", numbers_of(context)) == (str(year),)
