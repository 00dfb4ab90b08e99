"""How a server wants to be asked: servers differ in the parameters that they take.

The rule: what a server says it cannot do is not asked for again. ``Steps`` count, for each ladder, the steps taken down. They go one way
and have an end, so that asking differently has an end too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .complaint import Complaint

Steps = dict[str, int]


@dataclass(frozen=True, slots=True)
class Ladder:
    """A parameter that some servers do not take: how they name it, and what the user is told after each step down."""

    named: re.Pattern[str]
    notes: tuple[str, ...]


Ladders = dict[str, Ladder]


def step_down(ladders: Ladders, steps: Steps, complaint: Complaint, request: Callable[[Steps], Mapping[str, Any]]) -> Steps:
    """The steps after this complaint: one more where it names a parameter that was sent, else the same.

    Args:
        ladders: the parameters that may be left out or sent otherwise.
        steps: those taken so far.
        complaint: what the server said is wrong.
        request: the parameters that are sent after given steps.
    """
    if complaint.status not in (400, 404, 422, 500, 501) or complaint.too_long or complaint.filtered:
        return steps
    for text in (complaint.param, complaint.message):
        for name, ladder in ladders.items():
            if ladder.named.search(text) and steps[name] < len(ladder.notes):
                lower = {**steps, name: steps[name] + 1}
                if request(lower) != request(steps):
                    return lower
    return steps


def lowest(one: Steps, other: Steps) -> Steps:
    """All the steps down of both."""
    return {name: max(count, other[name]) for name, count in one.items()}


def notes(ladders: Ladders, steps: Steps) -> tuple[str, ...]:
    """What the user should know about these steps."""
    return tuple(ladders[name].notes[count - 1] for name, count in steps.items() if count)
