"""What may follow verdicts in plain text: a polite sentence, or a summary.

A polite sentence is dropped. A summary is kept apart, so that it is not read as a verdict; it must
agree with the verdicts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..contradictions.remark_readers import prose_remarks
from ..labels import contrary, parse_label
from ..retraction import taken_back

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...records.model import Label

    Labels = Mapping[str, Label] | None

_POLITE = re.compile(
    r"(?:please )?(?:let me know|feel free|do(?:n't| not) hesitate|(?:i )?hope (?:this|that|it)"
    r"|i(?:'m| am) (?:always )?(?:happy|glad|here|available)|happy to|glad to|thanks?\b|thank you"
    r"|if (?:you|there)(?:'d| would)? (?:is|are|like|need|have|want|wish|require)"
    r"|is there anything|would you like|do you (?:need|want|have)|please (?:ask|reach out))\b"
)
_POLITE_CHARS = 200
_MAX_POLITE = 4  # sentences
_SUMMARY = re.compile(
    r"[\s>*_#\-]{0,9}(?:overall|in (?:summary|conclusion|total|short)|summary|conclusion|to sum up"
    r"|altogether|total|gesamt\w{0,9}|insgesamt|fazit|en résumé|en resumen|em resumo|in sintesi"
    r"|samenvattend|podsumowując|итого?)(?!\w)",
    re.IGNORECASE,
)
_LATER_WORD = re.compile(
    r"^[ \t>*_#\-]{0,9}(?:so,?\s|thus,?\s|therefore,?\s)?(?:my\s|the\s)?"
    r"(?:final|overall|correct\w*)\s",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER_COLON = re.compile(r"[:：=]\s*(?=[^:：=]*$)")


def without_politeness(text: str) -> str:
    """``text`` without polite sentences at its end: "Let me know if you have questions!"."""
    for _ in range(_MAX_POLITE):
        body = text.rstrip()
        bare = body.rstrip(".!? ")
        start = max(bare.rfind(mark) for mark in ".!?\n") + 1
        if not is_polite(bare[start:]):
            return text
        text = body[:start]
    return text


def is_polite(sentence: str) -> bool:
    """Whether a sentence is an offer, a wish or thanks, without a doubt or a number."""
    said = sentence.strip().casefold().replace("’", "'")
    if len(said) > _POLITE_CHARS or not _POLITE.match(said) or re.search(r"\d", said):
        return False
    return not contrary(re.sub(r"do(?:n't| not) hesitate", "", said))


def split_summary(text: str) -> tuple[str, str]:
    """``text`` before the lines of a summary at its end, and these lines; "" without a summary."""
    lines = text.rstrip().split("\n")
    end = len(lines)
    while end > 1 and (not lines[end - 1].strip() or _SUMMARY.match(lines[end - 1])):
        end -= 1
    return "\n".join(lines[:end]).rstrip(), "\n".join(lines[end:]).strip()


def is_doubtful_summary(summary: str, labels: Sequence[Label | None], own: Labels) -> bool:
    """Whether a summary casts a doubt on the verdicts that is not understood.

    What is understood is checked against them later.
    """
    if not summary or prose_remarks(summary, own):
        return False
    value = _AFTER_COLON.split(summary.strip("*_ "), maxsplit=1)[-1]
    return parse_label(value, own) != "supported" and denies_verdicts(summary, labels)


def denies_verdicts(after: str, labels: Sequence[Label | None]) -> bool:
    """Whether the text after verdicts takes them back.

    After a positive one, that text must not contain a negation or another verdict either.
    """
    if taken_back(after):
        return True
    if not labels or labels[-1] not in ("supported", "partially_supported"):
        return False
    return _LATER_WORD.search(after) is not None or contrary(after)
