"""Describes a policy in plain text: as a row of a table, or in full."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..text.strings import clip
from .policy import Policy, policy_as_json

_NO_STATEMENTS = {"fail": "undefined, fails", "pass": "1, passes", "error": "grader error"}

HEAD = ("policy", "what it is", "calls", "passes at")


def row(policy: Policy) -> tuple[str, ...]:
    """The cells of a policy under ``HEAD``. A preset's row fits a line of 80 columns."""
    return policy.name, policy.summary, calls(policy), f"{policy.passes_at:g}"


def calls(policy: Policy) -> str:
    """How often the judge is asked about an answer that fits into one ask; N is its claims."""
    if policy.verify == "rubric":
        return "1"
    steps = (policy.split == "claims") + (policy.verify == "truths") + (policy.explain == "judge")
    return f"{steps} + N" if policy.verify == "per_claim" else str(steps + 1)


def asks(policy: Policy) -> str:
    """What the judge is asked about, and the number of calls."""
    more = " + truths" * (policy.verify == "truths") + " + reason" * (policy.explain == "judge")
    what = "ratings" if policy.verify == "rubric" else policy.split + more
    return f"{what}, {calls(policy)}"


def nothing_to_check(policy: Policy) -> str:
    """The result of an answer without statements."""
    ending = policy.endings["no_statements"]
    if isinstance(ending, str):
        return _NO_STATEMENTS[ending]
    return f"{ending:g}, {'passes' if 0 < ending >= policy.passes_at else 'fails'}"


def in_full(policy: Policy) -> Iterator[str]:
    """A policy line by line: its judge calls, fields and deviations.

    A field is shown as a policy file has it, if it differs from the default policy, or if every
    reader looks for it. A long list of words in a dozen languages is cut.
    """
    yield f"asks: {asks(policy)}"
    always = ("threshold", "verify") if policy.dimensions else ("threshold", "weights", "fail_on")
    never = {"name", "summary", "deviations", "split"}
    never |= {"weights", "labels"} if policy.dimensions else set()
    default = policy_as_json(Policy())
    for name, value in policy_as_json(policy).items():
        is_shown = name in always or value != default[name]
        if is_shown and name not in never:
            yield f"{name}: {clip(json.dumps(value, ensure_ascii=False), 300)}"
    yield f"nothing to check: {nothing_to_check(policy)}"
    yield from (f"differs: {deviation}" for deviation in policy.deviations)
