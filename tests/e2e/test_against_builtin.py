"""Our score is right where promptfoo's ``context-faithfulness`` is wrong; where it is right, migrated assertions agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from loopback import Loopback, completion

from faithfulness_assert.promptfoo.migrate import migrate_config

from .judge import reply
from .promptfoo import Promptfoo
from .wrong_scores import BOTH_RIGHT, CASES, Case, Outcome, outcomes

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


def test_a_migrated_assertion_gives_the_same_score_as_the_built_in(
    promptfoo: Promptfoo, tmp_path: Path
) -> None:
    """Both run in one test, with a judge that replies to each in its format."""
    answers = {
        "faithful": "The museum opens at ten.",
        "half": "The museum opens at ten. A ticket costs 35 euros.",
        "none": "It has a pond.",
    }
    given = {"query": "What?", "context": "The museum opens at ten. A ticket costs 9 euros."}
    (tmp_path / "faithfulness.py").write_text(
        "from faithfulness_assert.promptfoo import get_assert\n", "utf-8"
    )
    with Loopback(lambda request: completion(reply(request))) as server:
        provider = {"id": "openai:chat:gpt-4o", "config": {"apiBaseUrl": server.url}}
        builtin = {"type": "context-faithfulness", "threshold": 0.5, "provider": provider}
        (ours,) = yaml.safe_load(migrate_config({"defaultTest": {"assert": [builtin]}}))
        tests = [
            {"description": name, "vars": {**given, "answer": text}, "assert": [builtin, ours]}
            for name, text in answers.items()
        ]
        (tmp_path / "both.json").write_text(
            json.dumps({"prompts": ["{{answer}}"], "providers": ["echo"], "tests": tests}), "utf-8"
        )
        results = promptfoo.eval(tmp_path / "both.json", OPENAI_API_KEY="none-is-needed").results
    pairs = {
        name: [
            (part["score"], part["pass"]) for part in row["gradingResult"]["componentResults"][:2]
        ]
        for name, row in results.items()
    }
    assert pairs == {
        "faithful": [(1, True)] * 2,
        "half": [(0.5, True)] * 2,
        "none": [(0, False)] * 2,
    }
