"""What a form of reply is read as: rows, and the rest of the reply, of which nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from ..records.model import Label

Form = Literal["schema", "json", "repaired", "text"]


class Row(NamedTuple):
    """One verdict of a reply.

    Args:
        number: the statement's (or sentence's) number in the reply; None if it gives none.
        label: None if its word is no label, or if it has several that differ.
        evidence: the numbers that it points at, unchecked.
        statement: the statement or claim that it repeats, else "".
        quote: context text that it cites instead of numbers, one quote on each line.
        reason: why, in the judge's words; in plain text, what stands beside the label.
        residue: everything else that stands in the row, such as keys that were not asked for.
        line: the whole line, if the row is one of plain text. A line that equals its statement
            only repeats it, whatever word it begins with.
    """

    number: int | None
    label: Label | None = None
    evidence: tuple[int, ...] = ()
    statement: str = ""
    quote: str = ""
    reason: str = ""
    residue: tuple[str, ...] = ()
    line: str = ""


class Reading(NamedTuple):
    """A reply as rows in their order, the residue that stands in no row, and its form.

    The form is JSON that is exactly what was asked for (``schema``), other ``json``, ``repaired``
    JSON, or ``text``.
    """

    rows: tuple[Row, ...]
    residue: tuple[str, ...] = ()
    form: Form = "text"
