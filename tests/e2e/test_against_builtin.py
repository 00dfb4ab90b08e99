"""Our score is right where promptfoo's ``context-faithfulness`` is wrong; where it is right, migrated assertions agree."""

from __future__ import annotations

import pytest

from .promptfoo import Promptfoo
from .wrong_scores import AGREED, BOTH_RIGHT, CASES, Case, Outcome, outcomes

pytestmark = pytest.mark.e2e

Outcomes = dict[str, tuple[Outcome, Outcome]]


@pytest.fixture(scope="module")
def found(promptfoo: Promptfoo, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """All cases in one run."""
    return outcomes(promptfoo, tmp_path_factory.mktemp("wrong"))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_our_score_is_right(found: Outcomes, case: Case) -> None:
    """It is the share of claims that the judge supports; without one, the status says why and nothing passes."""
    _, ours = found[case.name]
    assert ours.is_right(case.right), str(ours)


def test_the_built_in_is_wrong_on_every_other_row_of_the_table(found: Outcomes) -> None:
    """The table is true of this version of promptfoo."""
    right = {case.name for case in CASES if found[case.name][0].is_right(case.right)}
    assert right == BOTH_RIGHT


def test_a_migrated_assertion_gives_the_same_score_as_the_built_in(found: Outcomes) -> None:
    for answer, score in AGREED.items():
        assert found[answer] == (Outcome(score, score >= 0.5), Outcome(score, score >= 0.5))
