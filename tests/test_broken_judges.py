"""A judge that always breaks in one shape ends in the right score or in an error that names the break, by real HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_judges import LOST, PARTLY, TRUTH, load, outcome, shapes


def test_each_fault_of_the_fake_judge_leads_to_the_right_score_or_error(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    fake = load(shared / "peers" / "fake_judge.py")
    found = [outcome(fake, shape) for shape in shapes(fake)]
    assert [one for one in found if not one.right] == []
    assert {*LOST, *PARTLY} < {one.shape for one in found}
    assert max(one.score for one in found) == TRUTH


def test_missing_labels_are_an_error_if_the_policy_needs_all_of_them(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    fake = load(shared / "peers" / "fake_judge.py")
    assert {outcome(fake, shape, on_missing="error").kind for shape in PARTLY} == {"unreadable"}
