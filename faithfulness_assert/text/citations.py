"""The citation audit: which cited ids exist, and which claims have no citation. It needs no judge.

``citation_styles.py`` says what a citation is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache

from ..records.errors import ConfigError
from ..records.model import MAX_ANSWER_CHARS, CitationAudit
from .citation_styles import CitationReader
from .statements import split
from .strings import word_lists

RETRY_AT = 5
"""With so many uncited sentences, the answer should be written again."""

_INLINE_CODE = re.compile(r"``[^\n]{1,1000}?``|`[^`\n]{1,1000}`")


def audit_citations(
    answer: str, ids: Sequence[str], *, language: str = "en", hedges: Sequence[str] = ()
) -> CitationAudit:
    """Checks the citations of ``answer`` against ``ids``, the ids of the passages it was given.

    A sentence without a citation is uncited, unless it hedges. Only the first ``MAX_ANSWER_CHARS``
    of the answer are read.

    Args:
        hedges: phrases that make a sentence a hedge, in any case of letters. Without any: "may",
            "it is unclear", "I don't know" and the like in seven languages.

    Raises:
        ConfigError: ``answer`` or ``language`` is not a string, or ``ids`` or ``hedges`` are not a
            sequence of strings.
    """
    _check(answer, language, ids=ids, hedges=hedges)
    answer = answer[:MAX_ANSWER_CHARS]
    parts = split(answer, language)
    unread = [s for s in parts.skipped if s.reason in ("code", "link definition")]
    reader = CitationReader(ids)
    citations = reader.citations(_blanked(answer, [(s.start, s.end) for s in unread]))
    names = dict.fromkeys(name for citation in citations for name in citation.names)
    invalid = tuple(name for name in names if not reader.exists(name))
    places = [citation.place for citation in citations]
    uncited = tuple(
        statement.text
        for statement in parts.statements
        if bisect_left(places, statement.start or 0) == bisect_left(places, statement.end or 0)
        and not _is_hedged(statement.text, hedges)
    )
    needs_retry = bool(invalid) or len(uncited) >= RETRY_AT
    return CitationAudit(invalid, len(uncited), uncited, bool(invalid), needs_retry)


def _check(answer: object, language: object, **lists: object) -> None:
    for name, value in (("answer", answer), ("language", language)):
        if not isinstance(value, str):
            raise ConfigError(f"{name}: must be a string, got {type(value).__name__}")
    for name, value in lists.items():
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            raise ConfigError(f"{name}: must be a sequence of strings, got {type(value).__name__}")
        for item in value:
            if not isinstance(item, str):
                raise ConfigError(f"{name}: each must be a string, got {type(item).__name__}")


def _blanked(answer: str, spans: Sequence[tuple[int, int]]) -> str:
    """``answer`` with ``spans`` and inline code blanked. All other characters keep their places."""
    parts, done = [], 0
    for start, end in spans:
        parts += [answer[done:start], " " * (end - start)]
        done = end
    parts.append(answer[done:])
    return _INLINE_CODE.sub(lambda code: " " * len(code[0]), "".join(parts))


def _is_hedged(sentence: str, phrases: Sequence[str]) -> bool:
    """Whether a sentence says that it is not certain: with one of ``phrases``, if there are any."""
    if phrases:
        text = sentence.casefold()
        return any(phrase.casefold() in text for phrase in phrases)
    # "Perhaps" is a hedge at the start too, but "May" is a month.
    plain = sentence if sentence.startswith("May ") else sentence[:1].lower() + sentence[1:]
    return _hedge().search(plain) is not None


@cache
def _hedge() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(word_lists('hedges')['hedges'].splitlines())})\b")
