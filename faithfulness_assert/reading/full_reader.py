"""Read a reply in any form that judges give it: verdicts, claims (or truths), ratings, a reason.

No verdict is ever guessed. The order: valid JSON, with or without prose around it; nearly valid
JSON; the older text forms; and only if none of them contains a verdict, the wording of a refusal.
Whether the verdicts fit the statements is checked in ``reconcile.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..records.errors import ContradictoryReply, UnreadableReply
from ..text.strings import clean_text, is_blank
from .contradictions.polarity import NEGATIVE
from .contradictions.remarks import are_contradicted, without_positive
from .json_fixes import close_lists, repair
from .json_replies.json_keys import WORD_KEYS
from .json_replies.json_verdicts import entries, lost
from .json_values import ReplyParts, find_values, looks_like_json, unwrap
from .raw_verdict import Reading
from .retraction import is_quoted_list, is_retracted
from .thinking import without_thinking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records.model import Label


def read_verdicts_in(text: str, labels: Mapping[str, Label] | None = None) -> Reading:
    """The verdicts of a reply; see ``faithfulness_assert.reading.read``."""
    reply = _answer_in(text, "read")
    reading = _read_json(reply, labels)
    if reading is not None:
        return reading
    if not looks_like_json(reply):
        reading = _read_text(reply, labels)
    if reading is not None:
        return _unless_quoted(reading, reply)
    raise _error(reply, "verdict")


def read_claims(text: str) -> tuple[tuple[int | None, str], ...]:
    """The claims of a reply as ``(sentence number or None, claim)``; truths are read the same way.

    () if the reply says that there are none. A sentence without claims has an empty claim.

    Raises:
        UnreadableReply: no list of claims can be read (kind ``unreadable``), or the judge refused
            (kind ``refusal``).
        TypeError: ``text`` is not a string.
    """
    from .claim_lists import claims_in_json, claims_in_text

    reply = _answer_in(text, "read_claims")
    claims = claims_in_json(find_values(reply))
    if claims is None:
        claims = claims_in_text(reply)
    if claims is None:
        raise _error(reply, "list of claims")
    return tuple(claims)


def read_ratings(text: str, names: Sequence[str]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratings of a reply for these dimensions, unchanged, and its suggestions.

    A rating that is not a number is left out.

    Raises:
        UnreadableReply: no rating can be read, or the reply denies its ratings (kind
            ``unreadable``), or the judge refused (kind ``refusal``).
        TypeError: ``text`` is not a string.
    """
    from .rating_values import are_denied, ratings_in, suggestions_in

    reply = _answer_in(text, "read_ratings")
    parts = find_values(reply)
    ratings = ratings_in(parts, names)
    if not ratings:
        raise _error(reply, "rating")
    if is_retracted(parts.around, positive=True) or are_denied(parts, ratings):
        raise ContradictoryReply("the judge's reply contradicts its own ratings or takes them back")
    return ratings, suggestions_in(parts)


def read_reason(text: str) -> str:
    """The reason that a reply gives for a score.

    Raises:
        UnreadableReply: it gives none (kind ``unreadable``), or the judge refused (kind
            ``refusal``).
        TypeError: ``text`` is not a string.
    """
    from .rating_values import reason_in
    from .refusal import is_refusal

    reply = _answer_in(text, "read_reason")
    if is_refusal(reply):
        raise _error(reply, "reason")
    return reason_in(reply)


def _read_json(reply: str, labels: Mapping[str, Label] | None) -> Reading | None:
    """The verdicts in a reply's JSON: valid, else repaired, else with its lists closed."""
    parts = find_values(reply)
    if verdicts := entries(parts, labels):
        if lost(parts):
            raise UnreadableReply("a part of the judge's JSON is broken, and it contains verdicts")
        return _unless_retracted(Reading(verdicts, "json"), parts)
    repaired = ReplyParts(repair(parts.broken), parts.around, ())
    if verdicts := entries(repaired, labels):
        return _unless_retracted(Reading(verdicts, "repaired"), parts)
    if (closed := close_lists(reply)) != reply:
        parts = find_values(closed)
        if (verdicts := entries(parts, labels)) and not lost(parts):
            return _unless_retracted(Reading(verdicts, "repaired"), parts)
    return None


def _read_text(reply: str, labels: Mapping[str, Label] | None) -> Reading | None:
    """The verdicts in a table, in tags or YAML; else in one of the older text forms."""
    # Imported here: their patterns take longer to compile than a good reply takes to read.
    from .text_replies.final_verdicts import before_final_list
    from .text_replies.structured_text import read_structured
    from .text_replies.text_verdicts import read_text

    if before_final_list(reply) is None and (structured := read_structured(reply, labels)):
        verdicts, parts = structured
        return _unless_retracted(Reading(verdicts, "text"), parts)
    verdicts = read_text(reply, labels)
    if not verdicts:
        return None
    return _unless_contradicted(Reading(verdicts, "text"), reply, WORD_KEYS)


def _unless_quoted(reading: Reading, reply: str) -> Reading:
    """The reading of a plain-text reply, unless a line of it introduces other people's verdicts."""
    positive = any(entry.label not in (None, *NEGATIVE) for entry in reading.verdicts)
    if positive and is_quoted_list(reply):
        raise UnreadableReply("the judge's words around its verdicts quote them")
    return reading


def _unless_retracted(reading: Reading, parts: ReplyParts) -> Reading:
    """``reading``, unless the prose around its JSON takes it back or contradicts it."""
    positive = any(entry.label not in (None, *NEGATIVE) for entry in reading.verdicts)
    all_positive = not any(entry.label in NEGATIVE for entry in reading.verdicts)
    if is_retracted(parts.around, positive=positive, all_positive=all_positive):
        raise UnreadableReply(
            "the judge's words around its JSON quote it, take it back or refuse to answer"
        )
    return _unless_contradicted(reading, "\n".join(parts.around)) if positive else reading


def _unless_contradicted(
    reading: Reading, prose: str, verdict_keys: frozenset[str] = frozenset()
) -> Reading:
    """``reading``, without its positive labels if the judge's prose contradicts them."""
    if is_blank(prose):
        return reading
    from .contradictions.remark_readers import (
        prose_remarks,  # its patterns are compiled on first use
    )

    remarks = prose_remarks(prose, verdict_keys=verdict_keys)
    if not are_contradicted(reading.verdicts, remarks):
        return reading
    if not any(entry.label in NEGATIVE for entry in reading.verdicts):
        raise ContradictoryReply("the judge's reply contradicts its own verdicts")
    return reading._replace(verdicts=without_positive(reading.verdicts))


def _answer_in(text: str, reader: str) -> str:
    """The judge's answer, without its thinking."""
    if not isinstance(text, str):
        raise TypeError(f"{reader}: text must be a string, got {type(text).__name__}")
    return without_thinking(unwrap(clean_text(text))).strip()


def _error(reply: str, wanted: str) -> UnreadableReply:
    from .refusal import is_judge_refusal

    if is_judge_refusal(reply):
        return UnreadableReply("the judge refused to answer", "refusal", retryable=False)
    if not reply:
        return UnreadableReply("the judge's reply is empty, or contains only its thinking")
    if looks_like_json(reply):
        return UnreadableReply(
            f"the judge's reply is JSON without a {wanted}, or it is broken or cut off"
        )
    return UnreadableReply(f"the judge's reply contains no {wanted}")
