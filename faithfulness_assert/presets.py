"""The presets, and how a policy is found by name and changed by options. A preset is one value of ``Policy``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .errors import ConfigError, suggest
from .policy import Clamp, Example, Policy

if TYPE_CHECKING:
    from .model import Label

_YES_NO: dict[Label, float] = {"supported": 1.0, "partially_supported": 0.0, "not_enough_info": 0.0, "contradicted": 0.0}

# What promptfoo and ragas have in common: claims, each supported or not.
_CLAIM_BY_CLAIM = Policy(split="claims", weights=_YES_NO, allow_not_a_claim=False, threshold=0.5, fail_on=(), dedupe=False)

policies: Mapping[str, Policy] = MappingProxyType(
    {
        "default": Policy(summary="One call. Half credit for partial support; any contradiction fails."),
        "promptfoo": replace(
            _CLAIM_BY_CLAIM,
            name="promptfoo",
            summary="promptfoo's context-faithfulness: claims, then a yes or no for each.",
            on_no_statements="error",
            positional_prefix=True,
            deviations=(
                "Numbered and comma-separated verdict lists are read; promptfoo rejects or merges them.",
                "'not sure' is no verdict; promptfoo reads it as a no.",
                "More verdicts than statements are a grader error unless all are negative; promptfoo counts them against the statements.",
                "An answer that only declines is 'abstained' and an empty context 'no_context'; promptfoo asks its judge.",
                "A sentence with a number or a name for which the judge gives no claim is graded as it stands; promptfoo loses it.",
            ),
        ),
        "ragas": replace(
            _CLAIM_BY_CLAIM,
            name="ragas",
            summary="ragas' Faithfulness: claims, then 1 or 0 for each.",
            deviations=(
                "ragas has no threshold; .5 is ours.",
                "Only 1 and 0 (and their words) are verdicts; ragas counts every number but 0 as faithful.",
                "Statements without a verdict count as unsupported; ragas drops them from the denominator.",
                "Where ragas returns NaN, the result is undefined with a status that says why.",
                "A sentence with a number or a name for which the judge gives no claim is graded as it stands; ragas loses it.",
            ),
        ),
    }
)

# What each source calls its own options, as names of fields; `policy_options` takes these.
SOURCE_OPTIONS: Mapping[str, Mapping[str, str]] = {"promptfoo": {"threshold": "threshold", "inverse": "inverse"}}

# The fields that are options of grade(): those that only describe a policy are not.
FIELD_NAMES = frozenset(f.name for f in fields(Policy)) - {"name", "summary", "deviations"}


def find_policy(policy: str | Policy, options: Mapping[str, Any], source_options: Mapping[str, Any]) -> Policy:
    """The preset or policy, with fields changed by ``options`` (our names) and ``source_options`` (its source's names).

    Raises:
        ConfigError: an unknown preset or option, or a value that the field cannot take.
    """
    if isinstance(policy, str):
        if policy not in policies:
            raise ConfigError(f"policy: there is no policy {policy!r}. {suggest(policy, policies)}")
        policy = policies[policy]
    elif not isinstance(policy, Policy):
        raise ConfigError(f"policy: must be a name or a Policy, got {type(policy).__name__}")
    changes = {name: _as_field(name, value) for name, value in options.items()}
    known = SOURCE_OPTIONS.get(policy.name, {})
    for name, value in source_options.items():
        if name not in known:
            raise ConfigError(f"policy_options: the policy {policy.name!r} has no option {name!r}. {suggest(name, known)}")
        changes[known[name]] = value
    return replace(policy, **changes) if changes else policy


def _as_field(name: str, value: Any) -> Any:
    """Plain data (from YAML or JSON) as the field wants it; what does not fit is left for the check to name."""
    if name == "weights" and isinstance(value, Mapping):
        return {**Policy().weights, **value}
    if name == "fail_on" and isinstance(value, list):
        return tuple(value)
    if name in ("examples", "clamps") and isinstance(value, list | tuple):
        return tuple(_record(Example if name == "examples" else Clamp, name, item) for item in value)
    return value


def _record(kind: type, name: str, item: object) -> object:
    if not isinstance(item, Mapping):
        return item
    try:
        return kind(**item)
    except TypeError:
        raise ConfigError(f"{name}: each takes {', '.join(f.name for f in fields(kind))}, got {', '.join(map(str, item))}") from None
