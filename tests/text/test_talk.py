"""What a judge may set aside as no claim, what declines, and what does neither, in a dozen languages.

``talk.jsonl`` has pieces of answers, and whether a reader has to check them; ``declining.jsonl`` has
whole answers, and whether they only decline. Rows with ``must`` are attacks, and hold one by one.
Of rows with ``held`` nothing was learned: they show how much holds of texts that nobody has seen.
"""

import json
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import grade
from faithfulness_assert.text.talk import LONGEST, accompanies, claims_nothing, declines


def rows(name: str) -> list[dict[str, Any]]:
    lines = (ROOT / "fixtures" / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


PIECES, ANSWERS = rows("talk.jsonl"), rows("declining.jsonl")
HIDDEN = {
    "en": "Dogs are welcome.",
    "zh": "博物馆周一闭馆。",
    "ko": "박물관은 월요일에 문을 닫습니다.",
    "vi": "Bảo tàng đóng cửa vào thứ hai.",
    "ru": "Музей закрыт по понедельникам.",
}
"""A claim for some of the languages."""


def share(found: list[bool]) -> float:
    return sum(found) / len(found)


def is_aside(row: dict[str, Any]) -> bool:
    return claims_nothing(row["text"], is_item=row.get("is_item", False))


def test_no_attack_is_set_aside():
    attacks = [row for row in PIECES if "must" in row and row["claims"]]
    assert len(attacks) > 300
    assert [row["text"] for row in attacks if is_aside(row)] == []


def test_of_pieces_that_nobody_has_seen_hardly_a_claim_is_set_aside_and_most_talk_is():
    held = [row for row in PIECES if "held" in row]
    assert share([is_aside(row) for row in held if row["claims"]]) <= 0.023
    assert share([is_aside(row) for row in held if not row["claims"]]) >= 0.7


def test_an_exclamation_mark_sets_hardly_a_claim_aside():
    said = [row["text"] for row in PIECES if "held" in row and row["claims"]]
    called = [f"{text[:-1]}!" for text in said if text.endswith((".", "。"))]
    assert len(called) > 700
    assert share([claims_nothing(text) for text in called]) <= 0.03
    shop = ["Hello, Pro costs 39 EUR!", "Danke, Pro kostet 39 EUR!", "Dogs are welcome!"]
    assert not any(claims_nothing(text) for text in shop)


@pytest.mark.parametrize("joint", [". ", ", ", "; ", " - "])
def test_a_claim_does_not_hide_behind_what_claims_nothing(joint):
    hidden = [
        f"{row['text'].rstrip('.!。！')}{joint}{HIDDEN[row['language']]}"
        for row in PIECES
        if not row["claims"] and row["language"] in HIDDEN
    ]
    assert share([claims_nothing(text) for text in hidden[::2]]) <= 0.005


def test_an_answer_that_nobody_has_seen_and_says_something_hardly_ever_abstains():
    held = [row for row in ANSWERS if "held" in row]
    statuses = [(row["declines"], grade(row["text"], "It is so.").status) for row in held]
    assert share([status == "abstained" for declined, status in statuses if not declined]) <= 0.02
    assert share([status == "abstained" for declined, status in statuses if declined]) >= 0.55


def test_what_must_decline_does_and_what_must_say_something_does_not():
    short = [row for row in ANSWERS if "must" in row]
    assert len(short) > 300
    assert [r["text"] for r in short if not r["declines"] and declines(r["text"])] == []
    assert share([declines(row["text"]) for row in short if row["declines"]]) >= 0.93


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text):
    for says in (claims_nothing, declines, accompanies):
        assert says(text) in (True, False)


@pytest.mark.parametrize("dress", ["  \n\t{}\u00a0\n\n", "**{}**"])
def test_white_space_and_bold_change_nothing(dress):
    for row in PIECES[:300]:
        text = row["text"]
        for says in (claims_nothing, declines):
            assert says(dress.format(text)) is says(text)


def test_talk_and_declines_have_a_limited_length():
    for length, seen in ((LONGEST, True), (LONGEST + 1, False)):
        assert declines("I don't know.".ljust(length)) is seen
        assert claims_nothing("You're welcome!".ljust(length)) is seen
