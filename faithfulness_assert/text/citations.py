"""The citation audit: which cited ids exist, and which claims have no citation. It needs no judge.

A bracket is a citation if it contains an id, or something that looks like one: ``[c1]``,
``[c1, c2]``, ``[1]``, ``[^1]``, ``[1-3]``. ``[sic]``, ``[x]``, links and code are not citations.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from ..records.case import MAX_ANSWER_CHARS
from ..records.errors import ConfigError
from ..records.model import CitationAudit
from .hedges import is_hedged
from .statements import split
from .strings import is_blank

RETRY_AT = 5
"""With so many uncited sentences, the answer should be written again."""
MAX_RANGE = 20
"""A longer range, such as ``[1-5000]``, counts as its two ends."""

_BRACKET = re.compile(r"\[([^\[\]\n]{1,200})\](?!\()")
_INLINE_CODE = re.compile(r"``[^\n]{1,1000}?``|`[^`\n]{1,1000}`")
_ID_LIKE = re.compile(r"\d{1,3}|[A-Za-z]{1,10}[-_]?\d{1,6}")
_RANGE = re.compile(r"([A-Za-z]{0,10}[-_]?)(\d{1,6})\s?[-–—]\s?\1(\d{1,6})")


def audit_citations(answer: str, ids: Sequence[str], *, language: str = "en") -> CitationAudit:
    """Checks the citations of ``answer`` against ``ids``, the ids of the passages it was given.

    A sentence without a citation is uncited, unless it hedges ("may", "it is unclear", "I don't
    know"; also in German, French, Spanish, Italian, Portuguese and Dutch). Only the first
    ``MAX_ANSWER_CHARS`` of the answer are read.

    Raises:
        ConfigError: ``answer`` or ``language`` is not a string, or ``ids`` not a sequence of them.
    """
    _check(answer, ids, language)
    answer = answer[:MAX_ANSWER_CHARS]
    parts = split(answer, language)
    unread = [s for s in parts.skipped if s.reason in ("code", "link definition")]
    known = {name.casefold(): name for name in ids}
    cited = _citations(_blanked(answer, [(s.start, s.end) for s in unread]), known)
    names = dict.fromkeys(name for _, cited_names in cited for name in cited_names)
    invalid = tuple(name for name in names if name.casefold() not in known)
    places = [place for place, _ in cited]
    uncited = tuple(
        statement.text
        for statement in parts.statements
        if not _has_place(places, statement.start or 0, statement.end or 0)
        and not is_hedged(statement.text)
    )
    needs_retry = bool(invalid) or len(uncited) >= RETRY_AT
    return CitationAudit(invalid, len(uncited), uncited, bool(invalid), needs_retry)


def _check(answer: object, ids: object, language: object) -> None:
    if not isinstance(answer, str):
        raise ConfigError(f"answer: must be a string, got {type(answer).__name__}")
    if isinstance(ids, str | bytes) or not isinstance(ids, Sequence):
        raise ConfigError(f"ids: must be a sequence of strings, got {type(ids).__name__}")
    for name in ids:
        if not isinstance(name, str):
            raise ConfigError(f"ids: each must be a string, got {type(name).__name__}")
    if not isinstance(language, str):
        raise ConfigError(f"language: must be a string, got {type(language).__name__}")


def _blanked(answer: str, spans: Sequence[tuple[int, int]]) -> str:
    """``answer`` with ``spans`` and inline code blanked. All other characters keep their places."""
    parts, done = [], 0
    for start, end in spans:
        parts += [answer[done:start], " " * (end - start)]
        done = end
    parts.append(answer[done:])
    return _INLINE_CODE.sub(lambda code: " " * len(code[0]), "".join(parts))


def _citations(text: str, known: Mapping[str, str]) -> list[tuple[int, tuple[str, ...]]]:
    """``(place, ids)`` of each citation, in order."""
    read: dict[str, tuple[str, ...]] = {}  # an answer cites the same few passages many times
    cited = []
    for bracket in _BRACKET.finditer(text):
        content = bracket[1]
        if content not in read:
            read[content] = tuple(_names(content, known))
        if read[content] and not _defines_note(text, bracket):
            cited.append((bracket.start(), read[content]))
    return cited


def _defines_note(text: str, bracket: re.Match[str]) -> bool:
    """``[^1]: The annual report`` at the start of a line is a note, not a citation."""
    line = text[max(bracket.start() - 20, 0) : bracket.start()].rpartition("\n")[2]
    return text[bracket.end() : bracket.end() + 1] == ":" and is_blank(line)


def _names(content: str, known: Mapping[str, str]) -> list[str]:
    """The ids that a bracket cites; none if it is not a citation."""
    if content.casefold() in known:
        return [known[content.casefold()]]
    tokens = [token.strip().strip("^") for token in re.split(r"[,;]", content)]
    listed = [name for token in tokens for name in _expanded(token, known)]
    exists = [name.casefold() in known for name in listed]
    names = [name for name in listed if name.casefold() in known or _ID_LIKE.fullmatch(name)]
    if not any(exists) and len(names) < len(listed):
        return []
    return [known.get(name.casefold(), name) for name in names]


def _expanded(token: str, known: Mapping[str, str]) -> list[str]:
    """``1-3`` as 1, 2, 3. An existing id that looks like a range stays as it is."""
    span = _RANGE.fullmatch(token)
    if token.casefold() in known or not span:
        return [token]
    prefix, first, last = span[1], int(span[2]), int(span[3])
    if first < last < first + MAX_RANGE:
        return [f"{prefix}{number}" for number in range(first, last + 1)]
    return [f"{prefix}{first}", f"{prefix}{last}"]


def _has_place(places: Sequence[int], start: int, end: int) -> bool:
    """Whether one of the sorted ``places`` is in the span."""
    index = bisect_left(places, start)
    return index < len(places) and places[index] < end
