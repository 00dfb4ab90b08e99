"""Replies that list claims or truths under the numbers of what was asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..reading import read_claims
from ..reading.reconcile import trusted_shift
from ..records.errors import UnreadableReply
from .outcomes import usable_text

if TYPE_CHECKING:
    from ..records.ask import Outcome
    from .state import Job

CLAIMS_PER_SENTENCE = 20

Entries = list[tuple[int | None, str]]


def read_entries(job: Job, outcome: Outcome) -> Entries:
    """The claims (or truths) of a reply with their numbers; None where it gives no number.

    An item that is said to have none has an empty text.

    Raises:
        JudgeError: the reply cannot be used or read, or its numbers cannot be trusted.
    """
    entries = read_claims(usable_text(outcome))
    numbers = {number for number, _ in entries if number is not None}
    shift = trusted_shift(numbers, job.ask.ids)
    return [(None if number is None else number + shift, text) for number, text in entries]


def check_count(claims: int, sentences: int) -> None:
    """Raises ``UnreadableReply`` for more claims than so many sentences can make."""
    if claims > CLAIMS_PER_SENTENCE * sentences:
        raise UnreadableReply(f"{claims} claims for {sentences} sentences are too many")
