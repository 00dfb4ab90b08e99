"""What there is to show of a policy: a row for a table, or all of it with a worked example. Plain text, no terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import groupby
from typing import TYPE_CHECKING

from ..records.model import CitationAudit, Label, Verdict
from .calculation import calculation, overall_calculation
from .policy import SCORED, Example, Policy, ScoreCap
from .scoring import overall, passes, score

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXAMPLE: tuple[Label, ...] = (
    "supported",
    "supported",
    "partially_supported",
    "not_enough_info",
    "contradicted",
)
_EXAMPLE_RATINGS = {
    "faithfulness": 0.9,
    "relevance": 0.9,
    "completeness": 0.8,
    "reasoning_quality": 0.7,
}
_EXAMPLE_UNCITED = 5

HEAD = ("policy", "asks", "weights", "nothing to check", "passes at")


def row(policy: Policy) -> tuple[str, ...]:
    """The cells of a policy under ``HEAD``."""
    shown = "by dimension" if policy.dimensions else weights(policy)
    return policy.name, asks(policy), shown, nothing_to_check(policy), f"{policy.passes_at:g}"


def asks(policy: Policy) -> str:
    """What the judge is asked for, and how often in an answer that fits one ask."""
    if policy.verify == "rubric":
        return "ratings, 1"
    steps = (
        (policy.split == "claims" and not policy.joint)
        + (policy.verify == "truths")
        + (policy.explain == "judge")
    )
    calls = f"{steps} + N" if policy.verify == "per_claim" else str(steps + 1)
    what = (
        policy.split
        + (" + truths" if policy.verify == "truths" else "")
        + (" + reason" if policy.explain == "judge" else "")
    )
    return f"{what}, {calls}"


def weights(policy: Policy) -> str:
    """The weight of each label, "-" where the judge may not give it; for a rubric policy, of each dimension."""
    if policy.dimensions:
        return ", ".join(f"{name} {share:g}" for name, share in policy.dimensions.items())
    listed = ", ".join(
        f"{policy.weights[label]:g}" if label in policy.weights else "-" for label in SCORED
    )
    return f"{listed}; any {' or '.join(policy.fail_on)} fails" if policy.fail_on else listed


def nothing_to_check(policy: Policy) -> str:
    """What a case without statements becomes."""
    ending = policy.on_no_statements
    known = {"fail": "undefined, fails", "pass": "1, passes", "error": "grader error"}
    return (
        known[ending]
        if isinstance(ending, str)
        else f"{ending:g}, {'passes' if 0 < ending >= policy.passes_at else 'fails'}"
    )


def in_full(policy: Policy) -> Iterator[str]:
    """A policy line by line: its fields, a worked example, its deviations."""
    yield from _fields(policy)
    yield f"example: {worked_example(policy)}"
    yield from (f"differs: {deviation}" for deviation in policy.deviations)


def _fields(policy: Policy) -> Iterator[str]:
    """What is not as in the default policy, and what every policy is asked about."""
    shown = (
        ("verify", "dimensions", "threshold")
        if policy.dimensions
        else ("split", "weights", "threshold")
    )
    hidden = (
        "name",
        "summary",
        "deviations",
        *(("weights", "labels", "split") if policy.dimensions else ()),
    )
    for field in fields(policy):
        value, usual = getattr(policy, field.name), getattr(Policy(), field.name)
        applies = field.name == "score_caps" and policy.citations == "enforce"
        if field.name not in hidden and (field.name in shown or value != usual or applies):
            yield f"{field.name}: {_shown(value)}"


def _shown(value: object) -> str:
    """A field's value as a reader would write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, ScoreCap):
        return f"{value.finding} (from {value.at_least}) ≤ {value.ceiling:g}"
    if isinstance(value, Example):
        return f"“{value.statement}” is {value.label}"
    if isinstance(value, Mapping):
        pairs = groupby(value.items(), lambda pair: pair[1])
        return "; ".join(
            f"{', '.join(str(name) for name, _ in group)} = {_shown(of)}" for of, group in pairs
        )
    if isinstance(value, tuple):
        return ", ".join(map(_shown, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def worked_example(policy: Policy) -> str:
    """A small case scored by this policy, as a line."""
    if policy.dimensions:
        ratings = {name: _EXAMPLE_RATINGS[name] for name in policy.dimensions}
        outcome, _ = overall(policy, ratings, CitationAudit(uncited_claim_count=_EXAMPLE_UNCITED))
        said, line, verdicts = (
            f"{_EXAMPLE_UNCITED} uncited sentences",
            overall_calculation(policy, ratings, outcome),
            [],
        )
    else:
        labels = [label for label in _EXAMPLE if label in policy.weights]
        verdicts = [Verdict(number, "", label) for number, label in enumerate(labels, 1)]
        found = score(policy, verdicts)
        if found is None:
            return "no statement counts"
        outcome, said = found, ", ".join(str(v.label).replace("_", " ") for v in verdicts)
        line = calculation(policy, verdicts, outcome)
    return f"{said}: {line}; score {outcome.value:.4g}, {'passes' if passes(policy, outcome.value, verdicts) else 'fails'}"
