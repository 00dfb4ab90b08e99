"""What a result says to people: reasons, and what they can do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..records.model import ErrorKind, Status, Verdict
from ..records.views import absent_number, evidence_problem, in_words
from ..text.strings import clip
from .policy import Policy
from .scoring import Score
from .values import SCORED, TOLERANCE

MAX_NAMED = 3
"""Statements that lost points which a reason quotes."""
CHECK = "Check statement "
"""How a warning begins that is about a supported statement, whose number is nowhere."""
MAX_IDS = 10
"""Statements that a warning names."""

NOT_GRADED = "Not graded"
"""How the reason of every grader error begins; its message says the rest."""
HEADS: dict[Status, str] = {
    "no_statements": "Nothing to check",
    "abstained": "Nothing to check",
    "no_context": "No context",
}
"""How the reason begins where there is nothing to grade. All other cases are not graded."""
WHOLE: dict[Status, str] = {
    "abstained": "The answer only declines to answer: it makes no claim that could be checked.",
    "no_context": "The context is empty: retrieval found nothing, so nothing can back the answer.",
}
"""The reason where no more is known."""

FIXES: dict[ErrorKind, str] = {
    "refusal": "Try another judge model, or give it guidance on what the texts are.",
    "content_filter": "Loosen the provider's filter for evaluations, or try another judge model.",
    "truncated": "Raise max_tokens, ask for less thinking (reasoning_effort), or grade in parts.",
    "unreadable": "Ask again, or try another judge model.",
    "unreliable_judge": "Try another judge model.",
    "transport": "Check base_url and the network.",
    "auth": "Check the API key.",
    "rate_limit": "Wait, or lower the concurrency.",
    "timeout": "Raise timeout or deadline.",
    "server": "Try again later.",
    "not_stored": "Grade once with cache and without cache_only: then the reply is stored.",
    "token_limit": "Raise the limit of tokens.",
}


def reason_of(
    policy: Policy, counted: Sequence[Verdict], outcome: Score, *, passed: bool
) -> tuple[str, str, str]:
    """Why a graded case has its score.

    Returns:
        how many statements have which label; the score beside the threshold, and what else decides;
        and the first problems, quoted.
    """
    judged = [v for v in counted if v.label != "not_a_claim"]
    problems = [v for v in judged if v.label != "supported"]
    problems = problems or [v for v in judged if v.flags and not passed]
    ending = [_against_threshold(policy, outcome)]
    ending += [] if passed else _failing_label(policy, counted, outcome)
    ending += _caps(outcome)
    parts = [f"{in_words(v).capitalize()}: {_quoted(v.statement)}" for v in problems[:MAX_NAMED]]
    if len(problems) > MAX_NAMED:
        parts.append(f"And {len(problems) - MAX_NAMED} more.")
    parts += evidence_warnings(judged)
    return _counts(policy, judged), " ".join(ending), " ".join(parts)


def evidence_warnings(verdicts: Sequence[Verdict]) -> list[str]:
    """For which supported (or lowered) statements evidence or a number is wrong, and how."""
    numbers: dict[str, list[str]] = {}
    for verdict in verdicts:
        if problem := evidence_problem(verdict):
            numbers.setdefault(problem, []).append(str(verdict.id))
    lines = [
        f"Check the evidence of statement {', '.join(ids[:MAX_IDS])}: {problem}."
        for problem, ids in numbers.items()
    ]
    absent = [f"{CHECK}{v.id}: {absence}." for v in verdicts if (absence := absent_number(v))]
    return lines + absent[:MAX_IDS]


def _failing_label(policy: Policy, counted: Sequence[Verdict], outcome: Score) -> list[str]:
    """That a label or a flag alone fails the case, if the score reaches the threshold."""
    if policy.inverse or outcome.value < policy.passes_at - TOLERANCE:
        return []
    present = {v.label for v in counted}
    label = next((label for label in policy.fail_on if label in present), None)
    if label:
        return [f"It still fails: a statement has the label {label}."]
    flags = {flag for v in counted for flag in v.flags}
    flag = next((flag for flag in policy.fail_on_flags if flag in flags), None)
    return [f"It still fails: a statement has the flag {flag}."] if flag else []


def _quoted(statement: str) -> str:
    """A statement in quotes, as the end of a sentence."""
    text = clip(statement, 160)
    return f"“{text}”" if text.endswith((".", "!", "?", "…", "。")) else f"“{text}”."


def _counts(policy: Policy, judged: Sequence[Verdict]) -> str:
    """How many statements got which label: ``2 of 4 statements supported (2 contradicted)``."""
    counts: Counter[str] = Counter(v.label or "unverified" for v in judged)
    names = [name for name in (*SCORED[1:], "unverified") if counts[name]]
    others = ", ".join(f"{counts[name]} {name.replace('_', ' ')}" for name in names)
    others = f" ({others})" if others else ""
    supported, total = counts["supported"], len(judged)
    if policy.headline == "made_up":
        return f"{total - supported} of {total} statements made up{others}, {supported} supported"
    return f"{supported} of {total} statements supported{others}"


def ratings_reason(
    policy: Policy, ratings: Mapping[str, float], outcome: Score, suggestions: Sequence[str]
) -> str:
    """Why a rated case has its score: the capped ratings, the threshold, and suggestions."""
    rated = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in ratings.items())
    parts = [f"{rated}: {_against_threshold(policy, outcome)}".capitalize(), *_caps(outcome)]
    if suggestions:
        advice = "; ".join(clip(suggestion, 160).rstrip(".") for suggestion in suggestions)
        parts.append(f"Suggestions: {advice}.")
    return " ".join(parts)


def _against_threshold(policy: Policy, outcome: Score) -> str:
    """The score beside the threshold: ``score 0.50 < threshold 0.8.``"""
    value = 1.0 - outcome.value if policy.inverse else outcome.value
    reached = value >= policy.passes_at - TOLERANCE
    shown = f"{value:.2f}"
    if not reached and float(shown) >= policy.passes_at:
        shown = f"{value:.6g}"  # rounded, it would seem to reach the threshold
    line = f"score {shown} {'>=' if reached else '<'} threshold {policy.passes_at:g}."
    if not policy.inverse:
        return line
    return f"{line} Inverted score {outcome.value:.2f}: {'fails' if reached else 'passes'}."


def _caps(outcome: Score) -> list[str]:
    return [
        f"Score capped at {cap.ceiling:g}: {cap.finding.replace('_', ' ')}."
        for cap in outcome.score_caps
    ]
