"""Replies that list claims or truths under the numbers of what was asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..reading import read_claims
from ..reading.reconcile import shift
from ..records.errors import UnreadableReply
from .outcomes import usable_text

if TYPE_CHECKING:
    from ..records.ask import Outcome
    from .state import Job

CLAIMS_PER_SENTENCE = 20

Entries = list[tuple[int | None, str]]
"""Claims (or truths) with the numbers of what they belong to; None where a reply gives none."""


def read_entries(job: Job, outcome: Outcome) -> tuple[Entries, list[str]]:
    """The entries of a reply, and the texts whose numbers cannot be trusted or were not asked.

    An item that is said to have no claims has an empty text.

    Raises:
        JudgeError: the reply cannot be used or read.
    """
    said = read_claims(usable_text(outcome))
    added = shift({number for number, _ in said if number is not None}, job.ask.ids)
    entries: Entries = []
    astray: list[str] = []
    for number, text in said:
        if number is None:
            entries.append((None, text))
        elif added is not None and number + added in job.ask.ids:
            entries.append((number + added, text))
        else:
            astray.append(text)
    return entries, astray


def check_count(claims: int, sentences: int) -> None:
    """Raises ``UnreadableReply`` for more claims than so many sentences can make."""
    if claims > CLAIMS_PER_SENTENCE * sentences:
        raise UnreadableReply(f"{claims} claims for {sentences} sentences are too many")
