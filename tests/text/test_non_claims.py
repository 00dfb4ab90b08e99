"""What a judge may set aside as no claim, and what it may not, in several languages."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.plan.findings import may_be_set_aside

ROWS = json.loads((ROOT / "fixtures" / "non_claims.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("sentence", ROWS["claims_nothing"])
def test_courtesies_questions_and_words_to_the_reader_may_be_set_aside(sentence: str) -> None:
    assert may_be_set_aside(sentence)


@pytest.mark.parametrize("sentence", ROWS["claims_something"])
def test_what_states_something_is_never_set_aside(sentence: str) -> None:
    assert not may_be_set_aside(sentence)


@pytest.mark.parametrize("sentence", ROWS["claims_nothing"])
def test_a_courtesy_with_a_number_or_a_name_is_judged(sentence: str) -> None:
    assert not may_be_set_aside(f"{sentence.rstrip('!.?:')} 12 Paris.")


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    assert may_be_set_aside(text) in (True, False)
