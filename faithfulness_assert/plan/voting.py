"""What several say of one statement: only the label of more than half of all of them counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..records.model import Label


class Said(Protocol):
    """What one of them says: a verdict, or a finding."""

    @property
    def label(self) -> Label | None:
        """None where it says nothing that counts."""


AnySaid = TypeVar("AnySaid", bound=Said)
Vote = TypeVar("Vote")


def majority(votes: Sequence[Vote | None], of: int) -> Vote | None:
    """What more than half of ``of`` voters say; None if there is nothing."""
    said, times = Counter(votes).most_common(1)[0]
    return said if times * 2 > of else None


def who_said_what(said: Sequence[Said], of: int, who: str) -> str:
    """In words, what each of ``of`` voters said: "2 of 4 judges said supported, 2 contradicted"."""
    counts = Counter(one.label.replace("_", " ") for one in said if one.label)
    told = counts.most_common()
    if silent := of - counts.total():
        told.append(("nothing that counts", silent))
    (first, times), *others = told
    return ", ".join([f"{times} of {of} {who} said {first}", *(f"{n} {one}" for one, n in others)])


def agreeing(
    said: Sequence[AnySaid], of: int, proven: Callable[[AnySaid], bool]
) -> tuple[AnySaid, ...]:
    """What those say who give the label of the majority of ``of`` voters; () if there is none.

    ``proven``: whether one names evidence for it. First come those who do if more than half of all
    voters do, else those who do not: what needs evidence needs that of a majority, too.
    """
    label = majority([one.label for one in said], of)
    agree = [] if label is None else [one for one in said if one.label == label]
    mostly = sum(map(proven, agree)) * 2 > of
    return tuple(sorted(agree, key=lambda one: proven(one) != mostly))
