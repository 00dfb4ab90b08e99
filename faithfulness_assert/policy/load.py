"""Policies by name, from plain data or from a file, changed by options: before any ask.

Each grading system is a preset, one value of ``Policy``, as ``presets.json`` says. To add a system,
add its fields there, where it differs from its source to ``deviations.md``, and its scores as a
file of golden rows. Options under the source's own names stand at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ..files import read_text
from ..reading.rows import LABEL_WORDS
from ..records.checks import is_number
from ..records.errors import ConfigError, suggest
from ..records.model import Label
from ..text.strings import clip, sections
from .parsing import SUFFIXES, read_data
from .policy import DESCRIPTIVE, OF_PRESETS, TAKES, Policy, from_data
from .values import FLAG

FIELD_NAMES = frozenset(TAKES).difference(DESCRIPTIVE, OF_PRESETS)
"""The fields that are options of ``grade()``."""
DATA_KEYS = frozenset({*TAKES, "base", "policy_options"})

# Systems and parts of systems that score as a preset does.
ALIASES: Mapping[str, str] = {
    "deepevalex": "deepeval",
    "ragas-collections": "ragas",
    "ragaliq-hallucination": "hallucination",
    "masis-critic": "masis",
    "masis-evaluator": "masis",
}

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


def _presets() -> Iterator[Policy]:
    folder = __file__.removesuffix("load.py")
    data = json.loads(read_text(f"{folder}presets.json"))
    differs = {
        name: tuple(" ".join(item.split()) for item in text.split("\n- ")[1:])
        for name, text in sections(f"{folder}deviations.md").items()
    }
    differs["ragaliq-adr006"] = differs["ragaliq"]
    differs["hallucination"] += differs["ragaliq"]
    presets: dict[str, dict[str, Any]] = {"default": {}, **data["shared"]}
    for name, own in data["policies"].items():
        presets[name] = fields = {**presets[own.pop("base", "default")], **own}
        labels = _DEEPEVAL_LABELS if name == "deepeval" else {}
        more = {"name": name, "labels": labels, "deviations": differs.get(name, ())}
        yield Policy(**{n: TAKES[n].from_data(v, {}) for n, v in {**fields, **more}.items()})


class _Presets(dict[str, Policy]):
    def __missing__(self, name: object) -> Policy:
        raise KeyError(f"unknown policy {clip(repr(name), 60)}. {suggest(str(name)[:60], self)}")


policies: Mapping[str, Policy] = MappingProxyType(_Presets((p.name, p) for p in _presets()))


def find_policy(
    policy: str | Mapping[str, Any] | Policy,
    options: Mapping[str, Any],
    source_options: Mapping[str, Any],
) -> Policy:
    """The policy, changed by ``source_options`` and then by ``options``.

    Args:
        policy: the name of a preset, the path of a policy file (``.toml``, ``.yaml``, ``.json``,
            also after ``file://``), its content as a mapping, or a policy.
        options: fields of the policy.
        source_options: options as the policy's source names them.

    Raises:
        ConfigError: an unknown preset, field or option, a file that cannot be read, or a value that
            a field does not take.
    """
    base = with_source_options(_named(policy), source_options)
    try:
        return from_data(base, options) if options else base
    except ConfigError as error:  # the policy is right, an option is not
        problem = str(error).removeprefix(f"policy {base.name!r}: ")
        raise ConfigError(problem) if problem.startswith(tuple(options)) else error from None


def _named(policy: object) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return policy_from(policy)
    if not isinstance(policy, str):
        got = type(policy).__name__
        raise ConfigError(f"policy: must be a name, a file, a mapping or a Policy, got {got}")
    name = ALIASES.get(policy, policy)
    if name in policies:
        return policies[name]
    if not (name.startswith("file://") or name.lower().endswith(SUFFIXES)):
        hint = f"{suggest(name, policies)} (A policy file ends in {', '.join(SUFFIXES)}.)"
        raise ConfigError(f"policy: unknown policy {name!r}. {hint}")
    from pathlib import PurePath  # only where a policy is a file

    file = name.removeprefix("file://")
    data = read_data(file, "policy")
    if not isinstance(data, Mapping):
        got = type(data).__name__
        raise ConfigError(f"policy: {file}: must contain a mapping of fields, got {got}")
    return policy_from(data, PurePath(file).stem)


def policy_from(data: Mapping[str, Any], name: str = "custom") -> Policy:
    """The policy in plain data: fields that change the preset ``base`` (default: ``default``).

    Raises:
        ConfigError: an unknown field, or a value that a field does not take.
    """
    where = f"policy {name!r}"
    for key in data:
        if key not in DATA_KEYS:
            shown = str(key)[:60]
            raise ConfigError(f"{where}: unknown field {shown!r}. {suggest(shown, DATA_KEYS)}")
    named = data.get("base", "default")
    base = policies.get(ALIASES.get(named, named)) if isinstance(named, str) else None
    if base is None:
        hint = suggest(str(named)[:60], policies)
        raise ConfigError(f"{where}: base must be a preset, got {named!r:.60}. {hint}")
    source_options = data.get("policy_options") or {}
    if not isinstance(source_options, Mapping):
        got = type(source_options).__name__
        raise ConfigError(f"{where}: policy_options must be a mapping, got {got}")
    own = {key: value for key, value in data.items() if key not in ("base", "policy_options")}
    described = {"name": name, "summary": f"Based on {base.name}.", "deviations": ()}
    return from_data(with_source_options(base, source_options), {**described, **own})


# ---------------------------------------------------------------- options as the source names them

SOURCE_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "promptfoo": ("threshold", "inverse"),
    "deepeval": (
        "threshold",
        "strict_mode",
        "penalize_ambiguous_claims",
        "truths_extraction_limit",
        "include_reason",
    ),
    "axion": ("threshold", "strict_mode", "verdict_scores"),
    "ragas": (),
    "ragas-hhem": (),
}
"""A source that is not listed only has a threshold. Options apply in this order, not in that of the
caller."""

AXION_VERDICTS: Mapping[str, Label] = {
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
    source = policy.name
    allowed = SOURCE_OPTIONS.get(source, ("threshold",))
    for name in given:
        if name not in allowed:
            near = suggest(str(name), allowed)
            raise _wrong(f"policy {source!r} has no option {name!r}. {near}")
    for name in allowed:
        if name in given:
            changes = _meaning(policy, source, name, given[name])
            try:
                policy = replace(policy, **changes)
            except ConfigError as error:  # it names our field, which the user does not know
                raise _wrong(f"{name}: {error}") from None
    return policy


def _wrong(problem: str) -> ConfigError:
    return ConfigError(f"policy_options: {problem}")


def _meaning(policy: Policy, source: str, name: str, value: Any) -> dict[str, Any]:
    """The changes of our fields that this option of a source means."""
    if name in ("threshold", "inverse"):
        return {name: value}
    if name == "truths_extraction_limit":
        return {"truths_limit": value}
    if name == "strict_mode" and source == "deepeval":
        return {"all_or_nothing": value}
    if name == "verdict_scores":
        return _verdict_scores(value)
    if problem := FLAG.problem(value):
        raise _wrong(f"{name} {problem}")
    if name == "include_reason":
        return {"explain": "judge" if value else "none"}
    weight = -1.0 if name == "strict_mode" else 0.0
    return {"weights": {**policy.weights, "not_enough_info": weight}} if value else {}


def _verdict_scores(value: object) -> dict[str, Any]:
    """axion's weights over its defaults, names in any case. With any, strict mode is off."""
    if value is not None and not isinstance(value, Mapping):
        got = type(value).__name__
        raise _wrong(f"verdict_scores must map verdicts to numbers, got {got}")
    weights = dict(policies["axion"].weights)
    for name, score in (value or {}).items():
        verdict = str(name).upper()
        if verdict not in AXION_VERDICTS:
            near = suggest(verdict, AXION_VERDICTS)
            raise _wrong(f"verdict_scores: unknown verdict {name!r}. {near}")
        if not is_number(score):
            raise _wrong(f"verdict_scores: {name} must be a finite number, got {score!r}")
        weights[AXION_VERDICTS[verdict]] = score
    return {"weights": weights} if value else {}
