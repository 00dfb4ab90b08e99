"""Policies by name, from plain data or from a file, changed by options: before any ask.

Each grading system is a preset, one value of ``Policy``, as ``presets.json`` says. To add a system,
add its fields there, where it differs from its source to ``deviations.md``, and its scores as a
file of golden rows. Options under the source's own names stand at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ..files import read_text
from ..reading.rows import LABEL_WORDS
from ..records.errors import ConfigError, suggest
from ..records.model import Label
from ..text.strings import clip, sections
from .parsing import SUFFIXES, read_data
from .policy import DESCRIPTIVE, OF_PRESETS, TAKES, Policy, from_data
from .values import FLAG, unknown_name

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


_FOLDER = __file__.removesuffix("load.py")
_DATA: Mapping[str, Any] = json.loads(read_text(f"{_FOLDER}presets.json"))


def _presets() -> Iterator[Policy]:
    differs = {
        name: tuple(" ".join(item.split()) for item in text.split("\n- ")[1:])
        for name, text in sections(f"{_FOLDER}deviations.md").items()
    }
    differs["ragaliq-adr006"] = differs["ragaliq"]
    differs["hallucination"] += differs["ragaliq"]
    # In deepeval every way to say no is a contradiction. Only words such as "idk" leave a claim
    # open, and so earn full credit there.
    labels = {"deepeval": dict.fromkeys(LABEL_WORDS["no"].split(), "contradicted")}
    presets: dict[str, dict[str, Any]] = {"default": {}, **_DATA["shared"]}
    for name, own in _DATA["policies"].items():
        presets[name] = fields = {**presets[own.pop("base", "default")], **own}
        described = {"name": name, "deviations": differs.get(name, ())}
        more = {**described, "labels": labels.get(name, {})}
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
    base = _with_source_options(_named(policy), source_options)
    try:
        return from_data(base, options) if options else base
    except ConfigError as error:  # the policy is right, an option is not
        problem = str(error).removeprefix(f"policy {base.name!r}: ")
        raise ConfigError(problem) if problem.startswith(tuple(options)) else error from None


def _named(policy: object) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return _from_plain(policy, "custom")
    if not isinstance(policy, str):
        got = type(policy).__name__
        raise ConfigError(f"policy: must be a name, a file, a mapping or a Policy, got {got}")
    name = ALIASES.get(policy, policy)
    if name in policies:
        return policies[name]
    if not (name.startswith("file://") or name.lower().endswith(SUFFIXES)):
        hint = f"{suggest(name, policies)} (A policy file ends in {', '.join(SUFFIXES)}.)"
        raise ConfigError(f"policy: unknown policy {name!r}. {hint}")
    file = name.removeprefix("file://")
    data = read_data(file, "policy")
    if not isinstance(data, Mapping):
        got = type(data).__name__
        raise ConfigError(f"policy: {file}: must contain a mapping of fields, got {got}")
    from pathlib import PurePath  # only where a policy is a file

    return _from_plain(data, PurePath(file).stem)


def _from_plain(data: Mapping[str, Any], name: str) -> Policy:
    """The policy in plain data: fields that change the preset ``base`` (default: ``default``)."""
    where = f"policy {name!r}"
    if unknown := unknown_name("field", data, DATA_KEYS):
        raise ConfigError(f"{where}: {unknown}")
    own = dict(data)
    named, source_options = own.pop("base", "default"), own.pop("policy_options", None) or {}
    base = policies.get(ALIASES.get(named, named)) if isinstance(named, str) else None
    if base is None:
        hint = suggest(str(named)[:60], policies)
        raise ConfigError(f"{where}: base must be a preset, got {named!r:.60}. {hint}")
    if not isinstance(source_options, Mapping):
        got = type(source_options).__name__
        raise ConfigError(f"{where}: policy_options must be a mapping, got {got}")
    described = {"name": name, "summary": f"Based on {base.name}.", "deviations": ()}
    return from_data(_with_source_options(base, source_options), {**described, **own})


# ---------------------------------------------------------------- options as the source names them

AXION_VERDICTS: Mapping[str, Label] = {
    "FULLY_SUPPORTED": "supported",
    "PARTIALLY_SUPPORTED": "partially_supported",
    "NO_EVIDENCE": "not_enough_info",
    "CONTRADICTORY": "contradicted",
}
SOURCE_OPTIONS: Mapping[str, Mapping[str, Any]] = _DATA["options"]
"""Options as their source names them: the field of ours that one is, or what false and what true
change. A source that is not listed only has a threshold. They apply in this order, not in that of
the caller."""


def _verdict_scores(value: Any) -> Any:
    """axion's weights over its defaults, names in any case. With any, strict mode is off."""
    if not isinstance(value, Mapping):
        return {} if value is None else value
    scores = {str(name).upper(): score for name, score in value.items()}
    if unknown := unknown_name("verdict", scores, AXION_VERDICTS):
        raise ConfigError(unknown)
    weights = {AXION_VERDICTS[name]: score for name, score in scores.items()}
    return {**policies["axion"].weights, **weights} if weights else {}


def _with_source_options(policy: Policy, given: Mapping[str, Any]) -> Policy:
    """The policy changed by options under its source's names."""
    known = SOURCE_OPTIONS.get(policy.name, {"threshold": "threshold"})
    if unknown := unknown_name("option", given, known):
        raise ConfigError(f"policy_options: policy {policy.name!r}: {unknown}")
    for name in (name for name in known if name in given):
        meaning, value = known[name], given[name]
        try:
            if name == "verdict_scores":
                value = _verdict_scores(value)
            if isinstance(meaning, str):
                changes = {meaning: value}
            elif problem := FLAG.problem(value):
                raise ConfigError(problem)
            else:
                changes = meaning[value]
            policy = from_data(policy, changes)
        except ConfigError as error:  # it may name our field, which the user does not know
            raise ConfigError(f"policy_options: {name}: {error}") from None
    return policy
