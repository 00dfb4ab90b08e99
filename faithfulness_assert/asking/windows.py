"""What does not fit into one ask: windows over the context, chunks of the statements, and how findings of windows become one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..reading.reconcile import MISSING, Finding
from ..records.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..records.judge import Limits
    from ..records.model import Evidence, Label, Statement
    from .tokens import CountTokens

OVERLAP = (
    2  # sentences that two neighbouring windows share, so that evidence across a border is not lost
)
LINE_TOKENS = 3  # a line's number and its end

# A finding in one window beats those of other windows in this order; a context that is silent elsewhere takes nothing away.
STRENGTH: tuple[Label, ...] = (
    "supported",
    "partially_supported",
    "contradicted",
    "not_enough_info",
    "not_a_claim",
)


def context_share(room: int | None) -> int | None:
    """The part of the room that is the context's: two thirds. The rest is for statements."""
    return None if room is None else room * 2 // 3


def chunk(
    statements: Sequence[Statement], limits: Limits, room: int | None, count: CountTokens
) -> tuple[tuple[int, ...], ...]:
    """Statement numbers in groups that fit one ask: at most ``limits.statements`` each, and a third of the room.

    Raises:
        InputError: one statement alone is too long.
    """
    chunks: list[list[int]] = []
    used = 0
    for statement in statements:
        tokens = 0 if room is None else count(statement.text) + LINE_TOKENS
        if room is not None and tokens > room // 3:
            raise InputError(
                f"answer: statement {statement.id} has about {tokens:,} tokens, too many for max_prompt_tokens"
            )
        full = limits.statements is not None and chunks and len(chunks[-1]) >= limits.statements
        if not chunks or full or (room is not None and used + tokens > room // 3):
            chunks.append([])
            used = 0
        chunks[-1].append(statement.id)
        used += tokens
    return tuple(map(tuple, chunks))


def window(
    sentences: Sequence[Evidence], room: int | None, count: CountTokens
) -> tuple[range, ...]:
    """Ranges of sentence numbers that each fit into ``room`` tokens; one range where everything does."""
    everything = (range(1, len(sentences) + 1),)
    # A token has at least one byte, so what is short in bytes needs no counting.
    if room is None or sum(len(s.text.encode()) + LINE_TOKENS for s in sentences) <= room:
        return everything
    sizes = [count(s.text) + LINE_TOKENS for s in sentences]
    if sum(sizes) <= room:
        return everything
    found: list[range] = []
    start = 0
    while start < len(sizes):
        end, used = start + 1, sizes[start]
        while end < len(sizes) and used + sizes[end] <= room:
            used += sizes[end]
            end += 1
        found.append(range(start + 1, end + 1))
        start = end if end == len(sizes) else max(end - OVERLAP, start + 1)
    return tuple(found)


def in_conflict(findings: Sequence[Finding]) -> bool:
    """Whether one window supports what another contradicts."""
    labels = {finding.label for finding in findings}
    return {"supported", "contradicted"} <= labels


def merge(findings: Sequence[Finding]) -> Finding:
    """One finding from those of all windows: the strongest; an unresolved one counts only where no window supports."""
    if len(findings) < 2:
        return findings[0] if findings else MISSING
    if in_conflict(findings):
        return Finding(unresolved="duplicate")
    unresolved = next((f for f in findings if f.label is None), None)
    best = min(
        (f for f in findings if f.label),
        key=lambda f: STRENGTH.index(f.label) if f.label else 0,
        default=MISSING,
    )
    if best.label != "supported" and unresolved is not None:
        return unresolved
    evidence = tuple(
        dict.fromkeys(n for f in findings if f.label == best.label for n in f.evidence)
    )
    return replace(best, evidence=evidence)
