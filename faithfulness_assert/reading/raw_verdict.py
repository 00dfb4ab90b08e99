"""What reading returns: verdicts as the judge wrote them, not yet matched with statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from ..records.model import Label


class RawVerdict(NamedTuple):
    """One entry of a reply.

    Args:
        id: the statement's (or sentence's) number in the reply; None if it gives none.
        statement: the statement or claim that the entry repeats, else "".
        label: None if the entry's word is not a valid label, or if the entry contradicts itself.
        evidence: the numbers that it points at, unchecked.
        reason: why, in the judge's words.
        quote: context text that it cites instead of numbers, one quote per line.
        line: in a numbered list of plain text, the whole item if it is more than a label, else "".
            An item that equals its statement only repeats it, whatever word it ends with.
    """

    id: int | None
    statement: str = ""
    label: Label | None = None
    evidence: tuple[int, ...] = ()
    reason: str = ""
    quote: str = ""
    line: str = ""


class Reading(NamedTuple):
    """All entries of a reply in order, and the form they were in.

    The form is JSON that conforms to its ``schema`` to the letter, other valid ``json``,
    ``repaired`` JSON, or ``text``.
    """

    verdicts: tuple[RawVerdict, ...]
    form: Literal["schema", "json", "repaired", "text"]
