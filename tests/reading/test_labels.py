"""Which words are labels, in which dress, and what may follow them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading_replies import labels_of

from faithfulness_assert import policies
from faithfulness_assert.reading.reconcile import read, settle
from faithfulness_assert.reading.rows import LABEL_WORDS, normalise, parse_label

YES, NO, PARTLY, AGAINST = "supported", "not_enough_info", "partially_supported", "contradicted"
STATEMENT = "The tower is tall."


def label_of(value: object) -> str | None:
    """The label that an entry with this value has in the end."""
    return labels_of(json.dumps([{"id": 1, "label": value}]), [STATEMENT])[0]


@pytest.mark.parametrize(
    ("label", "values"),
    [
        (YES, [True, 1, 1.0, "1", "yes", "Yes.", "**YES**", "`true`", "FULLY SUPPORTED"]),
        (YES, ["fully-supported", "“yes”", "Entailment", "faithful", "ＳＵＰＰＯＲＴＥＤ", "✅", "✔️", "(Yes)"]),
        (YES, ["Yes, it does", "Supported by sentence 3", "The statement is clearly supported."]),
        (NO, [False, 0, 0.0, "0", "no", "NO!", "Not supported.", "NotEnoughInfo", "not-enough-info"]),
        (NO, ["not\\_enough\\_info", "idk", "borderline", "i don’t know", "❌", "👎", "No, the context never says yes"]),
        (PARTLY, ["partially_supported", "Partial", "PARTIALLY SUPPORTED"]),
        (PARTLY, ["Partially supported: the tower is there, but it isn't tall"]),
        (AGAINST, ["contradicted", "Contradictory", "REFUTES", "contradiction.", "Contradicted - it is low"]),
        ("not_a_claim", ["not_a_claim", "Not a claim."]),
    ],
)  # fmt: skip
def test_the_words_of_all_judges_are_labels_in_any_case_and_dress(
    label: str, values: list[object]
) -> None:
    assert [(value, label_of(value)) for value in values] == [(value, label) for value in values]


@pytest.mark.parametrize(
    "value",
    [
        *(None, 2, -1, 0.5, float("nan"), float("inf"), [], {}),
        *("", " ", ".", "y", "n", "maybe", "not sure", "yes no", "yes/no", "nope", "yes?", "-1", "1%"),
        *("!supported", "~~yes~~", "-supported", "¬supported", "un supported", "supported-ish", "true-ish"),
        *("уеs", "ѕupported", "y\u200bes", "oui", "да", "是", "Supported housing", "Yes man"),
    ],
    ids=repr,
)  # fmt: skip
def test_an_unknown_hedged_disguised_or_foreign_word_is_no_label(value: object) -> None:
    assert label_of(value) is None


@pytest.mark.parametrize(
    "rest",
    [
        *(", but not the date", ", no", ", contradicted", " (not really)", ", unsupported"),
        *(" - however, it is partly so", ", as 3 of 4 say so", ": it is 20%", ", it is ❌"),
        *(", aber klein", "|contradicted", ", " + "it is so " * 3000),
    ],
    ids=lambda rest: rest[:20],
)  # fmt: skip
def test_what_follows_a_label_that_earns_something_must_be_quiet(rest: str) -> None:
    assert label_of(f"Supported{rest}") is None
    assert label_of(f"Contradicted{rest}") == AGAINST


@pytest.mark.parametrize("reply", ["Supported: isn't", "Supported: 0", "Contradicted: Yes"])
def test_a_label_before_a_colon_is_a_field_whose_answer_must_agree(reply: str) -> None:
    assert label_of(reply) is None


def test_each_word_is_listed_once_and_in_the_form_that_it_is_looked_up_in() -> None:
    words = [word for listed in LABEL_WORDS.values() for word in listed.split()]
    assert len(words) == len(set(words))
    assert [word for word in words if normalise(word) != word] == []
    assert {word: parse_label(f" **{word.upper()}.** ") for word in words} == {
        word: label for label, listed in LABEL_WORDS.items() for word in listed.split()
    }


def test_a_policys_own_words_are_labels_in_every_form_and_override_ours() -> None:
    own: Any = {"no": AGAINST, "ok": YES, "belegt": YES, "false": AGAINST, "0": AGAINST}
    said = (False, 0, "No.", "**OK**", "Belegt", "yes")
    assert [parse_label(value, own) for value in said] == [*[AGAINST] * 3, *[YES] * 3]
    for reply in (
        '["no", "ok"]',
        '{"1": "no", "2": "ok"}',
        '{"verdicts":[{"id":1,"label":"no"},{"id":2,"label":"OK"}]}',
        "{'verdicts':[{'id':1,'label':'no'},{'id':2,'label':'ok',}]}",
        '{"output":"[{\\"id\\":1,\\"label\\":\\"no\\"},{\\"id\\":2,\\"label\\":\\"ok\\"}]"}',
        "1. No.\n2. Ok.",
        "Verdict: no\nVerdict: ok",
        "1. It is so. Verdict: no\n2. It is so. Verdict: ok",
        "Final verdict for each statement in order: No. Ok.",
    ):
        assert [row.label for row in read(reply, own).rows] == [AGAINST, YES], reply
    assert [row.label for row in read("Ok, it does", own, single=True).rows] == [YES]


@pytest.mark.parametrize("policy", policies.values(), ids=policies.keys())
def test_the_label_names_mean_themselves_under_every_policy(policy: Any) -> None:
    for label in policy.judged:
        reading = read(json.dumps([{"id": 1, "label": label}]), policy.labels)
        assert settle(reading, {1: STATEMENT}).findings[1].label == label
