"""Verdicts in words, the same for every way to show a result."""

from __future__ import annotations

from ..text.strings import clip
from .model import MARKED, NUMBER_FLAG, Label, Verdict

MAX_WORD = 40
MOST_WORDS = 5
"""Wrong words of a statement that are shown."""

MARKS: dict[Label | None, str] = {
    "supported": "+",
    "partially_supported": "~",
    "not_enough_info": "?",
    "contradicted": "x",
    "not_a_claim": " ",
    None: "!",
}


def in_words(verdict: Verdict) -> str:
    """A verdict's label in words, with what is wrong with its evidence.

    One without a valid label is "unverified", with the reason. Where the judge was shown only a
    part of the context with what it does not support, that is said too.
    """
    label = verdict.label
    words = label.replace("_", " ") if label else f"unverified: {verdict.unresolved} verdict"
    problem = evidence_problem(verdict)
    lowered = "lowered_from_supported" if "lowered" in verdict.flags else ""
    in_part = verdict.shown < 1 and not verdict.is_fine
    shown = f"{percent(verdict.shown)} of the context shown" if in_part else ""
    notes = [lowered.replace("_", " "), problem, absent_number(verdict), shown]
    repeat = f"repeats {verdict.repeat_of}" if verdict.repeat_of else ""
    return ", ".join(part for part in (words, *notes, repeat) if part)


def absent_number(verdict: Verdict) -> str:
    """Which numbers of a supported statement are nowhere in the context; "" if none is."""
    if NUMBER_FLAG not in verdict.flags:
        return ""
    return f"nowhere in the context: {_quoted(verdict)}"


def wrong_in_words(verdict: Verdict) -> str:
    """Which words the evidence of a statement lacks, and what it says; "" if none is known."""
    if not verdict.wrong or NUMBER_FLAG in verdict.flags:
        return ""
    says = f"; the context says “{clip(verdict.says, MAX_WORD)}”" if verdict.says else ""
    where = "not in the evidence" if verdict.evidence else "not in the context"
    where = "marked as not supported" if MARKED in verdict.flags else where
    return f"{where}: {_quoted(verdict)}{says}"


def _quoted(verdict: Verdict) -> str:
    words = [f"“{clip(word, MAX_WORD)}”" for word in verdict.wrong]
    return ", ".join([*words[:MOST_WORDS], *(["and more"] if len(words) > MOST_WORDS else [])])


def percent(share: float) -> str:
    """A share below 1 as a percentage of two digits, never as 100 %."""
    value = min(100 * share, 99.0)
    return f"{value:.0f} %" if value >= 10 else f"{value:.2g} %"


def evidence_problem(verdict: Verdict) -> str:
    """What is wrong with the evidence that the judge named for a verdict; "" if nothing is."""
    if "no_such_evidence" in verdict.flags:
        return "the judge points at context that it was not shown"
    if "no_such_quote" in verdict.flags:
        return "the judge quotes what the context does not contain"
    return "the judge names no evidence" if "lowered" in verdict.flags else ""
