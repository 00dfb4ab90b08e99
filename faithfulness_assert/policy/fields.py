"""The values that the fields of a policy take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..records.errors import ConfigError
from ..records.model import Label
from ..text.strings import clean_text

Split = Literal["sentences", "claims"]
Verify = Literal["batch", "per_claim", "truths", "rubric"]
Ending = Literal["fail", "pass", "error"]
Explain = Literal["ours", "judge", "none"]
Headline = Literal["supported", "made_up"]
Controls = Literal["auto", "off", "report", "enforce"]
Windows = Literal["auto", "likely", "all"]
OnMissing = Literal["unsupported", "error"]
Citations = Literal["off", "audit", "enforce"]
AuditFinding = Literal["invalid_citations", "hallucination", "uncited"]

SCORED: tuple[Label, ...] = ("supported", "partially_supported", "not_enough_info", "contradicted")
DIMENSIONS = ("faithfulness", "relevance", "completeness", "reasoning_quality")
TOLERANCE = 1e-9
"""A score that misses the threshold by no more than this passes."""
MAX_GUIDANCE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class ScoreCap:
    """The highest possible score if the citation audit has at least ``at_least`` of ``finding``.

    A cap never raises a score.
    """

    finding: AuditFinding
    ceiling: float
    at_least: int = 1


@dataclass(frozen=True, slots=True)
class Example:
    """A solved case for the judge, in the user's own words."""

    context: str
    statement: str
    label: Label

    def __post_init__(self) -> None:
        for name in ("context", "statement"):
            text = getattr(self, name)
            if not isinstance(text, str):
                raise ConfigError(f"examples: {name} must be a string, got {type(text).__name__}")
            object.__setattr__(self, name, clean_text(text))


SCORE_CAPS = (
    ScoreCap("invalid_citations", 0.4),
    ScoreCap("hallucination", 0.4),
    ScoreCap("uncited", 0.5, 5),
    ScoreCap("uncited", 0.3, 10),
)
