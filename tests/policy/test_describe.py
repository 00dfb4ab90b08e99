"""A policy is described for a reader: fields in words, and deviations."""

from __future__ import annotations

import pytest

from faithfulness_assert import Policy, policies
from faithfulness_assert.policy.describe import HEAD, asks, in_full, nothing_to_check, row
from faithfulness_assert.policy.values import Example, ScoreCap


@pytest.mark.parametrize("name", sorted(policies))
def test_a_policy_in_full_shows_its_threshold_and_its_deviations_in_words(
    name: str,
) -> None:
    policy = policies[name]
    lines = list(in_full(policy))
    assert lines[0] == f"asks: {asks(policy)}"
    assert f"nothing to check: {nothing_to_check(policy)}" in lines
    assert f"threshold: {policy.threshold:g}" in lines
    assert policy.dimensions or any(line.startswith("fail_on: ") for line in lines)
    assert [
        line.removeprefix("differs: ") for line in lines if line.startswith("differs: ")
    ] == list(policy.deviations)
    fields = [line for line in lines if not line.startswith("differs: ")]
    assert not [
        line
        for line in fields
        if any(mark in line for mark in ("{", "()", "'", "True", "False", "None"))
    ]


def test_a_name_that_no_preset_has_is_told_the_nearest() -> None:
    with pytest.raises(KeyError, match="Did you mean 'ragas'"):
        policies["ragass"]


def test_the_table_of_policies_has_one_line_of_80_columns_for_each() -> None:
    table = [HEAD, *map(row, policies.values())]
    assert len(table) == 12
    assert {len(cells) for cells in table} == {len(HEAD)}
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    assert sum(widths) + 3 * len(HEAD) + 1 <= 80


def test_fields_of_your_own_are_shown_in_words() -> None:
    policy = Policy(
        labels={"nope": "contradicted", "nah": "contradicted", "aye": "supported"},
        score_caps=(ScoreCap("uncited", 0.25, 3),),
        citations="enforce",
        examples=(Example("The rate is 2 %.", "The rate is low.", "not_enough_info"),),
        reasons="all",
        fail_on=(),
    )
    lines = list(in_full(policy))
    assert "labels: nope, nah = contradicted; aye = supported" in lines
    assert (
        "weights: supported = 1; partially_supported = 0.5; not_enough_info, contradicted = 0"
        in lines
    )
    assert "score_caps: uncited (from 3) ≤ 0.25" in lines
    assert "examples: “The rate is low.” is not_enough_info" in lines
    assert {"reasons: all", "fail_on: none"} <= set(lines)


@pytest.mark.parametrize(
    ("ending", "shown"),
    [
        ("fail", "undefined, fails"),
        ("pass", "1, passes"),
        ("error", "grader error"),
        (0.0, "0, fails"),
        (0.4, "0.4, fails"),
        (0.9, "0.9, passes"),
    ],
)
def test_the_result_of_nothing_to_check_says_whether_it_passes(ending: object, shown: str) -> None:
    assert nothing_to_check(Policy(endings={"no_statements": ending})) == shown  # type: ignore[dict-item]
