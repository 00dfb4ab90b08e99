"""Describes a policy in plain text: as a row of a table, or in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import groupby

from .policy import Policy
from .values import Example, ScoreCap

_NAMES_SHOWN = 8
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
    if policy.verify == "rubric":
        return f"ratings, {calls(policy)}"
    truths = " + truths" if policy.verify == "truths" else ""
    reason = " + reason" if policy.explain == "judge" else ""
    return f"{policy.split}{truths}{reason}, {calls(policy)}"


def nothing_to_check(policy: Policy) -> str:
    """The result of an answer without statements."""
    ending = policy.endings["no_statements"]
    if isinstance(ending, str):
        return _NO_STATEMENTS[ending]
    return f"{ending:g}, {'passes' if 0 < ending >= policy.passes_at else 'fails'}"


def in_full(policy: Policy) -> Iterator[str]:
    """A policy line by line: its judge calls, fields and deviations."""
    yield f"asks: {asks(policy)}"
    yield from _fields(policy)
    yield f"nothing to check: {nothing_to_check(policy)}"
    yield from (f"differs: {deviation}" for deviation in policy.deviations)


def _fields(policy: Policy) -> Iterator[str]:
    """The fields that differ from the default policy, and those that every reader looks for."""
    always = {
        "threshold",
        *(("verify", "dimensions") if policy.dimensions else ("weights", "fail_on")),
    }
    always |= {"score_caps"} if policy.citations == "enforce" else set()
    never = {"name", "summary", "deviations", "split"}
    never |= {"weights", "labels"} if policy.dimensions else set()
    default = Policy()
    for field in fields(policy):
        value = getattr(policy, field.name)
        is_shown = field.name in always or value != getattr(default, field.name)
        if is_shown and field.name not in never:
            yield f"{field.name}: {_shown(value)}"


def _shown(value: object) -> str:
    """The value of a field as a reader would write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, ScoreCap):
        return f"{value.finding} (from {value.at_least}) ≤ {value.ceiling:g}"
    if isinstance(value, Example):
        return f"“{value.statement}” is {value.label}"
    if isinstance(value, Mapping):
        groups = groupby(value.items(), lambda pair: pair[1])
        return "; ".join(f"{_names(pairs)} = {_shown(shared)}" for shared, pairs in groups)
    if isinstance(value, tuple):
        return ", ".join(map(_shown, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _names(pairs: Iterator[tuple[object, object]]) -> str:
    """The first names; a list of words in a dozen languages is no help to a reader."""
    names = [str(name) for name, _ in pairs]
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more
