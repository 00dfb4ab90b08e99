"""Policies by name, from plain data or from a file. Mistakes are reported before any ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from ..records.errors import ConfigError, suggest
from .fields import Example, ScoreCap
from .files import SUFFIXES, read_data
from .policy import Policy
from .presets import ALIASES, NOT_YET, policies
from .source_options import with_source_options

# Fields that only describe a policy are not options of grade().
DESCRIPTIVE = {"name", "summary", "deviations"}
FIELD_NAMES = frozenset(f.name for f in fields(Policy)) - DESCRIPTIVE
DATA_KEYS = FIELD_NAMES | DESCRIPTIVE | {"base", "policy_options"}


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
    return replace(base, **_fields(base, options)) if options else base


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
    if name in NOT_YET:
        raise ConfigError(f"policy: {name!r} does not exist yet: {NOT_YET[name]}")
    if name.startswith("file://") or name.lower().endswith(SUFFIXES):
        return load_policy(name.removeprefix("file://"))
    endings = ", ".join(SUFFIXES)
    hint = suggest(name, policies)
    raise ConfigError(f"policy: unknown policy {name!r}. {hint} (A policy file ends in {endings}.)")


def policy_from(data: Mapping[str, Any], name: str = "custom") -> Policy:
    """The policy in plain data: fields that change the preset ``base`` (default: ``default``).

    Raises:
        ConfigError: an unknown field, or a value that a field does not take.
    """
    where = f"policy {name!r}"
    _check_keys(where, data)
    base = _base(where, data.get("base", "default"))
    source_options = data.get("policy_options") or {}
    if not isinstance(source_options, Mapping):
        got = type(source_options).__name__
        raise ConfigError(f"{where}: policy_options must be a mapping, got {got}")
    changed = with_source_options(base, source_options)
    own = {key: value for key, value in data.items() if key not in ("base", "policy_options")}
    described = {"name": name, "summary": f"Based on {base.name}.", "deviations": ()}
    return replace(changed, **{**described, **_fields(changed, own)})


def _check_keys(where: str, data: Iterable[object]) -> None:
    for key in data:
        if key not in DATA_KEYS:
            shown = str(key)[:60]
            raise ConfigError(f"{where}: unknown field {shown!r}. {suggest(shown, DATA_KEYS)}")


def _base(where: str, base: object) -> Policy:
    name = ALIASES.get(base, base) if isinstance(base, str) else None
    if name is None or name not in policies:
        hint = suggest(str(base)[:60], policies)
        raise ConfigError(f"{where}: base must be a preset, got {base!r:.60}. {hint}")
    return policies[name]


def load_policy(file: str) -> Policy:
    """The policy in a TOML, YAML or JSON file. Its default name is the name of the file.

    Raises:
        ConfigError: the file cannot be read, has another format than its ending says, or does not
            describe a policy.
    """
    from pathlib import Path  # only where a policy is a file

    data = read_data(file, "policy")
    if not isinstance(data, Mapping):
        got = type(data).__name__
        raise ConfigError(f"policy: {file}: must contain a mapping of fields, got {got}")
    return policy_from(data, Path(file).stem)


def _fields(policy: Policy, data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _field(policy, name, value) for name, value in data.items()}


def _field(policy: Policy, name: str, value: Any) -> Any:
    """Plain data as a field takes it. A wrong value stays as it is: ``Policy`` reports it."""
    if name in ("citations", "controls") and value is False:
        return "off"  # YAML reads the bare word off as false
    if name == "weights" and isinstance(value, Mapping):
        return {**policy.weights, **value}
    if name in ("fail_on", "deviations", "hedges") and isinstance(value, list):
        return tuple(value)
    if name in ("examples", "score_caps") and isinstance(value, list | tuple):
        kind = Example if name == "examples" else ScoreCap
        return tuple(_record(kind, name, item) for item in value)
    return value


def _record(kind: type, name: str, item: object) -> object:
    if not isinstance(item, Mapping):
        return item
    try:
        return kind(**item)
    except TypeError:
        takes = ", ".join(f.name for f in fields(kind))
        got = ", ".join(map(str, item))
        raise ConfigError(f"{name}: each takes {takes}, got {got}") from None
