"""Policies: how a case is taken apart, judged and scored, as data. The presets are in ``presets.py``, the only scorer in ``scoring.py``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, get_args

from ..reading.labels import normalise
from ..records.errors import ConfigError, suggest
from ..records.model import LABELS, Label
from ..text.strings import clean_text

Split = Literal["sentences", "claims"]
Verify = Literal["batch", "per_claim", "truths", "rubric"]
Ending = Literal["fail", "pass", "error"]
Explain = Literal["ours", "judge", "none"]
Headline = Literal["supported", "made_up"]
Controls = Literal["auto", "off", "report", "enforce"]
OnMissing = Literal["unsupported", "error"]
Citations = Literal["off", "audit", "enforce"]
AuditFinding = Literal["invalid_citations", "hallucination", "uncited"]

SCORED: tuple[Label, ...] = ("supported", "partially_supported", "not_enough_info", "contradicted")
DIMENSIONS = ("faithfulness", "relevance", "completeness", "reasoning_quality")
TOLERANCE = 1e-9
MAX_GUIDANCE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class ScoreCap:
    """A ceiling for the score: where the citation audit has at least ``at_least`` of ``finding``. A cap never raises a score."""

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
            if not isinstance(getattr(self, name), str):
                raise ConfigError(
                    f"examples: {name} must be a string, got {type(getattr(self, name)).__name__}"
                )
            object.__setattr__(self, name, clean_text(getattr(self, name)))


SCORE_CAPS = (
    ScoreCap("invalid_citations", 0.4),
    ScoreCap("hallucination", 0.4),
    ScoreCap("uncited", 0.5, 5),
    ScoreCap("uncited", 0.3, 10),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a case is taken apart, judged and scored. ``dataclasses.replace`` makes your own; any field is an option of ``grade()``.

    Args:
        name: shown in results.
        summary: one line on what it is.
        split: ``sentences`` (no call) or ``claims`` (the judge resolves pronouns and splits compounds).
        joint: with ``claims``, one call that extracts and judges instead of two.
        verify: ``batch`` judges the statements together, ``per_claim`` each in an ask of its own, ``truths`` together against what the
            judge finds in the context, ``rubric`` rates the whole answer on ``dimensions`` and judges no statement.
        truths_limit: the most truths of one passage; None for all.
        labels: words of a judge that mean another label here than usual (``{"no": "contradicted"}``); case and punctuation do not matter.
        weights: what a statement with each label adds, before dividing by the number of statements. Finite; a label without a weight is
            no verdict here (``supported`` needs one). An unresolved statement adds 0, or what ``not_enough_info`` adds if that is less.
        dimensions: with ``rubric``, what each of ``faithfulness``, ``relevance``, ``completeness`` and ``reasoning_quality`` counts in
            the score; faithfulness must be there, and the sum is 1.
        allow_not_a_claim: whether the judge may set greetings and questions aside.
        threshold: the score in [0, 1] that passes.
        all_or_nothing: nothing but a score of 1 passes, and any lower score becomes 0.
        fail_on: labels of which one alone fails the result, whatever the score.
        dedupe: whether exact repeats of a statement count once.
        inverse: turn the outcome round, for assertions that want unfaithfulness: score 1 - score, pass where it would fail. Never on
            grader errors.
        on_no_statements, on_abstained, on_no_context: what such a case becomes: ``fail`` (undefined), ``pass`` (1.0), ``error`` (a grader
            error), or a score in [0, 1].
        on_missing: a statement with no valid verdict after the re-ask counts as ``unsupported``, or makes the result an ``error``.
        on_unreadable: the score in [0, 1] that a grader error shows where no verdict could be read. It stays undefined and fails.
        positional_prefix: whether a reply without numbers and with too few verdicts is read as the verdicts of the first statements.
        citations: ``audit`` adds the citation audit to the result, ``enforce`` also applies ``score_caps``.
        score_caps: ceilings by what the audit finds.
        strict_evidence: ``supported`` without a context sentence that exists is lowered to ``not_enough_info``.
        reasks: how often unresolved statements are asked again (0 to 3).
        reask_singly: whether each of them is then asked for alone.
        reasons: whether the judge gives a reason for each verdict (costs tokens).
        explain: whether the reason of the result is ``ours`` (made from counts, no call), is followed by the ``judge``'s own (one call),
            or is left out (``none``; only where the case was graded).
        headline: what the reason counts first: statements ``supported``, or those ``made_up``.
        controls: whether each window's first ask for verdicts with room for them holds two statements with a known verdict (see
            ``controls.py``), which are never scored or shown: ``report`` tells in ``metadata.controls`` how the judge did, ``enforce``
            makes a case with a control that was not passed a grader error (``unreliable_judge``). ``auto`` is ``report`` for a judge
            behind an API, else ``off``. Where no control is beyond doubt, or no ask is for verdicts alone, there is none.
        guidance, examples: your own words and solved cases for the judge.
        deviations: where this preset differs from the system it is named after, and why.
    """

    name: str = "default"
    summary: str = ""
    split: Split = "sentences"
    joint: bool = False
    verify: Verify = "batch"
    truths_limit: int | None = None
    labels: Mapping[str, Label] = field(default_factory=dict, hash=False)
    weights: Mapping[Label, float] = field(
        default_factory=lambda: {
            "supported": 1.0,
            "partially_supported": 0.5,
            "not_enough_info": 0.0,
            "contradicted": 0.0,
        },
        hash=False,
    )
    dimensions: Mapping[str, float] = field(default_factory=dict, hash=False)
    allow_not_a_claim: bool = True
    threshold: float = 0.8
    all_or_nothing: bool = False
    fail_on: tuple[Label, ...] = ("contradicted",)
    dedupe: bool = True
    inverse: bool = False
    on_no_statements: Ending | float = "fail"
    on_abstained: Ending | float = "fail"
    on_no_context: Ending | float = "fail"
    on_missing: OnMissing = "unsupported"
    on_unreadable: float = 0.0
    positional_prefix: bool = False
    citations: Citations = "off"
    score_caps: tuple[ScoreCap, ...] = SCORE_CAPS
    strict_evidence: bool = False
    reasks: int = 1
    reask_singly: bool = False
    reasons: bool = False
    explain: Explain = "ours"
    headline: Headline = "supported"
    controls: Controls = "auto"
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
            "dimensions": MappingProxyType(dict(self.dimensions)),
            "guidance": clean_text(self.guidance),
        }
        for name, value in changes.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        # A mapping that cannot be changed cannot be copied or pickled either, but what it was made of can.
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return _policy, (
            {
                name: dict(value) if isinstance(value, MappingProxyType) else value
                for name, value in values.items()
            },
        )

    @property
    def passes_at(self) -> float:
        """The score that passes, in [0, 1]: the threshold, or 1 where it is all or nothing."""
        return 1.0 if self.all_or_nothing else float(self.threshold)

    @property
    def judged(self) -> tuple[Label, ...]:
        """The labels that the judge may give: those with a weight, in their order."""
        return tuple(label for label in SCORED if label in self.weights)


def _policy(values: dict[str, Any]) -> Policy:
    return Policy(**values)


# ---------------------------------------------------------------- checking

_CHOICES: Mapping[str, Any] = {
    "split": Split,
    "verify": Verify,
    "on_missing": OnMissing,
    "citations": Citations,
    "explain": Explain,
    "headline": Headline,
    "controls": Controls,
}


def _problems(policy: Policy) -> list[str]:
    """What is wrong with a policy, each naming the field."""
    found = [
        *(_choice(policy, name, get_args(kind)) for name, kind in _CHOICES.items()),
        *(_ending(policy, name) for name in ("on_no_statements", "on_abstained", "on_no_context")),
        *(_flag(policy, f.name) for f in fields(policy) if f.type == "bool"),
        _weights(policy.weights),
        *(_fraction(policy, name) for name in ("threshold", "on_unreadable")),
        _weighed("fail_on", policy.fail_on, policy.weights),
        _label_map(policy),
        _dimensions(policy),
        _score_caps(policy.score_caps),
        _texts(policy),
    ]
    if not _is_count(policy.reasks) or policy.reasks > 3:
        found.append(f"reasks: must be a whole number from 0 to 3, got {policy.reasks!r}")
    if policy.truths_limit is not None and not (
        _is_count(policy.truths_limit) and policy.truths_limit
    ):
        found.append(
            f"truths_limit: must be a whole number from 1, or None, got {policy.truths_limit!r}"
        )
    if policy.joint and (policy.split, policy.verify) != ("claims", "batch"):
        found.append("joint: goes with split='claims' and verify='batch'")
    return [problem for problem in found if problem]


def _choice(policy: Policy, name: str, known: Sequence[str]) -> str | None:
    value = getattr(policy, name)
    return None if value in known else f"{name}: must be one of {', '.join(known)}, got {value!r}"


def _ending(policy: Policy, name: str) -> str | None:
    value = getattr(policy, name)
    ok = is_fraction(value) or (isinstance(value, str) and value in get_args(Ending))
    return (
        None
        if ok
        else f"{name}: must be one of {', '.join(get_args(Ending))} or a score from 0 to 1, got {value!r}"
    )


def _flag(policy: Policy, name: str) -> str | None:
    value = getattr(policy, name)
    return None if isinstance(value, bool) else f"{name}: must be true or false, got {value!r}"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_number(value: object) -> bool:
    """Whether ``value`` is a finite number; a bool is none."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) < 1e300
        and math.isfinite(value)
    )


def is_fraction(value: object) -> bool:
    """Whether ``value`` is a number in [0, 1]; a bool is none."""
    return is_number(value) and 0 <= value <= 1  # type: ignore[operator]


def _fraction(policy: Policy, name: str) -> str | None:
    value = getattr(policy, name)
    return None if is_fraction(value) else f"{name}: must be a number from 0 to 1, got {value!r}"


def _weights(weights: object) -> str | None:
    if not isinstance(weights, Mapping) or "supported" not in weights:
        return f"weights: must map labels ({', '.join(SCORED)}) to numbers; 'supported' needs one"
    unknown = next((label for label in weights if label not in SCORED), None)
    if unknown is not None:
        return f"weights: {unknown!r} is no label with a weight. {suggest(str(unknown), SCORED)}"
    bad = next(
        (label for label in weights if not is_number(weights[label]) or abs(weights[label]) > 1000),
        None,
    )
    return (
        f"weights: {bad} must be a finite number from -1000 to 1000, got {weights[bad]!r}"
        if bad
        else None
    )


def _dimensions(policy: Policy) -> str | None:
    shares = policy.dimensions
    if not isinstance(shares, Mapping) or (policy.verify == "rubric") != bool(shares):
        return "dimensions: goes with verify='rubric', and maps dimensions to what they count"
    unknown = next((name for name in shares if name not in DIMENSIONS), None)
    if unknown is not None:
        return f"dimensions: {unknown!r} is none. {suggest(str(unknown), DIMENSIONS)}"
    if any(not is_fraction(share) for share in shares.values()):
        return f"dimensions: each must be a number from 0 to 1, got {dict(shares)!r}"
    if shares and ("faithfulness" not in shares or abs(sum(shares.values()) - 1) > TOLERANCE):
        return "dimensions: faithfulness must be there, and the sum must be 1"
    return None


def _labels(name: str, labels: object) -> str | None:
    if isinstance(labels, str) or not isinstance(labels, Sequence):
        return f"{name}: must be a list of labels, got {labels!r}"
    bad = next((label for label in labels if label not in LABELS), None)
    return None if bad is None else f"{name}: {bad!r} is no label. {suggest(str(bad), LABELS)}"


def _weighed(name: str, labels: object, weights: object) -> str | None:
    """What is wrong with labels that are to count: none may lack a weight."""
    if problem := _labels(name, labels):
        return problem
    known = (*weights, "not_a_claim") if isinstance(weights, Mapping) else LABELS
    bad = next((label for label in labels if label not in known), None)  # type: ignore[attr-defined]
    return None if bad is None else f"{name}: {bad!r} has no weight in this policy"


def _label_map(policy: Policy) -> str | None:
    labels = policy.labels
    if not isinstance(labels, Mapping):
        return f"labels: must map words to labels, got {labels!r}"
    if not all(isinstance(word, str) and normalise(word) for word in labels):
        return "labels: must map words to labels; a word is a text with a letter or a digit"
    return _weighed("labels", list(labels.values()), policy.weights)


def _score_caps(score_caps: object) -> str | None:
    if (
        isinstance(score_caps, str)
        or not isinstance(score_caps, Sequence)
        or not all(isinstance(cap, ScoreCap) for cap in score_caps)
    ):
        return "score_caps: must be a list of ScoreCap"
    for cap in score_caps:
        if (
            cap.finding not in get_args(AuditFinding)
            or not is_fraction(cap.ceiling)
            or not _is_count(cap.at_least)
        ):
            return f"score_caps: {cap!r} needs one of {', '.join(get_args(AuditFinding))}, a ceiling from 0 to 1 and a whole number"
    return None


def _texts(policy: Policy) -> str | None:
    if not isinstance(policy.name, str) or not policy.name.isprintable() or not policy.name:
        return "name: must be a printable text"
    if not isinstance(policy.summary, str):
        return f"summary: must be a text, got {type(policy.summary).__name__}"
    if not isinstance(policy.deviations, tuple) or not all(
        isinstance(line, str) for line in policy.deviations
    ):
        return "deviations: must be a list of texts"
    if not isinstance(policy.guidance, str) or len(policy.guidance) > MAX_GUIDANCE_CHARS:
        return f"guidance: must be a text of at most {MAX_GUIDANCE_CHARS:,} characters"
    if not isinstance(policy.examples, Sequence) or not all(
        isinstance(example, Example) for example in policy.examples
    ):
        return "examples: must be a list of examples, each with context, statement and label"
    return _labels("examples", [example.label for example in policy.examples])
