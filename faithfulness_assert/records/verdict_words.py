"""Verdicts in words, the same for every way to show a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Label, Verdict

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
    notes = [lowered.replace("_", " "), problem, shown]
    repeat = f"repeats {verdict.repeat_of}" if verdict.repeat_of else ""
    return ", ".join(part for part in (words, *notes, repeat) if part)


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
