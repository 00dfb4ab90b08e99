"""The citation audit: which cited ids exist, and which claims have no citation. It needs no judge.

Brackets are a citation if they contain an id that exists, or what looks like one: ``[c1]``,
``[c1, c2]``, ``[1-3]``, ``[^1]``, ``[Source 1]``, ``[a.pdf_9]``, ``【4†source】``, ``[1](#c1)``.
Parentheses need more, because people write much in them: an id that exists and is more than a
number or a word, one with another number (``(doc-9)`` beside ``doc-1``), or a word for sources
(``(Source: 9)``). ``[sic]``, ``[x]``, ``[1969]``, ``(2020)`` and links to web pages are not
citations.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from ..records.errors import ConfigError
from ..records.model import MAX_ANSWER_CHARS, CitationAudit
from .citations import MARKS, Mark, any_of, blanked, groups
from .sentences import FIND
from .statements import split
from .strings import is_blank, lazy_pattern, word_lists

RETRY_AT = 5
"""With so many uncited sentences, the answer should be written again."""
MAX_RANGE = 20
"""A longer range, such as ``[1-5000]``, counts as its two ends."""
SHORT = 4
"""Digits of a number that may be a year, or count something."""

_INLINE_CODE = lazy_pattern(r"``[^\n]{1,1000}?``|`[^`\n]{1,1000}`")
_NOTE = lazy_pattern(r"(?m)^[^\S\n]{0,20}(\[[^\[\]\n]{1,200}\]):")
_ID = lazy_pattern(r"\d{1,3}|(?=[\d_.#@-]{0,100}[^\W\d_]\S{0,100}\d)[\w.#@-]{1,100}")
"""In brackets, by its looks: a digit behind a letter, so neither "2nd" nor "5-year"."""
_NUMBER = lazy_pattern(r"\d{1,3}(?::\d{1,3})?")
_RANGE = lazy_pattern(r"([A-Za-z]{0,10}[-_]?)(\d{1,6})\s?[-–—]\s?\1(\d{1,6})")
_SEPARATOR = lazy_pattern(r"[,;]|\s(?:and|und|et|y|e|en|&)\s")
_LOCATOR = lazy_pattern(
    r"(?:(?:pp?|pages?|lines?|section|chapter|seiten?)\s|(?:pp?|sec|ch|s)\.\s?|§\s?)\d.*",
    re.IGNORECASE,
)
_JOINT = lazy_pattern(r"(?<=[^\W\d_])[\s_.:#-](?=[^\W_])")
_DIGITS = lazy_pattern(r"\d+")


def audit_citations(
    answer: str, ids: Sequence[str], *, language: str = FIND, hedges: Sequence[str] = ()
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
    given = {"answer": [answer], "language": [language], "ids": ids, "hedges": hedges}
    for name, texts in given.items():
        if isinstance(texts, str | bytes) or not isinstance(texts, Sequence):
            raise ConfigError(f"{name}: must be a sequence of strings, got {type(texts).__name__}")
        for text in texts:
            if not isinstance(text, str):
                raise ConfigError(f"{name}: must be a string, got {type(text).__name__}")
    answer = answer[:MAX_ANSWER_CHARS]
    parts = split(answer, language)
    unread = [(s.start, s.end) for s in parts.skipped if s.reason in ("code", "link definition")]
    unread += [found.span() for found in _INLINE_CODE.finditer(blanked(answer, unread))]
    unread += [found.span(1) for found in _NOTE.finditer(answer)]  # [^1]: The annual report
    reader = CitationReader(ids)
    citations = list(reader.citations(blanked(answer, unread)))
    named = dict.fromkeys(name for _, names in citations for name in names)
    invalid = tuple(name for name in named if not reader.exists(name))
    places = [place for place, _ in citations]
    starts = [*(statement.start or 0 for statement in parts.statements), len(answer)]
    cited = [bisect_left(places, start) for start in starts]  # so many stand before each
    uncited = tuple(
        statement.text
        for statement, before, behind in zip(parts.statements, cited, cited[1:], strict=False)
        if before == behind and not _is_hedged(statement.text, hedges)
    )
    needs_retry = bool(invalid) or len(uncited) >= RETRY_AT
    return CitationAudit(invalid, len(uncited), uncited, bool(invalid), needs_retry)


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


# ---------------------------------------------------------------- which ids a citation names


@cache
def _source() -> re.Pattern[str]:
    """What may stand before an id: "see", and a word for sources, perhaps with a colon."""
    label = r"(?P<label>(?:[_\s]?id)?\s?[:=]\s?)"
    word = rf"(?P<word>{any_of('sources', 'may be sources')})(?:{label}|[\s.#_-]{{1,3}}|(?=\d))"
    return re.compile(rf"(?:(?:{any_of('see')})\s)?(?P<source>{word})?", re.IGNORECASE)


_Name = tuple[str, bool]
"""One id that a citation may name, and whether a word for sources stands before it."""


class CitationReader:
    """Reads citations of passages with these ids. The case of letters does not matter."""

    def __init__(self, ids: Iterable[str]) -> None:
        exact = {name.casefold(): name for name in ids if not is_blank(name)}
        self._ids = {_JOINT.sub("", key): name for key, name in exact.items()} | exact
        self._forms = {*map(_form, exact)} - {""}

    def exists(self, name: str) -> bool:
        """Whether a passage has this id."""
        return name.casefold() in self._ids

    def citations(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Where each citation of a text without code begins, and the ids that it names, in order.

        An id is as passages have it, or as the answer writes it if no passage has it.
        """
        for mark in groups(text):
            target = self._ids.get(mark.target.casefold())
            if names := [target] if target else self._names(mark):
                yield mark.start, names

    def _names(self, mark: Mark) -> list[str]:
        """The ids that brackets or parentheses name; none if they are not a citation.

        In parentheses, without a word for sources, a number or a word alone names none: "(3)" may
        be an equation, "(report)" a remark.
        """
        content = mark.content.strip()
        parts = [content] if self.exists(content) else _SEPARATOR.split(content)
        found = [one for part in parts for one in self._read(part.strip(MARKS))]
        names = [one[0] for one in found if one]
        if mark.style == "parentheses" and not any(one[1] for one in found if one):
            plain = (name for name in names if not (name.isdecimal() or name.isalpha()))
            names = [name for name in plain if self.exists(name) or _form(name) in self._forms]
        return names if len(names) == len(found) or any(map(self.exists, names)) else []

    def _read(self, token: str, label: str = "") -> list[_Name | None]:
        """The ids in a part of a list, with None for what does not look like one.

        ``1-3`` is three ids, a page (``p. 4``) none, ``Source 1: the title`` and ``see Doc 3`` one.

        Args:
            label: the word for sources that stands before it.
        """
        if existing := self._existing(token, f"{label} {token}"):
            return [(existing, bool(label))]
        if _form(token) in self._forms:
            return [(token, bool(label))]
        if _LOCATOR.fullmatch(token):
            return []
        if span := _RANGE.fullmatch(token):
            first, last = int(span[2]), int(span[3])
            is_short = first < last < first + MAX_RANGE
            numbers = range(first, last + 1) if is_short else (first, last)
            return [name for n in numbers for name in self._read(f"{span[1]}{n}", label)]
        if all(map(self.exists, token.split())):
            return [(word, False) for word in token.split()]
        before = _source().match(token)
        if before and before.end():
            rest, word = token[before.end() :].strip(MARKS), before["word"]
            if not word:  # see
                return self._read(rest)
            rest = rest.partition(": ")[0].strip(MARKS)
            if before["label"] or self._existing(rest, f"{word} {rest}"):
                return self._read(rest, word)
            if _NUMBER.fullmatch(rest) or _form(rest) in self._forms:
                return [(f"{before['source']}{rest}", True)]
        number, dagger, _ = token.partition("†")
        if dagger and _NUMBER.fullmatch(number):  # 4†source, 4:0†source
            return [(number, True)]
        return [(token, bool(label)) if (_NUMBER if label else _ID).fullmatch(token) else None]

    def _existing(self, *texts: str) -> str | None:
        """The id of a passage that a text is, also with a page (``a.pdf#page=3``) or a dagger."""
        for text in map(str.casefold, texts):
            number, _, name = text.partition("†")
            for spelling in (text, number, name, text.partition("#")[0]):
                if found := self._ids.get(spelling) or self._ids.get(_JOINT.sub("", spelling)):
                    return found
        return None


def _form(name: str) -> str:
    """An id with other numbers, which has the form of one that exists: ``doc_9`` beside ``doc_1``.

    An id without a digit has none (""), nor has a short number, or a year such as 1969.
    """
    if name.isdecimal():
        return "0" * len(name) if len(name) > SHORT else ""
    name = name.casefold()
    return _DIGITS.sub("0", name) if any(map(str.isdecimal, name)) else ""
