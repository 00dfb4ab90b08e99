"""What a result says for people: reasons, fixes, and the line that shows how a score came about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .policy import TOLERANCE, Policy
from .result import clip, described

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .model import ErrorKind, Status, Verdict
    from .scoring import Score

MAX_NAMED = 3  # problem statements that a reason quotes

REASONS: dict[Status, str] = {
    "no_statements": "Nothing to check",
    "abstained": "The answer only declines to answer: it makes no claim that could be checked.",
    "no_context": "The context is empty: retrieval found nothing, so nothing can back the answer.",
    "judge_refused": "Not graded",
    "unreadable": "Not graded",
    "judge_failed": "Not graded",
    "invalid_input": "Not graded",
}

FIXES: dict[ErrorKind, str] = {
    "refusal": "Try another judge model, or give it guidance on what the texts are.",
    "content_filter": "Loosen the provider's filter for evaluations, or try another judge model.",
    "truncated": "Use a judge with a larger reply limit, or grade the answer in parts.",
    "unreadable": "Try a judge model that follows JSON instructions.",
    "unreliable_judge": "Try another judge model.",
    "transport": "Check base_url and the network.",
    "auth": "Check the API key.",
    "rate_limit": "Wait, or lower the concurrency.",
    "timeout": "Raise timeout or deadline.",
    "server": "Try again later.",
}


def calculation(policy: Policy, counted: Sequence[Verdict], outcome: Score) -> str:
    """How the score came about, as a line: ``(2 × 1 + 1 × 0.5 - 1) / 4 = 0.375``. What is taken off stands as one number."""
    counts = Counter(v.label for v in counted)
    line = ""
    for label in policy.judged:
        weight = policy.weights[label]
        if counts[label] and weight:
            line += f" + {counts[label]} × {weight:g}" if weight > 0 else f" - {counts[label] * -weight:g}"
    return _settled(policy, f"({line.strip().removeprefix('+ ') or '0'}) / {outcome.counted} = {outcome.mean:.4g}", outcome)


def overall_calculation(policy: Policy, ratings: Mapping[str, float], outcome: Score) -> str:
    """The same for ratings: ``0.35 × 0.9 + 0.25 × 0.8 + ... = 0.845``, with the ratings as they were before the clamps."""
    terms = " + ".join(f"{share:g} × {ratings[name]:g}" for name, share in policy.dimensions.items())
    return _settled(policy, f"{terms} = {outcome.mean:.4g}", outcome)


def _settled(policy: Policy, line: str, outcome: Score) -> str:
    """The line, and what was done to its outcome."""
    if outcome.raw != outcome.mean:
        line += f", held at {outcome.raw:g}"
    line += "".join(f"; {c.finding} ≤ {c.ceiling:g}" for c in outcome.clamps)
    if policy.all_or_nothing and outcome.value == 0 < outcome.raw:
        return f"{line}; all or nothing: 0"
    return f"{line}; 1 - score = {outcome.value:.4g}" if policy.inverse else line


def reason_of(policy: Policy, counted: Sequence[Verdict], outcome: Score, *, passed: bool) -> str:
    """Why a graded case has its score: counts, the threshold, and the first statements that are not supported."""
    judged = [v for v in counted if v.label != "not_a_claim"]
    problems = [v for v in judged if v.label != "supported"]
    head = f"{len(judged) - len(problems)} of {outcome.counted} statements supported"
    if policy.headline == "made_up":
        head = f"{len(problems)} of {outcome.counted} statements made up ({len(judged) - len(problems)} supported)"
    barred = next((label for label in policy.fail_on if any(v.label == label for v in counted)), None)
    parts = [f"{head}: {_against(policy, outcome)}"]
    if barred and not passed and outcome.value >= policy.passes_at - TOLERANCE:
        parts.append(f"It fails all the same: a statement has the label {barred}.")
    parts += _clamped(outcome)
    parts += [f"{described(v).capitalize()}: “{clip(v.statement, 160)}”." for v in problems[:MAX_NAMED]]
    if len(problems) > MAX_NAMED:
        parts.append(f"And {len(problems) - MAX_NAMED} more.")
    return " ".join(parts)


def ratings_reason(policy: Policy, ratings: Mapping[str, float], outcome: Score, suggestions: Sequence[str]) -> str:
    """Why a rated case has its score: the ratings after the clamps, the threshold, and the judge's suggestions."""
    rated = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in ratings.items())
    advice = [f"Suggestions: {'; '.join(clip(s, 160).rstrip('.') for s in suggestions)}."] if suggestions else []
    return " ".join([f"{rated}: {_against(policy, outcome)}".capitalize(), *_clamped(outcome), *advice])


def _against(policy: Policy, outcome: Score) -> str:
    sign = ">=" if outcome.value >= policy.passes_at - TOLERANCE else "<"
    value = f"{outcome.value:.2f}"
    if sign == "<" and float(value) >= policy.passes_at:
        value = f"{outcome.value:.6g}"  # rounded, it would seem to reach the threshold
    return f"score {value} {sign} threshold {policy.passes_at:g}."


def _clamped(outcome: Score) -> list[str]:
    return [f"Clamped to {c.ceiling:g}: {c.finding.replace('_', ' ')}." for c in outcome.clamps]
