"""The presets: each grading system is one value of ``Policy``, with the options that its source has under the source's names.

Adding a system is one value here, and a file of what it must score in the golden fixtures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..records.errors import ConfigError, suggest
from .policy import Policy, is_number

if TYPE_CHECKING:
    from ..records.model import Label

# ---------------------------------------------------------------- what presets share

_YES_NO: dict[Label, float] = {
    "supported": 1.0,
    "partially_supported": 0.0,
    "not_enough_info": 0.0,
    "contradicted": 0.0,
}
_ABSTAINS = "An answer that only declines is 'abstained' and fails; {}."
_LOST = "A sentence with a number or a name for which the judge gives no claim is graded as it stands; {} loses it."

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
    summary="RagaliQ's faithfulness: claims, then one ask for each.",
    verify="per_claim",
    weights={"supported": 1.0, "not_enough_info": 0.0, "contradicted": 0.0},
    threshold=0.7,
    on_no_statements=0.0,
    on_missing="error",
    deviations=(
        "A claim without a valid verdict is asked for once more before the case becomes a grader error.",
        _ABSTAINS.format("RagaliQ scores what claims its judge finds in it"),
        "An empty context is 'no_context' and fails, with no call.",
        _LOST.format("RagaliQ"),
    ),
)

# Words of deepeval's judge: all that is not a yes, and not "idk" or "borderline", is a contradiction.
_DEEPEVAL_WORDS: dict[str, Label] = dict.fromkeys(
    (
        *(
            "no",
            "false",
            "0",
            "not_supported",
            "unsupported",
            "is_not_supported",
            "not_supported_by_context",
            "hallucinated",
            "hallucination",
        ),
        *(
            "fabricated",
            "unfaithful",
            "not_faithful",
            "inconsistent",
            "not_entailed",
            "not_grounded",
            "ungrounded",
        ),
        *(
            "nein",
            "non",
            "não",
            "nao",
            "нет",
            "nie",
            "nee",
            "nej",
            "hayır",
            "όχι",
            "否",
            "不是",
            "不支持",
            "いいえ",
            "아니오",
            "아니요",
        ),
    ),
    "contradicted",
)

# ---------------------------------------------------------------- the presets

_PRESETS = (
    Policy(summary="One call. Half credit for partial support; any contradiction fails."),
    replace(
        _CLAIM_BY_CLAIM,
        name="promptfoo",
        summary="promptfoo's context-faithfulness: claims, then a yes or no for each.",
        on_no_statements="error",
        positional_prefix=True,
        deviations=(
            "The threshold is .5 where none is given, as in promptfoo 0.123; promptfoo 0.121 then lets every score pass.",
            "Numbered and comma-separated verdict lists are read; promptfoo rejects or merges them.",
            "'not sure' is no verdict; promptfoo reads it as a no.",
            "More verdicts than statements are a grader error unless all are negative; promptfoo counts them against the statements.",
            "An answer that only declines is 'abstained' and an empty context 'no_context'; promptfoo asks its judge.",
            _LOST.format("promptfoo"),
        ),
    ),
    replace(
        _CLAIM_BY_CLAIM,
        name="promptfoo-plan",
        summary="The plan for promptfoo's assertion: sentences, JSON or legacy verdicts, .5 where none can be read.",
        split="sentences",
        on_no_statements=0.0,
        on_unreadable=0.5,
        positional_prefix=True,
        deviations=(
            "A missing verdict is unsupported; the plan divides by the verdicts that came.",
            "More verdicts than statements, without numbers, are no verdicts at all (.5, fails); the plan cuts them off.",
            "'1' and true are read as supported; the plan scores them 0.",
            "A verdict beside words that decline counts; the plan calls it a refusal.",
            "The .5 is shown by the result but is not defined: promptfoo gets 0, and means leave it out.",
        ),
    ),
    replace(
        _CLAIM_BY_CLAIM,
        name="ragas",
        summary="ragas' Faithfulness: claims, then 1 or 0 for each.",
        on_no_statements="error",
        on_no_context="error",
        deviations=(
            "ragas has no threshold; .5 is ours.",
            "Only 1 and 0 (and their words) are verdicts; ragas counts every number but 0 as faithful.",
            "Statements without a verdict count as unsupported; ragas drops them from the denominator.",
            "Where ragas returns NaN or raises, the result is an undefined grader error that says why.",
            _LOST.format("ragas"),
        ),
    ),
    replace(
        _CLAIM_BY_CLAIM,
        name="deepeval",
        summary="deepeval's FaithfulnessMetric: claims against the truths of the context; only contradictions count.",
        verify="truths",
        labels=_DEEPEVAL_WORDS,
        weights={"supported": 1.0, "not_enough_info": 1.0, "contradicted": 0.0},
        on_no_statements="pass",
        explain="judge",
        deviations=(
            "A verdict that cannot be read is asked for again, then unsupported; deepeval drops it, and scores 1 where none is left.",
            "An unknown verdict is never 'idk'.",
            _ABSTAINS.format("deepeval gives 1"),
            "An empty context is 'no_context' and fails.",
            "A passage for which the judge lists no truths is shown as it stands; deepeval would find nothing to contradict.",
            "truths_extraction_limit starts at 1; deepeval takes 0, asks for no truths and finds nothing to contradict.",
            _LOST.format("deepeval"),
        ),
    ),
    replace(
        _CLAIM_BY_CLAIM,
        name="axion",
        summary="axion's Faithfulness: four verdicts, contradictions take points off.",
        weights={
            "supported": 1.0,
            "partially_supported": 0.5,
            "not_enough_info": 0.0,
            "contradicted": -1.0,
        },
        on_no_statements="pass",
        reask_singly=True,
        deviations=(
            "A claim without a valid verdict, asked for alone as axion does, then counts as one without evidence, for 0 at most.",
            _ABSTAINS.format("axion gives 1"),
            "An empty context is 'no_context' and fails.",
            _LOST.format("axion"),
        ),
    ),
    _RAGALIQ,
    replace(
        _RAGALIQ,
        name="ragaliq-adr006",
        summary="RagaliQ as its ADR-006 has it: nothing to check passes.",
        on_no_statements="pass",
    ),
    replace(
        _RAGALIQ,
        name="hallucination",
        summary="RagaliQ's hallucination: the reason counts what is made up.",
        threshold=0.8,
        headline="made_up",
        deviations=(
            ".8 is the evaluator's own threshold; RagaliQ's runner gives each evaluator its default_threshold, .7 if none is named.",
            *_RAGALIQ.deviations,
        ),
    ),
    Policy(
        name="masis",
        summary="MASIS' evaluator: the whole answer rated on four dimensions, held down by the citation audit.",
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
        deviations=(
            "MASIS has no threshold; .5 is ours.",
            "Ratings are on 0 to 100 where two or more are above 1 and none lies between 0 and 1; MASIS divides each that is above 1.",
            "What is out of range is held at 0 or 1, with a warning; MASIS lets it through.",
            "A rating that is missing or no number is asked for once more, then a grader error.",
            "An answer that only declines is 'abstained' and an empty context 'no_context', and neither is rated; MASIS rates both.",
            "[c1, c2], [1-3] and [^1] are citations too, and sentences are split by language; MASIS splits at every full stop.",
        ),
    ),
)

policies: Mapping[str, Policy] = MappingProxyType({policy.name: policy for policy in _PRESETS})

# Systems and parts of systems that score as a preset does.
ALIASES: Mapping[str, str] = {
    "deepevalex": "deepeval",
    "ragas-collections": "ragas",
    "ragaliq-hallucination": "hallucination",
    "masis-critic": "masis",
    "masis-evaluator": "masis",
}

# ---------------------------------------------------------------- options under their source's names

Changes = Mapping[str, Any]

_AXION_VERDICTS: Mapping[str, Label] = {
    "FULLY_SUPPORTED": "supported",
    "PARTIALLY_SUPPORTED": "partially_supported",
    "NO_EVIDENCE": "not_enough_info",
    "CONTRADICTORY": "contradicted",
}


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"policy_options: {name} must be true or false, got {value!r}")
    return value


def _field(name: str) -> Callable[[Policy, Any], Changes]:
    """An option that is a field of ours under another name."""
    return lambda _, value: {name: value}


def _weight_if_set(option: str, label: Label, weight: float) -> Callable[[Policy, Any], Changes]:
    """A flag that changes what one label weighs."""
    return lambda policy, value: (
        {"weights": {**policy.weights, label: weight}} if _flag(option, value) else {}
    )


def _verdict_scores(_: Policy, value: object) -> Changes:
    """axion's weights: names in any case, merged over its defaults; where there are any, strict mode is off."""
    if value is not None and not isinstance(value, Mapping):
        raise ConfigError(
            f"policy_options: verdict_scores must map verdicts to numbers, got {type(value).__name__}"
        )
    scores: dict[Label, float] = {}
    for name, score in (value or {}).items():
        label = _AXION_VERDICTS.get(str(name).upper())
        if label is None:
            raise ConfigError(
                f"policy_options: verdict_scores: {name!r} is no verdict. {suggest(str(name).upper(), _AXION_VERDICTS)}"
            )
        if not is_number(score):
            raise ConfigError(
                f"policy_options: verdict_scores: {name} must be a finite number, got {score!r}"
            )
        scores[label] = score
    return {"weights": {**policies["axion"].weights, **scores}} if scores else {}


_THRESHOLD = {"threshold": _field("threshold")}

# A source that is not listed has a threshold and nothing else. Applied in this order, whatever order they are given in.
SOURCE_OPTIONS: Mapping[str, Mapping[str, Callable[[Policy, Any], Changes]]] = {
    "promptfoo": {**_THRESHOLD, "inverse": _field("inverse")},
    "deepeval": {
        **_THRESHOLD,
        "strict_mode": _field("all_or_nothing"),
        "penalize_ambiguous_claims": _weight_if_set(
            "penalize_ambiguous_claims", "not_enough_info", 0.0
        ),
        "truths_extraction_limit": _field("truths_limit"),
        "include_reason": lambda _, value: {
            "explain": "judge" if _flag("include_reason", value) else "none"
        },
    },
    "axion": {
        **_THRESHOLD,
        "strict_mode": _weight_if_set("strict_mode", "not_enough_info", -1.0),
        "verdict_scores": _verdict_scores,
    },
    "ragas": {},
}


def with_source_options(policy: Policy, given: Mapping[str, Any]) -> Policy:
    """The policy changed by options under its source's names.

    Raises:
        ConfigError: the source has no such option, or the option not this value.
    """
    known = SOURCE_OPTIONS.get(policy.name, _THRESHOLD)
    for name in given:
        if name not in known:
            raise ConfigError(
                f"policy_options: the policy {policy.name!r} has no option {name!r}. {suggest(str(name), known)}"
            )
    for name, change in known.items():
        if name in given:
            policy = _changed(policy, name, change(policy, given[name]))
    return policy


def _changed(policy: Policy, option: str, changes: Changes) -> Policy:
    try:
        return replace(policy, **changes)
    except ConfigError as error:  # it names our field, which the user has never heard of
        raise ConfigError(f"policy_options: {option}: {error}") from None
