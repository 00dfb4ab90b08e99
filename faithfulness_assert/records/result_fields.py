"""The fields of a result, checked, for everything that shows one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..text.strings import clean_text
from .model import CitationAudit, GraderError, Skipped, Status, Verdict
from .usage import Usage


@dataclass(frozen=True, slots=True)
class ResultFields:
    """What a ``result.GradingResult`` contains.

    Args:
        pass_: whether it passes (``pass`` in JSON). Only a ``defined`` result can.
        score: in [0, 1]; 0 where it is not ``defined`` (or the policy's ``on_unreadable``).
        defined: whether the score means anything.
        status: what happened: ``graded``, ``no_statements``, ``abstained``, ``no_context``,
            ``judge_refused``, ``unreadable``, ``judge_failed`` or ``invalid_input``.
        reason: what happened, for a person; None only for a graded case under a policy that wants
            no reason.
        threshold: the score that passes.
        policy, judge: what it was graded with.
        error: for a grader error, its kind, message and whether a retry may help. It says nothing
            about the answer.
        verdicts: one for each statement, in the answer's order.
        skipped: spans of the answer that are not judged, with reasons.
        counts: how many statements have each label, and how many are ``unresolved``.
        coverage: the share of the statements that have a valid verdict, in [0, 1]; 0 without
            statements.
        named_scores: scores by name. A rubric policy has its dimensions here, after the score
            caps, and ``overall``.
        citations: the citation audit, if there is one.
        tokens_used: tokens and requests of every ask, failed ones too.
        cost: in the currency of the given prices; None without prices.
        latency_ms: wall time from the first ask to the end.
        metadata: JSON with camelCase keys: ``graderError``, ``warnings``, ``scoreCaps`` and more.
        case_id: the caller's name for the case.

    Raises:
        ValueError: a number is out of range, or an undefined result passes.
    """

    pass_: bool
    score: float
    defined: bool
    status: Status
    reason: str | None
    threshold: float
    policy: str
    judge: str = ""
    error: GraderError | None = None
    verdicts: tuple[Verdict, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    coverage: float = 0.0
    named_scores: Mapping[str, float] = field(default_factory=dict)
    citations: CitationAudit | None = None
    tokens_used: Usage = field(default_factory=Usage)
    cost: float | None = None
    latency_ms: float = 0.0
    metadata: Mapping[str, Any] = field(default_factory=dict)
    case_id: str = ""

    __pydantic_config__: ClassVar[dict[str, Any]] = {
        "alias_generator": lambda name: name.rstrip("_"),
        "populate_by_name": True,
    }

    def __post_init__(self) -> None:
        limits = {"score": 1.0, "coverage": 1.0, "latency_ms": math.inf}
        for name, most in limits.items():
            value = getattr(self, name)
            if not math.isfinite(value) or not 0 <= value <= most:
                raise ValueError(f"{name} must be finite and in [0, {most}], got {value!r}")
        if self.cost is not None and not 0 <= self.cost < math.inf:
            raise ValueError(f"cost must be finite and not negative, got {self.cost!r}")
        if self.pass_ and not self.defined:
            raise ValueError("an undefined result cannot pass")
        for name in ("reason", "judge", "case_id", "metadata"):
            object.__setattr__(self, name, _clean(getattr(self, name)))

    def problems(self) -> list[Verdict]:
        """The verdicts that are not ``supported`` or ``not_a_claim``, without repeats."""
        fine = ("supported", "not_a_claim")
        return [v for v in self.verdicts if v.label not in fine and v.repeat_of is None]


def _clean(value: Any) -> Any:
    """Metadata and texts without lone surrogates."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(str(name)): _clean(item) for name, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value
