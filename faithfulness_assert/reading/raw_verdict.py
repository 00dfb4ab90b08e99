"""What reading yields: verdicts as the judge wrote them, before they meet any statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..records.model import Label


@dataclass(frozen=True, slots=True)
class RawVerdict:
    """One entry of a reply.

    Args:
        id: the statement's (or sentence's) number as the reply gave it; None where it gave none.
        statement: the statement or claim that the entry repeats, else "".
        label: None where the entry's word is no valid label, or contradicts itself.
        evidence: the numbers that it points at, unchecked.
        reason: why, in the judge's words.
        quote: context text that it cites instead of numbers, one quote a line.
        line: in a numbered list of plain text, the whole item where it holds more than a label, else "". An item that equals its
            statement only echoes it, whatever word it ends with.
    """

    id: int | None
    statement: str = ""
    label: Label | None = None
    evidence: tuple[int, ...] = ()
    reason: str = ""
    quote: str = ""
    line: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All entries of a reply in its order, and what had to be done to read them: ``json`` as it stood, ``repaired`` JSON, or ``text``."""

    verdicts: tuple[RawVerdict, ...]
    form: Literal["json", "repaired", "text"]
