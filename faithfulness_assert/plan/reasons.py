"""What a result says for people: reasons, fixes, and the line that shows how a score came about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..policy.policy import SCORED, TOLERANCE, Policy
from ..records.result import described
from ..text.strings import clip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..policy.scoring import Score
    from ..records.model import ErrorKind, Status, Verdict

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


def reason_of(policy: Policy, counted: Sequence[Verdict], outcome: Score, *, passed: bool) -> str:
    """Why a graded case has its score: counts, the threshold, and the first statements that are not supported."""
    judged = [v for v in counted if v.label != "not_a_claim"]
    problems = [v for v in judged if v.label != "supported"]
    barred = next(
        (label for label in policy.fail_on if any(v.label == label for v in counted)), None
    )
    parts = [f"{_counts(policy, judged)}: {_against(policy, outcome)}"]
    if (
        barred
        and not passed
        and not policy.inverse
        and outcome.value >= policy.passes_at - TOLERANCE
    ):
        parts.append(f"It fails all the same: a statement has the label {barred}.")
    parts += _capped(outcome)
    parts += [f"{described(v).capitalize()}: {_quoted(v.statement)}" for v in problems[:MAX_NAMED]]
    if len(problems) > MAX_NAMED:
        parts.append(f"And {len(problems) - MAX_NAMED} more.")
    return " ".join(parts)


def _quoted(statement: str) -> str:
    """A statement in quotes, as the end of a sentence."""
    text = clip(statement, 160)
    return f"“{text}”" if text.endswith((".", "!", "?", "…", "。")) else f"“{text}”."


def _counts(policy: Policy, judged: Sequence[Verdict]) -> str:
    """How many statements got which label: ``2 of 4 statements supported (1 not enough info, 1 contradicted)``."""
    counts: Counter[str] = Counter(v.label or "unverified" for v in judged)
    supported = counts["supported"]
    others = ", ".join(
        f"{counts[label]} {label.replace('_', ' ')}"
        for label in (*SCORED[1:], "unverified")
        if counts[label]
    )
    of_which = f" ({others})" if others else ""
    if policy.headline == "made_up":
        return f"{len(judged) - supported} of {len(judged)} statements made up{of_which}, {supported} supported"
    return f"{supported} of {len(judged)} statements supported{of_which}"


def ratings_reason(
    policy: Policy, ratings: Mapping[str, float], outcome: Score, suggestions: Sequence[str]
) -> str:
    """Why a rated case has its score: the ratings after the score_caps, the threshold, and the judge's suggestions."""
    rated = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in ratings.items())
    advice = (
        [f"Suggestions: {'; '.join(clip(s, 160).rstrip('.') for s in suggestions)}."]
        if suggestions
        else []
    )
    return " ".join(
        [f"{rated}: {_against(policy, outcome)}".capitalize(), *_capped(outcome), *advice]
    )


def _against(policy: Policy, outcome: Score) -> str:
    value = 1.0 - outcome.value if policy.inverse else outcome.value
    reached = value >= policy.passes_at - TOLERANCE
    shown = f"{value:.2f}"
    if not reached and float(shown) >= policy.passes_at:
        shown = f"{value:.6g}"  # rounded, it would seem to reach the threshold
    line = f"score {shown} {'>=' if reached else '<'} threshold {policy.passes_at:g}."
    return (
        f"{line} Turned round: score {outcome.value:.2f}, {'fails' if reached else 'passes'}."
        if policy.inverse
        else line
    )


def _capped(outcome: Score) -> list[str]:
    return [
        f"Score capped at {c.ceiling:g}: {c.finding.replace('_', ' ')}." for c in outcome.score_caps
    ]
