"""What a form of reply is read as: rows, and the rest of the reply, of which nothing is lost."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..records.model import Label

Form = Literal["schema", "json", "repaired", "text"]

UNPLACED = 0
"""The number of a row whose number cannot be read, such as "both": no statement has it."""


class Row(NamedTuple):
    """One verdict of a reply."""

    number: int | None  # the statement's (or sentence's) in the reply; None if it gives none
    label: Label | None = None  # None if its word is no label, or if it has several that differ
    evidence: tuple[int, ...] = ()  # the numbers that it points at, unchecked
    statement: str = ""  # the statement or claim that it repeats
    quote: str = ""  # context text that it cites instead of numbers, one quote on each line
    reason: str = ""  # why, in the judge's words; in plain text, what stands beside the label
    residue: tuple[str, ...] = ()  # all else in the row, such as keys that were not asked for
    # The whole line, if the row is one of plain text. A line that equals its statement only repeats
    # it, whatever word it begins with.
    line: str = ""
    confidence: float | None = None  # how probable it says that its label is, from 0 to 1


Said = list[Row | str]
"""What a reply says: its rows, and its residue as texts."""


def has_rows(said: Said) -> bool:
    """Whether a reply has rows at all."""
    return any(isinstance(part, Row) for part in said)


class Reading(NamedTuple):
    """A reply as rows in their order, the residue that stands in no row, and its form.

    The form is JSON that is exactly what was asked for (``schema``), other ``json``, ``repaired``
    JSON, or ``text``.
    """

    rows: tuple[Row, ...]
    residue: tuple[str, ...] = ()
    form: Form = "text"
