"""Rows of replies from the fixtures, and a whole grade of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fakes import ScriptedJudge

from faithfulness_assert import GradingResult, grade

FIXTURES = Path(__file__).parents[1] / "fixtures"
SENTENCES = (
    "The shop is open daily.",
    "Dogs are welcome inside.",
    "The roof has a garden.",
    "The door is made of oak.",
    "Bread is baked at night.",
    "The cellar holds old wine.",
    "Chairs stand by the window.",
    "A bell hangs over the gate.",
    "The oven burns beech wood.",
    "Guests may sit on the stairs.",
)
WORTH = {"supported": 1.0, "partially_supported": 0.5}


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a fixture with one JSON object per line."""
    lines = (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def graded(reply: str, statements: int) -> GradingResult:
    """The grade of an answer of so many sentences, by a judge that says the same every time."""
    text = " ".join(SENTENCES[:statements])
    return grade(text, " ".join(SENTENCES), judge=ScriptedJudge([reply]))


def score_of(labels: list[str | None]) -> float:
    """The score of these labels under the default policy. What is not read grants nothing."""
    return sum(WORTH.get(label or "", 0.0) for label in labels) / len(labels)
