"""Whether two policies ask the judge the same: then verdicts under one can be weighed by the other.

A field says it where it is declared, and ``asking_otherwise`` asks them all. Here are the
conditions of fields that may change in part. They take two policies.
"""

from __future__ import annotations

from typing import Any


def same_labels_earn(old: Any, new: Any) -> bool:
    """Whether the judge may give the same labels, and the same ones must be beyond doubt.

    What earns nothing is read with less care. Where ``not_enough_info`` earns something, the whole
    context is shown; where as much as ``supported``, the judge must be one that can contradict.
    """
    return _asked(old) == _asked(new)


def _asked(policy: Any) -> tuple[object, ...]:
    weights = policy.weights
    lowest = (max if policy.inverse else min)(weights.values())
    earning = {label for label, weight in weights.items() if weight != lowest}
    unknown = weights.get("not_enough_info", 0.0)
    return set(weights), earning, unknown > 0, unknown >= weights["supported"]


def same_dimensions(old: Any, new: Any) -> bool:
    """Whether the judge rates the same dimensions, in the same order."""
    return list(old.dimensions) == list(new.dimensions)


def both_audited(old: Any, new: Any) -> bool:
    """Whether the citations are audited in both."""
    return "off" not in (old.citations, new.citations)


def our_reason(_: Any, new: Any) -> bool:
    """Whether the judge writes no reason: that would be about another score."""
    return bool(new.explain != "judge")
