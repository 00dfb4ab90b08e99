"""What a judge may set aside as no claim, and what it may not, in several languages."""

from __future__ import annotations

import json
import re

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.text.talk import claims_nothing

ROWS = json.loads((ROOT / "fixtures" / "non_claims.json").read_text(encoding="utf-8"))
FACTS = {
    "[一-鿿]": "博物馆周一闭馆。",
    "[가-힣]": "박물관은 월요일에 문을 닫습니다.",
    "[ạ-ỹđơư]": "Bảo tàng đóng cửa.",
    "[а-я]": "Музей закрылся в мае.",
}
"""A claim for each script; otherwise an English one."""


@pytest.mark.parametrize("sentence", ROWS["claims_nothing"])
def test_what_has_a_form_that_claims_nothing_may_be_set_aside(sentence: str) -> None:
    assert claims_nothing(sentence)


@pytest.mark.parametrize("sentence", ROWS["claims_something"])
def test_what_states_something_is_never_set_aside(sentence: str) -> None:
    assert not claims_nothing(sentence)


@pytest.mark.parametrize("sentence", ROWS["only_agrees"])
def test_what_only_agrees_says_something_as_the_answer_to_a_question(sentence: str) -> None:
    assert claims_nothing(sentence)
    assert not claims_nothing(sentence, is_asked=True)


@pytest.mark.parametrize("sentence", ROWS["claims_nothing"])
def test_a_claim_does_not_hide_behind_what_claims_nothing(sentence: str) -> None:
    fact = next((FACTS[s] for s in FACTS if re.search(s, sentence)), "Dogs are welcome.")
    assert not claims_nothing(f"{sentence} {fact}")
    assert not claims_nothing(f"{sentence} The fee is 12 euros.") or not sentence.isascii()


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    assert claims_nothing(text) in (True, False)
