"""Grades under a preset with a field that is no option, or with more windows than usual."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from faithfulness_assert.plan import long_contexts
from faithfulness_assert.policy.load import find_policy
from faithfulness_assert.policy.policy import OF_PRESETS, TAKES


def with_own_policy(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of ``grade()``. Any field of a policy may be among those that are given."""
    if OF_PRESETS.isdisjoint(options):
        return dict(options)
    others = {name: value for name, value in options.items() if name not in TAKES}
    fields = {name: value for name, value in options.items() if name in TAKES}
    source_options = others.pop("policy_options", {})
    return {
        **others,
        "policy": find_policy(options.get("policy", "default"), fields, source_options),
    }


@contextmanager
def likely_parts_from(asks: int) -> Iterator[None]:
    """Shows the likeliest parts of a context where all of it takes more than so many asks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_contexts, "FEW_ASKS", asks)
        yield
