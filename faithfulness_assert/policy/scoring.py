"""The only scorer: verdicts or ratings become a score in [0, 1].

What a result says of its score stands here too: the reason, and what people can do where there is
no score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..records.model import CitationAudit, ErrorKind, Label, Status, Verdict
from ..records.views import doubt, in_words
from ..text.strings import clip
from .policy import Policy
from .values import SCORED, TOLERANCE, ScoreCap

OVERALL_DIGITS = 3


class Score(NamedTuple):
    """A score and how it was calculated.

    Args:
        value: the score, in [0, 1].
        raw: the score before score caps, ``all_or_nothing`` and ``inverse``, in [0, 1].
        calculation: all of it, in one line.
        score_caps: the caps that lowered the score.
    """

    value: float
    raw: float
    calculation: str
    score_caps: tuple[ScoreCap, ...] = ()


def score(
    policy: Policy, verdicts: Sequence[Verdict], audit: CitationAudit | None = None
) -> Score | None:
    """The mean weight of the statements that count, limited to [0, 1]; None if none counts.

    ``not_a_claim`` does not count, nor do exact repeats under ``dedupe``. An unresolved statement
    counts as if nothing supported it, and never for more than 0 (under ``inverse`` for the greatest
    weight): what is not known never helps to pass.

    The calculation is such as ``(2 × 1 + 1 × 0.5 - 1) / 4 = 0.375``: what a label with a negative
    weight takes off is one number.
    """
    distinct = [v for v in verdicts if v.repeat_of is None or not policy.dedupe]
    labels: list[Label | None] = [v.label for v in distinct if v.label != "not_a_claim"]
    if not labels:
        return None
    unresolved = min(0.0, policy.weights.get("not_enough_info", 0.0))
    if policy.inverse:
        unresolved = max(policy.weights.values())
    weights = [unresolved if label is None else policy.weights[label] for label in labels]
    mean = math.fsum(weights) / len(weights)
    terms = ""
    for label in (*policy.judged, None):
        weight, count = policy.weights[label] if label else unresolved, labels.count(label)
        if weight > 0 and count:
            terms += f" + {count} × {weight:g}"
        elif weight < 0 and count:
            terms += f" - {count * -weight:g}"
    terms = terms.strip().removeprefix("+ ") or "0"
    raw = _limited(mean)
    caps = _caps(policy, raw, audit) if audit else ()
    capped = min([raw, *(cap.ceiling for cap in caps)])
    return _scored(policy, f"({terms}) / {len(labels)}", mean, capped, caps)


def overall(
    policy: Policy, ratings: Mapping[str, float], audit: CitationAudit | None = None
) -> tuple[Score, dict[str, float]]:
    """The weighted sum of the ratings, to 3 places, and the ratings after the score caps.

    The caps apply to faithfulness only. The calculation is such as ``0.35 × 0.9 + 0.25 × 0.8 + ...
    = 0.845``, with the ratings before the caps.

    Args:
        ratings: a number in [0, 1] for each of the policy's dimensions.
    """
    faithfulness = ratings["faithfulness"]
    caps = _caps(policy, faithfulness, audit) if audit else ()
    capped = min([faithfulness, *(cap.ceiling for cap in caps)])
    after_caps = {**ratings, "faithfulness": capped}
    sums = []
    for rated in (ratings, after_caps):
        total = 0.0  # in plain order, as MASIS adds it: `sum` would round some ties otherwise
        for name, share in policy.dimensions.items():
            total += share * rated[name]
        sums.append(round(total, OVERALL_DIGITS))
    shares = policy.dimensions.items()
    terms = " + ".join(f"{share:g} × {ratings[name]:g}" for name, share in shares)
    return _scored(policy, terms, sums[0], _limited(sums[1]), caps), after_caps


def _caps(policy: Policy, value: float, audit: CitationAudit) -> tuple[ScoreCap, ...]:
    """The caps that lower a value."""
    if policy.citations != "enforce":
        return ()
    findings = {
        "invalid_citations": len(audit.invalid_citations),
        "hallucination": int(audit.hallucination_detected),
        "uncited": audit.uncited_claim_count,
    }
    lower = (cap for cap in policy.score_caps if cap.ceiling < value)
    return tuple(cap for cap in lower if findings[cap.finding] >= cap.at_least)


def _limited(value: float) -> float:
    # Weights are finite by construction. min and max would turn a NaN into 1.0.
    if not math.isfinite(value):
        raise ValueError("a score must be finite")
    return max(0.0, min(1.0, value))


def _scored(
    policy: Policy, terms: str, mean: float, capped: float, caps: tuple[ScoreCap, ...]
) -> Score:
    """The score that a policy makes of a value under the caps, with its calculation.

    Args:
        terms, mean: what was added up, and what it came to.
    """
    raw, is_whole = _limited(mean), capped >= 1.0 - TOLERANCE
    value = 0.0 if policy.all_or_nothing and not is_whole else capped
    value = 1.0 - value if policy.inverse else value
    line = f"{terms} = {mean:.4g}"
    if raw != mean:
        line += f", limited to {raw:g}"
    line += "".join(f"; {cap.finding} ≤ {cap.ceiling:g}" for cap in caps)
    if caps and not policy.inverse:
        line += f": {value:.4g}"
    if policy.all_or_nothing and 0 < raw < 1 - TOLERANCE:
        line += "; all or nothing: 0"
    if policy.inverse:
        line += f"; 1 - score = {value:.4g}"
    return Score(value, raw, line, caps)


def passes(policy: Policy, value: float, verdicts: Sequence[Verdict]) -> bool:
    """Whether a score passes.

    It must reach ``policy.passes_at`` (tolerance 1e-9), and no statement may have a label of
    ``fail_on``, where an unresolved statement counts as ``not_enough_info``, nor a flag of
    ``fail_on_flags``. Under ``inverse``, the score before the inversion must not reach it, as in
    promptfoo; labels then fail nothing.
    """
    if policy.inverse:
        return 1.0 - value < policy.passes_at - TOLERANCE
    labels = {verdict.label or "not_enough_info" for verdict in verdicts}
    flags = {flag for verdict in verdicts for flag in verdict.flags}
    is_free = labels.isdisjoint(policy.fail_on) and flags.isdisjoint(policy.fail_on_flags)
    return value >= policy.passes_at - TOLERANCE and is_free


def on_unit_scale(ratings: Mapping[str, float]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratings in [0, 1], and a warning for each that was changed.

    Each rating above 1 is out of 100, as in MASIS. One that is then still out of range is set to
    the nearer end of [0, 1].
    """
    used: dict[str, float] = {}
    warnings = []
    for name, given in ratings.items():
        used[name] = min(max(given / 100 if given > 1 else given, 0.0), 1.0)
        if used[name] != given:
            why = (
                "; ratings above 1 are out of 100, so" if given > 1 else ", which is out of range;"
            )
            warnings.append(f"the judge rated {name} {given:g}{why} {used[name]:g} was used")
    return used, tuple(warnings)


# ---------------------------------------------------------------- the reason

MAX_NAMED = 3
"""Statements that lost points which a reason quotes."""
CHECK = "Check statement "
"""How a warning begins that is about the evidence of a statement, or its numbers."""
MAX_IDS = 10
"""Statements that warnings name."""

NOT_GRADED = "Not graded"
"""How the reason of every grader error begins; its message says the rest."""
HEADS: dict[Status, str] = {
    "no_statements": "Nothing to check",
    "abstained": "Nothing to check",
    "no_context": "No context",
}
"""How the reason begins where there is nothing to grade. All other cases are not graded."""
WHOLE: dict[Status, str] = {
    "abstained": "The answer only declines to answer: what it names is not checked.",
    "no_context": "The context is empty: retrieval found nothing, so nothing can back the answer.",
}
"""The reason where no more is known."""
TO_ACCEPT = 'Where that is right, set endings to {"abstained": "pass"}.'

FIXES: dict[ErrorKind, str] = {
    "refusal": "Try another judge model, or give it guidance on what the texts are.",
    "content_filter": "Loosen the provider's filter for evaluations, or try another judge model.",
    "truncated": "Raise max_tokens, ask for less thinking (reasoning_effort), or grade in parts.",
    "unreadable": "Ask again, or try another judge model.",
    "unreliable_judge": "Try another judge model.",
    "transport": "Check base_url and the network.",
    "auth": "Check the API key.",
    "rate_limit": "Wait, or grade fewer cases at once (concurrency; promptfoo -j; pytest -n).",
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
        how many statements have which label, such as ``2 of 4 statements supported (2
        contradicted)``; the score beside the threshold, and what else decides; and the first
        problems, quoted.
    """
    judged = [v for v in counted if v.label != "not_a_claim"]
    labels: list[str] = [v.label or "unverified" for v in judged]
    counts = [(labels.count(name), name) for name in (*SCORED[1:], "unverified")]
    others = ", ".join(f"{count} {name.replace('_', ' ')}" for count, name in counts if count)
    others = f" ({others})" if others else ""
    supported, total = labels.count("supported"), len(judged)
    label_counts = f"{supported} of {total} statements supported{others}"
    if policy.headline == "made_up":
        made_up = total - supported
        label_counts = f"{made_up} of {total} statements made up{others}, {supported} supported"

    ending = _ending(policy, outcome)
    reaches = outcome.value >= policy.passes_at - TOLERANCE
    if not passed and reaches and not policy.inverse:  # a label or a flag alone fails the case
        given = {v.label for v in counted}
        flags = {flag for v in counted for flag in v.flags}
        failing = [f"label {label}" for label in policy.fail_on if label in given]
        failing += [f"flag {flag}" for flag in policy.fail_on_flags if flag in flags]
        if failing:
            ending += f" It still fails: a statement has the {failing[0]}."

    problems = [v for v in judged if v.label != "supported"]
    problems = problems or [v for v in judged if v.flags and not passed]
    details = []
    for verdict in problems[:MAX_NAMED]:
        text = clip(verdict.statement, 160)
        stop = "" if text.endswith((".", "!", "?", "…", "。")) else "."
        details.append(f"{in_words(verdict).capitalize()}: “{text}”{stop}")
    if len(problems) > MAX_NAMED:
        details.append(f"And {len(problems) - MAX_NAMED} more.")
    return label_counts, ending, " ".join([*details, *evidence_warnings(judged)])


def evidence_warnings(verdicts: Sequence[Verdict]) -> list[str]:
    """For which statements evidence or a number is wrong, and how."""
    doubts = ((v.id, doubt(v)) for v in verdicts if v.flags)
    return [f"{CHECK}{number}: {problem}." for number, problem in doubts if problem][:MAX_IDS]


def ratings_reason(
    policy: Policy, ratings: Mapping[str, float], outcome: Score, suggestions: Sequence[str]
) -> str:
    """Why a rated case has its score: the capped ratings, the threshold, and suggestions."""
    rated = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in ratings.items())
    reason = f"{rated.capitalize()}: {_ending(policy, outcome)}"
    if not suggestions:
        return reason
    advice = "; ".join(clip(suggestion, 160).rstrip(".") for suggestion in suggestions)
    return f"{reason} Suggestions: {advice}."


def _ending(policy: Policy, outcome: Score) -> str:
    """The score beside the threshold: ``score 0.50 < threshold 0.8.``, and what capped it."""
    value = 1.0 - outcome.value if policy.inverse else outcome.value
    reached = value >= policy.passes_at - TOLERANCE
    shown = f"{value:.2f}"
    if not reached and float(shown) >= policy.passes_at:
        shown = f"{value:.6g}"  # rounded, it would seem to reach the threshold
    line = f"score {shown} {'>=' if reached else '<'} threshold {policy.passes_at:g}."
    if policy.inverse:
        line += f" Inverted score {outcome.value:.2f}: {'fails' if reached else 'passes'}."
    for cap in outcome.score_caps:
        line += f" Score capped at {cap.ceiling:g}: {cap.finding.replace('_', ' ')}."
    return line
