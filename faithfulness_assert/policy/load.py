"""A policy by name, from plain data or from a file, and changed by options. What is wrong is named before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ..records.errors import ConfigError, suggest
from .files import SUFFIXES, read_data
from .policy import Example, Policy, ScoreCap
from .presets import ALIASES, policies, with_source_options

# The fields that are options of grade(): those that only describe a policy are not.
FIELD_NAMES = frozenset(f.name for f in fields(Policy)) - {"name", "summary", "deviations"}
DATA_KEYS = FIELD_NAMES | {"name", "summary", "deviations", "base", "policy_options"}


def find_policy(
    policy: str | Mapping[str, Any] | Policy,
    options: Mapping[str, Any],
    source_options: Mapping[str, Any],
) -> Policy:
    """The policy that is meant, changed by ``source_options`` (its source's names), then by ``options`` (fields, our names).

    Args:
        policy: a preset's name, the path of a policy file (``.toml``, ``.yaml``, ``.json``, also after ``file://``), its content as a
            mapping, or a policy.

    Raises:
        ConfigError: an unknown preset, key or option, a file that cannot be read, or a value that a field cannot take.
    """
    found = with_source_options(_find(policy), source_options)
    changes = {name: _as_field(found, name, value) for name, value in options.items()}
    return replace(found, **changes) if changes else found


def _find(policy: object) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return policy_from(policy)
    if not isinstance(policy, str):
        raise ConfigError(
            f"policy: must be a name, a file, a mapping or a Policy, got {type(policy).__name__}"
        )
    policy = ALIASES.get(policy, policy)
    if policy in policies:
        return policies[policy]
    if policy.startswith("file://") or policy.lower().endswith(SUFFIXES):
        return load_policy(policy.removeprefix("file://"))
    raise ConfigError(
        f"policy: there is no policy {policy!r} (a file ends in {', '.join(SUFFIXES)}). {suggest(policy, policies)}"
    )


def policy_from(data: Mapping[str, Any], name: str = "custom") -> Policy:
    """The policy that plain data describes: any fields, over those of the preset that ``base`` names (``default`` without one).

    Raises:
        ConfigError: an unknown key, or a value that a field cannot take.
    """
    for key in data:
        if key not in DATA_KEYS:
            raise ConfigError(
                f"policy {name!r}: there is no field {str(key)[:60]!r}. {suggest(str(key)[:60], DATA_KEYS)}"
            )
    base = data.get("base", "default")
    base = ALIASES.get(base, base) if isinstance(base, str) else base
    if not isinstance(base, str) or base not in policies:
        raise ConfigError(
            f"policy {name!r}: base must be a preset, got {base!r:.60}. {suggest(str(base)[:60], policies)}"
        )
    source_options = data.get("policy_options") or {}
    if not isinstance(source_options, Mapping):
        raise ConfigError(
            f"policy {name!r}: policy_options must be a mapping, got {type(source_options).__name__}"
        )
    found = with_source_options(policies[base], source_options)
    own = {
        key: _as_field(found, key, value)
        for key, value in data.items()
        if key not in ("base", "policy_options")
    }
    return replace(
        found, **{"name": name, "summary": f"On top of {base}.", "deviations": (), **own}
    )


def load_policy(file: str) -> Policy:
    """The policy in a TOML, YAML or JSON file, named after the file unless it names itself.

    Raises:
        ConfigError: the file cannot be read, is not what its name says, or does not describe a policy.
    """
    data = read_data(file, "policy")
    if not isinstance(data, Mapping):
        raise ConfigError(
            f"policy: {file}: must hold a mapping of fields, holds {type(data).__name__}"
        )
    return policy_from(data, Path(file).stem)


def _as_field(policy: Policy, name: str, value: Any) -> Any:
    """Plain data (from YAML or JSON) as the field wants it; what does not fit is left for the check to name."""
    if name in ("citations", "controls") and value is False:
        return "off"  # what YAML makes of the bare word
    if name == "weights" and isinstance(value, Mapping):
        return {**policy.weights, **value}
    if name in ("fail_on", "deviations") and isinstance(value, list):
        return tuple(value)
    if name in ("examples", "score_caps") and isinstance(value, list | tuple):
        return tuple(
            _record(Example if name == "examples" else ScoreCap, name, item) for item in value
        )
    return value


def _record(kind: type, name: str, item: object) -> object:
    if not isinstance(item, Mapping):
        return item
    try:
        return kind(**item)
    except TypeError:
        raise ConfigError(
            f"{name}: each takes {', '.join(f.name for f in fields(kind))}, got {', '.join(map(str, item))}"
        ) from None
