"""A user's own ``assertScoringFunction``."""

from typing import Any


def least(named_scores: dict[str, float], context: dict[str, Any]) -> dict[str, Any]:
    """The least of the named scores, which passes from 0.9."""
    score = min(named_scores.values())
    return {"pass": score >= 0.9, "score": score, "reason": f"least of {len(named_scores)}"}
