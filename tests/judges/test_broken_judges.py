"""Each fault of a fake judge, over real HTTP, leads to the right score or to the right error."""

from __future__ import annotations

import pytest
from broken_judges import LOST, PARTLY, SHAPES, TRUTH, outcome


def test_each_fault_of_the_fake_judge_leads_to_the_right_score_or_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    outcomes = [outcome(shape) for shape in SHAPES]
    assert [one for one in outcomes if not one.right] == []
    assert {*LOST, *PARTLY} < {one.shape for one in outcomes}
    assert max(one.score or 0 for one in outcomes) == TRUTH


def test_missing_labels_are_an_error_if_the_policy_needs_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert {outcome(shape, on_missing="error").kind for shape in PARTLY} == {"unreadable"}
