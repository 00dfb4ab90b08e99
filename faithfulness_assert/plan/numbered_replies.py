"""Replies that list claims or truths under the numbers of what was asked about."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ..reading.full_reader import read_claims
from ..reading.reconcile import shift
from ..records.errors import UnreadableReply
from ..text.shared_words import words_that_count
from .outcomes import usable_text

if TYPE_CHECKING:
    from ..records.ask import Numbered, Outcome
    from .state import Job

CLAIMS_PER_SENTENCE = 20

Entries = list[tuple[int | None, str]]
"""Claims (or truths) with the numbers of what they belong to; None where a reply gives none."""


def read_entries(job: Job, outcome: Outcome) -> tuple[Entries, list[str]]:
    """The entries of a reply, and the texts whose numbers cannot be trusted.

    A number next to those that were asked makes all of them doubtful: the judge may count claims.
    An item that is said to have no claims has an empty text.

    Raises:
        JudgeError: the reply cannot be used or read.
    """
    said = read_claims(usable_text(outcome))
    asked = job.ask.ids
    numbers = {number for number, _ in said if number is not None}
    added = shift(numbers, asked)
    beside = set() if added else {min(asked) - 1, max(asked) + 1}
    if added is None or not numbers.isdisjoint(beside):
        loose: Entries = [(None, text) for number, text in said if number is None]
        return loose, [text for number, text in said if number is not None]
    entries = [(None if n is None else n + added, text) for n, text in said]
    own = [(n, text) for n, text in entries if n is None or n in asked]
    return own, [text for n, text in entries if n is not None and n not in asked]


def is_chatter(entries: Entries, asked: Numbered) -> bool:
    """Whether no entry shares a word with what was asked about: "Sure, here they are."

    Words for what was asked about are not shared ones: "All statements look fine to me."
    """
    own = {word for _, text in asked for word in words_that_count(text)}
    said = (words_that_count(text) - _meta_words() for _, text in entries)
    return bool(own) and all(own.isdisjoint(words) for words in said)


@cache
def _meta_words() -> frozenset[str]:
    return words_that_count("statements claims sentences answers facts truths passages contexts")


def check_count(claims: int, sentences: int) -> None:
    """Raises ``UnreadableReply`` for more claims than so many sentences can make."""
    if claims > CLAIMS_PER_SENTENCE * sentences:
        raise UnreadableReply(f"{claims} claims for {sentences} sentences are too many")
