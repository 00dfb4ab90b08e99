"""Options of a preset under the names of the system that it is named after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..records.errors import ConfigError, suggest
from .checks import is_number
from .presets import policies

if TYPE_CHECKING:
    from ..records.model import Label
    from .policy import Policy

Changes = Mapping[str, Any]
Option = Callable[["Policy", Any], Changes]

_AXION_VERDICTS: Mapping[str, Label] = {
    "FULLY_SUPPORTED": "supported",
    "PARTIALLY_SUPPORTED": "partially_supported",
    "NO_EVIDENCE": "not_enough_info",
    "CONTRADICTORY": "contradicted",
}


def with_source_options(policy: Policy, given: Mapping[str, Any]) -> Policy:
    """The policy changed by options under its source's names.

    Raises:
        ConfigError: the source has no such option, or the option does not take this value.
    """
    known = SOURCE_OPTIONS.get(policy.name, _THRESHOLD)
    for name in given:
        if name not in known:
            raise _wrong(
                f"policy {policy.name!r} has no option {name!r}. {suggest(str(name), known)}"
            )
    for name, change in known.items():
        if name in given:
            policy = _changed(policy, name, change(policy, given[name]))
    return policy


def _changed(policy: Policy, option: str, changes: Changes) -> Policy:
    try:
        return replace(policy, **changes)
    except ConfigError as error:  # it names our field, which the user does not know
        raise _wrong(f"{option}: {error}") from None


def _wrong(problem: str) -> ConfigError:
    return ConfigError(f"policy_options: {problem}")


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(f"{name} must be true or false, got {value!r}")
    return value


def _field(name: str) -> Option:
    """An option that is a field of ours under another name."""
    return lambda _, value: {name: value}


def _weight_if_set(option: str, label: Label, weight: float) -> Option:
    """A flag that changes the weight of one label."""
    return lambda policy, value: (
        {"weights": {**policy.weights, label: weight}} if _flag(option, value) else {}
    )


def _include_reason(_: Policy, value: object) -> Changes:
    return {"explain": "judge" if _flag("include_reason", value) else "none"}


def _verdict_scores(_: Policy, value: object) -> Changes:
    """axion's weights over its defaults, names in any case. With any, strict mode is off."""
    if value is not None and not isinstance(value, Mapping):
        got = type(value).__name__
        raise _wrong(f"verdict_scores must map verdicts to numbers, got {got}")
    scores = dict(_verdict_score(name, score) for name, score in (value or {}).items())
    return {"weights": {**policies["axion"].weights, **scores}} if scores else {}


def _verdict_score(name: object, score: Any) -> tuple[Label, float]:
    verdict = str(name).upper()
    if verdict not in _AXION_VERDICTS:
        near = suggest(verdict, _AXION_VERDICTS)
        raise _wrong(f"verdict_scores: unknown verdict {name!r}. {near}")
    if not is_number(score):
        raise _wrong(f"verdict_scores: {name} must be a finite number, got {score!r}")
    return _AXION_VERDICTS[verdict], score


_THRESHOLD: Mapping[str, Option] = {"threshold": _field("threshold")}

# A source that is not listed only has a threshold. Options apply in this order, not in that of the
# caller.
SOURCE_OPTIONS: Mapping[str, Mapping[str, Option]] = {
    "promptfoo": {**_THRESHOLD, "inverse": _field("inverse")},
    "deepeval": {
        **_THRESHOLD,
        "strict_mode": _field("all_or_nothing"),
        "penalize_ambiguous_claims": _weight_if_set(
            "penalize_ambiguous_claims", "not_enough_info", 0.0
        ),
        "truths_extraction_limit": _field("truths_limit"),
        "include_reason": _include_reason,
    },
    "axion": {
        **_THRESHOLD,
        "strict_mode": _weight_if_set("strict_mode", "not_enough_info", -1.0),
        "verdict_scores": _verdict_scores,
    },
    "ragas": {},
}
