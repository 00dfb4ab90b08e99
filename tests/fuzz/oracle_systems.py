"""The systems that the policies are named after: their formulas, written down once more."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fuzz.scenario import Scenario

LABELS = ("supported", "partially_supported", "not_enough_info", "contradicted")
YES_NO = {"supported": 1.0, "partially_supported": 0.0, "not_enough_info": 0.0, "contradicted": 0.0}
THREE = {"supported": 1.0, "not_enough_info": 0.0, "contradicted": 0.0}


@dataclass(frozen=True)
class System:
    """How one system grades, as its own source has it."""

    weights: Mapping[str, float]
    threshold: float = 0.5
    split: str = "claims"
    verify: str = "batch"
    fail_on: tuple[str, ...] = ()
    dedupe: bool = False
    asides: bool = False  # whether the judge may set greetings aside
    prefix: bool = False
    on_missing: str = "unsupported"
    words: Mapping[str, str] = field(default_factory=dict)
    inverse: bool = False
    all_or_nothing: bool = False

    @property
    def passes_at(self) -> float:
        """The score that passes."""
        return 1.0 if self.all_or_nothing else self.threshold


RAGALIQ = System(THREE, 0.7, verify="per_claim", on_missing="error")
SYSTEMS = {
    "default": System(
        {**YES_NO, "partially_supported": 0.5},
        0.8,
        "sentences",
        fail_on=("contradicted",),
        dedupe=True,
        asides=True,
    ),
    "promptfoo": System(YES_NO, prefix=True),
    "promptfoo-plan": System(YES_NO, split="sentences", prefix=True),
    "ragas": System(YES_NO),
    "deepeval": System(
        {"supported": 1.0, "not_enough_info": 1.0, "contradicted": 0.0},
        verify="truths",
        words={"no": "contradicted"},
    ),
    "axion": System({**YES_NO, "partially_supported": 0.5, "contradicted": -1.0}),
    "ragaliq": RAGALIQ,
    "ragaliq-adr006": RAGALIQ,
    "hallucination": replace(RAGALIQ, threshold=0.8),
}
RENAMED = {"allow_not_a_claim": "asides", "positional_prefix": "prefix"}
SOURCE_OPTIONS: Mapping[tuple[str, str], Callable[[System], System]] = {
    ("deepeval", "penalize_ambiguous_claims"): lambda s: replace(
        s, weights={**s.weights, "not_enough_info": 0.0}
    ),
    ("deepeval", "strict_mode"): lambda s: replace(s, all_or_nothing=True),
    ("axion", "strict_mode"): lambda s: replace(s, weights={**s.weights, "not_enough_info": -1.0}),
}


def system_of(scenario: Scenario) -> System:
    """The system of a scenario with its options."""
    system = SYSTEMS[scenario.policy]
    given = {RENAMED.get(name, name): value for name, value in scenario.options.items()}
    changes: dict[str, Any] = {n: v for n, v in given.items() if n in System.__dataclass_fields__}
    system = replace(system, **changes)
    for name in scenario.options.get("policy_options", {}):
        system = SOURCE_OPTIONS[scenario.policy, name](system)
    return system


def score_of(system: System, labels: Sequence[str | None]) -> float | None:
    """The score of these labels (None: unresolved), each of a statement that counts."""
    lowest = min(0.0, system.weights.get("not_enough_info", 0.0))
    unresolved = max(system.weights.values()) if system.inverse else lowest
    counted = [label for label in labels if label != "not_a_claim"]
    if not counted:
        return None
    weights = [unresolved if label is None else system.weights[label] for label in counted]
    score = min(max(math.fsum(weights) / len(weights), 0.0), 1.0)
    if system.all_or_nothing and score < 1 - 1e-9:
        score = 0.0
    return 1.0 - score if system.inverse else score


def passes(system: System, score: float, labels: Sequence[str | None]) -> bool:
    """Whether a score with these labels passes."""
    if system.inverse:
        return 1.0 - score < system.passes_at - 1e-9
    return score >= system.passes_at - 1e-9 and not set(labels) & set(system.fail_on)
