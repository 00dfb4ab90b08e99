"""The policy: how a case is split, judged and scored, as data.

A field is written once, here: its type, its default, the values that it takes (and how they are
checked), its meaning in one line, with more below it where that does not say all, and whether it
only weighs verdicts or shapes what is asked. The options of ``grade()`` and ``--option``,
``policies NAME`` and the table in docs/policies.md come from here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

from ..reading.rows import normalise
from ..records.errors import ConfigError
from ..records.judge import Reasons
from ..records.model import Label
from ..text.strings import clean_text
from . import values
from .values import SCORED, TOLERANCE, Values, prompt_field, scoring_field

DESCRIPTIVE = ("name", "summary", "deviations")
"""The fields that only describe a policy."""
OF_PRESETS = frozenset(
    """dimensions dedupe requires_question on_unreadable positional_prefix reask_singly
    headline""".split()
)
"""The fields that only a policy sets. Every other field is also an option of ``grade()``."""


# ---------------------------------------------------------------- fields that may change in part

# Whether two policies ask the judge the same as far as one field goes. Then verdicts under one can
# be weighed by the other.


def _what_counts(policy: Any) -> tuple[object, ...]:
    """Which labels the judge may give, and which of them must be beyond doubt.

    What earns nothing is read with less care. Where ``not_enough_info`` earns something, the whole
    context is shown; where as much as ``supported``, the judge must be one that can contradict.
    """
    weights = policy.weights
    unknown = weights.get("not_enough_info", 0.0)
    return set(weights), policy.credited, unknown > 0, unknown >= weights["supported"]


# ---------------------------------------------------------------- the policy


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How a case is split, judged and scored. ``dataclasses.replace`` makes your own.

    The table in docs/policies.md has the meaning of each field that is also an option of
    ``grade()``; ``OF_PRESETS`` are not.

    Raises:
        ConfigError: a field has a value it cannot take. The message names it.
    """

    name: str = scoring_field("the name in results", "default", values.NAME)
    summary: str = scoring_field("what it is, in one line", "", values.TEXT)
    split: values.Split = prompt_field(
        "how the answer is split: without a call, or into claims by the judge",
        "sentences",
        values.Split,
    )
    """For ``claims``, the judge resolves pronouns and splits compound sentences."""
    verify: values.Verify = prompt_field(
        "how statements are judged, or whether the whole answer is rated", "batch", values.Verify
    )
    """``batch`` judges the statements together; ``per_claim`` asks about each one alone; ``truths``
    judges them against the facts that the judge finds in the context; ``rubric`` rates the whole
    answer on ``dimensions`` and judges no statement."""
    truths_limit: int | None = prompt_field(
        "with verify=truths: most truths that are taken from one passage", None, values.COUNT_OR_ALL
    )
    labels: Mapping[str, Label] = prompt_field(
        "words of your judge that mean another label than usual", {}, values.JUDGE_WORDS
    )
    """Case and punctuation do not matter."""
    weights: Mapping[Label, float] = prompt_field(
        "what a statement with each label adds to the score",
        {"supported": 1.0, "partially_supported": 0.5, "not_enough_info": 0.0, "contradicted": 0.0},
        values.WEIGHTS,
        keeps_prompts=lambda old, new: _what_counts(old) == _what_counts(new),
    )
    """The score is the mean. A label without a weight is not a verdict here (``supported`` needs
    one). An unresolved statement adds 0, or what ``not_enough_info`` adds if that is less."""
    dimensions: Mapping[str, float] = prompt_field(
        "with verify=rubric: the share of each dimension in the score",
        {},
        values.SHARES,
        keeps_prompts=lambda old, new: list(old.dimensions) == list(new.dimensions),
    )
    """``faithfulness`` must be there; ``relevance``, ``completeness`` and ``reasoning_quality`` may
    be."""
    allow_not_a_claim: bool = prompt_field("the judge may set greetings and questions aside", True)
    threshold: float = scoring_field("the score that passes", 0.8, values.FRACTION)
    all_or_nothing: bool = scoring_field(
        "only a score of 1 passes; any lower score becomes 0", False
    )
    fail_on: tuple[Label, ...] = scoring_field(
        "labels that fail the result at any score", ("contradicted",), values.LABEL_LIST
    )
    fail_on_flags: tuple[str, ...] = scoring_field(
        "flags that fail the result at any score", (), values.FLAG_LIST
    )
    """``number_not_found`` is a supported statement with a number or unit that is nowhere in the
    context; ``no_such_evidence`` and ``no_such_quote`` are evidence that does not exist."""
    dedupe: bool = prompt_field("exact repeats of a statement count once", True)
    requires_question: bool = prompt_field(
        "a blank question under another system's name is an invalid input", False
    )
    """Such names are ``input``, ``user_input`` and ``query``. ``question`` may always be left
    out."""
    inverse: bool = prompt_field(
        "invert the result: score 1 - score, and pass where it would fail", False
    )
    """For assertions that expect an unfaithful answer. Grader errors are never inverted."""
    endings: Mapping[values.NothingToGrade, values.Ending | float] = scoring_field(
        "result of an answer with nothing to check, or beside an empty context",
        values.ALL_FAIL,
        values.ENDINGS,
    )
    """``blank``: the answer has no letter and no digit; ``no_statements``: it contains nothing to
    check; ``abstained``: it only declines to answer; ``no_context``: the context is empty. ``fail``
    is undefined, ``pass`` is 1.0, and ``error`` a grader error. An option or a file that leaves one
    out keeps that of the preset; in ``Policy(...)`` and ``replace`` it is ``fail``."""
    on_missing: values.OnMissing = scoring_field(
        "what a statement without a valid verdict becomes", "unsupported", values.OnMissing
    )
    """``error`` makes the result a grader error if the re-ask brings no verdict either."""
    on_failed: values.OnMissing = scoring_field(
        "what it becomes if an ask failed and the outcome depends on it", "error", values.OnMissing
    )
    """An ask fails by a timeout, a refusal, a reply that was cut off. What passes or fails
    whatever such statements are is graded under ``error`` too."""
    on_unreadable: float = scoring_field(
        "what the source scores a case without a readable verdict", 0.0, values.FRACTION
    )
    """It is ``unreadableScore`` in the metadata. The result itself fails and has no score."""
    positional_prefix: bool = prompt_field(
        "read too few unnumbered verdicts as those of the first statements", False
    )
    citations: values.Citations = prompt_field(
        "audit the answer's citations; enforce also applies score_caps",
        "off",
        values.Citations,
        keeps_prompts=lambda old, new: "off" not in (old.citations, new.citations),
    )
    hedges: tuple[str, ...] = prompt_field(
        "phrases that excuse a sentence from a citation; none: a list in seven languages",
        (),
        values.TEXTS,
    )
    score_caps: tuple[values.ScoreCap, ...] = scoring_field(
        "upper limits for the score, by what the citation audit finds",
        values.SCORE_CAPS,
        values.CAPS,
    )
    strict_evidence: bool = scoring_field(
        "supported needs evidence that exists in the context", False
    )
    """Where there is none, the label becomes ``not_enough_info``."""
    reasks: int = prompt_field(
        "how often unresolved statements are asked about again", 1, values.count(0, 3)
    )
    reask_singly: bool = prompt_field("ask again about each unresolved statement alone", False)
    samples: int = prompt_field(
        "how often each ask for verdicts is put; the majority decides", 1, values.count(1, 9)
    )
    """``confidence`` of a verdict is then the share of samples that gave its label. A judge that
    always says the same is asked once."""
    reasons: Reasons = prompt_field(
        "which verdicts have a reason by the judge: those not supported, or all",
        "problems",
        Reasons,
    )
    explain: values.Explain = prompt_field(
        "who writes the result's reason",
        "ours",
        values.Explain,
        # The judge's own would be about another score.
        keeps_prompts=lambda _, new: bool(new.explain != "judge"),
    )
    """``ours`` is made from counts, with no call; ``judge`` adds the judge's own (one call);
    ``none`` leaves it out of graded results."""
    headline: values.Headline = scoring_field(
        "what the reason counts first", "supported", values.Headline
    )
    controls: values.Controls = prompt_field(
        "test the judge with two statements whose verdict is known", "auto", values.Controls
    )
    """They stand in the first ask of each window, and are never scored or shown. ``report`` says in
    ``metadata.controls`` how the judge did; ``enforce`` makes a case a grader error
    (``unreliable_judge``) if the judge failed one or did not answer it. ``auto`` is ``report`` for
    a judge behind an API, else ``off``. There are none if no control is beyond doubt or no ask is
    for verdicts alone."""
    guidance: str = prompt_field("your own instructions for the judge", "", values.GUIDANCE)
    examples: tuple[values.Example, ...] = prompt_field(
        "solved cases for the judge", (), values.EXAMPLES
    )
    deviations: tuple[str, ...] = scoring_field(
        "where a preset differs from the system it is named after, and why", (), values.TEXTS
    )

    def __post_init__(self) -> None:
        for name, allowed in TAKES.items():
            if problem := allowed.problem(getattr(self, name)):
                raise ConfigError(f"policy {self.name!r}: {name}: {problem}")
        if problem := _conflict(self):
            raise ConfigError(f"policy {self.name!r}: {problem}")
        labels = {normalise(word): label for word, label in self.labels.items()}
        changes = {
            "weights": MappingProxyType(dict(self.weights)),
            "labels": MappingProxyType(labels),
            "dimensions": MappingProxyType(dict(self.dimensions)),
            "endings": MappingProxyType({**values.ALL_FAIL, **self.endings}),
            "guidance": clean_text(self.guidance),
        }
        for name, value in changes.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        # A read-only mapping cannot be copied or pickled, so it travels as a plain one.
        data = {name: getattr(self, name) for name in TAKES}
        mappings = {n: dict(v) for n, v in data.items() if isinstance(v, MappingProxyType)}
        return partial(Policy, **data | mappings), ()

    @cached_property
    def passes_at(self) -> float:
        """The score in [0, 1] that passes: the threshold, or 1 with ``all_or_nothing``."""
        return 1.0 if self.all_or_nothing else float(self.threshold)

    @cached_property
    def judged(self) -> tuple[Label, ...]:
        """The labels that the judge may give: those with a weight, in their order."""
        return tuple(label for label in SCORED if label in self.weights)

    @cached_property
    def credited(self) -> frozenset[Label]:
        """The labels that raise a score (``inverse`` turns it round), and the one that has none."""
        least = (max if self.inverse else min)(self.weights.values())
        raising = (label for label, weight in self.weights.items() if weight != least)
        return frozenset(raising) | {"not_a_claim"}


TAKES: Mapping[str, Values] = {f.name: f.metadata["takes"] for f in fields(Policy)}
"""What each field values."""


def from_data(policy: Policy, data: Mapping[str, Any]) -> Policy:
    """The policy with other values for some fields, as plain data has them."""
    changes = {
        name: TAKES[name].from_data(value, getattr(policy, name)) for name, value in data.items()
    }
    return replace(policy, **changes)


def asking_otherwise(old: Policy, new: Policy) -> list[str]:
    """The fields for which cases would have to be graded again; none if weighing is enough."""
    changed = [f for f in fields(Policy) if getattr(old, f.name) != getattr(new, f.name)]
    keeps = {f.name: f.metadata["keeps_prompts"] for f in changed}
    return [name for name, is_kept in keeps.items() if not (is_kept and is_kept(old, new))]


def policy_as_json(policy: Policy) -> dict[str, Any]:
    """All fields of a policy, as JSON."""
    data = {field.name: getattr(policy, field.name) for field in fields(policy)}
    as_json: dict[str, Any] = json.loads(json.dumps(data, default=plain))
    return as_json


def plain(value: object) -> object:
    """A value that JSON does not know as one that it knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)


def _conflict(policy: Policy) -> str | None:
    """Which field does not fit the others, or None."""
    weighted = {*policy.weights, "not_a_claim"}
    for name, labels in (("fail_on", policy.fail_on), ("labels", policy.labels.values())):
        if unweighted := [label for label in labels if label not in weighted]:
            return f"{name}: {unweighted[0]!r} has no weight in this policy"
    if (policy.verify == "rubric") != bool(policy.dimensions):
        return "dimensions: must map dimensions to shares if verify='rubric', else be empty"
    shares = policy.dimensions
    if shares and ("faithfulness" not in shares or abs(sum(shares.values()) - 1) > TOLERANCE):
        return "dimensions: must include faithfulness and add up to 1"
    if policy.samples > 1 and policy.verify == "rubric":
        return "samples: must be 1 with verify='rubric', which has no ask for verdicts"
    return None
