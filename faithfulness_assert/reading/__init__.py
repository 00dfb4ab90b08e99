"""A judge's reply becomes raw verdicts, claims (or truths), ratings or a reason, or an error that says why not. No verdict is ever guessed.

In this order: JSON as it stands or in its dresses, nearly JSON, the legacy text forms; and only where none of them holds a verdict,
the wording of a refusal. Whether the verdicts fit the statements is not asked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..records.errors import UnreadableReply
from ..text.strings import clean_text
from .json_values import (
    Found,
    close_lists,
    find_values,
    looks_like_json,
    repair,
    unwrap,
    without_thinking,
)
from .json_verdicts import NEGATIVE, entries, lost
from .labels import parse_label
from .raw_verdict import RawVerdict, Reading
from .retraction import is_retracted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records.model import Label

__all__ = [
    "RawVerdict",
    "Reading",
    "parse_label",
    "read",
    "read_claims",
    "read_ratings",
    "read_reason",
]


def read(text: str, labels: Mapping[str, Label] | None = None) -> Reading:
    """The verdicts of a reply, in its order and with its own numbers.

    Args:
        text: what the judge said.
        labels: a policy's own words (see :func:`parse_label`).

    Raises:
        UnreadableReply: no verdict can be read (kind ``unreadable``), or the judge declined (kind ``refusal``).
        TypeError: ``text`` is no string.
    """
    said = _said(text, "read")
    found = find_values(said)
    if verdicts := entries(found, labels):
        if lost(found):
            raise UnreadableReply("a part of the judge's JSON is broken, and verdicts stand in it")
        return _stands(Reading(verdicts, "json"), found)
    if mended := entries(Found(repair(found.broken), found.around, ()), labels):
        return _stands(Reading(mended, "repaired"), found)
    if (closed := close_lists(said)) != said:
        found = find_values(closed)
        if (verdicts := entries(found, labels)) and not lost(found):
            return _stands(Reading(verdicts, "repaired"), found)
    from .text_verdicts import (
        read_text,  # its patterns take longer to compile than a good reply takes to read
    )

    if not looks_like_json(said) and (verdicts := read_text(said, labels)):
        return Reading(verdicts, "text")
    raise _unread(said, "verdict")


def read_claims(text: str) -> tuple[tuple[int | None, str], ...]:
    """The claims of a reply as ``(sentence number or None, claim)``; () where it says that there are none. Truths are read the same.

    A sentence that is said to claim nothing has an empty claim.

    Raises:
        UnreadableReply: no list of claims can be read (kind ``unreadable``), or the judge declined (kind ``refusal``).
        TypeError: ``text`` is no string.
    """
    from .claim_lists import claims_in_json, claims_in_text
    from .refusal import is_refusal

    said = _said(text, "read_claims")
    claims = claims_in_json(find_values(said))
    if claims is None and not is_refusal(said):
        claims = claims_in_text(said) or None
    if claims is None:
        raise _unread(said, "list of claims")
    return tuple(claims)


def read_ratings(text: str, names: Sequence[str]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratings of a reply for these dimensions, as they stand there, and its suggestions. A rating that is no number is left out.

    Raises:
        UnreadableReply: no rating can be read (kind ``unreadable``), or the judge declined (kind ``refusal``).
        TypeError: ``text`` is no string.
    """
    from .rating_values import ratings_in, suggestions_in

    said = _said(text, "read_ratings")
    found = find_values(said)
    ratings = ratings_in(found, names)
    if not ratings:
        raise _unread(said, "rating")
    return ratings, suggestions_in(found)


def read_reason(text: str) -> str:
    """The reason that a reply gives for a score.

    Raises:
        UnreadableReply: there is none (kind ``unreadable``), or the judge declined (kind ``refusal``).
        TypeError: ``text`` is no string.
    """
    from .rating_values import reason_in
    from .refusal import is_refusal

    said = _said(text, "read_reason")
    if is_refusal(said):
        raise _unread(said, "reason")
    return reason_in(said)


def _stands(reading: Reading, found: Found) -> Reading:
    """``reading``, unless the prose around its JSON takes it back."""
    if is_retracted(
        found.around,
        positive=any(entry.label not in (None, *NEGATIVE) for entry in reading.verdicts),
    ):
        raise UnreadableReply("the judge's words around its JSON quote it, take it back or decline")
    return reading


def _said(text: str, reader: str) -> str:
    """What the judge said, without what it thought."""
    if not isinstance(text, str):
        raise TypeError(f"{reader}: text must be a string, got {type(text).__name__}")
    return without_thinking(unwrap(clean_text(text))).strip()


def _unread(said: str, wanted: str) -> UnreadableReply:
    from .refusal import is_refusal

    if is_refusal(said):
        return UnreadableReply("the judge declined to answer", "refusal", retryable=False)
    if not said:
        return UnreadableReply("the judge's reply is empty, or holds nothing but its thinking")
    if looks_like_json(said):
        return UnreadableReply(
            f"the judge's reply is JSON that holds no {wanted}, or that is broken or cut off"
        )
    return UnreadableReply(f"the judge's reply holds no {wanted}")
