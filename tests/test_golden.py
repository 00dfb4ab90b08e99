"""Golden conformance: what other systems give for the same verdicts, we give; and where theirs is a defect, what we do instead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes import USAGE

from faithfulness_assert import Ask, GradingResult, Reply, grade

ROWS = json.loads((Path(__file__).parents[1] / "fixtures" / "golden" / "promptfoo_ragas.json").read_text(encoding="utf-8"))

# What `ours_instead` says in words, as (score, pass, grader error).
INSTEAD = {
    "numbered list after header is rejected": (0.5, True, False),
    'substring: "verdict: not sure" counts as no': (0.0, False, True),
    "extra verdicts not truncated": (0.0, False, True),
    "comma-joined verdicts collapse": (0.0, False, True),
    "truthiness: -1 counts as faithful": (0.5, True, False),
    "truthiness: 2 counts as faithful": (0.0, False, False),
}


class SystemJudge:
    """Says what the row's judge says: as many claims as it has statements, then its verdicts, and nothing when asked again."""

    def __init__(self, claims: int, verdicts: str) -> None:
        self.script = [json.dumps({"claims": [f"claim {i} of this answer" for i in range(claims)]}), verdicts]

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        return Reply(self.script.pop(0) if self.script else "", usage=USAGE)


def run(row: dict[str, Any]) -> GradingResult:
    inputs, options = row.get("inputs", {}), row["options"]
    text = inputs.get("judge_text", json.dumps([{"verdict": v} for v in row["verdicts"]]))
    claims = inputs.get("statement_count", len(row["verdicts"]))
    answer = inputs.get("longform_output", "the answer of the tested model")
    return grade(answer, "the context", judge=SystemJudge(claims, text), policy=row["system"], policy_options=options)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['system']}: {row['case']}" for row in ROWS])
def test_the_score_and_outcome_are_the_systems_own_or_what_we_do_instead(row: dict[str, Any]) -> None:
    result = run(row)
    if row["carry"]:
        expected = row["expected"]
        assert result.score == pytest.approx(expected["score"], abs=1e-9)
        assert result.metadata["graderError"] == expected.get("grader_error", False)
        assert result.pass_ == expected.get("pass", result.score >= 0.5)
    else:
        score, passed, error = INSTEAD[row["case"]]
        assert (result.score, result.pass_, result.metadata["graderError"]) == (pytest.approx(score), passed, error)
