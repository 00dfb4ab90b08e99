"""Reading ratings and reasons: only a number under its name, or an explicit reason, counts."""

from __future__ import annotations

import json
import math
import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.reading import read_ratings, read_reason
from faithfulness_assert.reading.rating_values import (
    MAX_REASON_CHARS,
    MAX_SUGGESTIONS,
    on_unit_scale,
)
from faithfulness_assert.records.errors import UnreadableReply

NAMES = ("relevance", "coverage")


def ratings(text: str) -> dict[str, float]:
    return read_ratings(text, NAMES)[0]


def rated(value: object) -> float | None:
    """The relevance that is read from ``value``. The second rating keeps the reply readable."""
    return ratings(json.dumps({"relevance": value, "coverage": 0.5})).get("relevance")


def declined(reader: Any, text: str) -> str:
    with pytest.raises(UnreadableReply) as caught:
        reader(text)
    assert caught.value.kind == "unreadable"
    return caught.value.message


@pytest.mark.parametrize(
    ("value", "rating"),
    [
        (0, 0.0),
        (1, 1.0),
        (0.25, 0.25),
        (-3, -3.0),
        (85, 85.0),
        ("0.9", 0.9),
        (" +7 ", 7.0),
        ("-2.5", -2.5),
        ({"score": 0.9, "reason": "so"}, 0.9),
        ({"rating": "0.4"}, 0.4),
        ({"value": 1}, 1.0),
        ({"score": 0.2, "value": 1}, 0.2),
    ],
)
def test_a_rating_is_a_number_a_number_as_text_or_an_object_with_one(
    value: object, rating: float
) -> None:
    found = rated(value)
    assert found == rating
    assert type(found) is float


@pytest.mark.parametrize(
    "value",
    [
        *(
            None,
            True,
            False,
            "",
            "high",
            "9/10",
            "90%",
            "1e3",
            "0.9.",
            ".5",
            "1234567",
            math.nan,
            math.inf,
            10**30,
        ),
        *(
            [0.9],
            {},
            {"score": None},
            {"points": 0.9},
            {"score": {"score": 0.9}},
            {"score": None, "value": 0.9},
        ),
    ],
    ids=repr,
)
def test_only_a_finite_number_is_a_rating(value: object) -> None:
    assert rated(value) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"relevance":0.9,"coverage":0.1,"clarity":0.4}', {"relevance": 0.9, "coverage": 0.1}),
        ('Here you are: {"Relevance":0.9}', {"relevance": 0.9}),
        ('{"ratings":[{"relevance":0.9},{"coverage":1}]}', {"relevance": 0.9, "coverage": 1.0}),
        ('{"relevance":0.9}{"coverage":1}', {"relevance": 0.9, "coverage": 1.0}),
        ("{'relevance': 0.9,}", {"relevance": 0.9}),
        ('{"relevance":0.9,"coverage":1}{"relevance":0.9}', {"relevance": 0.9, "coverage": 1.0}),
        ('{"relevance":0.9,"coverage":1}{"relevance":0.8}', {"coverage": 1.0}),
        ('{"relevance":0.9,"coverage":1}{"relevance":null}', {"coverage": 1.0}),
        ('{"relevance":0.9,"relevance":0.8,"coverage":1}', {"coverage": 1.0}),
        ('<think>{"relevance":0.1}</think>{"relevance":0.9}', {"relevance": 0.9}),
    ],
)
def test_ratings_are_found_at_any_depth_and_duplicates_must_agree(
    text: str, found: dict[str, float]
) -> None:
    assert ratings(text) == found


def test_a_dimension_of_several_words_is_found_however_its_key_is_written() -> None:
    for key in ("context_use", "contextUse", "Context use"):
        assert read_ratings(json.dumps({key: 0.5}), ["context_use"])[0] == {"context_use": 0.5}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ()),
        ({"suggestions": ["a", " b ", "", 3, None, "c"]}, ("a", "b", "c")),
        ({"suggestions": "Name the price."}, ("Name the price.",)),
        ({"Improvement suggestions": ["a"], "improvements": ["b"]}, ("a", "b")),
        ({"review": {"suggestions": ["a"]}}, ("a",)),
        ({"suggestions": ["a\ud800"]}, ("a\ufffd",)),
        (
            {"suggestions": [f"{k}" for k in range(30)]},
            tuple(f"{k}" for k in range(MAX_SUGGESTIONS)),
        ),
    ],
)
def test_at_most_ten_suggestions_are_read(given: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert read_ratings(json.dumps({"relevance": 1, **given}), NAMES) == (
        {"relevance": 1.0},
        expected,
    )


@pytest.mark.parametrize(
    ("said", "held", "changed"),
    [
        ((0, 1), (0, 1), []),
        ((0.2, 1), (0.2, 1), []),
        ((80, 100), (0.8, 1), ["d0 80", "d1 100"]),
        ((2, 1.5), (0.02, 0.015), ["d0 2", "d1 1.5"]),
        ((40, 1, 1), (0.4, 1, 1), ["d0 40"]),
        ((120, 50), (1, 0.5), ["d0 120", "d1 50"]),
        ((-5, 50), (0, 0.5), ["d0 -5", "d1 50"]),
        ((0.5, 50, 60), (0.5, 0.5, 0.6), ["d1 50", "d2 60"]),
        ((1, 5), (1, 0.05), ["d1 5"]),
        ((-0.5, 0.5), (0, 0.5), ["d0 -0.5"]),
    ],
)
def test_each_rating_above_1_is_out_of_100(
    said: tuple[float, ...], held: tuple[float, ...], changed: list[str]
) -> None:
    ratings, warnings = on_unit_scale({f"d{k}": value for k, value in enumerate(said)})
    assert list(ratings.values()) == pytest.approx(list(held))
    assert [re.split("[,;]", warning[16:])[0] for warning in warnings] == changed


def test_a_warning_names_each_changed_rating_before_and_after() -> None:
    assert on_unit_scale({"relevance": 150, "coverage": -1})[1] == (
        "the judge rated relevance 150; ratings above 1 are out of 100, so 1 was used",
        "the judge rated coverage -1, which is out of range; 0 was used",
    )


@given(
    st.dictionaries(
        st.text(max_size=3), st.floats(allow_nan=False, allow_infinity=False), max_size=4
    )
)
def test_ratings_end_between_0_and_1_and_those_on_one_scale_keep_their_order(
    said: dict[str, float],
) -> None:
    held, _ = on_unit_scale(said)
    assert list(held) == list(said)
    assert all(0 <= value <= 1 for value in held.values())
    for one, two in permutations(said, 2):
        if (said[one] > 1) == (said[two] > 1) and said[one] <= said[two]:
            assert held[one] <= held[two]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"reason":" It names no price. "}', "It names no price."),
        ('{"result":[{"reason":"First."},{"reason":"Second."}]}', "First."),
        ('{"reason":null}{"reason":"Said."}', "Said."),
        (
            "Two of three statements stand in the context.",
            "Two of three statements stand in the context.",
        ),
        ("<think>Hm.</think> It is so.", "It is so."),
        ('{"reason":"a\\ud800"}', "a\ufffd"),
        ("x" * 2000, "x" * MAX_REASON_CHARS),
    ],
)
def test_a_reason_is_the_value_of_its_key_or_all_of_the_prose(text: str, reason: str) -> None:
    assert read_reason(text) == reason


@pytest.mark.parametrize(
    "text",
    ["", " ", "<think>Because", '{"reason":""}', '{"reason":3}', '{"score":1}', '{"reason":"cut'],
)
def test_json_without_a_reason_and_an_empty_reply_have_none(text: str) -> None:
    assert declined(read_reason, text) == "the judge's reply contains no reason"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the judge's reply is empty, or contains only its thinking"),
        ("<think>0.9", "the judge's reply is empty, or contains only its thinking"),
        ("relevance: 0.9", "the judge's reply contains no rating"),
        (
            '{"relevance":"high"}',
            "the judge's reply is JSON without a rating, or it is broken or cut off",
        ),
        (
            '{"relevance":0.9',
            "the judge's reply is JSON without a rating, or it is broken or cut off",
        ),
    ],
)
def test_the_error_says_what_is_wrong_with_a_reply_without_ratings(text: str, message: str) -> None:
    assert declined(ratings, text) == message


@pytest.mark.parametrize("reader", [ratings, read_reason])
def test_a_refusal_has_neither_a_rating_nor_a_reason(reader: Any) -> None:
    with pytest.raises(UnreadableReply, match=r"^the judge refused to answer$") as caught:
        reader("I'm sorry, but I can't assist with that request.")
    assert (caught.value.kind, caught.value.retryable) == ("refusal", False)


@pytest.mark.parametrize(
    ("reader", "name"), [(ratings, "read_ratings"), (read_reason, "read_reason")]
)
def test_a_reply_that_is_not_a_string_is_a_type_error_for_each_reader(
    reader: Any, name: str
) -> None:
    with pytest.raises(TypeError, match=f"^{name}: text must be a string, got int$"):
        reader(5)
