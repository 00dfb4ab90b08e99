"""Remarks: what a reply says about its verdicts beside them, and whether it contradicts them.

A summary ("overall_verdict": "contradicted"), a count ("num_unsupported": 1), a list of problems, a
score or a sentence may each say that some statement is not supported. A remark is explained if
the verdicts contain what it says. If it is not, the reply contradicts itself, and none of its
positive labels counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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


def without_contradicted(
    entries: Sequence[RawVerdict], remarks: Iterable[Remark]
) -> tuple[RawVerdict, ...]:
    """The entries; without their positive labels if a remark contradicts the entries."""
    if not any(is_contradicted(entries, remark) for remark in set(remarks)):
        return tuple(entries)
    return without_positive(entries)


def without_positive(entries: Sequence[RawVerdict]) -> tuple[RawVerdict, ...]:
    """The entries without their positive labels."""
    return tuple(
        entry if entry.label in polarity.NEGATIVE else replace(entry, label=None)
        for entry in entries
    )


def is_contradicted(entries: Sequence[RawVerdict], remark: Remark) -> bool:
    """Whether the entries grant more than the remark allows."""
    named = [entry for entry in entries if entry.id is not None or entry.statement]
    entries = named or entries
    full = [entry for entry in entries if entry.label in FULL]
    partial = [entry for entry in entries if entry.label == "partially_supported"]
    negative = [entry for entry in entries if entry.label in polarity.NEGATIVE]
    none_partial = remark.worst == "contradicted" or remark.at_most == 0
    credited = [*full, *partial] if none_partial else full
    if any(entry.id in remark.named for entry in credited):
        return True
    if remark.only is not None and any(entry.id not in remark.only for entry in full):
        return True
    limited = remark.at_most is not None and remark.out_of in (None, _count(entries))
    if limited and _count(credited) > (remark.at_most or 0):
        return True
    explaining = [*negative, *partial] if remark.worst == "partially_supported" else negative
    return bool(credited) and _count(explaining) < remark.unsupported


def _count(entries: Sequence[RawVerdict]) -> int:
    """How many statements the entries are about. A number counts once."""
    unnumbered = sum(entry.id is None for entry in entries)
    return unnumbered + len({entry.id for entry in entries if entry.id is not None})


def on_whole(label: Label | None) -> list[Remark]:
    """The remark that a verdict on the whole reply is; [] for a positive one."""
    return [] if label is None or label in FULL else [Remark(1, worst=label)]
