"""Replies from the fixtures and the shared corpora, and whole grades of them."""

import base64
from collections.abc import Sequence
from typing import Any

from fakes import USAGE, ScriptedJudge, verdicts_json

from faithfulness_assert import Ask, GradingResult, Reply, grade

SENTENCES = (
    "The tower is tall.",
    "It is blue.",
    "The roof has a garden.",
    "The door is made of oak.",
    "Bread is baked at night.",
    "The cellar holds old wine.",
    "Chairs stand by the window.",
    "A bell hangs over the gate.",
    "The oven burns beech wood.",
    "Guests may sit on the stairs.",
)
CONTEXT = " ".join(SENTENCES)
WORTH = {"supported": 1.0, "partially_supported": 0.5}
CREDITED = ("supported", "partially_supported", "not_a_claim")


def graded(
    reply: str, statements: int, labels: Sequence[str | None] | None = None, **options: Any
) -> GradingResult:
    """The grade of an answer of so many sentences.

    The judge replies with this, and the same again; or then with these ``labels`` alone.
    """
    texts = SENTENCES[:statements]
    mended = dict(zip(texts, labels or (), strict=labels is not None))

    def again(ask: Ask) -> Reply:
        return Reply(verdicts_json({n: mended[text] for n, text in ask.payload.items}), usage=USAGE)

    judge = ScriptedJudge([reply, again] if mended else [reply])
    return grade(" ".join(texts), CONTEXT, judge=judge, controls="off", **options)


def score_of(labels: Sequence[str | None]) -> float:
    """The score of these labels under the default policy. What is not read grants nothing."""
    return sum(WORTH.get(label or "", 0.0) for label in labels) / len(labels)


def malformed(row: dict[str, Any]) -> str:
    """The text of a row of ``malformed_json.jsonl``."""
    if "gen" in row:  # too large for the corpus
        return "[" * 100_000 if "arrays" in row["gen"] else '[{"":' * 50_000 + "\n"
    if row["raw"] is not None:
        return str(row["raw"])
    return base64.b64decode(row["raw_b64"]).decode("utf-8", "surrogateescape")
