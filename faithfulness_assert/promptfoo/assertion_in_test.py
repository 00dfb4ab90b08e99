"""What the test says about the assertion that runs: whether it is negated, and its threshold.

promptfoo gives an assertion its test, but does not say which of the test's assertions it is. So all
with its type and its config are candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..records.errors import ConfigError
from ..text.strings import clip


def is_negated(given: Mapping[str, Any]) -> bool:
    """Whether the assertion is ``not-python`` or ``not-javascript``.

    If one assertion is and another with the same config is not, this is true for both: an undefined
    result then fails both, and neither passes by mistake.
    """
    return any(assertion["type"].startswith("not-") for assertion in _candidates(given))


def threshold(own: Any, given: Mapping[str, Any]) -> Any:
    """``own``, the threshold of the config; without one, the threshold of the assertion itself.

    promptfoo applies the assertion's threshold once more to ``python``, but not to ``javascript``:
    there the higher one is used. None if there is none, or if it is not clear which.

    Raises:
        ConfigError: the assertion's threshold is not a number; or it is ``javascript``, and it is
            not clear which threshold is meant.
    """
    if _kind(given) == "python":
        return _only(_thresholds(given)) if own is None else own
    found = _thresholds(given)
    if len(found) > 1:
        raise ConfigError(
            "threshold: this test has javascript assertions with the same config and different "
            "thresholds, and promptfoo does not say which one runs. Set config.threshold instead"
        )
    if own is None:
        return _only(found)
    return max([own, *found]) if isinstance(own, int | float) else own


def _only(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else None


def _thresholds(given: Mapping[str, Any]) -> list[Any]:
    """The different thresholds of the candidates."""
    found = [
        assertion["threshold"]
        for assertion in _candidates(given)
        if assertion.get("threshold") is not None
    ]
    if any(not isinstance(threshold, int | float) for threshold in found):
        got = clip(repr(found[0]), 60)
        raise ConfigError(f"threshold: the assertion's must be a number from 0 to 1, got {got}")
    return list(dict.fromkeys(found))


def _candidates(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The test's assertions that may be the one that runs."""
    types = (_kind(given), f"not-{_kind(given)}")
    test = given.get("test")
    listed = test.get("assert") if isinstance(test, Mapping) else None
    config = given.get("config") or {}
    return [
        assertion
        for item in (listed if isinstance(listed, Sequence) else ())
        for assertion in _flat(item)
        if assertion.get("type") in types and (assertion.get("config") or {}) == config
    ]


def _kind(given: Mapping[str, Any]) -> str:
    return "javascript" if given.get("assertionType") == "javascript" else "python"


def _flat(item: Any) -> list[Mapping[str, Any]]:
    """An assertion, or the assertions of an assert-set."""
    if not isinstance(item, Mapping):
        return []
    nested = item.get("assert")
    if not isinstance(nested, list):
        return [item]
    return [assertion for assertion in nested if isinstance(assertion, Mapping)]
