"""An ``assertScoringFunction`` that a user wrote."""

from typing import Any


def lowest(named_scores: dict[str, float], context: dict[str, Any]) -> dict[str, Any]:
    """The lowest of the named scores; it passes from 0.9."""
    score = min(named_scores.values())
    return {"pass": score >= 0.9, "score": score, "reason": f"lowest of {len(named_scores)}"}
