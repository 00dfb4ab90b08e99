"""What several say of one statement: only the label of more than half of all of them counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..records.model import Label


class Said(Protocol):
    """What one of them says: a verdict, or a finding."""

    @property
    def label(self) -> Label | None:
        """None where it says nothing that counts."""

    @property
    def evidence(self) -> tuple[object, ...]:
        """What it points at."""


AnySaid = TypeVar("AnySaid", bound=Said)


def majority(labels: Sequence[Label | None], of: int) -> Label | None:
    """The label that more than half of ``of`` voters give; None if there is none."""
    label, votes = Counter(labels).most_common(1)[0]
    return label if votes * 2 > of else None


def agreeing(said: Sequence[AnySaid], of: int) -> tuple[AnySaid, ...]:
    """What those say who give the label of the majority, first the one who names evidence."""
    label = majority([one.label for one in said], of)
    agree = (one for one in said if one.label == label)
    return () if label is None else tuple(sorted(agree, key=lambda one: not one.evidence))
