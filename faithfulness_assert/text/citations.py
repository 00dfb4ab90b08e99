"""The citation audit of an answer: which cited ids exist, and which sentences claim something without a citation. No judge is asked.

A bracket is a citation where it holds an id, or something that looks like one: ``[c1]``, ``[c1, c2]``, ``[1]``, ``[^1]``, ``[1-3]``.
``[sic]``, ``[x]``, links and whatever stands in code are none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from ..records.case import MAX_ANSWER_CHARS
from ..records.errors import ConfigError
from ..records.model import CitationAudit
from .statements import split
from .strings import is_blank

RETRY_AT = 5
"""So many uncited sentences ask for another attempt."""
MAX_RANGE = 20
"""A range of more ids, such as ``[1-5000]``, counts as its two ends."""

_BRACKET = re.compile(r"\[([^\[\]\n]{1,200})\](?!\()")
_INLINE_CODE = re.compile(r"``[^\n]{1,1000}?``|`[^`\n]{1,1000}`")
_ID_LIKE = re.compile(r"\d{1,3}|[A-Za-z]{1,10}[-_]?\d{1,6}")
_RANGE = re.compile(r"([A-Za-z]{0,10}[-_]?)(\d{1,6})\s?[-–—]\s?\1(\d{1,6})")
_HEDGES = (
    r"may|might|could be|possibly|perhaps|probably|presumably|apparently|seems?|unclear|uncertain|unknown|unsure",
    r"not (?:sure|certain|known)",
    r"(?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|unable to) (?:know|say|tell|determine|find|answer|confirm|verify)",
    r"(?:no|insufficient|not enough|lacks?) (?:information|evidence|data|details?)|not (?:mentioned|stated|specified|provided)",
    r"möglicherweise|vielleicht|eventuell|vermutlich|wahrscheinlich|unklar|unbekannt|könnten?|weiß (?:ich )?nicht",
    r"keine (?:Angaben?|Information(?:en)?)",
    r"peut-être|possiblement|probablement|pourrai(?:t|ent)|incertain|inconnu|pas clair|ne sais pas|aucune (?:information|donnée)",
    r"pas d['’]information|quizás?|tal vez|posiblemente|probablemente|podrían?|incierto|desconocid[oa]|no (?:está claro|sé)",
    r"no hay (?:información|datos)",
    r"forse|possibilmente|probabilmente|potrebbe(?:ro)?|incerto|sconosciut[oa]|non (?:è chiaro|so)|nessuna informazione",
    r"talvez|possivelmente|provavelmente|poderia|desconhecid[oa]|não (?:está claro|sei)|não há (?:informaç(?:ão|ões)|dados)",
    r"misschien|mogelijk|wellicht|waarschijnlijk|onduidelijk|onbekend|weet (?:ik )?niet|geen (?:informatie|gegevens)",
)
_HEDGE = re.compile(rf"\b(?:{'|'.join(_HEDGES)})\b")


def audit_citations(answer: str, ids: Sequence[str], *, language: str = "en") -> CitationAudit:
    """Checks the citations of ``answer`` against ``ids``, the ids of the passages that it was given.

    A sentence is uncited where no citation stands in it, unless it hedges ("may", "it is unclear", "I don't know", also in German, French,
    Spanish, Italian, Portuguese and Dutch). What lies beyond ``MAX_ANSWER_CHARS`` is not read.

    Raises:
        ConfigError: ``answer`` is no string, ``ids`` no sequence of strings, or ``language`` no string.
    """
    _check(answer, ids)
    if not isinstance(language, str):
        raise ConfigError(f"language: must be a string, got {type(language).__name__}")
    answer = answer[:MAX_ANSWER_CHARS]
    parts = split(answer, language)
    silent = [
        (skipped.start, skipped.end)
        for skipped in parts.skipped
        if skipped.reason in ("code", "link definition")
    ]
    known = {name.casefold(): name for name in ids}
    cited = _citations(_without_code(answer, silent), known)
    brackets = dict.fromkeys(names for _, names in cited)
    invalid = tuple(
        dict.fromkeys(name for names in brackets for name in names if name.casefold() not in known)
    )
    places = [place for place, _ in cited]
    uncited = tuple(
        statement.text
        for statement in parts.statements
        if not _holds(places, statement.start or 0, statement.end or 0)
        and not _hedges(statement.text)
    )
    return CitationAudit(
        invalid, len(uncited), uncited, bool(invalid), bool(invalid) or len(uncited) >= RETRY_AT
    )


def _check(answer: object, ids: object) -> None:
    if not isinstance(answer, str):
        raise ConfigError(f"answer: must be a string, got {type(answer).__name__}")
    if isinstance(ids, str | bytes) or not isinstance(ids, Sequence):
        raise ConfigError(f"ids: must be a sequence of strings, got {type(ids).__name__}")
    for name in ids:
        if not isinstance(name, str):
            raise ConfigError(f"ids: must hold strings, got {type(name).__name__}")


def _hedges(text: str) -> bool:
    # "May" is a month, "Perhaps" is a hedge.
    return (
        _HEDGE.search(text if text.startswith("May ") else text[:1].lower() + text[1:]) is not None
    )


def _without_code(answer: str, silent: Sequence[tuple[int, int]]) -> str:
    """``answer`` with all code blanked: every other character keeps its place."""
    parts, done = [], 0
    for start, end in silent:
        parts += [answer[done:start], " " * (end - start)]
        done = end
    parts.append(answer[done:])
    return _INLINE_CODE.sub(lambda found: " " * len(found[0]), "".join(parts))


def _citations(text: str, known: Mapping[str, str]) -> list[tuple[int, tuple[str, ...]]]:
    """``(place, ids)`` for each citation, in order."""
    read: dict[str, tuple[str, ...]] = {}  # an answer cites the same few passages again and again
    cited = []
    for found in _BRACKET.finditer(text):
        names = read[found[1]] = (
            read[found[1]] if found[1] in read else tuple(_names(found[1], known))
        )
        if names and not _defines_note(text, found):
            cited.append((found.start(), names))
    return cited


def _defines_note(text: str, found: re.Match[str]) -> bool:
    """``[^1]: The annual report`` at the start of a line is the note, not a citation of it."""
    line = text[max(found.start() - 20, 0) : found.start()].rpartition("\n")[2]
    return text[found.end() : found.end() + 1] == ":" and is_blank(line)


def _names(content: str, known: Mapping[str, str]) -> list[str]:
    """The ids that a bracket cites: none where it is no citation."""
    if content.casefold() in known:
        return [known[content.casefold()]]
    tokens = [token.strip().strip("^") for token in re.split(r"[,;]", content)]
    spread = [name for token in tokens for name in _spread(token, known)]
    named = [known[name.casefold()] for name in spread if name.casefold() in known]
    like = [name for name in spread if name.casefold() in known or _ID_LIKE.fullmatch(name)]
    return (
        [known.get(name.casefold(), name) for name in like]
        if named or len(like) == len(spread)
        else []
    )


def _spread(token: str, known: Mapping[str, str]) -> list[str]:
    """``1-3`` is 1, 2 and 3. An id may look like a range, and then it is the id."""
    found = _RANGE.fullmatch(token)
    if token.casefold() in known or not found:
        return [token]
    prefix, first, last = found[1], int(found[2]), int(found[3])
    if first < last < first + MAX_RANGE:
        return [f"{prefix}{number}" for number in range(first, last + 1)]
    return [f"{prefix}{first}", f"{prefix}{last}"]


def _holds(places: Sequence[int], start: int, end: int) -> bool:
    place = bisect_left(places, start)
    return place < len(places) and places[place] < end
