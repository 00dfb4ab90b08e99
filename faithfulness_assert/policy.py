"""Policies: how verdicts become a score. A policy is data, its presets are in ``presets.py``, and ``score`` is the only scorer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from .errors import ConfigError, suggest
from .model import LABELS, Label, clean_text
from .reading.labels import normalise

if TYPE_CHECKING:
    from .model import CitationAudit, Verdict

Split = Literal["sentences", "claims"]
Ending = Literal["fail", "pass", "error"]
OnMissing = Literal["unsupported", "error"]
Citations = Literal["off", "audit", "enforce"]
Finding = Literal["invalid_citations", "hallucination", "uncited"]

TOLERANCE = 1e-9
SCORED: tuple[Label, ...] = ("supported", "partially_supported", "not_enough_info", "contradicted")
MAX_GUIDANCE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Clamp:
    """A ceiling for the score: where the citation audit has at least ``at_least`` of ``finding``. A clamp never raises a score."""

    finding: Finding
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
            if not isinstance(getattr(self, name), str):
                raise ConfigError(f"examples: {name} must be a string, got {type(getattr(self, name)).__name__}")
            object.__setattr__(self, name, clean_text(getattr(self, name)))


CLAMPS = (Clamp("invalid_citations", 0.4), Clamp("hallucination", 0.4), Clamp("uncited", 0.5, 5), Clamp("uncited", 0.3, 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a case is taken apart, judged and scored. ``dataclasses.replace`` makes your own; any field is an option of ``grade()``.

    Args:
        name: shown in results.
        summary: one line on what it is.
        split: ``sentences`` (no call) or ``claims`` (the judge resolves pronouns and splits compounds).
        joint: with ``claims``, one call that extracts and judges instead of two.
        labels: words of a judge that mean another label here than usual (``{"no": "contradicted"}``); case and punctuation do not matter.
        weights: what a statement with each label adds, before dividing by the number of statements. Finite; an unresolved statement adds 0.
        allow_not_a_claim: whether the judge may set greetings and questions aside.
        threshold: the score in [0, 1] that passes.
        fail_on: labels of which one alone fails the result, whatever the score.
        dedupe: whether exact repeats of a statement count once.
        inverse: turn the score round (1 - score), for assertions that want unfaithfulness. Never on grader errors.
        on_no_statements, on_abstained, on_no_context: what such a case becomes: ``fail`` (undefined), ``pass`` (1.0), ``error`` (a grader
            error), or a score in [0, 1].
        on_missing: a statement with no valid verdict after the re-ask counts as ``unsupported``, or makes the result an ``error``.
        positional_prefix: whether a reply without numbers and with too few verdicts is read as the verdicts of the first statements.
        citations: ``audit`` adds the citation audit to the result, ``enforce`` also applies ``clamps``.
        clamps: ceilings by what the audit finds.
        strict_evidence: ``supported`` without a context sentence that exists is lowered to ``not_enough_info``.
        reasks: how often unresolved statements are asked again (0 to 3).
        reasons: whether the judge gives a reason for each verdict (costs tokens).
        guidance, examples: your own words and solved cases for the judge.
        deviations: where this preset differs from the system it is named after, and why.
    """

    name: str = "default"
    summary: str = ""
    split: Split = "sentences"
    joint: bool = False
    labels: Mapping[str, Label] = field(default_factory=dict, hash=False)
    weights: Mapping[Label, float] = field(
        default_factory=lambda: {"supported": 1.0, "partially_supported": 0.5, "not_enough_info": 0.0, "contradicted": 0.0}, hash=False
    )
    allow_not_a_claim: bool = True
    threshold: float = 0.8
    fail_on: tuple[Label, ...] = ("contradicted",)
    dedupe: bool = True
    inverse: bool = False
    on_no_statements: Ending | float = "fail"
    on_abstained: Ending | float = "fail"
    on_no_context: Ending | float = "fail"
    on_missing: OnMissing = "unsupported"
    positional_prefix: bool = False
    citations: Citations = "off"
    clamps: tuple[Clamp, ...] = CLAMPS
    strict_evidence: bool = False
    reasks: int = 1
    reasons: bool = False
    guidance: str = ""
    examples: tuple[Example, ...] = ()
    deviations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for problem in _problems(self):
            raise ConfigError(f"policy {self.name!r}: {problem}")
        labels = {normalise(word): label for word, label in self.labels.items()}
        changes = {
            "weights": MappingProxyType(dict(self.weights)),
            "labels": MappingProxyType(labels),
            "guidance": clean_text(self.guidance),
        }
        for name, value in changes.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        # A mapping that cannot be changed cannot be copied or pickled either, but what it was made of can.
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return _policy, ({**values, "weights": dict(self.weights), "labels": dict(self.labels)},)


def _policy(values: dict[str, Any]) -> Policy:
    return Policy(**values)


# ---------------------------------------------------------------- checking


def _problems(policy: Policy) -> list[str]:
    """What is wrong with a policy, each naming the field."""
    found = [
        _choice(policy, "split", get_args(Split)),
        _choice(policy, "on_missing", get_args(OnMissing)),
        _choice(policy, "citations", get_args(Citations)),
        *(_ending(policy, name) for name in ("on_no_statements", "on_abstained", "on_no_context")),
        *(_flag(policy, f.name) for f in fields(policy) if f.type == "bool"),
        _weights(policy.weights),
        None if is_fraction(policy.threshold) else f"threshold: must be a number from 0 to 1, got {policy.threshold!r}",
        _labels("fail_on", policy.fail_on),
        _label_map(policy.labels),
        _clamps(policy.clamps),
        _texts(policy),
    ]
    if not _is_count(policy.reasks) or policy.reasks > 3:
        found.append(f"reasks: must be a whole number from 0 to 3, got {policy.reasks!r}")
    if policy.joint and policy.split != "claims":
        found.append("joint: goes with split='claims'")
    return [problem for problem in found if problem]


def _choice(policy: Policy, name: str, known: Sequence[str]) -> str | None:
    value = getattr(policy, name)
    return None if value in known else f"{name}: must be one of {', '.join(known)}, got {value!r}"


def _ending(policy: Policy, name: str) -> str | None:
    value = getattr(policy, name)
    ok = is_fraction(value) or (isinstance(value, str) and value in get_args(Ending))
    return None if ok else f"{name}: must be one of {', '.join(get_args(Ending))} or a score from 0 to 1, got {value!r}"


def _flag(policy: Policy, name: str) -> str | None:
    value = getattr(policy, name)
    return None if isinstance(value, bool) else f"{name}: must be true or false, got {value!r}"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_number(value: object) -> bool:
    """Whether ``value`` is a finite number; a bool is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 and math.isfinite(value)


def is_fraction(value: object) -> bool:
    """Whether ``value`` is a number in [0, 1]; a bool is none."""
    return is_number(value) and 0 <= value <= 1  # type: ignore[operator]


def _weights(weights: object) -> str | None:
    if not isinstance(weights, Mapping) or set(weights) != set(SCORED):
        return f"weights: must have exactly the labels {', '.join(SCORED)}"
    bad = next((label for label in SCORED if not is_number(weights[label]) or abs(weights[label]) > 1000), None)
    return f"weights: {bad} must be a finite number from -1000 to 1000, got {weights[bad]!r}" if bad else None


def _labels(name: str, labels: object) -> str | None:
    if isinstance(labels, str) or not isinstance(labels, Sequence):
        return f"{name}: must be a list of labels, got {labels!r}"
    bad = next((label for label in labels if label not in LABELS), None)
    return None if bad is None else f"{name}: {bad!r} is no label. {suggest(str(bad), LABELS)}"


def _label_map(labels: object) -> str | None:
    if not isinstance(labels, Mapping):
        return f"labels: must map words to labels, got {labels!r}"
    if not all(isinstance(word, str) and normalise(word) for word in labels):
        return "labels: must map words to labels; a word is a text with a letter or a digit"
    return _labels("labels", list(labels.values()))


def _clamps(clamps: object) -> str | None:
    if isinstance(clamps, str) or not isinstance(clamps, Sequence) or not all(isinstance(clamp, Clamp) for clamp in clamps):
        return "clamps: must be a list of Clamp"
    for clamp in clamps:
        if clamp.finding not in get_args(Finding) or not is_fraction(clamp.ceiling) or not _is_count(clamp.at_least):
            return f"clamps: {clamp!r} needs one of {', '.join(get_args(Finding))}, a ceiling from 0 to 1 and a whole number"
    return None


def _texts(policy: Policy) -> str | None:
    if not isinstance(policy.name, str) or not policy.name.isprintable() or not policy.name:
        return "name: must be a printable text"
    if not isinstance(policy.guidance, str) or len(policy.guidance) > MAX_GUIDANCE_CHARS:
        return f"guidance: must be a text of at most {MAX_GUIDANCE_CHARS:,} characters"
    if not isinstance(policy.examples, Sequence) or not all(isinstance(example, Example) for example in policy.examples):
        return "examples: must be a list of examples, each with context, statement and label"
    return _labels("examples", [example.label for example in policy.examples])


# ---------------------------------------------------------------- scoring


@dataclass(frozen=True, slots=True)
class Score:
    """A score in [0, 1], the value before clamps, how many statements it is over, and which clamps lowered it."""

    value: float
    raw: float
    counted: int
    clamps: tuple[Clamp, ...] = ()


def score(policy: Policy, verdicts: Sequence[Verdict], audit: CitationAudit | None = None) -> Score | None:
    """The mean weight of the statements that count, clamped into [0, 1]; None where none counts.

    Set aside are ``not_a_claim`` and, under ``dedupe``, exact repeats. An unresolved statement counts, with weight 0 (under ``inverse``
    with the greatest weight).
    """
    unresolved = max(policy.weights.values()) if policy.inverse else 0.0  # whichever way round, what is not known gains nothing
    weights = [
        float(unresolved if v.label is None else policy.weights[v.label])
        for v in verdicts
        if v.label != "not_a_claim" and not (policy.dedupe and v.repeat_of is not None)
    ]
    if not weights:
        return None
    raw = _unit(math.fsum(weights) / len(weights))
    fired = tuple(c for c in policy.clamps if c.ceiling < raw and _applies(c, audit)) if policy.citations == "enforce" else ()
    value = min([raw, *(clamp.ceiling for clamp in fired)])
    return Score(1.0 - value if policy.inverse else value, raw, len(weights), fired)


def _unit(value: float) -> float:
    # Weights are finite by construction; a NaN here must not become 1.0, which min and max would make of it.
    if not math.isfinite(value):
        raise ValueError("a score must be finite")
    return max(0.0, min(1.0, value))


def _applies(clamp: Clamp, audit: CitationAudit | None) -> bool:
    if audit is None:
        return False
    found = {
        "invalid_citations": len(audit.invalid_citations),
        "hallucination": int(audit.hallucination_detected),
        "uncited": audit.uncited_claim_count,
    }
    return found[clamp.finding] >= clamp.at_least


def passes(policy: Policy, value: float, verdicts: Sequence[Verdict]) -> bool:
    """Whether a score passes: it reaches the threshold (tolerance 1e-9) and no statement has a label of ``fail_on``."""
    barred = not policy.inverse and any(v.label in policy.fail_on for v in verdicts)
    return value >= policy.threshold - TOLERANCE and not barred
