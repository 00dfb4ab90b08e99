"""A policy is described for a reader: what it asks, its fields, and deviations."""

from __future__ import annotations

import json

import pytest

from faithfulness_assert import Policy, policies
from faithfulness_assert.policy.describe import HEAD, asks, in_full, nothing_to_check, row
from faithfulness_assert.policy.load import find_policy
from faithfulness_assert.policy.values import Example, ScoreCap


@pytest.mark.parametrize("name", sorted(policies))
def test_a_policy_in_full_shows_its_threshold_and_its_deviations_in_words(
    name: str,
) -> None:
    policy = policies[name]
    lines = list(in_full(policy))
    assert lines[0] == f"asks: {asks(policy)}"
    assert f"nothing to check: {nothing_to_check(policy)}" in lines
    assert f"threshold: {policy.threshold}" in lines
    assert policy.dimensions or any(line.startswith("fail_on: ") for line in lines)
    assert [
        line.removeprefix("differs: ") for line in lines if line.startswith("differs: ")
    ] == list(policy.deviations)


def test_a_name_that_no_preset_has_is_told_the_nearest() -> None:
    with pytest.raises(KeyError, match="Did you mean 'ragas'"):
        policies["ragass"]


def test_the_table_of_policies_has_one_line_of_80_columns_for_each() -> None:
    table = [HEAD, *map(row, policies.values())]
    assert len(table) == 12
    assert {len(cells) for cells in table} == {len(HEAD)}
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    assert sum(widths) + 3 * len(HEAD) + 1 <= 80


def test_fields_of_your_own_are_shown_as_a_policy_file_has_them() -> None:
    policy = Policy(
        labels={"nope": "contradicted", "nah": "contradicted", "aye": "supported"},
        score_caps=(ScoreCap("uncited", 0.25, 3),),
        citations="enforce",
        examples=(Example("The rate is 2 %.", "The rate is low.", "not_enough_info"),),
        reasons="all",
        fail_on=(),
    )
    lines = list(in_full(policy))
    assert 'labels: {"nope": "contradicted", "nah": "contradicted", "aye": "supported"}' in lines
    assert 'score_caps: [{"finding": "uncited", "ceiling": 0.25, "at_least": 3}]' in lines
    assert {'reasons: "all"', "fail_on: []"} <= set(lines)
    names = {line.partition(":")[0] for line in lines}
    own = {line.partition(":")[0]: json.loads(line.partition(": ")[2]) for line in lines[1:-1]}
    assert find_policy({**own, "name": "default", "summary": ""}, {}, {}) == policy
    assert names == {*own, "asks", "nothing to check"}


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
