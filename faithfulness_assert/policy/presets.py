"""The presets: each grading system is one value of ``Policy``.

To add a system, add one value here, where it differs from its source to ``deviations.md``, and its
scores as a file of golden rows. Options under the source's own names are in ``load.py``.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..reading.labels import LABEL_WORDS
from ..text.strings import sections
from .policy import Policy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..records.model import Label

# ---------------------------------------------------------------- what presets share


_DEVIATIONS = {
    name: tuple(" ".join(item.split()) for item in text.split("\n- ")[1:])
    for name, text in sections(__file__.removesuffix("presets.py") + "deviations.md").items()
}

_YES_NO: dict[Label, float] = {
    "supported": 1.0,
    "partially_supported": 0.0,
    "not_enough_info": 0.0,
    "contradicted": 0.0,
}

# Claims, each supported or not: promptfoo, ragas, and with other weights the rest.
_CLAIM_BY_CLAIM = Policy(
    split="claims",
    weights=_YES_NO,
    allow_not_a_claim=False,
    threshold=0.5,
    fail_on=(),
    dedupe=False,
    controls="off",
)

_RAGALIQ = replace(
    _CLAIM_BY_CLAIM,
    name="ragaliq",
    summary="RagaliQ's faithfulness",
    verify="per_claim",
    weights={"supported": 1.0, "not_enough_info": 0.0, "contradicted": 0.0},
    threshold=0.7,
    on_no_statements=0.0,
    on_missing="error",
    deviations=_DEVIATIONS["ragaliq"],
)

# In deepeval every way to say no is a contradiction. Only these words leave a claim open, and so
# earn full credit there; whatever else a judge calls "not supported", in any language, does not.
_DEEPEVAL_OPEN = frozenset(
    """not_enough_info not_enough_information not_enough_evidence notenoughinfo nei
    insufficient_information insufficient_info insufficient_evidence insufficient_context
    no_evidence no_support no_information no_info neutral idk i_don't_know i_dont_know unknown
    unverifiable unverified not_verifiable not_verified cannot_be_verified can't_be_verified
    cannot_verify borderline not_mentioned not_stated not_found not_present not_provided
    not_in_context not_in_the_context not_addressed not_attributable unattributable
    extrapolatory""".split()
)
_DEEPEVAL_NO = [w for w in LABEL_WORDS["not_enough_info"].split() if w not in _DEEPEVAL_OPEN]
_DEEPEVAL_LABELS: dict[str, Label] = dict.fromkeys((*_DEEPEVAL_NO, "0"), "contradicted")

# ---------------------------------------------------------------- the presets

_PRESETS = (
    Policy(summary="general use; any contradiction fails"),
    replace(
        _CLAIM_BY_CLAIM,
        name="promptfoo",
        summary="promptfoo's context-faithfulness",
        on_blank="error",
        on_no_statements="error",
        positional_prefix=True,
        deviations=_DEVIATIONS["promptfoo"],
    ),
    replace(
        _CLAIM_BY_CLAIM,
        name="promptfoo-plan",
        summary="plan for promptfoo's own assertion",
        split="sentences",
        on_no_statements=0.0,
        on_unreadable=0.5,
        positional_prefix=True,
        deviations=_DEVIATIONS["promptfoo-plan"],
    ),
    replace(
        _CLAIM_BY_CLAIM,
        name="ragas",
        summary="ragas' Faithfulness",
        requires_question=True,
        on_blank="error",
        on_no_statements="error",
        on_no_context="error",
        deviations=_DEVIATIONS["ragas"],
    ),
    replace(
        _CLAIM_BY_CLAIM,
        name="deepeval",
        summary="deepeval's FaithfulnessMetric",
        requires_question=True,
        verify="truths",
        labels=_DEEPEVAL_LABELS,
        weights={"supported": 1.0, "not_enough_info": 1.0, "contradicted": 0.0},
        on_no_statements="pass",
        explain="judge",
        deviations=_DEVIATIONS["deepeval"],
    ),
    replace(
        _CLAIM_BY_CLAIM,
        name="axion",
        summary="axion's Faithfulness",
        requires_question=True,
        weights={
            "supported": 1.0,
            "partially_supported": 0.5,
            "not_enough_info": 0.0,
            "contradicted": -1.0,
        },
        on_no_statements="pass",
        reask_singly=True,
        deviations=_DEVIATIONS["axion"],
    ),
    _RAGALIQ,
    replace(
        _RAGALIQ,
        name="ragaliq-adr006",
        summary="RagaliQ's faithfulness, per ADR-006",
        on_blank="pass",
        on_no_statements="pass",
    ),
    replace(
        _RAGALIQ,
        name="hallucination",
        summary="RagaliQ's hallucination",
        threshold=0.8,
        headline="made_up",
        deviations=_DEVIATIONS["hallucination"] + _DEVIATIONS["ragaliq"],
    ),
    Policy(
        name="masis",
        summary="MASIS' critic: ratings, citations",
        verify="rubric",
        dimensions={
            "faithfulness": 0.35,
            "relevance": 0.25,
            "completeness": 0.25,
            "reasoning_quality": 0.15,
        },
        threshold=0.5,
        fail_on=(),
        citations="enforce",
        hedges=(
            "insufficient evidence",
            "not provided",
            "cannot provide",
            "lack sufficient evidence",
            "partially covers",
        ),
        deviations=_DEVIATIONS["masis"],
    ),
)

# Presets that a source has and that cannot be built yet, each with the reason.
NOT_YET: Mapping[str, str] = {
    "ragas-hhem": "it needs a local classifier as the judge; use 'ragas' with an LLM judge",
}

policies: Mapping[str, Policy] = MappingProxyType({policy.name: policy for policy in _PRESETS})

# Systems and parts of systems that score as a preset does.
ALIASES: Mapping[str, str] = {
    "deepevalex": "deepeval",
    "ragas-collections": "ragas",
    "ragaliq-hallucination": "hallucination",
    "masis-critic": "masis",
    "masis-evaluator": "masis",
}
