"""A result as plain text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.strings import clip, visible
from .verdict_words import MARKS, in_words, wrong_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import CitationAudit, Verdict
    from .result import GradingResult


def terminal_view(result: GradingResult) -> str:
    """The result without control characters, whatever the texts contain."""
    return "\n".join(visible(line.replace("\n", " ")) for line in _lines(result))


def _lines(result: GradingResult) -> Iterator[str]:
    yield _head(result)
    yield f"  {visible(result.short_reason)}"
    if "calculation" in result.metadata and result.defined:
        yield f"  = {result.metadata['calculation']}"
    for verdict in result.verdicts:
        yield from _verdict_lines(verdict)
    yield from _rating_lines(result)
    if result.citations is not None:
        yield f"  citations: {visible(clip(_audit(result.citations)))}"
    yield from (f"  - skipped {s.start}-{s.end}: {visible(s.reason)}" for s in result.skipped)
    yield from (f"  ! {visible(warning)}" for warning in result.warnings)


def _head(result: GradingResult) -> str:
    score = "undefined" if result.score is None else f"{result.score:.2f}"
    graded = f"{result.outcome}  score {score}  threshold {result.threshold:.2f}  [{result.status}]"
    return f"{graded}  policy {result.policy}, judge {result.judge}"


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    statement = visible(clip(verdict.statement))
    yield f"  {MARKS[verdict.label]} {verdict.id}. {statement}  [{in_words(verdict)}]"
    if wrong := wrong_in_words(verdict):
        yield f"       {visible(wrong)}"
    for evidence in verdict.evidence:
        yield f"       {evidence.passage}:{evidence.sentence} {visible(clip(evidence.text))}"


def _rating_lines(result: GradingResult) -> Iterator[str]:
    """The ratings of a rubric policy, beside the judge's own where they differ; suggestions."""
    for name, kept, given in result.ratings():
        note = f" (the judge: {given:g})" if given != kept else ""
        yield f"  {name.replace('_', ' ')} {kept:g}{note}"
    for suggestion in result.metadata.get("suggestions", ()):
        yield f"  > {visible(clip(str(suggestion)))}"


def _audit(audit: CitationAudit) -> str:
    invalid, uncited = audit.invalid_citations, audit.uncited_claim_count
    parts = [f"not there: {', '.join(invalid)}"] if invalid else []
    parts += [f"sentences without one: {uncited}"] if uncited else []
    return "; ".join(parts) or "nothing to note"
