"""The policy: how a case is split, judged and scored, as data.

The presets are in ``presets.py``, the only scorer is in ``scoring.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from ..reading.labels import normalise
from ..records.errors import ConfigError
from ..records.model import Label
from ..text.strings import clean_text
from .checks import first_problem
from .fields import (
    SCORE_CAPS,
    SCORED,
    Citations,
    Controls,
    Ending,
    Example,
    Explain,
    Headline,
    OnMissing,
    ScoreCap,
    Split,
    Verify,
    Windows,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a case is split, judged and scored.

    ``dataclasses.replace`` makes your own. Every field but ``name``, ``summary`` and ``deviations``
    is also an option of ``grade()``.

    Args:
        name: the name in results.
        summary: what it is, in one line.
        split: ``sentences`` (no call) or ``claims`` (the judge resolves pronouns and splits
            compound sentences).
        joint: with ``claims``, one call that extracts and judges instead of two.
        verify: ``batch`` judges the statements together; ``per_claim`` asks about each one alone;
            ``truths`` judges them against the facts that the judge finds in the context; ``rubric``
            rates the whole answer on ``dimensions`` and judges no statement.
        truths_limit: the most facts of one passage; None for all.
        labels: words of a judge that mean another label than usual (``{"no": "contradicted"}``).
            Case and punctuation do not matter.
        weights: what a statement with each label adds, before the division by the number of
            statements; numbers from -1000 to 1000. A label without a weight is not a verdict here
            (``supported`` needs one). An unresolved statement adds 0, or what ``not_enough_info``
            adds if that is less.
        dimensions: with ``rubric``, the share in the score of each of ``faithfulness``,
            ``relevance``, ``completeness`` and ``reasoning_quality``. The shares must include
            faithfulness and add up to 1.
        allow_not_a_claim: whether the judge may set greetings and questions aside.
        threshold: the score in [0, 1] that passes.
        all_or_nothing: only a score of 1 passes, and any lower score becomes 0.
        fail_on: labels that fail the result if one statement has them, whatever the score.
        dedupe: whether exact repeats of a statement count once.
        requires_question: whether a blank question under another system's name (``input``,
            ``user_input``, ``query``) makes the input invalid. ``question`` may always be left out.
        inverse: invert the result, for assertions that expect an unfaithful answer: the score is
            1 - score, and it passes where it would fail. Grader errors are never inverted.
        on_blank: the result of an answer without a letter or a digit.
        on_no_statements, on_abstained, on_no_context: the result of such a case: ``fail``
            (undefined), ``pass`` (1.0), ``error`` (a grader error), or a score in [0, 1].
        on_missing: a statement without a valid verdict after the re-ask counts as ``unsupported``,
            or makes the result an ``error``.
        on_failed: the same for a statement without a verdict because an ask failed (a timeout, a
            refusal, a reply that was cut off). ``error`` only if the result could pass or fail
            depending on such statements: what is decided anyway is graded.
        on_unreadable: the score in [0, 1] that a grader error shows if no verdict could be read.
            It stays undefined and fails.
        positional_prefix: whether a reply without numbers and with too few verdicts is read as the
            verdicts of the first statements.
        citations: ``audit`` adds the citation audit to the result; ``enforce`` also applies
            ``score_caps``.
        hedges: phrases that excuse a sentence from a citation; none for a list in seven languages.
        score_caps: the highest possible scores, by what the audit finds.
        strict_evidence: ``supported`` without an existing context sentence becomes
            ``not_enough_info``.
        reasks: how often unresolved statements are asked again (0 to 3).
        reask_singly: whether each of them is then asked about alone.
        reasons: whether the judge gives a reason for each verdict (costs tokens).
        explain: the reason of the result is ``ours`` (made from counts, no call), is followed by
            the ``judge``'s own (one call), or is left out of graded results (``none``).
        headline: what the reason counts first: statements ``supported``, or those ``made_up``.
        controls: the first ask of each window may contain two statements with known verdicts (see
            ``controls.py``). They are never scored or shown. ``report`` says in
            ``metadata.controls`` how the judge did; ``enforce`` makes a case a grader error
            (``unreliable_judge``) if the judge failed one or did not answer it. ``auto`` is
            ``report`` for a judge behind an API, else ``off``. There are none if no control is
            beyond doubt or no ask is for verdicts alone.
        windows: what is shown of a context that is too long for one ask. ``all``: each statement is
            judged against everything. ``likely``: against the parts (of some sentences each) that
            share the most words with it, first four, then six more if it is not supported.
            ``auto`` is ``likely`` where ``all`` takes more than 100 asks. Under ``likely``, a
            contradiction in another part is missed. Policies that give credit to what nothing
            supports (``inverse``, a weight of ``not_enough_info``) always show everything.
        guidance, examples: your own words and solved cases for the judge.
        deviations: where a preset differs from the system it is named after, and why.

    Raises:
        ConfigError: a field has a value it cannot take. The message names it.
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
    requires_question: bool = False
    inverse: bool = False
    on_blank: Ending | float = "fail"
    on_no_statements: Ending | float = "fail"
    on_abstained: Ending | float = "fail"
    on_no_context: Ending | float = "fail"
    on_missing: OnMissing = "unsupported"
    on_failed: OnMissing = "error"
    on_unreadable: float = 0.0
    positional_prefix: bool = False
    citations: Citations = "off"
    hedges: tuple[str, ...] = ()
    score_caps: tuple[ScoreCap, ...] = SCORE_CAPS
    strict_evidence: bool = False
    reasks: int = 1
    reask_singly: bool = False
    reasons: bool = False
    explain: Explain = "ours"
    headline: Headline = "supported"
    controls: Controls = "auto"
    windows: Windows = "auto"
    guidance: str = ""
    examples: tuple[Example, ...] = ()
    deviations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        flags = [field.name for field in fields(self) if field.type == "bool"]
        if problem := first_problem(given, flags):
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
        # A read-only mapping cannot be copied or pickled, so it travels as a plain one.
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return _policy, ({name: _plain(value) for name, value in values.items()},)

    @property
    def passes_at(self) -> float:
        """The score in [0, 1] that passes: the threshold, or 1 with ``all_or_nothing``."""
        return 1.0 if self.all_or_nothing else float(self.threshold)

    @property
    def judged(self) -> tuple[Label, ...]:
        """The labels that the judge may give: those with a weight, in their order."""
        return tuple(label for label in SCORED if label in self.weights)


def _policy(values: dict[str, Any]) -> Policy:
    return Policy(**values)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, MappingProxyType) else value
