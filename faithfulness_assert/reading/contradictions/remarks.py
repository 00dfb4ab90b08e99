"""Remarks: what a reply says about its verdicts beside them, and whether it contradicts them.

A summary ("overall_verdict": "contradicted"), a count ("num_unsupported": 1), a list of problems, a
score or a sentence may each say that some statement is not supported. A remark is explained if
the verdicts contain what it says. If it is not, the reply contradicts itself, and none of its
positive labels counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...records.model import Label
from . import polarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..raw_verdict import RawVerdict

    Labels = Mapping[str, Label] | None

FULL: frozenset[Label | None] = frozenset({"supported", "not_a_claim"})


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reply says beside its verdicts.

    Args:
        unsupported: at least so many statements are not supported.
        named: each of these is not supported.
        at_most: no more statements than this are supported.
        out_of: ``at_most`` counts only if there are so many statements; None: it always counts.
        only: no other statements than these are supported.
        worst: what these statements are at best. "partially_supported" explains only itself.
    """

    unsupported: int = 0
    named: frozenset[int] = frozenset()
    at_most: int | None = None
    out_of: int | None = None
    only: frozenset[int] | None = None
    worst: Label = "partially_supported"


SOME_UNSUPPORTED = Remark(unsupported=1)
NONE_SUPPORTED = Remark(unsupported=1, at_most=0)


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of the statements that a reply's verdicts are about, by what they are granted."""

    supported: frozenset[int]
    full: frozenset[int]
    full_or_partial: frozenset[int]
    negative: frozenset[int]
    negative_or_partial: frozenset[int]
    total: int

    @staticmethod
    def of(entries: Sequence[RawVerdict]) -> Tally:
        """The tally of the entries; of those that name a statement, if some do."""
        entries = [entry for entry in entries if entry.id is not None or entry.statement] or entries
        numbered = any(entry.id is not None for entry in entries)
        # Unnumbered verdicts count by position; among numbered ones they get negative numbers.
        numbers = [
            entry.id if entry.id is not None else -place if numbered else place
            for place, entry in enumerate(entries, 1)
        ]
        by_label: dict[Label | None, set[int]] = {}
        for number, entry in zip(numbers, entries, strict=True):
            by_label.setdefault(entry.label, set()).add(number)
        supported = frozenset(by_label.get("supported", ()))
        full = frozenset().union(*(by_label.get(label, ()) for label in FULL))
        negative = frozenset().union(*(by_label.get(label, ()) for label in polarity.NEGATIVE))
        partial = by_label.get("partially_supported", set())
        total = len(set(numbers))
        return Tally(supported, full, full | partial, negative, negative | partial, total)


def without_contradicted(
    entries: Sequence[RawVerdict], remarks: Iterable[Remark]
) -> tuple[RawVerdict, ...]:
    """The entries; without their positive labels if a remark contradicts the entries."""
    return without_positive(entries) if are_contradicted(entries, remarks) else tuple(entries)


def without_positive(entries: Sequence[RawVerdict]) -> tuple[RawVerdict, ...]:
    """The entries without their positive labels."""
    return tuple(
        entry if entry.label in polarity.NEGATIVE else entry._replace(label=None)
        for entry in entries
    )


def are_contradicted(entries: Sequence[RawVerdict], remarks: Iterable[Remark]) -> bool:
    """Whether the entries grant more than one of the remarks allows."""
    distinct = set(remarks)
    if not distinct:
        return False
    tally = Tally.of(entries)
    return any(_grants_more(tally, remark) for remark in distinct)


def _grants_more(tally: Tally, remark: Remark) -> bool:
    counts_partial = remark.worst == "contradicted" or remark.at_most == 0
    granted = tally.full_or_partial if counts_partial else tally.full
    if not granted.isdisjoint(remark.named):
        return True
    if remark.only is not None and not tally.supported <= remark.only:
        return True
    limited = remark.at_most is not None and remark.out_of in (None, tally.total)
    if limited and len(granted) > (remark.at_most or 0):
        return True
    partial_explains = remark.worst == "partially_supported"
    explaining = tally.negative_or_partial if partial_explains else tally.negative
    return bool(granted) and len(explaining) < remark.unsupported


def on_whole(label: Label | None) -> list[Remark]:
    """The remark that a verdict on the whole reply is; [] for a positive one."""
    return [] if label is None or label in FULL else [Remark(1, worst=label)]
