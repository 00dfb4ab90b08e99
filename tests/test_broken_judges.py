"""Each fault of a fake judge, over real HTTP, leads to the right score or to the right error."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_judges import LOST, PARTLY, TRUTH, load, outcome, shapes


def test_each_fault_of_the_fake_judge_leads_to_the_right_score_or_error(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    fake = load(shared / "peers" / "fake_judge.py")
    outcomes = [outcome(fake, shape) for shape in shapes(fake)]
    assert [one for one in outcomes if not one.right] == []
    assert {*LOST, *PARTLY} < {one.shape for one in outcomes}
    assert max(one.score for one in outcomes) == TRUTH


def test_missing_labels_are_an_error_if_the_policy_needs_all_of_them(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    fake = load(shared / "peers" / "fake_judge.py")
    assert {outcome(fake, shape, on_missing="error").kind for shape in PARTLY} == {"unreadable"}
