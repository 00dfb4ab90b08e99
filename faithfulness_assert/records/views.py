"""A result as people and other programs read it: in a terminal, in a notebook, in promptfoo.

Each way shows verdicts in the same words, and no control character of any text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..text.strings import clip, one_line, visible
from .errors import ConfigError
from .model import (
    EVIDENCE_FLAGS,
    MARKED,
    NUMBER_FLAG,
    SET_ASIDE,
    VERBATIM_FLAG,
    Evidence,
    Label,
    Verdict,
)

if TYPE_CHECKING:
    from .result import GradingResult

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

UNVERIFIED = "unverified: "
FLAG_WORDS = {
    "no_such_evidence": "the judge points at context that it was not shown",
    "no_such_quote": "the judge quotes what the context does not contain",
    NUMBER_FLAG: "a number or unit that is nowhere in the context",
    VERBATIM_FLAG: "the context has this word for word: check the judge",
    SET_ASIDE: "set aside by the judge, but it claims something",
    MARKED: "the judge marks words of it as not supported",
    "lowered": "lowered from supported, because its evidence does not hold",
}


def in_words(verdict: Verdict) -> str:
    """A verdict's label in words, with what is wrong with its evidence.

    One without a valid label is "unverified", with the reason. Where the judge was shown only a
    part of the context with what it does not support, that is said too.
    """
    label, flags = verdict.label, verdict.flags
    why = FLAG_WORDS[SET_ASIDE] if SET_ASIDE in flags else f"{verdict.unresolved} verdict"
    in_part = verdict.shown < 1 and not verdict.is_fine
    parts = (
        label.replace("_", " ") if label else f"{UNVERIFIED}{why}",
        "lowered from supported" if "lowered" in flags else "",
        doubt(verdict),
        FLAG_WORDS[VERBATIM_FLAG] if VERBATIM_FLAG in flags else "",
        f"{percent(verdict.shown)} of the context shown" if in_part else "",
        f"repeats {verdict.repeat_of}" if verdict.repeat_of else "",
    )
    return ", ".join(filter(None, parts))


def lost_points(result: GradingResult) -> str:
    """The first statement that is not supported, in words, and how many more; "" if all are."""
    wrong = result.problems()
    more = f" (and {len(wrong) - 1:,} more)" if wrong[1:] else ""
    return f"{in_words(wrong[0])}: “{clip(wrong[0].statement)}”{more}" if wrong else ""


def doubt(verdict: Verdict) -> str:
    """What is wrong with the evidence that the judge named for a verdict, or which numbers of what
    passes or was set aside the context lacks; "" if nothing is.
    """
    problems = [FLAG_WORDS[flag] for flag in EVIDENCE_FLAGS if flag in verdict.flags]
    if "lowered" in verdict.flags and not problems:
        problems = ["the judge names no evidence"]
    if NUMBER_FLAG in verdict.flags:
        problems.append(f"nowhere in the context: {_quoted(verdict)}")
    return ", ".join(problems)


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


# ---------------------------------------------------------------- a terminal


def terminal_view(result: GradingResult) -> str:
    """The result without control characters, whatever the texts contain."""
    return "\n".join(visible(line.replace("\n", " ")) for line in _terminal_lines(result))


def _terminal_lines(result: GradingResult) -> Iterator[str]:
    score = "undefined" if result.score is None else f"{result.score:.2f}"
    graded = f"{result.outcome}  score {score}  threshold {result.threshold:.2f}  [{result.status}]"
    yield f"{graded}  policy {result.policy}, judge {result.judge}"
    yield f"  {visible(result.short_reason)}"
    if "calculation" in result.metadata and result.defined:
        yield f"  = {result.metadata['calculation']}"
    for verdict in result.verdicts:
        if verdict.label is None and result.error:
            continue  # nothing is known of it
        statement = visible(clip(verdict.statement))
        yield f"  {MARKS[verdict.label]} {verdict.id}. {statement}  [{in_words(verdict)}]"
        if wrong := wrong_in_words(verdict):
            yield f"       {visible(wrong)}"
        if verdict.reason:
            yield f"       judge: {visible(clip(verdict.reason))}"
        for evidence in verdict.evidence:
            yield f"       {visible(_cited(evidence))}"
    for name, capped, given in result.ratings():
        note = f" (the judge: {given:g})" if given != capped else ""
        yield f"  {name.replace('_', ' ')} {capped:g}{note}"
    for suggestion in result.metadata.get("suggestions", ()):
        yield f"  > {visible(clip(str(suggestion)))}"
    if audit := result.citations:
        invalid, uncited = audit.invalid_citations, audit.uncited_claim_count
        noted = [f"not there: {', '.join(invalid)}"] if invalid else []
        noted += [f"sentences without one: {uncited}"] if uncited else []
        yield f"  citations: {visible(clip('; '.join(noted) or 'nothing to note'))}"
    yield from (f"  - skipped {s.start}-{s.end}: {visible(s.reason)}" for s in result.skipped)
    yield from (f"  ! {visible(warning)}" for warning in result.warnings)


def _cited(evidence: Evidence) -> str:
    """A sentence of the context, and where it stands."""
    return f"passage {evidence.passage}: {clip(evidence.text)}"


# ---------------------------------------------------------------- a notebook
# What a terminal shows, as HTML. Its classes keep MathJax from reading texts as formulas.

MAX_NAME = 60
_OPEN = '<div class="tex2jax_ignore mathjax_ignore"><pre style="white-space:pre-wrap">'


def notebook_view(result: GradingResult) -> str:
    """The result as HTML, below its name."""
    from html import escape  # no promptfoo assertion needs it

    name = [clip(result.case_id, MAX_NAME)] if result.case_id else []
    text = "\n".join([*map(visible, name), terminal_view(result)])
    return f"{_OPEN}{escape(text)}</pre></div>"


# ---------------------------------------------------------------- promptfoo
# promptfoo counts each component as an assertion that passed or failed, in its totals and in each
# cell of its viewer. Whoever does not want that asks for none: what is wrong stands in
# ``metadata.graderOutputs`` in any case, which the viewer shows below the reason.

Components = Literal["problems", "all", "none"]
MAX_SHOWN = 20
SETUP = "setup: "
"""Begins a warning about the assertion itself: ``afterAll`` tells each once."""


def check_components(name: str, components: object) -> None:
    """Raises ``ConfigError``, which calls them ``name``, unless they are ``Components``."""
    if components not in get_args(Components):
        allowed = ", ".join(get_args(Components))
        raise ConfigError(f"{name}: must be one of {allowed}, got {components!r}")


def promptfoo_view(result: GradingResult, components: Components) -> dict[str, Any]:
    """The result in camelCase, with nothing null among its components.

    promptfoo needs a number: a result without a score has 0 there, and fails.

    Raises:
        ConfigError: unknown ``components``.
    """
    check_components("components", components)
    usage = result.tokens_used
    # Statements that are not supported, or whose evidence is wrong. promptfoo would count each that
    # was never judged as a failed assertion.
    wrong = [v for v in result.verdicts if v.flags or not (v.is_fine or v.repeat_of)]
    wrong = [] if result.error else wrong
    lines = []
    for verdict in wrong[:MAX_SHOWN]:  # one that is not made up begins with another word
        head = "" if verdict.label else UNVERIFIED
        head = "check: " if verdict.is_fine else head
        reason = clip(_reason(verdict).removeprefix(UNVERIFIED), 300)
        lines.append(visible(f"{head}“{clip(verdict.statement, 300)}” ({reason})"))
    if len(wrong) > MAX_SHOWN:
        lines.append(f"… and {len(wrong) - MAX_SHOWN:,} more")
    shown: Sequence[Verdict] = wrong[:MAX_SHOWN] if components == "problems" else ()
    if components == "all" and not result.error:
        shown = result.verdicts
    optional = {
        "skipped": [asdict(span) for span in result.skipped] or None,
        "citations": asdict(result.citations) if result.citations else None,
        "error": asdict(result.error) if result.error else None,
        "cost": result.cost,
        "graderOutputs": {"statements": "\n".join(lines)} if lines else None,
    }
    return {
        "pass": result.pass_,
        "score": result.score or 0.0,
        "reason": visible(one_line(result.short_reason)),
        "namedScores": dict(result.named_scores),
        "tokensUsed": {
            "total": usage.total,
            "prompt": usage.prompt,
            "completion": usage.completion,
            "cached": usage.cached,
            "numRequests": usage.num_requests,
        },
        "metadata": {
            **result.metadata,
            "status": result.status,
            "defined": result.defined,
            "passed": result.pass_,
            "policy": result.policy,
            "judge": result.judge,
            "threshold": result.threshold,
            "counts": dict(result.counts),
            "coverage": result.coverage,
            **{name: value for name, value in optional.items() if value is not None},
        },
        "componentResults": [
            {
                "pass": verdict.is_fine,
                "score": 1.0 if verdict.is_fine else 0.5 * (verdict.label == "partially_supported"),
                "reason": visible(one_line(_reason(verdict))),
                "assertion": {"type": "python", "value": visible(clip(verdict.statement, 500))},
            }
            for verdict in shown
        ],
    }


def _reason(verdict: Verdict) -> str:
    """Label, reason and evidence of a verdict."""
    cited = " | ".join(map(_cited, verdict.evidence))
    parts = (
        in_words(verdict),
        wrong_in_words(verdict),
        verdict.reason and f"judge: {verdict.reason.rstrip(' .')}",
        cited and f"evidence: {cited}",
    )
    return "; ".join(part for part in parts if part)
